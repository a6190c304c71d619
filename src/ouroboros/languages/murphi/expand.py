"""Rulesets, aliases and choices around rules, expanded: every choice of parameters is an instance of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias

from ouroboros.errors import InputError
from ouroboros.languages.murphi import ast
from ouroboros.languages.murphi.lower_statements import StatementLowering
from ouroboros.languages.murphi.places import MultisetNode
from ouroboros.languages.murphi.scope import Scope, Value
from ouroboros.languages.murphi.types import Range, Simple, value_name
from ouroboros.system.expressions import Constant

MOST_INSTANCES = 100_000
"""Rules after expansion: each becomes code of its own."""

LeafRule: TypeAlias = ast.Rule | ast.StartState | ast.Property | ast.Response
_Around: TypeAlias = ast.AliasRule | ast.Choose


class Parameter(NamedTuple):
    name: str
    type: Simple
    value: int

    def __str__(self) -> str:
        return f"{self.name}: {value_name(self.type, self.value)}"


class Instance(NamedTuple):
    """A rule with values for its parameters."""

    rule: LeafRule
    scope: Scope
    parameters: tuple[Parameter, ...]
    around: tuple[tuple[_Around, Parameter | None], ...]
    """Aliases and choices around it, from the outermost on; a choice with the slot that is chosen."""

    def named(self, text: str) -> str:
        return ", ".join([text, *map(str, self.parameters)])


def instances(rules: Sequence[ast.AnyRule], scope: Scope, reader: StatementLowering) -> list[Instance]:
    """Every instance of every rule, in the order of the text; the last parameter changes fastest."""
    found: list[Instance] = []
    for instance in _expand(rules, scope, reader, (), ()):
        found.append(instance)
        if len(found) > MOST_INSTANCES:
            raise InputError(f"the rulesets expand to more than {MOST_INSTANCES:,} rules", instance.rule.span)
    return found


def _expand(
    rules: Sequence[ast.AnyRule],
    scope: Scope,
    reader: StatementLowering,
    parameters: tuple[Parameter, ...],
    around: tuple[tuple[_Around, Parameter | None], ...],
) -> Iterator[Instance]:
    for rule in rules:
        match rule:
            case ast.Ruleset(_, bindings, inner):
                yield from _ruleset(bindings, inner, scope, reader, parameters, around)
            case ast.AliasRule(_, _, inner):
                # Bounds of rulesets inside may use what is constant of them; rules bind them for themselves.
                bound, _ = reader.code.captured(partial(reader.aliased, rule.aliases, scope))
                yield from _expand(inner, bound, reader, parameters, (*around, (rule, None)))
            case ast.Choose(_, name, _, inner):
                (place, _) = reader.code.captured(partial(reader.multiset, rule.multiset, scope))
                assert isinstance(place.node, MultisetNode)
                slots = Range(0, place.node.length - 1)
                for slot in range(place.node.length):
                    chosen = Parameter(name, slots, slot)
                    bound = Scope(scope, {name: Value(slots, number=Constant(slot), slot_of=place)})
                    yield from _expand(inner, bound, reader, (*parameters, chosen), (*around, (rule, chosen)))
            case ast.Rule() | ast.StartState() | ast.Property() | ast.Response():
                yield Instance(rule, scope, parameters, around)


def _ruleset(
    bindings: Sequence[ast.Binding],
    rules: Sequence[ast.AnyRule],
    scope: Scope,
    reader: StatementLowering,
    parameters: tuple[Parameter, ...],
    around: tuple[tuple[_Around, Parameter | None], ...],
) -> Iterator[Instance]:
    if not bindings:
        yield from _expand(rules, scope, reader, parameters, around)
        return
    binding, *others = bindings
    found, _ = reader.code.captured(lambda: reader.values_of(binding, scope))
    if found is None:
        raise InputError("the bounds of a ruleset must be constant", binding.span)
    kind, values = found
    for value in values:
        bound = reader.bound(scope, binding, kind, Constant(value))
        chosen = (*parameters, Parameter(binding.name, kind, value))
        yield from _ruleset(others, rules, bound, reader, chosen, around)
