"""What callers hand over, looked at before anything is done: a wrong word must never change a verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from difflib import get_close_matches
from math import inf
from pathlib import Path
from typing import Any, get_args

from ouroboros.amounts import read_duration, read_size
from ouroboros.checking.options import Means
from ouroboros.engine.limits import Limits
from ouroboros.engine.team import Team
from ouroboros.errors import UsageError
from ouroboros.properties.table import options
from ouroboros.system.fairness import Strength
from ouroboros.system.model import REDUCTIONS

_LIMITS = ("memory", "time", "states", "scratch")
_WORDS: dict[str, tuple[str | None, ...]] = {
    "deadlock": (None, "stuck", "stuttering", "off"),
    "fairness": (None, *get_args(Strength)),
}
_OF_THE_COMMAND = {"keeper", "before_search"}
"""What only the command line has a use for."""
_SWITCHES = ("symmetry", "inclusion", "non_zeno", "safety", "first", "strict", "check_reductions")
_LISTS = ("weak", "strong")


def checked_arguments(given: Mapping[str, Any], *, questions: bool) -> dict[str, Any]:
    """The arguments of a check, or of an exploration, as those who search take them; raises UsageError."""
    asking = [option.name for option in options()] if questions else []
    means = (
        [each.name for each in fields(Means)]
        if questions
        else ["store", "symmetry", "inclusion", "seed", "strict", "team"]
    )
    known = {*asking, *means, *_LIMITS, "limits", "observer"} - _OF_THE_COMMAND
    for name in given:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f": did you mean {near[0]}?" if near else f": choose from {', '.join(sorted(known))}"
            raise UsageError(f"there is no argument {name}{hint}")
    result = dict(given)
    for name in asking:
        if name in given:
            result[name] = _texts(name, given[name])
    for name in _LISTS:
        if name in given:
            result[name] = _texts(name, given[name])
    for name, allowed in _WORDS.items():
        if name in given and given[name] not in allowed:
            told = ", ".join(map(str, allowed))
            raise UsageError(f"{name}={given[name]!r}: choose from {told}")
    for name in _SWITCHES:
        if not isinstance(given.get(name, False), bool):
            raise UsageError(f"{name}={given[name]!r}: it is True or False")
    most = given.get("violations", 1)
    if isinstance(most, bool) or not isinstance(most, int) or most < 1:
        raise UsageError(f"violations={most!r}: it is a number, from 1 on")
    if not isinstance(given.get("stutter"), bool | None):
        raise UsageError(f"stutter={given['stutter']!r}: it is True, False or None")
    if isinstance(given.get("seed"), bool) or not isinstance(given.get("seed", 0), int):
        raise UsageError(f"seed={given['seed']!r}: it is a number")
    if not isinstance(given.get("store", "full"), str):
        raise UsageError(f"store={given['store']!r}: it is the name of a store, such as 'tree'")
    if given.get("observer") is not None and not callable(given["observer"]):
        raise UsageError(f"observer={given['observer']!r}: it is a function that takes the progress of a search")
    if not isinstance(given.get("certificate"), str | Path | None):
        raise UsageError(f"certificate={given['certificate']!r}: it is the path of a file")
    if "reductions" in given:
        result["reductions"] = _reductions(given["reductions"])
    if "team" in given:
        result["team"] = _team(given["team"])
    _use_limits(given, result)
    return result


def _texts(name: str, given: Any) -> list[str]:
    if isinstance(given, str | Path):
        raise UsageError(f"{name}={str(given)!r}: it is a list, such as {name}=[{str(given)!r}]")
    if not isinstance(given, Iterable):
        raise UsageError(f"{name}={given!r}: it is a list of texts")
    texts = list(given)
    for each in texts:
        if not isinstance(each, str | Path):
            raise UsageError(f"{name}: {each!r} is no text")
    return texts


def _reductions(given: Any) -> list[str]:
    kinds = _texts("reductions", given)
    for kind in kinds:
        if kind not in REDUCTIONS:
            raise UsageError(f"reductions: there is none called {kind!r}: choose from {', '.join(sorted(REDUCTIONS))}")
    return kinds


def _team(given: Any) -> Team | None:
    if given is None or isinstance(given, Team):
        return given
    if isinstance(given, bool) or not isinstance(given, int) or given < 1:
        raise UsageError(f"team={given!r}: it is a number of workers, from 1 on, or a Team")
    return Team(given)


def _use_limits(given: Mapping[str, Any], result: dict[str, Any]) -> None:
    """Put single limits together."""
    limits = given.get("limits")
    if limits is not None and not isinstance(limits, Limits):
        raise UsageError(f"limits={limits!r}: it is Limits(…); or write time='60s', memory='4G', states=1000000")
    single = {name: result.pop(name) for name in _LIMITS if name in result}
    if not single:
        return
    if limits is not None:
        raise UsageError(f"limits and {next(iter(single))}: give one of them")
    memory, seconds, states = single.get("memory"), single.get("time"), single.get("states")
    if states is not None and (isinstance(states, bool) or not isinstance(states, int) or states < 1):
        raise UsageError(f"states={states!r}: it is a number, from 1 on")
    result["limits"] = Limits(
        memory=read_size(memory) if isinstance(memory, str) else _bytes(memory),
        seconds=read_duration(seconds) if isinstance(seconds, str) else _amount("time", seconds, "'60s'"),
        states=states,
        scratch=None if single.get("scratch") is None else str(single["scratch"]),
    )


def _bytes(given: Any) -> int | None:
    amount = _amount("memory", given, "'4G'")
    return None if amount is None else max(1, int(amount))


def _amount(name: str, given: Any, example: str) -> Any:
    if given is not None and (isinstance(given, bool) or not isinstance(given, int | float) or not 0 < given < inf):
        raise UsageError(f"{name}={given!r}: it is a number greater than zero, or a text such as {example}")
    return given
