"""`ouro info`: what is in a model?"""

from __future__ import annotations

import sys

import click

from ouroboros.cli.options import definitions_option, overflow_option
from ouroboros.system.model import Overflow


@click.command(short_help="Describe a model.")
@click.argument("model")
@definitions_option
@overflow_option
def info(model: str, overflow: Overflow, definitions: dict[str, str]) -> int:
    """Describe a model: processes, variables, the state vector, properties. Nothing is searched."""
    from ouroboros.checking import described_properties
    from ouroboros.cli.output import printed
    from ouroboros.languages import load
    from ouroboros.report.description import description
    from ouroboros.report.terminal import show

    system = load(model, overflow=overflow, definitions=definitions).system
    with printed():
        show(description(system, described_properties(system)), sys.stdout)
    return 0
