"""Models that tell the elements of a scalarset apart are refused, with the line; all others are judged right.

The referee has the last word: what is accepted it must find nothing wrong with, on all states.
"""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from ouroboros.checking import check
from ouroboros.errors import InputError, UsageError
from ouroboros.languages.murphi import MurphiModel, load
from ouroboros.reduce.symmetry_referee import check_symmetry
from ouroboros.source import Source
from ouroboros.system.symmetry import Asymmetry
from ouroboros.verdict.report import Verdict
from tests.peers.random_scalarsets import random_scalarset_model
from tests.reduce.random_multisets import random_multiset_model

TYPES = """
type
  pid: scalarset(3); mark: enum { nil }; owner: union { pid, mark };
  message: record from: pid; kind: 0 .. 1; end;
"""
VARIABLES = {
    "x": "pid",
    "y": "owner",
    "n": "0 .. 3",
    "b": "boolean",
    "a": "array [pid] of 0 .. 1",
    "f": "array [pid] of boolean",
    "o": "array [pid] of pid",
    "w": "array [owner] of boolean",
    "net": "multiset [2] of message",
    "other": "multiset [2] of message",
    "boxes": "array [pid] of multiset [2] of message",
    "bag": "multiset [3] of 0 .. 1",
    "more": "multiset [3] of 0 .. 1",
}
FUNCTIONS = {
    "any_flag": "(): boolean; begin for i: pid do if f[i] then return true; end; end; return false; end;",
    "first_flag": "(): pid; begin for i: pid do if f[i] then return i; end; end; return x; end;",
    "any_owner": "(): boolean; begin for i: pid do if o[i] = i then return true; end; end; return false; end;",
    "left_by": "(p: pid): boolean; begin for i: pid do if i = p then return true; end; a[i] := 1; end; return b; end;",
    "set_flag": "(p: pid): boolean; begin f[p] := true; return a[p] = 1; end;",
    "send": "(p: pid); var m: message; begin m.from := p; m.kind := 0; multisetadd(m, net); end;",
    "deliver": "(p: pid); var m: message; begin assert multisetcount(i: boxes[p], true) < 2; m.from := p;"
    " m.kind := 1; multisetadd(m, boxes[p]); end;",
    "raise_flag": "(var z: boolean); begin z := true; end;",
    "down": "(p: pid; d: 0 .. 2); begin if d > 0 then down(p, d - 1); else f[p] := true; end; end;",
    "replace": "(p: pid; d: 0 .. 1); begin if d > 0 then replace(p, d - 1);"
    " else multisetremovepred(i: net, true); send(p); end; end;",
    "same_as": "(p: pid): boolean; var l: multiset [2] of message; begin undefine l; return l = net; end;",
    "fill": "(); begin undefine bag; for i: pid do multisetadd(a[i], bag); end; end;",
    "least": "(): 0 .. 1; var l: multiset [3] of 0 .. 1; begin undefine l; for i: pid do multisetadd(a[i], l); end;"
    " return l[0]; end;",
    "fill_below": "(d: 0 .. 1); begin if d > 0 then fill_below(d - 1); else fill(); end; end;",
}
RULES = {
    "f": 'ruleset p: pid do rule "flag" f[p] := !f[p]; end; end;',
    "x": 'ruleset p: pid do rule "take" isundefined(x) ==> x := p; end; end;',
    "o": 'ruleset p: pid do rule "own" isundefined(o[p]) ==> o[p] := p; end; end;',
    "a": 'ruleset p: pid do rule "change" a[p] := 1 - a[p]; end; end;',
    "net": 'ruleset p: pid do rule "post" multisetcount(i: net, true) < 2 ==> send(p); end; end;',
}
"""What a model can do with a variable besides what is tried."""


def model(rule: str) -> MurphiModel:
    """With a rule, or something else, in the last line, and before it all that it needs, one thing in a line."""
    text = rule
    names: set[str] = set()
    while not names >= (found := set(re.findall(r"[a-z_]+", text))):
        names |= found
        text += "".join(item for table in (FUNCTIONS, RULES) for name, item in table.items() if name in names)
    variables = {name: kind for name, kind in VARIABLES.items() if name in names}
    functions = [
        f"{'function' if '): ' in item else 'procedure'} {name}{item}"
        for name, item in FUNCTIONS.items()
        if name in names
    ]
    undefined = [name for name, kind in variables.items() if "pid" in kind.split()[-1:] or "multiset" in kind]
    start = [f"undefine {name};" if name in undefined else f"clear {name};" for name in variables if name != "y"]
    start += ["y := nil;"] if "y" in variables else []
    lines = [
        TYPES,
        *(f"var {name}: {kind};" for name, kind in variables.items()),
        *functions,
        f"startstate begin {' '.join(start)} end;",
        *(item for name, item in RULES.items() if name in names),
        rule,
    ]
    return load(Source("model.m", "\n".join(lines)))


def asymmetry(of: MurphiModel) -> Asymmetry | None:
    assert of.system.symmetry
    return of.system.symmetry.asymmetry()


def plain(body: str, guard: str = "true") -> str:
    return f'rule "tried" {guard} ==> var k: 0 .. 1; q: pid; r: message; begin {body} end;'


ACCEPTED = {
    "only its own elements": plain("for i: pid do f[i] := a[i] = 1; a[i] := 0; end;"),
    "own elements by a reference": plain("for i: pid do raise_flag(f[i]); end;"),
    "own elements by an alias": plain("for i: pid do alias z: f[i] do z := !z; end; end;"),
    "reads what no round writes": plain("if !isundefined(x) then for i: pid do f[i] := a[x] = 1; end; end;"),
    "the same value": plain("for i: pid do if f[i] then b := true; n := 2; end; end;"),
    "the same variable": plain("if !isundefined(x) then for i: pid do if f[i] then y := x; end; end; end;"),
    "a sum": plain("n := 0; for i: pid do if f[i] then n := n + 1; end; end;"),
    "a sum of numbers": plain("n := 0; for i: pid do n := n + a[i]; end;"),
    "a difference": plain("n := 3; for i: pid do if f[i] then n := n - 1; end; end;"),
    "a sum that may be too large": plain("for i: pid do if f[i] then n := n + 1; end; end;"),
    "any": plain("b := false; for i: pid do b := b | f[i]; end;"),
    "all": plain("b := true; for i: pid do b := f[i] & b; end;"),
    "any, in a temporary": 'rule "tried" var c: boolean; begin c := false; for i: pid do c := c | f[i]; end; b := c;'
    " end;",
    "a temporary of each round": plain("for i: pid do k := a[i]; if k = 1 then f[i] := true; end; end;"),
    "a temporary of two loops": plain("for i: pid do k := 1; a[i] := k; end; for j: pid do k := 0; a[j] := k; end;"),
    "a temporary that holds an element": plain("for i: pid do q := i; o[i] := q; end;"),
    "a record of each round": plain("for i: pid do r.from := i; r.kind := 1; o[i] := r.from; end;"),
    "loops in loops": plain("for i: pid do for j: pid do if i = j then f[i] := f[j]; a[j] := 1; end; end; end;"),
    "an array of two": plain("n := 0; for i: pid do for j: pid do if f[i] & f[j] & i != j then n := 1; end; end; end;"),
    "a union": plain("for i: owner do w[i] := true; end;"),
    "the enumeration of a union": plain("for i: owner do if ismember(i, mark) then y := i; end; end;"),
    "messages to all": plain("undefine net; for i: pid do if f[i] & i = x then send(i); end; end;", "!isundefined(x)"),
    "as many messages as there is room": plain("for i: pid do if f[i] then send(i); end; end;"),
    "a multiset for each": plain("for i: pid do if f[i] then deliver(i); end; end;"),
    "exists as a function": plain("b := any_flag();"),
    "exists in a guard": plain("b := !b;", "exists i: pid do f[i] & a[i] = 0 end"),
    "exists, and all fail alike": plain("b := !b;", "exists i: pid do i = x & f[i] end"),
    "exists behind a question": plain("b := !b;", "exists i: pid do !isundefined(o[i]) & o[i] = i end"),
    "exists behind a question outside": plain("b := true;", "!isundefined(x) & exists i: pid do i != x & f[x] end"),
    "forall in a condition": plain("if forall i: pid do f[i] end then b := true; end;"),
    "nested quantifiers": plain("b := exists i: pid do forall j: pid do f[j] | i = j end end;"),
    "a failing part of an invariant": 'invariant "i" forall i: pid do isundefined(x) | o[i] = i | true end;',
    "exists may fail in an invariant, and never does": 'invariant "i" b | !exists i: pid do i = x & f[i] end | true;',
    "an invariant for each": 'ruleset i: pid do invariant "i" isundefined(o[i]) | o[i] = i; end;',
    "a recursive procedure": plain(
        "for i: pid do if i = x then f[i] := true; end; end; down(x, 2);", "!isundefined(x)"
    ),
    "a loop that runs": plain("k := 0; while k < 1 do for i: pid do f[i] := true; end; k := k + 1; end;"),
    "clear of numbers": plain("clear a; clear f; clear w;"),
    "an assumption alone": plain("for i: pid do assume f[i]; end; b := true;"),
    "an error in any round": plain('for i: pid do if f[i] & !f[i] then error "no"; end; end;'),
    "a chosen message": 'choose m: net do rule "got" begin x := net[m].from; multisetremove(m, net); end; end;',
    "an answer before removal": 'choose m: net do rule "got" begin send(net[m].from); multisetremove(m, net);'
    " end; end;",
    "an answer after removal": 'choose m: net do rule "got" var q: pid; begin q := net[m].from; multisetremove(m, net);'
    " send(q); end; end;",
    "what is removed": plain("multisetremovepred(m: net, net[m].kind = 1 | (!isundefined(x) & net[m].from = x));"),
    "what is counted": plain("n := multisetcount(m: net, net[m].kind = 0);"),
    "multisets in a guard": plain("b := true;", "net = other"),
    "an answer after all are removed": 'choose m: net do rule "got" var q: pid; begin q := net[m].from; undefine net;'
    " send(q); end; end;",
    "a multiset that is assigned": plain("net := other; n := multisetcount(m: net, net[m].kind = 0);"),
    "numbers in order": plain("undefine bag; multisetadd(1, bag); multisetadd(0, bag); n := bag[0];"),
    "numbers from a loop are counted": plain("fill(); n := multisetcount(m: bag, bag[m] = 1);"),
    "numbers from a loop are removed": plain("fill(); multisetremovepred(m: bag, bag[m] = 1);"),
    "numbers from a loop are copied": plain("fill(); more := bag;"),
    "numbers from a loop once they are sorted": plain("fill();") + " assume isundefined(bag[0]) | bag[0] < 2;",
    "numbers for each": 'ruleset p: pid do rule "tried" var l: multiset [1] of 0 .. 1; begin for i: pid do undefine l;'
    " if i = p then multisetadd(a[i], l); end; end; end; end;",
    "a switch": plain("for i: pid do switch i case x: f[i] := true; else f[i] := false; end; end;", "!isundefined(x)"),
    "a loop over numbers": plain("for i: 0 .. 1 do n := i; k := i; end;"),
    "put": plain("for i: pid do put i; end;"),
}

REFUSED = {
    "the last one wins": plain("for i: pid do x := i; end;"),
    "the first one wins": plain("for i: pid do if isundefined(x) then x := i; end; end;"),
    "the last one that is marked": plain("for i: pid do if f[i] then x := i; end; end;"),
    "the last one in a temporary": plain("for i: pid do q := i; x := q; end;"),
    "the last one behind the loop": plain("for i: pid do q := i; end; x := q;"),
    "the last number behind the loop": plain("for i: pid do k := a[i]; end; n := k;"),
    "the last number in the next round": plain("k := 0; for i: pid do a[i] := k; if f[i] then k := 1; end; end;"),
    "the position": plain("n := 0; for i: pid do if f[i] then a[i] := 1; end; if n < 1 then n := n + 1; end; end;"),
    "reads what others write": plain(
        "for i: pid do for j: pid do if a[j] = 0 then f[i] := true; a[i] := 1; end; end; end;"
    ),
    "an element found by another": plain("for i: pid do f[o[i]] := a[i] = 1; end;", "!isundefined(x)"),
    "up and down": plain("for i: pid do if f[i] then n := n + 1; else n := n - 1; end; end;"),
    "read while it is added to": plain("for i: pid do if n < 2 then n := n + 1; f[i] := true; end; end;"),
    "any, unless it fails": plain("b := false; for i: pid do b := b | f[i] | o[i] = i; end;"),
    "any that is set again": plain("for i: pid do b := f[i] | b; if a[i] = 0 then b := false; end; end;"),
    "any and all": plain("for i: pid do b := f[i] | b; b := b & f[i]; end;"),
    "the first that is found": plain("x := first_flag();", "!isundefined(x)"),
    "return from a rule": plain("for i: pid do if f[i] then return; end; a[i] := 1; end;"),
    "return behind what is written": plain("b := left_by(x);", "!isundefined(x)"),
    "return before a failure": plain("b := any_owner();"),
    "the union": plain("for i: owner do y := i; end;"),
    "a temporary of a round, by reference": plain(
        "for i: pid do q := i; end; if q = x then b := true; end;", "!isundefined(x)"
    ),
    "a loop in a function": plain("b := any_flag(); x := first_flag();", "!isundefined(x)"),
    "exists may fail": plain("b := !b;", "exists i: pid do f[i] | o[i] = i end"),
    "forall may fail": plain("b := forall i: pid do o[i] = i end;"),
    "exists writes": plain("b := exists i: pid do set_flag(i) end;"),
    "clear of an element": plain("clear x;"),
    "clear of elements in an array": plain("clear o;"),
    "an assumption and a failure": plain("for i: pid do assume f[i]; x := o[i]; end;"),
    "messages while there is room": plain("for i: pid do if multisetcount(m: net, true) < 2 then send(i); end; end;"),
    "the number of a slot": 'choose m: net do rule "got" begin n := m; end; end;',
    "a slot by its number": plain("x := net[0].from;"),
    "a slot of another multiset": 'choose m: net do rule "got" begin x := other[m].from; end; end;',
    "removal by number": plain("multisetremove(0, net);"),
    "all but the last": plain("multisetremovepred(m: net, multisetcount(l: net, true) > 1);"),
    "multisets before they are sorted": plain("send(x); b := net = other;", "!isundefined(x)"),
    "a slot that was refilled": 'choose m: net do choose l: net do rule "got" begin multisetremove(m, net);'
    " multisetremove(l, net); send(net[m].from); x := net[m].from; end; end; end;",
    "a slot after all were removed": 'choose m: net do rule "got" var q: pid; begin q := net[m].from; undefine net;'
    " send(q); x := net[m].from; end; end;",
    "a slot after clear": 'choose m: net do rule "got" var q: pid; begin q := net[m].from; clear net; send(q);'
    " b := net[m].kind = 0; end; end;",
    "a slot of one of several that were emptied": 'ruleset p: pid do choose m: boxes[p] do rule "got" begin undefine'
    " boxes; deliver(p); x := boxes[p][m].from; end; end; end;",
    "a slot after an assignment": 'choose m: net do rule "got" begin net := other; x := net[m].from; end; end;',
    "a slot after a recursive procedure": 'choose m: net do rule "got" !isundefined(x) ==> begin replace(x, 1);'
    " x := net[m].from; end; end;",
    "a local multiset in a guard": plain("b := true;", "!isundefined(x) & same_as(x)"),
    "a number by its slot": plain("fill(); n := bag[0];"),
    "a number by an alias": plain("undefine bag; alias z: bag[0] do fill(); n := z; end;"),
    "a number by its slot in a copy": plain("fill(); more := bag; n := more[0];"),
    "a number by its slot in a count": plain("fill(); n := multisetcount(m: bag, m = 0 & bag[m] = 1);"),
    "a number by its slot in an invariant": 'invariant "i" least() = 0;',
    "a number removed by its slot": plain("fill(); multisetremove(0, bag);"),
    "a number assigned by its slot": plain("fill(); bag[0] := 0;"),
    "a number after a recursive procedure": plain("fill_below(1); n := bag[0];"),
    "numbers before they are sorted": plain("fill(); b := bag = more;"),
    "a cover for each": 'ruleset i: pid do cover "c" f[i]; end;',
}


@pytest.mark.parametrize("rule", ACCEPTED.values(), ids=ACCEPTED)
def test_accepted(rule: str) -> None:
    tried = model(rule)
    assert asymmetry(tried) is None
    review = check_symmetry(tried.system, most_states=250)
    assert review.fault is None
    assert review.initial_closed


@pytest.mark.parametrize("rule", REFUSED.values(), ids=REFUSED)
def test_refused_with_the_line(rule: str) -> None:
    tried = model(rule)
    found = asymmetry(tried)
    assert found
    assert found.span
    text = tried.system.source.line_text(found.span.line)
    # A function that is called may be what is wrong.
    assert text == rule or text.split()[1].split("(")[0] in rule


DEFECT = """type pid: scalarset(3);
var x: pid; n: 0..3; b: boolean;
startstate begin undefine x; n := 0; b := false; end;
rule "pick" isundefined(x) ==> begin for i: pid do if isundefined(x) then x := i; end; end; end;
rule "pos" !isundefined(x) & !b ==> var k: 0..3;
begin k := 0; for i: pid do if i = x then n := k; end; k := k + 1; end; b := true; end;
rule "r" b ==> begin b := false; n := 0; undefine x; end;
invariant "chosen" b -> n = CHOSEN;
"""


@pytest.mark.parametrize("chosen", ["0", "2"])
def test_the_position_of_an_element(chosen: str) -> None:
    """It was judged to be the last one, and the run that showed it not to be the first could not be replayed."""
    text = DEFECT.replace("CHOSEN", chosen)
    with pytest.raises(InputError, match=r"model.m:4:38: the result of this loop depends on the order") as refused:
        check(load(Source("model.m", text)), symmetry=True)
    assert refused.value.hint
    assert "leave it out" in refused.value.hint
    fault = check_symmetry(load(Source("model.m", text)).system).fault
    assert fault
    assert fault.part
    assert fault.part.text == 'rule "pick"'
    assert fault.span
    assert fault.span.line == 4
    assert fault.state == fault.permuted
    assert "pid_1 becomes pid_2" in str(fault)


def both(text: str, invariant: str | None = None) -> tuple[Verdict, Verdict]:
    """What is said of a model without any reductions, and with symmetry."""
    invariants = [] if invariant is None else [invariant]
    whole = check(load(Source("model.m", text)), invariants=invariants, reductions=())
    orbits = check(load(Source("model.m", text)), invariants=invariants, symmetry=True)
    return whole.verdict, orbits.verdict


SMALL = """type pid: scalarset(3);
var o: array [pid] of pid; f: array [pid] of boolean; x: pid;
"""


def test_a_start_need_not_be_symmetric() -> None:
    text = SMALL + "startstate clear f; for i: pid do o[i] := i; x := i; end; end;\n"
    text += "ruleset p: pid do rule f[p] := !f[p]; end; rule f[x] & !f[p] ==> x := o[p]; end; end;\n"
    assert both(text + "invariant f[x] -> forall i: pid do f[i] -> i = x end;") == (Verdict.VIOLATED,) * 2
    assert both(text + "invariant o[x] = x;") == (Verdict.HOLDS,) * 2
    assert not check_symmetry(load(Source("model.m", text)).system).initial_closed


def test_a_start_that_fails() -> None:
    text = SMALL + "startstate x := o[x]; end; startstate clear f; end; rule f[x] := true; end;"
    assert both(text) == (Verdict.VIOLATED,) * 2


def test_a_step_to_a_permuted_state_is_no_deadlock() -> None:
    text = SMALL + "startstate clear x; end; ruleset p: pid do rule p != x ==> x := p; end; end;"
    assert both(text) == (Verdict.HOLDS,) * 2


FAILING = """startstate clear f; undefine o; undefine x; end;
ruleset p: pid do rule "flag" f[p] := !f[p]; end; rule "own" o[p] := p; end; end;
"""


def test_where_the_order_decides_whether_an_invariant_fails() -> None:
    """With one element it is true, with another it fails: which of them comes first is no question of symmetry."""
    text = SMALL + FAILING.replace("o[p] := p;", "x := p;")
    seen = text + "invariant isundefined(x) | exists i: pid do i != x | o[i] = i end;"
    assert both(seen) == (Verdict.VIOLATED,) * 2
    unseen = text + "invariant isundefined(x) | exists i: pid do i = x | o[i] = i end;"
    assert check(load(Source("model.m", unseen)), reductions=()).verdict is Verdict.VIOLATED
    with pytest.raises(InputError, match=r"model.m:5:1: .* the order of the elements of a scalarset decides"):
        check(load(Source("model.m", unseen)), symmetry=True)


def test_the_referee_leaves_to_the_search_where_the_order_decides() -> None:
    """It called the reduction wrong where the model was to be refused."""
    text = SMALL + FAILING + "invariant (exists i: pid do !isundefined(o[i]) end) -> exists i: pid do o[i] = i end;"
    with pytest.raises(InputError, match=r"model.m:5:1: .* the order of the elements of a scalarset decides"):
        check(load(Source("model.m", text)), symmetry=True, check_reductions=True)


def test_an_invariant_that_could_fail_and_never_does() -> None:
    rules = FAILING.replace("o[p] := p;", "o[p] := p; x := p;").replace("undefine o;", "for i: pid do o[i] := i; end;")
    text = SMALL + rules.replace("undefine x;", "") + 'rule "gone" undefine o; for i: pid do o[i] := i; end; end;\n'
    text += "invariant (exists i: pid do f[i] | o[i] = i end);"
    assert both(text) == (Verdict.HOLDS,) * 2
    model = load(Source("model.m", text)).system
    assert model.symmetry
    assert model.symmetry.complete(model) is not model


@pytest.mark.parametrize("invariant", ["exists i: pid do f[i] | o[i] = i end", "f[pid_1]"])
def test_an_invariant_on_the_command_line(invariant: str) -> None:
    text = SMALL + FAILING
    with pytest.raises(UsageError, match="a property tells them apart"):
        check(load(Source("model.m", text)), invariants=[invariant], symmetry=True)
    assert both(text, "forall i: pid do isundefined(o[i]) | o[i] = i end") == (Verdict.HOLDS,) * 2


def test_the_referee_looks_at_properties() -> None:
    loaded = load(Source("model.m", SMALL + FAILING))
    named = loaded.proposition(Source("--invariant", "f[pid_1]"))
    assert check_symmetry(loaded.system).fault is None
    fault = check_symmetry(loaded.system, [named]).fault
    assert fault
    assert "another value" in fault.message
    cover = replace(loaded.system, covers=(named,))
    assert check_symmetry(cover).fault


def test_many_permutations_are_generated_by_few() -> None:
    text = SMALL.replace("scalarset(3)", "scalarset(6)") + FAILING
    review = check_symmetry(load(Source("model.m", text)).system, most_states=5)
    assert review.permutations == 5
    assert review.fault is None
    assert not review.complete


@pytest.mark.parametrize("seed", range(12))
def test_random_models(seed: int) -> None:
    text = random_scalarset_model(seed)
    try:
        orbits = check(load(Source("model.m", text)), symmetry=True)
    except InputError:
        return
    assert orbits.verdict is check(load(Source("model.m", text)), reductions=()).verdict
    assert check_symmetry(load(Source("model.m", text)).system, most_states=20).fault is None


@pytest.mark.parametrize("seed", [*range(5), 22, 37, 66, 80, 153])
def test_random_multisets(seed: int) -> None:
    """The last ones were accepted, and are not symmetric."""
    system = load(Source("model.m", random_multiset_model(seed))).system
    assert system.symmetry
    review = check_symmetry(system, most_states=10)
    assert system.symmetry.asymmetry() or review.fault is None
    assert review.fault or seed < 5
