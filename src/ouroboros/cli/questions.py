"""The options by which questions are asked: those of the kinds that there are."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ouroboros.properties.kind import Option


class AskingCommand(click.Command):
    """A command that asks. The kinds of questions are loaded when its options are looked at, and not before."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        from ouroboros.properties.table import options

        model, *others = super().get_params(ctx)
        return [model, *map(_parameter, options()), *others]


@cache
def _parameter(option: Option) -> click.Option:
    return click.Option([option.flag, option.name], metavar=option.metavar, multiple=True, help=option.help)


def names_of_questions() -> list[str]:
    from ouroboros.properties.table import options

    return [option.name for option in options()]


def names_of_files() -> list[str]:
    """Those whose values are files of questions."""
    from ouroboros.properties.table import options

    return [option.name for option in options() if option.file]
