"""The models of these tests, and the examples. Each of the former says at its top what to ask of it and what the answer
is; the latter say it in the header that `ouro test` reads, and are asked without any options here:

    -- check: OPTIONS
    -- expect: holds STATES RULES | violated PROPERTY: REASON
    -- symmetric: STATES RULES, with --symmetry
    -- peer: none, where rumur does not know what the model uses

The numbers are rumur's, or explained where it has none.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import NamedTuple

from ouroboros.expectations.header import read_header
from ouroboros.languages.murphi import MurphiModel, load
from ouroboros.source import Source

MODELS = Path(__file__).parent / "models"

_EXPECTED = re.compile(r"holds (\d+) (\d+)|violated ([^:]+): (.*)")


class Expected(NamedTuple):
    path: Path
    options: list[str]
    counts: tuple[int, int] | None
    """States and fired rules; None where something is violated."""
    property: str
    reason: str
    symmetric: tuple[int, int] | None
    peer: bool

    def __str__(self) -> str:
        return self.path.stem


def expected(path: Path) -> Expected:
    text = path.read_text()

    def line(name: str) -> str | None:
        found = re.search(rf"^-- {name}:(.*)$", text, re.MULTILINE)
        return found[1].strip() if found else None

    verdict = _EXPECTED.fullmatch(line("expect") or "")
    assert verdict, path
    states, rules, name, reason = verdict.groups()
    symmetric = line("symmetric")
    return Expected(
        path,
        shlex.split(line("check") or ""),
        (int(states), int(rules)) if states else None,
        name or "",
        reason or "",
        tuple(map(int, symmetric.split())) if symmetric else None,
        line("peer") is None,
    )


WITHOUT_PEER = {"letters"}
"""rumur has no multisets."""


def expected_example(path: Path) -> Expected:
    header = read_header(Source(path.name, path.read_text()))
    counts = {count.options: (count.numbers["states"], count.numbers["transitions"]) for count in header.counts}
    plain = [expected for check in header.checks if not check.options for expected in check.expected]
    violated = [expected for expected in plain if expected.verdict == "violated"]
    return Expected(
        path,
        [],
        None if violated else counts[()],
        violated[0].property or "assertions" if violated else "",
        violated[0].reason or "" if violated else "",
        counts.get(("--symmetry",)),
        path.stem not in WITHOUT_PEER,
    )


EXAMPLES = Path(__file__).parents[3] / "examples" / "murphi"
ALL = [
    *(expected(path) for path in sorted(MODELS.glob("*.m"))),
    *(expected_example(path) for path in sorted(EXAMPLES.glob("*.m"))),
]


def source(text: str) -> Source:
    return Source("model.m", text)


def loaded(text: str, **definitions: str) -> MurphiModel:
    return load(source(text), definitions=definitions)
