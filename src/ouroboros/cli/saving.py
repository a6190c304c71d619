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

from ouroboros.checkpoint.choosing import choose
from ouroboros.checkpoint.directory import Directory, Json
from ouroboros.checkpoint.keeper import Keeper
from ouroboros.cli.options import EVERY, RunOptions
from ouroboros.cli.together import do_together
from ouroboros.cli.warning import warn as warn_of
from ouroboros.engine.limits import Interrupt
from ouroboros.engine.team import Team
from ouroboros.errors import UsageError
from ouroboros.source import Source

_SAVED_OPTIONS = ("workers", "every", "store", "seed", "strict", "overflow", "definitions", "settings")


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
        """Raises UsageError, on all ranks, if there is none that this program can go on with."""
        directory, found = Directory(path), []
        do_together(Team(), path, lambda leads: found.append(directory.read_run()))
        return cls(directory, found[0])

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

    def begin(leads: bool) -> None:
        if leads:
            directory.begin(run)
            directory.lock()

    def look(leads: bool) -> None:
        if not directory.exists():
            raise UsageError(f"--checkpoint {directory.path}: the directory is not shared by all ranks")

    do_together(team, str(directory.path), begin)
    do_together(team, str(directory.path), look)


def go_on_saving(team: Team, options: RunOptions, saved: SavedRun, files: Sequence[Source]) -> Keeper:
    """Go on with a run from its newest checkpoint that is sound; raises UsageError, on all ranks, if it cannot be."""
    saved.confirm(files)
    directory = saved.directory

    def take(leads: bool) -> None:
        if leads:
            directory.lock()
            directory.confirm_writable()

    do_together(team, str(directory.path), take)
    choice = team.run(lambda exchange, budget: choose(directory, exchange), memory=0)
    if choice.wrong and choice.generation is None:
        raise UsageError(f"{'; '.join(choice.wrong)}: there is none to go on from")
    warn = _warn(team)
    for wrong in choice.wrong:
        warn(f"{wrong}: an older one is used")
    keeper = Keeper(directory, options.every or EVERY, warn)
    keeper.resume(choice.generation)
    return keeper


def _warn(team: Team) -> Callable[[str], None]:
    def warn(message: str) -> None:
        if team.leads:
            warn_of([message])

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
