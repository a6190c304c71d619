"""A syntax tree to a System: every instance of a rule becomes an action."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from ouroboros.errors import InputError, UsageError
from ouroboros.languages.murphi import ast
from ouroboros.languages.murphi.code import Code, Frame, compare, joined
from ouroboros.languages.murphi.expand import Instance, instances
from ouroboros.languages.murphi.folding import BITS
from ouroboros.languages.murphi.lower_statements import StatementLowering
from ouroboros.languages.murphi.lower_values import text_of
from ouroboros.languages.murphi.multisets import sorted_block
from ouroboros.languages.murphi.places import Leaf, Place, build, state_field
from ouroboros.languages.murphi.scope import FunctionName, Scope, TypeName, Value
from ouroboros.languages.murphi.symmetry import symmetry_of
from ouroboros.languages.murphi.types import BOOLEAN, Range, Scalarset, Simple, is_simple
from ouroboros.source import Source, Span
from ouroboros.system.blocks import Assign, Block, Require
from ouroboros.system.choices import Action, All, Choice, Do, Part, When
from ouroboros.system.expressions import TRUE, Constant, Expression, Procedure, Read
from ouroboros.system.interpret import Step, successors
from ouroboros.system.layout import Field, Layout, Vector
from ouroboros.system.model import Failure, Probe, Proposition, ResponseProperty, System
from ouroboros.system.ranges import known_ranges
from ouroboros.system.symmetry import Symmetry

MOST_STATE_BITS = 1 << 20


@dataclass(eq=False)
class Lowered:
    """A system, and what is needed to read more expressions over its names."""

    system: System
    scope: Scope
    procedures: dict[tuple[object, ...], Procedure]


def lower(
    model: ast.Model,
    source: Source,
    definitions: Mapping[str, str],
    covering: ast.PropertyStatement | None = None,
) -> Lowered:
    return _ModelLowering(source, covering).lower(model, definitions)


def read_proposition(lowered: Lowered, expression: ast.Expression, name: str, span: Span) -> tuple[Proposition, System]:
    """An expression over the model's names, and the system with the places where it can fail."""
    system = lowered.system
    failures = list(system.failures)
    code = Code(failures, pure=True)
    reader = StatementLowering(code, lowered.procedures)
    elements = _elements_of_scalarsets(lowered.scope)
    scope = Scope(lowered.scope, elements)
    condition = code.expression(lambda: reader.truth(expression, Scope(scope), "a property"))
    distinguishes = any(word in elements for word in re.findall(r"\w+", span.text))
    system = replace(system, failures=tuple(failures), locals=max(system.locals, code.slots))
    return Proposition(name, condition, span, distinguishes), system


def _elements_of_scalarsets(scope: Scope) -> dict[str, TypeName | Value | FunctionName]:
    """`T_1`, `T_2`, … for a scalarset T: only properties may tell its elements apart."""
    return {
        name: Value(entity.type, number=Constant(number))
        for entity in scope.names.values()
        if isinstance(entity, TypeName) and isinstance(entity.type, Scalarset)
        for number, name in enumerate(entity.type.names)
        if name not in scope.names
    }


def _covering(
    model: ast.Model, source: Source, definitions: Mapping[str, str], statement: ast.PropertyStatement
) -> System:
    return lower(model, source, definitions, statement).system


class _ModelLowering:
    def __init__(self, source: Source, covering: ast.PropertyStatement | None) -> None:
        self.source = source
        self.failures: list[Failure] = []
        self.procedures: dict[tuple[object, ...], Procedure] = {}
        self.called: set[ast.Function] = set()
        self.covers: dict[ast.PropertyStatement, str] = {}
        self.fields: list[Field] = []
        self.scope = Scope(names={"boolean": TypeName(BOOLEAN)})
        self.slots = 0
        self.covering = covering

    def reader(self, pure: bool) -> StatementLowering:
        reader = StatementLowering(Code(self.failures, pure=pure), self.procedures)
        reader.called = self.called
        reader.covers = self.covers
        reader.covering = self.covering
        return reader

    def lower(self, model: ast.Model, definitions: Mapping[str, str]) -> Lowered:
        self._declare(model.declarations, definitions)
        expanded = instances(model.rules, self.scope, self.reader(pure=True))
        rules = [instance for instance in expanded if isinstance(instance.rule, ast.Rule)]
        starts = [instance for instance in expanded if isinstance(instance.rule, ast.StartState)]
        if not starts:
            end = len(self.source.text.rstrip())
            raise InputError("the model has no startstate", Span(self.source, end, end))
        assumptions = [instance for instance in expanded if _is_property(instance, "assume")]
        actions = [self._action(instance, assumptions) for instance in rules]
        start_actions = [self._action(instance, assumptions) for instance in starts]
        assertions = self._propositions(expanded, "invariant")
        covers = self._propositions(expanded, "cover")
        attainable = self._propositions(expanded, "liveness")
        responses = [self._response(instance) for instance in expanded if isinstance(instance.rule, ast.Response)]
        self._check_the_rest()
        system = System(
            name=self.source.name,
            language="Murphi",
            source=self.source,
            layout=Layout(tuple(self.fields)),
            initial=(),
            actions=tuple(actions),
            choices=All(tuple(Do(index) for index in range(len(actions)))),
            failures=tuple(self.failures),
            evaluation_bits=BITS,
            assertions=assertions,
            covers=covers,
            attainable=attainable,
            probes=tuple(
                Probe(text, partial(_covering, model, self.source, definitions, statement))
                for statement, text in self.covers.items()
            ),
            responses=tuple(responses),
            processes=(),
            locals=self.slots,
            deadlock="stuttering",
            symmetry=self._symmetry(),
            extends_finite_runs=True,
        )
        return Lowered(_started(system, start_actions), self.scope, self.procedures)

    # Declarations

    def _declare(self, declarations: Sequence[ast.Declaration], definitions: Mapping[str, str]) -> None:
        reader = self.reader(pure=True)
        wanted = dict(definitions)
        for declaration in declarations:
            match declaration:
                case ast.ConstantDeclaration(span, name, value):
                    given = reader.constant_value(value, self.scope)
                    if name in wanted:
                        given = _defined(name, wanted.pop(name), given, self.scope)
                    self.scope.declare(name, given, span)
                case ast.VariableDeclaration(span, name, kind):
                    self._variable(span, name, kind, reader)
                case ast.TypeDeclaration(span, name, kind):
                    self._type(span, name, kind, reader)
                case ast.Function(span, name):
                    self.scope.declare(name, reader.function_name(declaration, self.scope), span)
        if wanted:
            constants = [item.name for item in declarations if isinstance(item, ast.ConstantDeclaration)]
            known = f"it has: {', '.join(constants)}" if constants else "it has none"
            raise UsageError(f"-D {next(iter(wanted))}: {self.source.name} has no such constant; {known}")

    def _type(self, span: Span, name: str, kind: ast.Type, reader: StatementLowering) -> None:
        resolved = reader.type(kind, self.scope, name)
        if name == "boolean":
            del self.scope.names[name]
        self.scope.declare(name, TypeName(resolved), span)

    def _variable(self, span: Span, name: str, kind: ast.Type, reader: StatementLowering) -> None:
        resolved = reader.type(kind, self.scope)

        def make(simple: Simple, names: tuple[str, ...], length: int | None) -> Field:
            self.fields.append(state_field(simple, names, length, name))
            if sum(field.bits * field.elements for field in self.fields) > MOST_STATE_BITS:
                raise InputError("the state is too large", span, f"it may have {MOST_STATE_BITS:,} bits")
            return self.fields[-1]

        self.scope.declare(name, Value(resolved, Place(build(resolved, make, name))), span)

    def _symmetry(self) -> Symmetry | None:
        entities = list(self.scope.names.values())
        scalarsets = (
            entity.type for entity in entities if isinstance(entity, TypeName) and isinstance(entity.type, Scalarset)
        )
        variables = (entity.place.node for entity in entities if isinstance(entity, Value) and entity.place)
        return symmetry_of(scalarsets, variables)

    def _check_the_rest(self) -> None:
        """Functions that nothing calls are read as well, for what may be wrong with them."""
        for entity in list(self.scope.names.values()):
            if isinstance(entity, FunctionName) and entity.function not in self.called:
                known = len(self.failures)
                self.reader(pure=False).check_function(entity)
                del self.failures[known:]

    # Rules and properties

    def _action(self, instance: Instance, assumptions: Sequence[Instance]) -> Action:
        rule = instance.rule
        assert isinstance(rule, ast.Rule | ast.StartState)
        reader = self.reader(pure=True)
        code = reader.code
        guard: Expression = TRUE
        if isinstance(rule, ast.Rule):
            guard = code.expression(lambda: self._guard(instance, reader))
        code.pure = False
        frame = Frame("", code.label(), None)
        code.frames.append(frame)

        def body() -> None:
            scope = Scope(_entered(instance, reader))
            reader.declarations(rule.declarations, scope)
            reader.body(rule.body, scope)

        _, block = code.captured(body)
        code.frames.pop()
        reader.emit_scope(frame, block)
        for node in list(code.touched):
            for statement in sorted_block(node, code):
                code.emit(statement)
        code.pure = True
        for assumption in assumptions:
            condition = code.expression(partial(self._condition, assumption, reader))
            code.emit(Require(condition, code.site("dropped", text_of(assumption.rule.span), assumption.rule.span)))
        self.slots = max(self.slots, code.slots)
        return Action(
            parts=(Part("", instance.named(_title(rule)), rule.span),),
            effect=tuple(code.statements),
            guard=guard,
            name=rule.name or "",
            fairness=_fairness(rule),
        )

    def _guard(self, instance: Instance, reader: StatementLowering) -> Expression:
        rule = instance.rule
        assert isinstance(rule, ast.Rule)
        parts: list[Expression] = []
        scope = instance.scope
        for around, chosen in instance.around:
            if isinstance(around, ast.Choose):
                assert chosen is not None
                multiset = reader.multiset(around.multiset, scope)
                parts.append(compare("=", multiset.presence(Constant(chosen.value)).raw(), Constant(1)))
        if rule.guard is not None:
            guard = rule.guard
            parts.append(reader.code.expression(lambda: reader.truth(guard, _entered(instance, reader), "a guard")))
        return joined("and", parts)

    def _condition(self, instance: Instance, reader: StatementLowering) -> Expression:
        rule = instance.rule
        assert isinstance(rule, ast.Property)
        return reader.truth(rule.condition, _entered(instance, reader), f"`{rule.kind}`")

    def _proposition(self, instance: Instance, name: str, condition: ast.Expression) -> Proposition:
        reader = self.reader(pure=True)
        expression = reader.code.expression(lambda: reader.truth(condition, _entered(instance, reader), "a property"))
        self.slots = max(self.slots, reader.code.slots)
        return Proposition(name, expression, instance.rule.span)

    def _propositions(self, expanded: Iterable[Instance], kind: str) -> tuple[Proposition, ...]:
        found: list[Proposition] = []
        for instance in expanded:
            if _is_property(instance, kind):
                rule = instance.rule
                assert isinstance(rule, ast.Property)
                name = instance.named(rule.name or text_of(rule.condition.span))
                found.append(self._proposition(instance, name, rule.condition))
        return tuple(found)

    def _response(self, instance: Instance) -> ResponseProperty:
        rule = instance.rule
        assert isinstance(rule, ast.Response)
        request, answer = (self._proposition(instance, "", side).expression for side in (rule.request, rule.answer))
        return ResponseProperty(instance.named(rule.name or text_of(rule.span)), request, answer, rule.span)


def _is_property(instance: Instance, kind: str) -> bool:
    return isinstance(instance.rule, ast.Property) and instance.rule.kind == kind


def _fairness(rule: ast.Rule | ast.StartState) -> Literal["none", "weak", "strong"]:
    """What the pragma before a rule, or a ruleset around it, says."""
    match rule.fairness if isinstance(rule, ast.Rule) else "":
        case "weak" | "strong" as strength:
            return strength
        case _:
            return "none"


def _title(rule: ast.Rule | ast.StartState) -> str:
    keyword = "rule" if isinstance(rule, ast.Rule) else "startstate"
    return keyword if rule.name is None else f'{keyword} "{rule.name}"'


def _entered(instance: Instance, reader: StatementLowering) -> Scope:
    """The scope of an instance, with the aliases around it bound by the code of the reader."""
    scope = instance.scope
    for around, _ in instance.around:
        if isinstance(around, ast.AliasRule):
            scope = reader.aliased(around.aliases, scope)
    return scope


def _defined(name: str, text: str, declared: Value, scope: Scope) -> Value:
    """The value that the command line gives a constant: a number, or the name of a value of its type."""
    text = text.strip()
    match declared.type:
        case Range():
            try:
                value = int(text, 0)
            except ValueError:
                raise UsageError(f"-D {name}={text}: the constant {name} is a number") from None
            return Value(Range(value, value), number=Constant(value))
        case kind:
            # A constant is a number or has a name of its own.
            assert is_simple(kind)
            assert not isinstance(kind, Range)
            names = kind.names
            if text not in names:
                raise UsageError(f"-D {name}={text}: choose from {', '.join(names)}")
            return Value(kind, number=Constant(names.index(text)))


def _started(system: System, starts: Sequence[Action]) -> System:
    """The system with its initial states; where a startstate fails, with that as a step that the search will find."""
    blank = system.layout.initial()
    starting = replace(system, actions=tuple(starts), choices=All(tuple(Do(index) for index in range(len(starts)))))
    steps = successors(starting, blank)
    if any(_fails(system, step) for step in steps):
        return _failing_start(system, starts)
    initial = dict.fromkeys(step.state for step in steps if step.state is not None)
    if not initial:
        raise InputError("no startstate satisfies the assumptions", starts[0].parts[0].span)
    started = replace(system, initial=tuple(initial))
    return replace(started, ranges=known_ranges(started))


def _fails(system: System, step: Step) -> bool:
    return step.failure is not None and system.failures[step.failure].kind not in ("dropped", "disabled")


def _failing_start(system: System, starts: Sequence[Action]) -> System:
    """One more field says whether the model has started: the startstates are steps from a blank state."""
    flag = Field("started", "globals", 1)
    layout = Layout((*system.layout.fields, flag))
    begun: Block = (Assign(flag, None, Constant(1)),)
    first = len(system.actions)
    actions = (*system.actions, *(replace(start, effect=(*start.effect, *begun)) for start in starts))
    choices: tuple[Choice, ...] = (
        When(compare("=", Read(flag), Constant(0)), All(tuple(Do(first + index) for index in range(len(starts))))),
        When(Read(flag), system.choices),
    )
    assertions = tuple(
        item._replace(expression=joined("or", [compare("=", Read(flag), Constant(0)), item.expression]))
        for item in system.assertions
    )
    return replace(
        system, layout=layout, initial=(layout.initial(),), actions=actions, choices=All(choices), assertions=assertions
    )


__all__ = ["Leaf", "Lowered", "Vector", "lower", "read_proposition"]
