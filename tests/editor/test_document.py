"""What is known of a text while it is written."""

from __future__ import annotations

import pytest

from ouroboros.editor.document import Document
from ouroboros.source import Source

DVE = """\
const byte most = 3;
byte count = 1;
process Worker {
  byte own;
  state idle, busy;
  init idle;
  trans idle -> busy { guard count < most; effect own = count; };
}
process Other { state idle; init idle; trans idle -> idle { guard Worker.busy; }; }
system async;
"""
PROMELA = """\
#define LIMIT 2
mtype = { ping, pong };
chan wire = [1] of { mtype };
byte x;
inline step(n) { x = x + n }
active proctype P() { byte y; again: step(LIMIT); y = x; if :: x < 5 -> goto again :: else fi }
init { wire!ping; x = 0 }
ltl always_small { [] (x < 9) }
"""
MURPHI = """\
const limit: 3;
type count: 0 .. limit;
var n: count; cell: record n: count; end;
function twice(a: count): count; var n: count; begin n := a; return n; end;
startstate n := 0; cell.n := 0; end;
rule "grow" n < limit ==> n := twice(n); end;
invariant "small" n <= limit;
"""


def document(text: str, suffix: str) -> Document:
    made = Document(Source(f"model{suffix}", ""))
    made.read(text)
    return made


@pytest.mark.parametrize(
    ("suffix", "text", "at", "expected"),
    [
        (".dve", DVE, "most; effect", ["const byte most = 3"]),
        (".dve", DVE, "own = count", ["byte own = 0"]),
        (".dve", DVE, "busy; }; }", ["state Worker.busy"]),
        (".dve", DVE, "idle -> idle", ["initial state Other.idle"]),
        (".dve", DVE, "Worker.busy", ["process Worker"]),
        (".pml", PROMELA, "LIMIT); y", ["#define LIMIT 2"]),
        (".pml", PROMELA, "ping; x", ["mtype ping"]),
        (".pml", PROMELA, "y = x;", ["byte y"]),
        (".pml", PROMELA, "again ::", ["label P@again"]),
        (".pml", PROMELA, "step(LIMIT", ["inline step(n)"]),
        (".m", MURPHI, "limit ==>", ["const limit: 3"]),
        (".m", MURPHI, "n < limit", ["var n: count"]),
        (".m", MURPHI, "n := a", ["var n: count"]),
        (".m", MURPHI, "n := 0; end", ["n: count"]),
        (".m", MURPHI, "twice(n)", ["function twice(a: count): count"]),
        (".m", MURPHI, "count; cell", ["type count: 0 .. limit"]),
    ],
)
def test_what_a_name_means(suffix: str, text: str, at: str, expected: list[str]) -> None:
    found = document(text, suffix).meaning(text.index(at))
    assert [symbol.detail for symbol in found] == expected
    assert all(symbol.span.text == symbol.name for symbol in found)


def test_the_inner_name_hides_the_outer_one() -> None:
    made = document(MURPHI, ".m")
    (inner,) = made.meaning(MURPHI.index("n := a"))
    (outer,) = made.meaning(MURPHI.index("n <= limit"))
    assert (inner.container, outer.container) == ("twice", "")
    assert (inner.span.line, outer.span.line) == (4, 3)


@pytest.mark.parametrize(
    ("suffix", "text", "at", "some", "none"),
    [
        (".dve", DVE, "busy; }; }", {"idle", "busy", "own"}, {"count", "most"}),
        (".dve", DVE, "count < most", {"count", "most", "own", "idle", "Worker", "Other"}, set()),
        (".pml", PROMELA, "y = x;", {"x", "y", "wire", "LIMIT", "step", "again"}, set()),
        (".pml", PROMELA, "ping; x", {"x", "ping", "P"}, {"y", "again"}),
    ],
)
def test_what_can_stand_somewhere(suffix: str, text: str, at: str, some: set[str], none: set[str]) -> None:
    names = {symbol.name for symbol in document(text, suffix).candidates(text.index(at))}
    assert some <= names
    assert not none & names


def test_properties() -> None:
    assert [symbol.name for symbol in document(PROMELA, ".pml").properties] == ["always_small"]
    assert [symbol.name for symbol in document(MURPHI, ".m").properties] == ["small"]


@pytest.mark.parametrize(
    ("suffix", "text", "wrong"),
    [
        (".dve", DVE.replace("count < most", "cuont < most"), "cuont"),
        (".pml", PROMELA.replace("y = x;", "y = z;"), "z"),
        (".m", MURPHI.replace("n <= limit", "m <= limit"), "m"),
    ],
)
def test_an_error_has_its_place_and_the_names_of_before_are_kept(suffix: str, text: str, wrong: str) -> None:
    made = document({".dve": DVE, ".pml": PROMELA, ".m": MURPHI}[suffix], suffix)
    known = {symbol.name for symbol in made.symbols}
    assert made.problems == []
    made.read(text)
    (problem,) = made.problems
    assert problem.span is not None
    assert problem.span.text == wrong
    assert not problem.warning
    assert known <= {symbol.name for symbol in made.symbols}


def test_a_warning_has_its_place() -> None:
    made = document("byte x; active proctype P() { x = 1 } ltl late { [] x == 1 }", ".pml")
    (problem,) = made.problems
    assert problem.warning
    assert problem.span is not None


def test_a_python_file_is_never_run_by_an_editor(tmp_path) -> None:
    witness = tmp_path / "ran"
    made = Document(Source(str(tmp_path / "model.py"), ""))
    made.read(f"open({str(witness)!r}, 'w')\n")
    assert made.problems == []
    assert not witness.exists()


@pytest.mark.parametrize("suffix", [".dve", ".pml", ".m"])
@pytest.mark.parametrize("text", ["", "   ", "\0", "process P {", "(" * 5000, "byte x", "ltl { [] }", "😀"])
def test_nothing_that_is_typed_breaks_it(suffix: str, text: str) -> None:
    made = document(text, suffix)
    for offset in range(min(len(text), 5) + 1):
        made.meaning(offset)
        made.candidates(offset)
