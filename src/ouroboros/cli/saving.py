"""Checkpoints as the command line knows them: what a run is asked is saved once, and confirmed when it goes on."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import numpy as np

from ouroboros.checkpoint.choosing import choose
from ouroboros.checkpoint.directory import Directory, Json
from ouroboros.checkpoint.keeper import Keeper
from ouroboros.cli.options import EVERY, RunOptions
from ouroboros.engine.exchange.base import Exchange
from ouroboros.engine.limits import Interrupt
from ouroboros.engine.memory import Budget
from ouroboros.engine.team import Team
from ouroboros.errors import OuroborosError, UsageError
from ouroboros.source import Source

_SAVED_OPTIONS = ("workers", "every", "store", "seed", "strict", "overflow", "definitions")


class Recipe(NamedTuple):
    """What a command was asked, but for the model and the options of every run."""

    command: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class SavedRun:
    """A run as its directory describes it."""

    directory: Directory
    data: Json

    @classmethod
    def read(cls, path: str) -> SavedRun:
        directory = Directory(path)
        return cls(directory, directory.read_run())

    @property
    def recipe(self) -> Recipe:
        return Recipe(self.data["command"], self.data["arguments"])

    @property
    def options(self) -> dict[str, Any]:
        return dict(self.data["options"])

    @property
    def model(self) -> str:
        """As it was named, if that is the same file from here; else where it was."""
        name, path = self.data["model"], self.data["path"]
        return str(name if os.path.abspath(name) == path else path)

    def confirm(self, files: Sequence[Source]) -> None:
        """Raises UsageError if the texts are not those that the run was started with."""
        saved = self.data["files"]
        for before, now in zip(saved, files, strict=False):
            if before["sha256"] != now.sha256:
                raise UsageError(
                    f"{self.directory.path}: {now.name} is not what it was when the run was started: restore it, its"
                    " text is in run.json, or start a new run"
                )
        if len(saved) != len(files):
            raise UsageError(f"{self.directory.path}: the model includes other files than when the run was started")


def new_keeper(team: Team, options: RunOptions) -> Keeper:
    return Keeper(Directory(str(options.checkpoint)), options.every or EVERY, _warn(team))


def begin_saving(
    team: Team, keeper: Keeper, model: str, options: RunOptions, recipe: Recipe, files: Sequence[Source]
) -> None:
    """Make the keeper's directory that of a new run; raises UsageError, on all ranks, if it cannot be."""
    directory = keeper.directory
    run = {
        "command": recipe.command,
        "arguments": recipe.arguments,
        "model": model,
        "path": os.path.abspath(model),
        "options": {name: getattr(options, name) for name in _SAVED_OPTIONS},
        "files": [{"name": file.name, "sha256": file.sha256, "text": file.text} for file in files],
    }

    def begin(exchange: Exchange) -> None:
        if exchange.rank == 0:
            directory.begin(run)

    def look(exchange: Exchange) -> None:
        if not directory.exists():
            raise UsageError(f"--checkpoint {directory.path}: not every rank sees this directory; it must be shared")

    _together(team, begin)
    _together(team, look)


def go_on_saving(team: Team, options: RunOptions, saved: SavedRun, files: Sequence[Source]) -> Keeper:
    """Go on with a run: from its newest checkpoint that is sound."""
    saved.confirm(files)
    choice = team.run(lambda exchange, budget: choose(saved.directory, exchange), memory=0)
    warn = _warn(team)
    for warning in choice.warnings:
        warn(warning)
    keeper = Keeper(saved.directory, options.every or EVERY, warn)
    keeper.resume(choice.generation)
    return keeper


def _together(team: Team, step: Callable[[Exchange], None]) -> None:
    """Raises on every rank where one fails."""

    def work(exchange: Exchange, budget: Budget) -> None:
        failure: OuroborosError | None = None
        try:
            if exchange.rank == 0 or team.exchange == "mpi":
                step(exchange)
        except OuroborosError as error:
            failure = error
        failed = int(exchange.total(np.array([failure is not None], np.int64))[0])
        if failure and exchange.rank == 0:
            failures.append(failure)
        elif failed:
            failures.append(failure or UsageError("another rank cannot use the directory of the checkpoints"))

    failures: list[OuroborosError] = []
    team.run(work, memory=0)
    if failures:
        raise failures[0]


def _warn(team: Team) -> Callable[[str], None]:
    def warn(message: str) -> None:
        if team.leads:
            print(f"ouro: warning: {message}", file=sys.stderr, flush=True)

    return warn


@contextmanager
def stopping_politely(interrupt: Interrupt, leads: bool) -> Iterator[None]:
    """The first signal to stop is a wish, which leaves time for a checkpoint; the second one is obeyed at once."""
    before: dict[int, Any] = {}

    def ask(number: int, frame: FrameType | None) -> None:
        interrupt.asked = True
        restore()
        if leads:
            print("ouro: interrupted: writing a checkpoint …", file=sys.stderr, flush=True)

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)
        before.clear()

    for number in (signal.SIGINT, signal.SIGTERM):
        before[number] = signal.signal(number, ask)
    try:
        yield
    finally:
        restore()


def absolute(paths: Sequence[str]) -> list[str]:
    """So that a resumed run finds them from anywhere."""
    return [str(Path(path).absolute()) for path in paths]
