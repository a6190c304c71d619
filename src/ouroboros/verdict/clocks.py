"""What is known of the clocks in a state, as text."""

from __future__ import annotations

from collections.abc import Iterator

from ouroboros.system.layout import Vector, zone_size
from ouroboros.system.model import System
from ouroboros.system.zones import AT_MOST_ZERO, INFINITY, Matrix, added


def told_clocks(system: System, state: Vector) -> str:
    """The bounds of all clocks, and of their differences where these say more."""
    if system.zone is None:
        return ""
    size = zone_size(system.zone)
    most = (1 << (system.zone.bits - 1)) - 1
    cells = [system.layout.read(state, system.zone, index) for index in range(size * size)]
    bounds = [INFINITY if cell == most else cell for cell in cells]
    matrix = [bounds[start : start + size] for start in range(0, size * size, size)]
    return ", ".join(_told(matrix, system.clocks)) or "any"


def _told(matrix: Matrix, names: tuple[str, ...]) -> Iterator[str]:
    for clock in range(1, len(matrix)):
        yield from _between(matrix[clock][0], matrix[0][clock], names[clock], AT_MOST_ZERO)
    for one in range(1, len(matrix)):
        for other in range(one + 1, len(matrix)):
            forward, backward = matrix[one][other], matrix[other][one]
            # What follows from the bounds of both clocks needs no saying.
            if forward >= added(matrix[one][0], matrix[0][other]):
                forward = INFINITY
            if backward >= added(matrix[other][0], matrix[0][one]):
                backward = INFINITY
            if forward == backward == AT_MOST_ZERO:
                yield f"{names[one]} = {names[other]}"
            else:
                yield from _between(forward, backward, f"{names[one]} - {names[other]}", INFINITY)


def _between(above: int, below: int, name: str, trivial: int) -> Iterator[str]:
    if above < INFINITY and below < INFINITY and above >> 1 == -(below >> 1) and above & below & 1:
        yield f"{name} = {above >> 1}"
        return
    if below < trivial:
        yield f"{name} {'>=' if below & 1 else '>'} {-(below >> 1)}"
    if above < INFINITY:
        yield f"{name} {'<=' if above & 1 else '<'} {above >> 1}"
