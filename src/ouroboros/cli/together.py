"""The ranks of an MPI run agree that they all have the same files, before they depend on each other.

Each rank reads a file on its own machine. If one cannot, or reads another text, all must know, or they would wait for
it for ever.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from ouroboros.engine.team import Team
from ouroboros.errors import OuroborosError, UsageError
from ouroboros.languages import Model, load, load_text, read_standard_input
from ouroboros.properties.formulas.ltl_file import read_source
from ouroboros.settings import Settings
from ouroboros.source import Source
from ouroboros.system.model import Overflow

Content = TypeVar("Content")


def load_together(
    team: Team,
    path: str,
    overflow: Overflow,
    definitions: Mapping[str, str],
    language: str | None = None,
    settings: Settings | None = None,
) -> Model:
    """The model of a file, or `-` of standard input, which has a language."""
    if path == "-" and team.exchange == "mpi":
        raise UsageError("standard input has one reader: with ranks, name a file")
    if path != "-" and language:
        raise UsageError(f"--language is for standard input: {path} says by its suffix what it is")

    def read() -> Model:
        if path == "-":
            return load_text(
                read_standard_input(language), overflow=overflow, definitions=definitions, settings=settings
            )
        return load(path, overflow=overflow, definitions=definitions, settings=settings)

    return _together(
        team,
        path,
        read,
        lambda model: model.system.source,
    )


def confirm_together(team: Team, path: str) -> Source:
    """Its text; raises on every rank where the file is not there, or not the same, for all."""
    return _together(team, path, lambda: read_source(path), lambda source: source)


def _together(team: Team, path: str, read: Callable[[], Content], source_of: Callable[[Content], Source]) -> Content:
    if team.exchange != "mpi":
        return read()
    content: Content | None = None
    failure: OuroborosError | None = None
    try:
        content = read()
    except OuroborosError as error:
        failure = error
    failed = _total(team, int(failure is not None))
    if failure:
        raise failure
    if failed or content is None:
        raise UsageError(f"{failed} of {team.size} ranks cannot read {path}: it must be there for every rank")
    # Equal to the mean for every rank only if all are equal.
    identity = int(source_of(content).sha256[:12], 16)
    differs = _total(team, identity) != identity * team.size
    if _total(team, int(differs)):
        raise UsageError(f"{path} is not the same for all ranks: copy one version to every machine")
    return content


def do_together(team: Team, path: str, step: Callable[[bool], None]) -> None:
    """Do something with a file on every rank, which is told whether it is the first; raises on all if one fails."""
    failure: OuroborosError | None = None
    try:
        step(team.leads)
    except OuroborosError as error:
        failure = error
    failed = _total(team, int(failure is not None)) if team.exchange == "mpi" else 0
    if failure:
        raise failure
    if failed:
        raise UsageError(f"{failed} of {team.size} ranks cannot use {path}: it must be there for every rank")


def _total(team: Team, value: int) -> int:
    import numpy as np

    return team.run(lambda exchange, budget: int(exchange.total(np.array([value], np.int64))[0]), memory=0)
