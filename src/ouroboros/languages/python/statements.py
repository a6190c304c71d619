"""Statements of Python to blocks of a step."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence

from ouroboros.languages.python.calls import RESULT, Calls
from ouroboros.languages.python.frames import Environment, Target
from ouroboros.languages.python.storage import MapNode, Place, RecordNode
from ouroboros.languages.python.types import LARGEST, Integer, Type, is_immutable, join, type_of
from ouroboros.languages.python.values import Generated, Guarded, Indexed, Known, Listed, Made, Scalar, Static, Value
from ouroboros.system.blocks import If, Leave, Print, Require, Scope, SetLocal, Shown, While
from ouroboros.system.expressions import TRUE, Binary, Constant, Expression, Local, conjunction

MOST_ROUNDS = 1 << 20
_INSTEAD: dict[type[ast.AST], str] = {
    ast.Try: "ask beforehand whether it can go wrong",
    ast.With: "write what it does before and after",
    ast.Raise: "write `assert False, …` for what must not happen, `require(…)` for what is not possible",
    ast.Global: "make it an attribute of the model",
    ast.Nonlocal: "make it an attribute of the model",
    ast.Import: "import at the top of the file",
    ast.ImportFrom: "import at the top of the file",
    ast.FunctionDef: "make it a method, or a function of the file",
    ast.ClassDef: "define it at the top of the file",
}


class Statements(Calls):
    @abstractmethod
    def yielded(self, statement: ast.Expr) -> None: ...

    @abstractmethod
    def annotated(self, annotation: ast.expr) -> Type: ...

    @abstractmethod
    def returned(self, statement: ast.Return) -> None: ...

    def body(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            if not self.code.reachable:
                return
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Expr(ast.Yield()):
                self.yielded(node)
            case ast.Expr(ast.Call(ast.Name("print"))):
                self._print(node.value)  # type: ignore[arg-type]
            case ast.Expr(ast.Constant(str())) | ast.Pass():
                pass
            case ast.Expr(value):
                self.value(value)
            case ast.Assign(targets, value):
                found = self.value(value)
                for target in targets:
                    self.assign(target, found)
            case ast.AnnAssign(target, annotation, value):
                if isinstance(target, ast.Name) and target.id not in self.frame.kept:
                    self.frame.declared[target.id] = self.annotated(annotation)
                if value is not None:
                    self.assign(target, self.value(value))
            case ast.AugAssign(target, operator, value):
                self._augmented(target, operator, value, node)
            case ast.Assert(test, message):
                condition = self.condition(test)
                text = str(message.value) if isinstance(message, ast.Constant) else self.frame.places.text(test)
                self.code.emit(Require(condition, self.site("assertion", f"assertion failed: {text}", node)))
            case ast.If():
                self.branches(node.test, lambda: self.body(node.body), lambda: self.body(node.orelse), node)
            case ast.While():
                self.while_loop(node)
            case ast.For():
                self.for_loop(node)
            case ast.Match():
                self._match(node)
            case ast.Break():
                self._jump(self.frame.loops[-1][0])
            case ast.Continue():
                self._jump(self.frame.loops[-1][1])
            case ast.Return(value):
                if self.frame.result is None:
                    self.returned(node)
                    return
                if value is not None:
                    self.assign_name(RESULT, self.value(value), node)
                self._jump(self.frame.result)
            case ast.Delete(targets):
                for target in targets:
                    self._delete(target)
            case _:
                what = type(node).__name__.lower().removesuffix("def")
                raise self.frame.places.refusal(node, f"`{what}` cannot be compiled", _INSTEAD.get(type(node)))

    def _jump(self, target: Target) -> None:
        target.environments.append(dict(self.frame.variables))
        self.code.emit(Leave(target.label))
        self.code.reachable = False

    # Assignments

    def assign(self, target: ast.expr, value: Value) -> None:
        name = self.frame.places.text(target)
        match target:
            case ast.Name(variable):
                self.assign_name(variable, value, target)
            case ast.Tuple(targets) | ast.List(targets):
                self._unpack(targets, self.listing(value, target), target)
            case ast.Attribute(inner, attribute):
                held, owner = self._target(value, inner)
                place = self.attribute(owner, attribute, target)
                if not isinstance(place, Place):
                    raise self.frame.places.refusal(
                        target, f"`{name}` is no part of the state", "annotate it in the class"
                    )
                if isinstance(owner, Place) and isinstance(owner.node, RecordNode) and owner.node.type.frozen:
                    raise self.frame.places.refusal(target, f"`{owner.type}` is frozen", "store a new one")
                self.store(place, held, target, name)
            case ast.Subscript(inner, key):
                held, owner = self._target(value, inner)
                at, block = self.code.captured(lambda: self.value(key))
                if block:
                    held = self.held(held, target)
                    self.code.emit(*block)
                if isinstance(owner, Place) and isinstance(owner.node, MapNode):
                    self.put(owner, at, held, target, self.frame.places.text(inner))
                    return
                place = self._element(owner, at, target)
                self.store(place, held, target, name)
            case _:
                raise self.frame.places.refusal(target, "this cannot be assigned to")

    def _target(self, value: Value, inner: ast.expr) -> tuple[Value, Value]:
        """A value and the object that a part of is assigned to; the value was there first."""
        owner, block = self.code.captured(lambda: self.value(inner))
        if block:
            value = self.held(value, inner)
            self.code.emit(*block)
        return value, owner

    def _element(self, owner: Value, at: Value, node: ast.Subscript) -> Place:
        name = self.frame.places.text(node.value)
        match owner:
            case Place(node=inner) if hasattr(inner, "rows") and not hasattr(inner, "present"):
                length = owner.length().read() if hasattr(inner, "length") else Constant(inner.rows)
                return owner.element(self.index(at, length, inner.rows, node, name))
        raise self.frame.places.refusal(node, f"the elements of `{name}` cannot be assigned to")

    def _unpack(self, targets: Sequence[ast.expr], value: Value, node: ast.AST) -> None:
        match value:
            case Listed(_, items) if len(items) == len(targets):
                parts: list[Value] = [self.held(item, node) for item in items]
            case Known(tuple() | list() as known) if len(known) == len(targets):
                parts = [Known(item) for item in known]
            case Place(RecordNode(kind)) if kind.cls is tuple and len(kind.fields) == len(targets):
                parts = [self.held(value.member(name), node) for name in kind.fields]
            case Place() if hasattr(value.node, "rows") and getattr(value.node, "rows", 0) == len(targets):
                parts = [self.held(value.element(Constant(number)), node) for number in range(len(targets))]
            case _:
                raise self.frame.places.refusal(node, f"there are {len(targets)} names for it, and it has other parts")
        for target, part in zip(targets, parts, strict=True):
            self.assign(target, part)

    def _augmented(self, target: ast.expr, operator: ast.operator, value: ast.expr, node: ast.stmt) -> None:
        load = _loaded(target)
        before, given = self.operands([load, value])
        self.assign(target, self.binary(operator, before, given, node))

    def assign_name(self, name: str, value: Value, node: ast.AST) -> None:
        frame = self.frame
        if name in frame.kept:
            self.store(frame.kept[name], value, node, name)
            return
        if name in frame.fixed:
            return
        value = self.load(value)
        if isinstance(value, Generated):
            value = self.listing(value, node)
        if name in frame.declared:
            place = frame.structures.setdefault(name, self.local(frame.declared[name], name))
            self.store(place, value, node, name)
            frame.variables[name] = place
            frame.slots.setdefault(name, -1)
            return
        match value:
            case Scalar():
                self._to_slot(name, value)
            case Known(known) if self.code.conditional and type_of(known) is not None:
                self._to_slot(name, self.scalar(value, node))
            case Made(kind):
                place = self._structure(name, kind)
                self.store(place, value, node, name)
                frame.variables[name] = place
            case Place() if value.fresh and not value.in_state:
                frame.variables[name] = value
            case Place() if is_immutable(value.type):
                place = self._structure(name, value.type)
                self.store(place, value, node, name)
                frame.variables[name] = place
            case _:
                frame.variables[name] = self.held(value, node)
        frame.slots.setdefault(name, -1)

    def _structure(self, name: str, kind: Type) -> Place:
        place = self.frame.structures.get(name)
        if place is None or place.type != kind:
            place = self.frame.structures[name] = self.local(kind, name)
        return place

    def _to_slot(self, name: str, value: Scalar) -> None:
        slot = self.frame.slots.get(name, -1)
        if slot < 0:
            slot = self.frame.slots[name] = self.code.slot()
        self.code.emit(SetLocal(slot, value.number))
        self.frame.variables[name] = Scalar(value.type, Local(slot))

    def _delete(self, target: ast.expr) -> None:
        if isinstance(target, ast.Subscript):
            owner, key = self.operands([target.value, target.slice])
            if isinstance(owner, Place) and isinstance(owner.node, MapNode):
                self.remove_key(owner, key, target, self.frame.places.text(target.value))
                return
        raise self.frame.places.refusal(target, "this cannot be deleted", "`del` is for keys of a mapping")

    # Branches

    def _settle(self, names: Iterable[str], node: ast.AST) -> None:
        """What may be assigned in a branch or loop must have a temporary before it."""
        for name in names:
            value = self.frame.variables.get(name)
            if isinstance(value, Known) and type_of(value.value) is not None:
                self._to_slot(name, self.scalar(value, node))

    def merged(self, environments: Sequence[Environment]) -> Environment:
        """What is known of variables wherever one of several ways was taken."""
        first, *rest = environments
        found: Environment = {}
        for name, value in first.items():
            joined: Value | None = value
            for other in rest:
                joined = _merge(joined, other.get(name)) if joined is not None else None
            if joined is not None:
                found[name] = joined
        return found

    def branches(
        self, test: ast.expr | Expression, then: Callable[[], None], otherwise: Callable[[], None], node: ast.stmt
    ) -> None:
        condition = self.condition(test) if isinstance(test, ast.expr) else test
        if isinstance(condition, Constant):
            (then if condition.value else otherwise)()
            return
        self._settle(_assigned(node), node)
        before = dict(self.frame.variables)
        self.code.conditional += 1
        _, first = self.code.captured(then)
        after, reached = self.frame.variables, self.code.reachable
        self.frame.variables, self.code.reachable = dict(before), True
        _, second = self.code.captured(otherwise)
        self.code.conditional -= 1
        ends = [*([after] if reached else []), *([self.frame.variables] if self.code.reachable else [])]
        self.code.reachable = True
        if first or second:
            self.code.emit(If(condition, first, second))
        self.code.reachable = bool(ends)
        if ends:
            self.frame.variables = self.merged(ends)

    def _match(self, node: ast.Match) -> None:
        subject = self.held(self.value(node.subject), node.subject)

        def case(number: int) -> None:
            if number == len(node.cases):
                return
            each = node.cases[number]
            condition = self.pattern(each.pattern, subject)
            if each.guard is not None:
                condition = conjunction(condition, self.condition(each.guard))
            self.branches(condition, lambda: self.body(each.body), lambda: case(number + 1), node)

        case(0)

    def pattern(self, pattern: ast.pattern, subject: Value) -> Expression:
        """Whether a value has a form; names in it are bound."""
        match pattern:
            case ast.MatchValue(value):
                return self.equal(subject, self.value(value), pattern)
            case ast.MatchSingleton(value):
                return self.equal(subject, Known(value), pattern)
            case ast.MatchOr(patterns):
                found = [self.pattern(each, subject) for each in patterns]
                result = found[0]
                for each in found[1:]:
                    result = Binary("or", result, each)
                return result
            case ast.MatchAs(inner, name):
                condition = TRUE if inner is None else self.pattern(inner, subject)
                if name is not None:
                    self.assign_name(name, subject, pattern)
                return condition
            case ast.MatchSequence(patterns):
                match subject:
                    case Listed("tuple", items) if len(items) == len(patterns):
                        return conjunction(*(map(self.pattern, patterns, items)))
                    case Place(RecordNode(kind)) if kind.cls is tuple and len(kind.fields) == len(patterns):
                        parts = [self.load(subject.member(name)) for name in kind.fields]
                        return conjunction(*(map(self.pattern, patterns, parts)))
            case ast.MatchClass(_, positional, names, patterns) if isinstance(subject, Place | Made) and not positional:
                parts = [self.load(self.attribute(subject, name, pattern)) for name in names]
                return conjunction(*(map(self.pattern, patterns, parts)))
        raise self.frame.places.refusal(pattern, "this pattern cannot be compiled", "compare in an `if`")

    # Loops

    def while_loop(self, node: ast.While, first: Callable[[], None] | None = None) -> None:
        self.loop(node, lambda: self.condition(node.test), lambda: self.body(node.body), lambda: None, first)

    def loop(
        self,
        node: ast.While | ast.For,
        condition: Callable[[], Expression],
        body: Callable[[], None],
        step: Callable[[], None],
        first: Callable[[], None] | None = None,
    ) -> None:
        """A loop; `step` is done between two rounds, `first` is the rest of a round that was interrupted."""
        end = Target(self.code.label())

        def whole() -> None:
            if first is not None:
                self._round(end, first, step)
            if self.code.reachable:
                self._rounds(node, end, condition, body, step)

        _, block = self.code.captured(whole)
        ends = [*end.environments, *([self.frame.variables] if self.code.reachable else [])]
        self.code.reachable = True
        self.code.emit(*((Scope(end.label, block),) if end.environments else block))
        self.code.reachable = bool(ends)
        if ends:
            self.frame.variables = self.merged(ends)

    def _round(self, end: Target, body: Callable[[], None], step: Callable[[], None]) -> None:
        again = Target(self.code.label())
        self.frame.loops.append((end, again))
        self.code.conditional += 1
        _, block = self.code.captured(body)
        self.code.conditional -= 1
        self.frame.loops.pop()
        ends = [*again.environments, *([self.frame.variables] if self.code.reachable else [])]
        self.code.reachable = True
        self.code.emit(*((Scope(again.label, block),) if again.environments else block))
        self.code.reachable = bool(ends)
        if ends:
            self.frame.variables = self.merged(ends)
            step()

    def _rounds(
        self,
        node: ast.While | ast.For,
        end: Target,
        condition: Callable[[], Expression],
        body: Callable[[], None],
        step: Callable[[], None],
    ) -> None:
        self._settle(_assigned(node), node)
        known, jumps = len(self.code.failures), len(end.environments)
        self.code.repeated += 1
        while True:
            head = dict(self.frame.variables)
            test = self.code.expression(condition)
            _, block = self.code.captured(lambda: self._round(end, body, step))
            returns = self.code.reachable
            widened = self._widened(head, self.frame.variables) if returns else head
            self.code.reachable = True
            if widened == head:
                break
            self.frame.variables = widened
            del self.code.failures[known:], end.environments[jumps:]
        self.code.repeated -= 1
        self.frame.variables = dict(head)
        always = isinstance(test, Constant) and test.value != 0
        if not returns:
            self.code.emit(*(block if always else (If(test, block),)))
        else:
            site = self.site("loop", f"this loop makes more than {MOST_ROUNDS:,} rounds", node)
            self.code.emit(While(test, block, MOST_ROUNDS, site))
        self.code.reachable = not always
        if self.code.reachable:
            self.body(node.orelse)

    def _widened(self, head: Environment, after: Environment) -> Environment:
        found: Environment = {}
        for name, value in head.items():
            joined = _merge(value, after.get(name))
            if joined is None:
                continue
            if joined != value and isinstance(joined, Scalar) and isinstance(joined.type, Integer):
                joined = Scalar(Integer(-LARGEST, LARGEST), joined.number)
            found[name] = joined
        return found

    def for_loop(self, node: ast.For) -> None:
        found = self.iteration(self.value(node.iter), node.iter)
        match found:
            case Static(items):
                self._written_out(node, [(TRUE, item) for item in items])
            case Guarded(items):
                self._written_out(node, list(items))
            case Indexed(length, _, item):
                slot = self.code.slot()
                self.code.emit(SetLocal(slot, Constant(0)))
                number = Local(slot)
                self.loop(
                    node,
                    lambda: Binary("<", number, length()),
                    lambda: self._indexed_round(node, item(number)),
                    lambda: self.code.emit(SetLocal(slot, Binary("+", number, Constant(1)))),
                )

    def _indexed_round(self, node: ast.For, item: Value) -> None:
        self.assign(node.target, item)
        self.body(node.body)

    def _written_out(self, node: ast.For, items: list[tuple[Expression, Value]]) -> None:
        end = Target(self.code.label())
        leaves = any(isinstance(part, ast.Break | ast.Continue | ast.Return) for part in ast.walk(node))
        if leaves:
            self._settle(_assigned(node), node)
        self.code.conditional += leaves

        def rounds() -> None:
            for condition, item in items:
                if not self.code.reachable:
                    return

                def body(item: Value = item) -> None:
                    self.assign(node.target, item)
                    self.body(node.body)

                def one(body: Callable[[], None] = body) -> None:
                    self._plain_round(end, body)

                self.branches(condition, one, lambda: None, node)
            if self.code.reachable:
                self.body(node.orelse)

        _, block = self.code.captured(rounds)
        self.code.conditional -= leaves
        ends = [*end.environments, *([self.frame.variables] if self.code.reachable else [])]
        self.code.reachable = True
        self.code.emit(*((Scope(end.label, block),) if end.environments else block))
        self.code.reachable = bool(ends)
        if ends:
            self.frame.variables = self.merged(ends)

    def _plain_round(self, end: Target, body: Callable[[], None]) -> None:
        """A round of a loop that is written out: what is assigned in it is assigned."""
        again = Target(self.code.label())
        self.frame.loops.append((end, again))
        _, block = self.code.captured(body)
        self.frame.loops.pop()
        ends = [*again.environments, *([self.frame.variables] if self.code.reachable else [])]
        self.code.reachable = True
        self.code.emit(*((Scope(again.label, block),) if again.environments else block))
        self.code.reachable = bool(ends)
        if ends:
            self.frame.variables = self.merged(ends)

    def _print(self, call: ast.Call) -> None:
        parts: list[str | Shown] = []
        for number, argument in enumerate(call.args):
            if number:
                parts.append(" ")
            for piece in argument.values if isinstance(argument, ast.JoinedStr) else [argument]:
                inner = piece.value if isinstance(piece, ast.FormattedValue) else piece
                match self.value(inner):
                    case Known(known):
                        parts.append(str(known))
                    case value:
                        scalar = self.scalar(value, inner)
                        names = tuple(map(str, getattr(scalar.type, "values", ())))
                        names = names or (("False", "True") if not isinstance(scalar.type, Integer) else ())
                        parts.append(Shown(scalar.number, names=names))
        self.code.emit(Print((*parts, "\n")))


def _merge(left: Value | None, right: Value | None) -> Value | None:
    match left, right:
        case Scalar(kind, number), Scalar(other, same) if number == same:
            joined = join(kind, other)
            return None if joined is None else Scalar(joined, number)
        case Place(), Place():
            return left if left.node is right.node and left.at == right.at else None
    return left if left is not None and left == right else None


def _assigned(node: ast.AST) -> list[str]:
    names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    names |= {part.name for part in ast.walk(node) if isinstance(part, ast.MatchAs) and part.name}
    return sorted(names)


def _loaded(target: ast.expr) -> ast.expr:
    """The same expression, to be read."""
    match target:
        case ast.Name(name):
            return ast.copy_location(ast.Name(name, ast.Load()), target)
        case ast.Attribute(value, attribute):
            return ast.copy_location(ast.Attribute(value, attribute, ast.Load()), target)
        case ast.Subscript(value, key):
            return ast.copy_location(ast.Subscript(value, key, ast.Load()), target)
    return target
