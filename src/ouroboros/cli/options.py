"""Options that several commands take, and the values that people write for them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from ouroboros.amounts import read_duration, read_size
from ouroboros.errors import UsageError
from ouroboros.languages import TEXTUAL, beside, grouped
from ouroboros.settings import SETTINGS, Settings
from ouroboros.system.model import Overflow

if TYPE_CHECKING:
    from ouroboros.report.trace import Extent

Amount = TypeVar("Amount", int, float)
Command = TypeVar("Command", bound=Callable[..., Any])


def size(text: str) -> int:
    """Bytes: `4G`, `512M`, `1.5GiB` in powers of 1024; `4GB` in powers of 1000."""
    return _read(read_size, text)


def duration(text: str) -> float:
    """Seconds: `60s`, `5m`, `1h30m`, or a plain number."""
    return _read(read_duration, text)


def _read(read: Callable[[str], Amount], text: str) -> Amount:
    try:
        return read(text)
    except UsageError as error:
        raise click.BadParameter(f"{error}.") from None


EVERY = 300.0
"""Seconds between two checkpoints, unless something else is asked for."""


@dataclass(frozen=True)
class RunOptions:
    """How to run a search, and where its report goes."""

    workers: int
    memory: int | None
    time: float | None
    states: int | None
    scratch: str | None
    store: str
    seed: int
    strict: bool
    json: str | None
    overflow: Overflow
    definitions: dict[str, str]
    settings: Settings
    checkpoint: str | None
    every: float | None
    language: str | None = None
    trace: Extent | None = None

    def of_files(self, others: Sequence[str]) -> RunOptions:
        """The same for a model that has other files beside its first one."""
        return replace(self, settings=beside(others, self.settings))

    def __post_init__(self) -> None:
        if self.language and self.checkpoint:
            raise UsageError("--checkpoint needs a file to go on with: standard input can be read once")
        if self.every is not None and self.checkpoint is None:
            raise UsageError("--every says how often to save, and nothing is saved without --checkpoint DIR")
        if self.json is not None and self.json != "-":
            confirm_writable("--json", self.json)


def confirm_writable(option: str, file: str) -> None:
    """What cannot be written is better known before a search of hours."""
    path = Path(file)
    if path.is_dir():
        raise UsageError(f"{option} {path}: this is a directory, name a file")
    if not path.parent.is_dir():
        raise UsageError(f"{option} {path}: there is no directory {path.parent}")
    if not os.access(path.parent, os.W_OK):
        raise UsageError(f"{option} {path}: nothing can be written to {path.parent}")


overflow_option = click.option(
    "--overflow",
    type=click.Choice(["error", "wrap"]),
    default="error",
    show_default=True,
    help="What an assignment does with a value that does not fit its variable: end the run in an error, as DiVinE, or"
    " keep the low bits, as C.",
)


def _definitions(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not name.strip() or not equals or not value.strip():
            raise click.BadParameter(f"{text!r} is no definition: write NAME=VALUE.")
        found[name.strip()] = value.strip()
    return found


language_option = click.option(
    "--language",
    type=click.Choice(TEXTUAL),
    help="What a model from standard input is written in, which is named `-`. A file says so by its suffix.",
)

symmetry_option = click.option(
    "--symmetry",
    is_flag=True,
    help="Of states that differ only by a permutation of the elements of scalarsets, explore one.",
)

definitions_option = click.option(
    "-D",
    "definitions",
    metavar="NAME=VALUE",
    multiple=True,
    callback=_definitions,
    help="Give a macro or a constant of the model this value, whatever its own is. Repeatable.",
)


files_argument = click.argument("files", metavar="MODEL", nargs=-1, required=True, type=click.Path())
"""A model, of a language where it can have several files also these."""


def one_model(files: Sequence[str]) -> tuple[str, Sequence[str]]:
    """The first file of a model, and its others; raises UsageError where there are several models."""
    (first, *others), *more = grouped(files)
    if more:
        raise UsageError(f"this is about one model: {first} is one, {more[0][0]} another")
    return first, others


def with_settings(options: dict[str, Any]) -> dict[str, Any]:
    """The same options, with those for some languages as one."""
    given = {setting.name: options[setting.name] for setting in SETTINGS}
    settings = {name: ("on",) if values is True else tuple(values) for name, values in given.items() if values}
    return {name: value for name, value in options.items() if name not in given} | {"settings": settings}


def settings_options(command: Command) -> Command:
    """Add the options for what only some languages can be told; the command gets all of them as `settings`."""

    @wraps(command)
    def gathered(*arguments: Any, **options: Any) -> Any:
        return command(*arguments, **with_settings(options))

    told = (
        click.option(setting.flag, setting.name, metavar=setting.metavar, multiple=True, help=setting.help)
        if setting.metavar
        else click.option(setting.flag, setting.name, is_flag=True, help=setting.help)
        for setting in SETTINGS
    )
    return _with(cast(Command, gathered), *told)


def workers_option(default: int | None, told: str) -> Callable[[Command], Command]:
    return click.option(
        "--workers", type=click.IntRange(1, 1024), default=default, show_default=default is not None, help=told
    )


every_option = click.option(
    "--every", type=duration, metavar="DURATION", help="Write a checkpoint about so often. Default: 5m."
)

json_option = click.option("--json", metavar="FILE", help="Write the report to FILE; - is standard output, and silent.")


trace_option = click.option(
    "--trace",
    type=click.Choice(["full", "short", "none"]),
    help="Show a violation as a run with all its steps and whole statements; with its first and last steps, and those"
    " of its cycle; or not at all. Default: all steps, long statements cut; short on a terminal beyond 300 steps.",
)


def limit_options(command: Command) -> Command:
    """Add the options that say where a run gives up."""
    return _with(
        command,
        click.option(
            "--memory",
            type=size,
            metavar="SIZE",
            help="Give up before the states need more than this on one machine: 512M, 4G. The program needs up to"
            " 200M on top, and what a large model takes to compile; the report has both. Default: most of what is"
            " free.",
        ),
        click.option(
            "--time",
            type=duration,
            metavar="DURATION",
            help="Give up the search after this: 60s, 5m, 1h30m. Reading and compiling the model before may take as"
            " long.",
        ),
        click.option("--states", type=click.IntRange(1), help="Give up after this many states."),
        click.option(
            "--scratch",
            metavar="DIR",
            type=click.Path(exists=True, file_okay=False, writable=True),
            help="For states that wait and do not fit into memory, with a store that keeps none. Default: the"
            " system's temporary directory.",
        ),
    )


def _with(command: Command, *options: Callable[[Command], Command]) -> Command:
    """The command with these options, in this order."""
    for option in reversed(options):
        command = option(command)
    return command


def run_options(command: Command) -> Command:
    """Add the options that `RunOptions` holds."""
    return _with(
        command,
        workers_option(1, "Processes to search with: as many as there are cores, for a large model."),
        limit_options,
        click.option(
            "--store",
            metavar="NAME",
            default="full",
            show_default=True,
            help="How states are kept: full, as they are; tree, with shared parts, in half the memory and a little"
            " slower; collapse, the same with whole components as parts; automaton, as the minimal automaton that"
            " accepts them, for properties of states, in a byte or two and slower still; compact[:32|40|48|64],"
            " only so many bits of a hash, by which a state may be missed; bitstate[:SIZE,K], K bits of a filter, to"
            " hunt bugs.",
        ),
        click.option("--seed", type=click.IntRange(0), default=0, help="Of the hash of a compact or bitstate store."),
        click.option(
            "--strict",
            is_flag=True,
            help="What is not covered is a failure: a statement that is never executed. What holds unless a state"
            " was missed is unknown.",
        ),
        language_option,
        definitions_option,
        overflow_option,
        settings_options,
        click.option(
            "--checkpoint",
            metavar="DIR",
            help="Save the search there now and then, and when it is stopped: `ouro resume DIR` goes on.",
        ),
        every_option,
        json_option,
    )
