"""What is known of the values of fields must hold in every state."""

from __future__ import annotations

from ouroboros.languages import promela
from ouroboros.source import Source
from ouroboros.system.ranges import known_ranges


def test_a_temporary_is_not_taken_for_a_constant_with_its_number() -> None:
    # A process that ends sets its parameter to the constant 0, one that begins to temporary 0.
    model = promela.load(Source("model.pml", "proctype P(byte b) { b = b } init { run P(7) }"))
    ranges = {field.name: interval for field, interval in known_ranges(model.system).items()}
    assert ranges["P[1].b"].high >= 7
