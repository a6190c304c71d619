"""`ouro info`: what is in a model, and what becomes of it?"""

from __future__ import annotations

import sys
from typing import Literal

import click

from ouroboros.cli.options import (
    definitions_option,
    files_argument,
    language_option,
    one_model,
    overflow_option,
    settings_options,
)
from ouroboros.languages import beside
from ouroboros.settings import Settings
from ouroboros.system.model import Overflow, System

Inside = Literal["ir", "llvm", "asm"]


@click.command(short_help="Describe a model.")
@files_argument
@click.option("--ir", "inside", flag_value="ir", help="Instead: the System that the model is lowered to, as text.")
@click.option("--llvm", "inside", flag_value="llvm", help="Instead: the LLVM IR that machine code is made of.")
@click.option("--asm", "inside", flag_value="asm", help="Instead: that machine code, as assembly for this machine.")
@language_option
@definitions_option
@overflow_option
@settings_options
def info(
    files: tuple[str, ...],
    inside: Inside | None,
    language: str | None,
    overflow: Overflow,
    definitions: dict[str, str],
    settings: Settings,
) -> int:
    """Describe a model: processes, variables, the state vector, properties. Nothing is searched."""
    from ouroboros.cli.output import printed
    from ouroboros.cli.together import load_together
    from ouroboros.cli.warning import warn
    from ouroboros.engine.team import Team
    from ouroboros.properties.asking import described_properties
    from ouroboros.report.description import description
    from ouroboros.report.page import Page

    model, others = one_model(files)
    system = load_together(Team(), model, overflow, definitions, language, beside(others, settings)).system
    warn(system.warnings)
    with printed():
        if inside:
            sys.stdout.writelines(f"{line}\n" for line in _lines(system, inside))
        else:
            Page(sys.stdout).show(description(system, described_properties(system)))
    return 0


def _lines(system: System, inside: Inside) -> list[str]:
    """The whole model as it is loaded, without reductions, and with its assertions as propositions."""
    if inside == "ir":
        from ouroboros.system.text import system_text

        return list(system_text(system))
    from ouroboros.native import assembly_text, llvm_text

    return (llvm_text if inside == "llvm" else assembly_text)(system, system.assertions).splitlines()
