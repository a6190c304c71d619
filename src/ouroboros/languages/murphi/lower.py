"""A syntax tree to a System: every instance of a rule becomes an action."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from ouroboros.errors import InputError, UsageError
from ouroboros.languages.murphi import ast
from ouroboros.languages.murphi.code import compare, joined, multisets_of
from ouroboros.languages.murphi.examine import examined
from ouroboros.languages.murphi.expand import instances
from ouroboros.languages.murphi.folding import BITS
from ouroboros.languages.murphi.lower_rules import RuleLowering, is_property
from ouroboros.languages.murphi.lower_statements import StatementLowering
from ouroboros.languages.murphi.places import Place, build, state_field
from ouroboros.languages.murphi.scope import FunctionName, Scope, TypeName, Value
from ouroboros.languages.murphi.symmetry import closed_ranges, symmetry_of
from ouroboros.languages.murphi.types import BOOLEAN, Range, Scalarset, Simple, is_simple
from ouroboros.source import Source, Span
from ouroboros.system.blocks import Assign, Block
from ouroboros.system.choices import Action, All, Choice, Do, When
from ouroboros.system.expressions import Constant, Procedure, Read
from ouroboros.system.interpret import Step, successors
from ouroboros.system.layout import Field, Layout
from ouroboros.system.model import Failure, Probe, System
from ouroboros.system.ranges import known_ranges
from ouroboros.system.symmetry import PLAIN, SymmetricField, Symmetry

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


def _covering(
    model: ast.Model, source: Source, definitions: Mapping[str, str], statement: ast.PropertyStatement
) -> System:
    return lower(model, source, definitions, statement).system


class _ModelLowering:
    def __init__(self, source: Source, covering: ast.PropertyStatement | None) -> None:
        self.source = source
        self.failures: list[Failure] = []
        self.fields: list[Field] = []
        self.scope = Scope(names={"boolean": TypeName(BOOLEAN)})
        self.rules = RuleLowering(self.failures, covering)

    def lower(self, model: ast.Model, definitions: Mapping[str, str]) -> Lowered:
        self._declare(model.declarations, definitions)
        lowering = self.rules
        expanded = instances(model.rules, self.scope, lowering.reader(pure=True))
        rules = [instance for instance in expanded if isinstance(instance.rule, ast.Rule)]
        starts = [instance for instance in expanded if isinstance(instance.rule, ast.StartState)]
        if not starts:
            end = len(self.source.text.rstrip())
            raise InputError("the model has no startstate", Span(self.source, end, end))
        assumptions = [instance for instance in expanded if is_property(instance, "assume")]
        actions = [lowering.action(instance, assumptions) for instance in rules]
        start_actions = [lowering.action(instance, assumptions) for instance in starts]
        assertions = lowering.propositions(expanded, "invariant")
        covers = lowering.propositions(expanded, "cover")
        attainable = lowering.propositions(expanded, "liveness")
        responses = [lowering.response(instance) for instance in expanded if isinstance(instance.rule, ast.Response)]
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
                for statement, text in lowering.covers.items()
            ),
            responses=tuple(responses),
            processes=(),
            locals=lowering.slots,
            deadlock="stuttering",
            symmetry=self._symmetry(),
            extends_finite_runs=True,
        )
        started = _started(system, start_actions)
        if started.symmetry and started.layout is system.layout:
            symmetry = examined(started.symmetry, started, rules, assumptions, expanded)
            started = replace(started, symmetry=symmetry)
        return Lowered(started, self.scope, lowering.procedures)

    # Declarations

    def _declare(self, declarations: Sequence[ast.Declaration], definitions: Mapping[str, str]) -> None:
        reader = self.rules.reader(pure=True)
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

        node = build(resolved, make, name)
        self.rules.multisets += multisets_of(node)
        self.scope.declare(name, Value(resolved, Place(node)), span)

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
            if isinstance(entity, FunctionName) and entity.function not in self.rules.called:
                known = len(self.failures)
                self.rules.reader(pure=False).check_function(entity)
                del self.failures[known:]


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
    ranges = known_ranges(started)
    return replace(started, ranges=closed_ranges(ranges, system.symmetry) if system.symmetry else ranges)


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
    symmetry = system.symmetry
    if symmetry:
        symmetry = replace(symmetry, fields=(*symmetry.fields, SymmetricField(flag, (), (PLAIN,))))
    return replace(
        system,
        layout=layout,
        initial=(layout.initial(),),
        actions=actions,
        choices=All(choices),
        assertions=assertions,
        symmetry=symmetry,
    )
