"""The options by which questions are asked: those of the kinds that there are."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

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
    from ouroboros.properties.table import BY_NAME

    named = _property_names if option is BY_NAME else None
    completion = click.Path() if option.file else None
    return click.Option(
        [option.flag, option.name],
        metavar=option.metavar,
        type=completion,
        multiple=True,
        help=option.help,
        shell_complete=named,
    )


def _property_names(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Those of the models that stand before; a shell is told nothing where they cannot be read."""
    from ouroboros.errors import OuroborosError
    from ouroboros.languages import grouped, load
    from ouroboros.properties.asking import described_properties

    found: dict[str, str] = {}
    with suppress(OuroborosError):
        # A command that is not complete has its words there where one of them lacks its value.
        words = (*(context.params.get("models") or ()), *context.args)
        for first, *_ in grouped(tuple(word for word in words if _is_text(word))):
            found |= described_properties(load(first).system)
    return [CompletionItem(name, help=told) for name, told in found.items() if name.startswith(begun)]


def _is_text(word: str) -> bool:
    """Whether it is a model that can be read without anything of it being run."""
    from ouroboros.languages import language_of

    language = language_of(Path(word))
    return language is not None and not language.executed and Path(word).is_file()


def names_of_questions() -> list[str]:
    from ouroboros.properties.table import options

    return [option.name for option in options()]


def names_of_files() -> list[str]:
    """Those whose values are files of questions."""
    from ouroboros.properties.table import options

    return [option.name for option in options() if option.file]
