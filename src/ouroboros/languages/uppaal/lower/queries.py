"""Queries, and single expressions, to predicates of states: of a zone, whether some valuation satisfies a condition."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ouroboros.errors import InputError
from ouroboros.languages.uppaal.lower.conditions import (
    Both,
    Condition,
    ConditionLowering,
    Discrete,
    Either,
    Stuck,
    Timed,
    alternatives,
)
from ouroboros.languages.uppaal.lower.context import BITS, binary, negated
from ouroboros.languages.uppaal.lower.differences import Bound, Differences, without_differences
from ouroboros.languages.uppaal.lower.processes import Process
from ouroboros.languages.uppaal.lower.statements import Lowering
from ouroboros.languages.uppaal.lower.system import Lowered, Network, Timing, lower, refuse_compared_limits
from ouroboros.languages.uppaal.lower.watches import Watch, watched
from ouroboros.languages.uppaal.read import ast
from ouroboros.languages.uppaal.read.places import placed
from ouroboros.system.expressions import Constant, Expression, Meets, Read
from ouroboros.system.intervals import Interval, interval
from ouroboros.system.layout import Field
from ouroboros.system.model import Measure, Proposition, Query, QueryKind, System

DEADLOCK = "deadlock"
_KINDS: dict[ast.QueryKind, QueryKind] = {
    "A[]": "always",
    "E<>": "possibly",
    "A<>": "inevitably",
    "E[]": "possibly always",
    "-->": "leads to",
}
_EXTREMES: dict[ast.QueryKind, tuple[QueryKind, ...]] = {
    "sup": ("largest",),
    "inf": ("smallest",),
    "bounds": ("smallest", "largest"),
}
_LONGEST_NAME = 60
LONGEST = 1 << 13
"""What a clock is compared with at most to find its largest value."""


class Asked(NamedTuple):
    """A condition, and what it needs to know of clocks."""

    condition: Condition
    timed: tuple[Timed, ...]
    """What it compares single clocks with."""
    differences: tuple[Bound, ...]


def condition_of(net: Network, tree: ast.Expression, negative: bool = False) -> Asked:
    net.context.begin()
    condition = ConditionLowering(Lowering(net.context, net.scope, "a query")).lower(tree, negative)
    used = Differences()
    without_differences(condition, used, net.context.clocks)
    for bound in used.bits:
        net.differences.bits.setdefault(bound, used.bits[bound])
    condition = without_differences(condition, net.differences, net.context.clocks)
    found = tuple(bound for bound in used.bits if bound not in net.always)
    return Asked(condition, tuple(_timed_in(condition)), found)


def _timed_in(condition: Condition) -> Iterator[Timed]:
    match condition:
        case Timed():
            yield condition
        case Both(parts) | Either(parts):
            for part in parts:
                yield from _timed_in(part)


def _asks_for_deadlock(condition: Condition) -> bool:
    match condition:
        case Stuck():
            return True
        case Both(parts) | Either(parts):
            return any(map(_asks_for_deadlock, parts))
    return False


def possible(condition: Condition, lowered: Lowered, processes: Sequence[Process]) -> Expression:
    """Whether some valuation of a state satisfies the condition."""
    result: Expression = Constant(0)
    for discrete, timed, stuck in alternatives(condition):
        each: Expression = Constant(1)
        for expression in discrete:
            each = binary("and", each, expression)
        constraints = tuple(one.difference for one in timed)
        if len({one.negated for one in stuck}) == 2:
            continue
        if stuck:
            if lowered.stuck is None:
                refuse_compared_limits(processes)
            each = binary("and", each, lowered.stuck._replace(constraints=constraints, escaping=stuck[0].negated))
        elif timed:
            assert lowered.zone is not None
            each = binary("and", each, Meets(lowered.zone, constraints))
        result = binary("or", result, each)
    return result


def queries(net: Network, trees: Iterable[ast.Query]) -> Iterator[Query]:
    """Each query as a property of a system that is made for it. What is wrong with one is told when it is asked."""
    taken: set[str] = set()
    for tree in trees:
        name = tree.comment if 0 < len(tree.comment) <= _LONGEST_NAME and tree.comment not in taken else tree.text
        if name in taken:
            continue
        taken.add(name)
        refusal = tree.refusal
        if refusal is None:
            try:
                yield from _query(net, tree, name)
                continue
            except InputError as error:
                refusal = error
        yield Query(name, tree.text, "always", _nothing, tuple, tree.span, refusal=placed(refusal, net.source))
    if DEADLOCK not in taken and len(net.context.clocks) > 1:
        span = net.source.system[0][0].span
        tree = ast.Query(span, "A[]", ast.Unary(span, "!", ast.Deadlock(span)), None, "A[] not deadlock")
        yield from (each._replace(only_on_request=bool(taken)) for each in _query(net, tree, DEADLOCK))


def _nothing() -> System:
    raise AssertionError("a query that was refused is never asked")


def _query(net: Network, tree: ast.Query, name: str) -> Sequence[Query]:
    if tree.measured:
        extremes: list[Query] = []
        for value in tree.measured:
            for kind in _EXTREMES[tree.kind]:
                told = (
                    name
                    if len(tree.measured) == 1 and len(_EXTREMES[tree.kind]) == 1
                    else f"{name}, {kind} {_text(value)}"
                )
                extremes.append(_extreme(net, tree, value, told, kind))
        return extremes
    kind = _KINDS[tree.kind]
    if kind in ("always", "possibly"):
        return [_of_states(net, tree, name, kind)]
    return [_of_runs(net, tree, name, kind)]


def _extreme(net: Network, tree: ast.Query, value: ast.Expression, name: str, kind: QueryKind) -> Query:
    """The extreme value of a number, or of a clock, as questions whether it can be beyond a number."""
    net.context.begin()
    lowering = Lowering(net.context, net.scope, "a query")
    is_clock = ConditionLowering(lowering).clock(value) is not None
    number = None if is_clock else lowering.number(value).expression
    values = Interval(0, LONGEST) if number is None else interval(number, BITS)

    def reaches(bound: int, beyond: bool) -> Query:
        operator = (">" if beyond else ">=") if kind == "largest" else ("<" if beyond else "<=")
        compared = ast.Binary(value.span, operator, value, ast.Number(value.span, bound))
        where = ast.Binary(tree.span, "&&", tree.first, compared)
        return _of_states(net, ast.Query(tree.span, "E<>", where, None, tree.text), name, "possibly")

    measure = Measure(_text(value), reaches, number, values.low, values.high)
    return _of_states(net, tree, name, "possibly")._replace(kind=kind, measure=measure)


def _text(tree: ast.Expression) -> str:
    return " ".join(tree.span.text.split())


def _of_states(net: Network, tree: ast.Query, name: str, kind: QueryKind) -> Query:
    asked = condition_of(net, tree.first, negative=kind == "always")
    timing = Timing(asked.timed, asked.differences, alike=_asks_for_deadlock(asked.condition))
    made: list[Lowered] = []

    def system() -> System:
        made[:] = [lower(net, timing)]
        return made[0].system

    def propositions() -> Sequence[Proposition]:
        found = possible(asked.condition, made[0], net.processes)
        # Sought is what must not be: the search ends where it is.
        return (Proposition(tree.text, negated(found), tree.span),)

    return Query(name, tree.text, kind, system, propositions, tree.span)


def _of_runs(net: Network, tree: ast.Query, name: str, kind: QueryKind, tick: Field | None = None) -> Query:
    parts = [tree.first, *([tree.second] if tree.second else [])]
    asked = [condition_of(net, part) for part in parts]
    goes_on = any(_asks_for_deadlock(each.condition) for each in asked)
    if goes_on:
        asked[-1] = asked[-1]._replace(condition=_never_stuck(asked[-1].condition, kind == "possibly always"))
        if any(_asks_for_deadlock(each.condition) for each in asked):
            message = "of `deadlock` it can be asked whether runs must come to it, or whether one can avoid it for ever"
            forms = "A<> deadlock or p, p --> deadlock or q, E[] not deadlock and p"
            raise InputError(message, tree.span, f"write {forms}, or ask for it by A[] or E<>")
    watches: dict[Watch, Field] = {}
    conditions = [watched(each.condition, tuple(net.context.clocks), watches) for each in asked]
    differences = tuple(dict.fromkeys(bound for each in asked for bound in each.differences))
    timing = Timing((), differences, watches, alike=True, rests=True, goes_on=goes_on, tick=tick)

    def system() -> System:
        return lower(net, timing).system

    def propositions() -> Sequence[Proposition]:
        expressions = [discrete(condition) for condition in conditions]
        if kind == "possibly always":
            expressions = [negated(expressions[0])]
        named = zip(parts, expressions, strict=True)
        found = [Proposition(" ".join(part.span.text.split()), each, part.span) for part, each in named]
        return [*found, *([Proposition("time goes on", Read(tick))] if tick else [])]

    def diverging() -> Query:
        if goes_on:
            raise InputError("runs that avoid a deadlock are not told apart by --non-zeno", tree.span)
        return _of_runs(net, tree, name, kind, Field("tick", "clocks", 1, told="never"))

    return Query(name, tree.text, kind, system, propositions, tree.span, diverging=diverging)


def _never_stuck(condition: Condition, avoids: bool) -> Condition:
    """What the condition says of runs that never come to a deadlock, if it is that one of them `avoids` it, or that all
    others come to it. A run that goes on for ever by steps never does; only where it waits for ever must be known.
    """
    match condition:
        case Stuck(negated) if negated == avoids:
            return Discrete(Constant(int(avoids)))
        case Both(parts) if avoids:
            return Both(tuple(_never_stuck(part, avoids) for part in parts))
        case Either(parts) if not avoids:
            return Either(tuple(_never_stuck(part, avoids) for part in parts))
    return condition


def discrete(condition: Condition) -> Expression:
    """Of a condition without clocks."""
    result: Expression = Constant(0)
    for expressions, _, _ in alternatives(condition):
        each: Expression = Constant(1)
        for expression in expressions:
            each = binary("and", each, expression)
        result = binary("or", result, each)
    return result
