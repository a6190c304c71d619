"""Which actions are fair: what the model says, and what the user says with patterns over names.

Where a system has processes, what is fair is a process: all actions in which it takes part. A single statement can be
named as `process.statement`, or by its label. Where there are none, each action is on its own: the instance of a rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Literal, NamedTuple

from ouroboros.errors import UsageError
from ouroboros.system.choices import Action, Part
from ouroboros.system.fairness import FairAction, Fairness, Strength
from ouroboros.system.model import System

_MOST_SHOWN = 12
_ARROW = re.compile(r"\s*->\s*")


class FairnessOptions(NamedTuple):
    """What the user says."""

    every: Strength | None = None
    weak: tuple[str, ...] = ()
    strong: tuple[str, ...] = ()


NOTHING_SAID = FairnessOptions()


class _Candidate(NamedTuple):
    """Something that can be fair, and the names that a pattern can find it by."""

    kind: Literal["process", "statement", "action"]
    name: str
    names: tuple[str, ...]
    actions: frozenset[int]


def fair_actions(system: System, options: FairnessOptions) -> Fairness:
    """The fair actions; a pattern outweighs `every`, which outweighs the model, and strong outweighs weak."""
    candidates = list(_candidates(system))
    strengths: dict[_Candidate, Strength] = {}

    def declare(found: list[_Candidate], strength: Strength) -> None:
        strengths.update((candidate, strength) for candidate in found)

    for candidate in candidates:
        for action in candidate.actions if candidate.kind == "action" else ():
            said = system.actions[action].fairness
            if said != "none":
                declare([candidate], said)
    if options.every:
        unit = "process" if system.processes else "action"
        declare([candidate for candidate in candidates if candidate.kind == unit], options.every)
    for pattern in options.weak:
        declare(_found(system, candidates, pattern, "--weak"), "weak")
    for pattern in options.strong:
        declare(_found(system, candidates, pattern, "--strong"), "strong")
    return tuple(
        FairAction(candidate.name, strengths[candidate], candidate.actions)
        for candidate in candidates
        if candidate in strengths
    )


def _found(system: System, candidates: Sequence[_Candidate], pattern: str, option: str) -> list[_Candidate]:
    """What a pattern means: processes if it finds any, else statements or actions."""
    found = [
        candidate
        for candidate in candidates
        if any(name == pattern or fnmatchcase(name, pattern) for name in candidate.names)
    ]
    if not found:
        known = dict.fromkeys(name for candidate in candidates for name in candidate.names[:1])
        shown = ", ".join(list(known)[:_MOST_SHOWN]) + (", …" if len(known) > _MOST_SHOWN else "")
        raise UsageError(f"{option} {pattern}: nothing in {system.source.name} has such a name; there are {shown}")
    processes = [candidate for candidate in found if candidate.kind == "process"]
    return processes or found


def _candidates(system: System) -> Iterator[_Candidate]:
    for process in system.processes:
        actions = frozenset(index for index, action in enumerate(system.actions) if process in _processes(action))
        yield _Candidate("process", process, (process,), actions)
    statements: dict[Part, set[int]] = {}
    for index, action in enumerate(system.actions):
        if system.processes:
            for part in action.parts:
                statements.setdefault(part, set()).add(index)
        if action.name or action.fairness != "none" or not system.processes:
            yield _action(index, action)
    for part, using in statements.items():
        name = f"{part.process}.{_short(part.text)}"
        yield _Candidate("statement", name, (name,), frozenset(using))


def _action(index: int, action: Action) -> _Candidate:
    """By its plain name, which other instances of the same rule have as well, or as a trace shows it."""
    shown = " ".join(" ".join(part.text.split()) for part in action.parts) or action.name or f"action {index}"
    names = (action.name, shown) if action.name else (shown,)
    return _Candidate("action", shown, names, frozenset({index}))


def _processes(action: Action) -> set[str]:
    return {part.process for part in action.parts}


def _short(text: str) -> str:
    """A statement without its guard and effects: `wait->critical`."""
    return _ARROW.sub("->", " ".join(text.partition("{")[0].split()))
