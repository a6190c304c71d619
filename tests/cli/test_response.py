"""Responses and fairness on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import pytest

from .helpers import Ran, ouro
from .test_verdicts import EXIT_CODES, SCHEMA

LOCK = """\
byte locked = 0;
process Fast {
  state idle, waiting, inside;
  init idle;
  trans
    idle -> waiting { },
    waiting -> inside { guard locked == 0; effect locked = 1; },
    inside -> idle { effect locked = 0; };
}
process Slow {
  state idle, waiting, inside;
  init idle;
  trans
    idle -> waiting { },
    waiting -> inside { guard locked == 0; effect locked = 1; },
    inside -> idle { effect locked = 0; };
}
process never {
  state watching, bad;
  init watching;
  accept bad;
  trans
    watching -> watching { },
    watching -> bad { guard Slow.waiting; },
    bad -> bad { guard Slow.waiting; };
}
system async property never;
"""
"""Who waits for the lock may wait for ever, unless it is strongly fair to Slow: 8 states, 14 transitions."""

COUNTER = """\
var n: 0..3;
startstate n := 0 end;
--@ weak
rule "up" n < 3 ==> n := n + 1 end;
rule "down" n > 0 ==> n := n - 1 end;
--@ weak
rule "again" n = 3 ==> n := 0 end;
liveness "top" always n = 0 -> eventually n = 3;
"""
"""The counter may go up and down for ever. At the top it cannot stay, but need not go on by `again`."""

RESPONSE = "Slow.waiting ~> Slow.inside"
FORMULA = "[] (Slow.waiting -> <> Slow.inside)"


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    return written(tmp_path / "lock.dve", LOCK)


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def checked(*arguments: object) -> dict[str, Any]:
    ran = ouro("check", *arguments, "--json", "-")
    assert ran.err == ""
    jsonschema.validate(ran.data, SCHEMA)
    assert ran.code == EXIT_CODES[ran.data["verdict"]]
    data: dict[str, Any] = ran.data
    return data


FAIR = [
    ((), "violated", None),
    (("--fairness", "weak"), "violated", "2 weakly fair actions"),
    (("--fairness", "strong"), "holds", "2 strongly fair actions"),
    (("--weak", "F*", "--strong", "Slow"), "holds", "1 weakly fair action and 1 strongly fair action"),
    (("--weak", "*", "--strong", "Slow.waiting->inside"), "holds", "2 weakly fair actions and 1 strongly fair action"),
    (("--strong", "Slow"), "violated", "1 strongly fair action"),
    (("--fairness", "strong", "--weak", "Slow"), "violated", "1 weakly fair action and 1 strongly fair action"),
]


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(("options", "verdict", "described"), FAIR)
def test_fairness_decides(
    lock: Path, options: tuple[str, ...], verdict: str, described: str | None, workers: int
) -> None:
    """As a response with stuttering. Slow alone may be held up by a Fast that stays inside."""
    data = checked(lock, "--response", RESPONSE, *options, "--workers", workers)
    (answer,) = data["properties"]
    assert (answer["verdict"], answer["name"]) == (verdict, RESPONSE)
    assert answer["runs"] == f"{described or 'no fair actions'}, with stuttering"
    assert data["algorithm"] == "response"
    assert (data["states"], data["transitions"]) == (8, 14)
    assert data["fair"] == {**data["fair"], "start_states": 3, "pending_states": 3, "end_states": 2}
    if verdict == "violated" and described:
        fairness = answer["trace"]["#meta"]["fairness"]
        assert len(fairness) == 1 + described.count("and") + (described[0] == "2")
        assert all(due["step"] is None or due["step"] > answer["trace"]["loop"] for due in fairness)


@pytest.mark.parametrize("store", ["full", "tree", "compact:40"])
@pytest.mark.parametrize(
    ("property_options", "algorithm"),
    [
        (("--ltl", FORMULA), "response"),
        (("--property", "never"), "fair owcty"),
        (("--ltl", "[] <> Slow.idle"), "response"),
    ],
)
def test_formulas_and_automata_under_fairness(
    lock: Path, property_options: tuple[str, str], algorithm: str, store: str
) -> None:
    for strength, verdict in (("weak", "violated"), ("strong", "holds")):
        data = checked(lock, *property_options, "--fairness", strength, "--store", store)
        assert (data["verdict"], data["algorithm"]) == (verdict, algorithm)
        assert f"2 {strength}ly fair actions, without stuttering" in data["assurance"]


def test_what_holds_among_hashes_holds_but_for_an_omission(lock: Path) -> None:
    run = ("check", lock, "--response", RESPONSE, "--fairness", "strong", "--store", "compact:40")
    ran = ouro(*run)
    assert (ran.code, "with omission probability at most" in ran.out) == (0, True)
    strict = ouro(*run, "--strict")
    assert (strict.code, "omission possible" in strict.out) == (3, True)


def test_a_formula_without_fairness_is_searched_for_accepting_cycles(lock: Path) -> None:
    data = checked(lock, "--ltl", FORMULA)
    assert (data["verdict"], data["algorithm"], data["fair"]) == ("violated", "ndfs", None)


def test_stuttering(lock: Path) -> None:
    """Nothing makes Slow begin to wait, but fairness or the end of all other steps."""
    for options, verdict in (
        (("--response", "true ~> Slow.waiting", "--weak", "Slow", "--stutter", "off"), "holds"),
        (("--response", "true ~> Slow.waiting", "--stutter", "on", "--weak", "Fast"), "violated"),
        (("--ltl", "[] <> (Fast.waiting or Slow.waiting)"), "holds"),
        (("--ltl", "[] <> (Fast.waiting or Slow.waiting)", "--stutter", "on"), "violated"),
        (("--ltl", "<> (Fast.waiting or Slow.waiting)", "--stutter", "on", "--fairness", "weak"), "holds"),
    ):
        assert checked(lock, *options)["verdict"] == verdict, options


def test_the_trace_says_why_the_cycle_is_fair(lock: Path) -> None:
    ran = ouro("check", lock, "--response", RESPONSE, "--fairness", "weak")
    assert ran.code == 1
    assert "why the cycle is fair" in ran.out
    assert "weakly fair  Fast  taken in step 2" in ran.out
    assert "weakly fair  Slow  disabled after step 3" in ran.out
    assert "fairness confirmed" in ran.out
    stutters = ouro("check", lock, "--response", RESPONSE, "--strong", "Fast.inside*")
    assert "no action is taken, the run stutters" in stutters.out
    assert "strongly fair  Fast.inside->idle  never enabled on the cycle" in stutters.out


def test_rules_of_a_model_that_says_what_is_fair(tmp_path: Path) -> None:
    """`up` is weakly fair by its pragma, and taken again and again, but so may `down` be."""
    counter = written(tmp_path / "counter.m", COUNTER)
    data = checked(counter, "--property", "top")
    assert data["verdict"] == "violated"
    assert data["properties"][0]["runs"] == "2 weakly fair actions, with stuttering"
    assert checked(counter, "--response", "n = 3 ~> n = 0")["verdict"] == "violated"
    assert checked(counter, "--response", "n = 3 ~> n < 3")["verdict"] == "holds"
    assert checked(counter, "--response", "n >= 2 ~> n < 2")["verdict"] == "violated"
    assert checked(counter, "--response", "n >= 2 ~> n < 2", "--strong", "again")["verdict"] == "holds"
    assert checked(counter, "--response", "n >= 2 ~> n < 2", "--fairness", "strong")["verdict"] == "holds"
    wrong = ouro("check", written(tmp_path / "wrong.m", COUNTER.replace("--@ weak", "--@ week")), "--property", "top")
    assert wrong.code == 2
    assert "wrong.m:4:1: `--@ week` says nothing of a rule" in wrong.err


def test_it_holds_vacuously(lock: Path) -> None:
    data = checked(lock, "--response", "locked == 2 ~> Slow.inside")
    assert data["verdict"] == "holds"
    assert "vacuously" in data["properties"][0]["warnings"][0]


BAD = [
    (("--response", "Slow.waiting"), "--response:1:1: there is no ~> in it"),
    (("--response", "Slow.waiting ~> Slow.inside ~> Slow.idle"), "--response:1:29: a second ~>"),
    (("--response", "Slow.waiting ~> "), "--response:1:16: an expression is expected"),
    (("--response", "Slow.waiting ~> Slow.gone"), "--response:1:17: "),
    (("--response", RESPONSE, "--weak", "Nobody"), "--weak Nobody: nothing in"),
    (("--fairness", "weak", "--property", "deadlock"), "--fairness, --weak, --strong and --stutter"),
    (("--stutter", "on", "--invariant", "true"), "--fairness, --weak, --strong and --stutter"),
    (("--response", RESPONSE, "--algorithm", "map"), "--algorithm ndfs and map know nothing of fairness"),
    (("--ltl", "<> Slow.inside", "--algorithm", "ndfs", "--fairness", "weak"), "--algorithm ndfs and map know nothing"),
    (("--response", RESPONSE, "--store", "bitstate"), "use --store compact, or an exact store"),
    (("--response", RESPONSE, "--store", "compact", "--edges", "regenerate"), "makes edges from states"),
]


@pytest.mark.parametrize(("options", "message"), BAD)
def test_bad_input(lock: Path, options: tuple[str, ...], message: str) -> None:
    ran: Ran = ouro("check", lock, *options)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
