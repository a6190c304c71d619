"""Queries, and single expressions, to predicates of states: of a zone, whether some valuation satisfies a condition."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ouroboros.errors import InputError
from ouroboros.languages.uppaal.lower.conditions import (
    Both,
    Condition,
    ConditionLowering,
    Either,
    Stuck,
    Timed,
    alternatives,
)
from ouroboros.languages.uppaal.lower.context import binary, negated
from ouroboros.languages.uppaal.lower.processes import refuse_differences
from ouroboros.languages.uppaal.lower.statements import Lowering
from ouroboros.languages.uppaal.lower.system import Lowered, Network, Timing, lower
from ouroboros.languages.uppaal.read import ast
from ouroboros.languages.uppaal.read.places import placed
from ouroboros.system.expressions import Constant, Expression, Meets
from ouroboros.system.model import Proposition, Query, QueryKind, System

DEADLOCK = "deadlock"
_KINDS: dict[ast.QueryKind, QueryKind] = {
    "A[]": "always",
    "E<>": "possibly",
    "A<>": "inevitably",
    "E[]": "possibly always",
    "-->": "leads to",
}
_LONGEST_NAME = 60


def condition_of(net: Network, tree: ast.Expression, negative: bool = False) -> Condition:
    net.context.begin()
    condition = ConditionLowering(Lowering(net.context, net.scope, "a query")).lower(tree, negative)
    for timed in timed_in(condition):
        refuse_differences(timed)
    return condition


def timed_in(condition: Condition) -> Iterator[Timed]:
    match condition:
        case Timed():
            yield condition
        case Both(parts) | Either(parts):
            for part in parts:
                yield from timed_in(part)


def _asks_for_deadlock(condition: Condition) -> bool:
    match condition:
        case Stuck():
            return True
        case Both(parts) | Either(parts):
            return any(map(_asks_for_deadlock, parts))
    return False


def possible(condition: Condition, lowered: Lowered) -> Expression:
    """Whether some valuation of a state satisfies the condition."""
    result: Expression = Constant(0)
    for discrete, timed, stuck in alternatives(condition):
        each: Expression = Constant(1)
        for expression in discrete:
            each = binary("and", each, expression)
        if stuck and (timed or len(stuck) > 1 or stuck[0].negated):
            message = "`deadlock` cannot be asked for like this: combine it with locations and variables"
            raise InputError(message, stuck[0].span)
        if stuck:
            each = binary("and", each, lowered.stuck)
        if timed:
            assert lowered.zone is not None
            each = binary("and", each, Meets(lowered.zone, tuple(one.difference for one in timed)))
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
                yield _query(net, tree, name)
                continue
            except InputError as error:
                refusal = error
        yield Query(name, tree.text, "always", _nothing, tuple, tree.span, refusal=placed(refusal, net.source))
    if DEADLOCK not in taken and len(net.context.clocks) > 1:
        span = net.source.system[0][0].span
        tree = ast.Query(span, "A[]", ast.Unary(span, "!", ast.Deadlock(span)), None, "A[] not deadlock")
        yield _query(net, tree, DEADLOCK)._replace(only_on_request=bool(taken))


def _nothing() -> System:
    raise AssertionError("a query that was refused is never asked")


def _query(net: Network, tree: ast.Query, name: str) -> Query:
    kind = _KINDS[tree.kind]
    if kind in ("always", "possibly"):
        condition = condition_of(net, tree.first, negative=kind == "always")
        timing = Timing(tuple(timed_in(condition)), alike=_asks_for_deadlock(condition))
        made: list[Lowered] = []

        def of_states() -> System:
            made[:] = [lower(net, timing)]
            return made[0].system

        def asked() -> Sequence[Proposition]:
            found = possible(condition, made[0])
            # Sought is what must not be: the search ends where it is.
            return (Proposition(tree.text, negated(found), tree.span),)

        return Query(name, tree.text, kind, of_states, asked, tree.span)
    parts = [tree.first, *([tree.second] if tree.second else [])]
    conditions = [condition_of(net, part) for part in parts]
    for condition in conditions:
        for timed in timed_in(condition):
            raise InputError("clocks in A<>, E[] and --> are not supported: only in A[] and E<>", timed.span)
        if _asks_for_deadlock(condition):
            raise InputError("`deadlock` in A<>, E[] and --> is not supported: only in A[] and E<>", tree.span)

    def of_runs() -> System:
        return lower(net, Timing(alike=True, rests=True)).system

    def propositions() -> Sequence[Proposition]:
        expressions = [discrete(condition) for condition in conditions]
        if kind == "possibly always":
            expressions = [negated(expressions[0])]
        named = zip(parts, expressions, strict=True)
        return [Proposition(" ".join(part.span.text.split()), each, part.span) for part, each in named]

    return Query(name, tree.text, kind, of_runs, propositions, tree.span)


def discrete(condition: Condition) -> Expression:
    """Of a condition without clocks."""
    result: Expression = Constant(0)
    for expressions, _, _ in alternatives(condition):
        each: Expression = Constant(1)
        for expression in expressions:
            each = binary("and", each, expression)
        result = binary("or", result, each)
    return result
