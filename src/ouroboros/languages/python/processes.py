"""Processes: a generator whose steps go from one `yield` to the next.

The place of a process is the `yield` that it stands at. A step begins behind it and runs until the next one; so the
code behind a `yield` is written out, with the rest of the round of every loop around it, and the loop again.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ouroboros.errors import InputError
from ouroboros.languages.python.aliases import mutable_places
from ouroboros.languages.python.frames import Code, Frame, namespace_of
from ouroboros.languages.python.liveness import Liveness, local_names
from ouroboros.languages.python.locations import Path, ProcessParts
from ouroboros.languages.python.statements import Statements
from ouroboros.languages.python.storage import Leaf, Node, Place
from ouroboros.languages.python.types import Integer, Simple, Type, is_immutable, join
from ouroboros.languages.python.values import Indexed, Iteration, Known, Made, Processes, Scalar, Static, Value
from ouroboros.python.run import END
from ouroboros.system.blocks import Assign, Leave
from ouroboros.system.expressions import FALSE, Binary, Constant, Expression


class ProcessLowering(Statements):
    """Steps of one process, or of none: then a `yield` is refused."""

    process: ProcessParts | None = None
    step = 0
    """The label of the scope of the step."""
    known_processes: dict[tuple[int, str, Any], ProcessParts]
    namespace: Callable[[], dict[str, Any]]
    in_use: list[tuple[Node, InputError]]
    """Objects that more than one step relies on, and what to raise where something is put in their place."""

    def frame_of(self, process: ProcessParts) -> Frame:
        function = process.declared.function
        frame = Frame(process.name, self.functions.places, namespace_of(function), function=function)
        frame.first, frame.local_names = process.owner, local_names(process.definition)
        frame.fixed.update(process.fixed)
        parameters = [argument.arg for argument in process.definition.args.args]
        frame.fixed[parameters[0]] = process.owner
        if process.declared.members is not None:
            if len(parameters) != 2:
                raise self.functions.places.refusal(
                    process.definition, "such a process has one parameter beside `self`"
                )
            frame.fixed[parameters[1]] = Known(process.member)
        frame.kept.update(process.kept)
        return frame

    # Where others can run

    def yielded(self, statement: ast.Expr) -> None:
        process = self.process
        if process is None or self.depth:
            raise self.refusal(statement, "only a process can `yield`", "declare it with @process")
        numbers = [number for number, each in enumerate(process.locations) if each.statement is statement]
        self._leave(numbers[0])

    def returned(self, statement: ast.Return) -> None:
        if self.process is None:
            if statement.value is not None:
                raise self.refusal(statement, "an action returns nothing")
            self.code.left = True
            self.code.emit(Leave(self.step))
        else:
            self._leave(len(self.process.locations))
        self.code.reachable = False

    def _leave(self, place: int) -> None:
        assert self.process is not None
        assert self.process.place is not None
        if place == len(self.process.locations):
            self.process.ends = True
            for variable in (*self.process.kept.values(), *self.process.counters.values()):
                self.code.emit(*variable.clear())
        self.code.left = True
        self.code.emit(Assign(self.process.place, None, Constant(place)), Leave(self.step))
        self.code.reachable = False

    def finished(self) -> None:
        """The end of the process, where it is come to."""
        if self.code.reachable:
            assert self.process is not None
            self._leave(len(self.process.locations))

    # Going on behind a `yield`

    def resume(self, statements: Sequence[ast.stmt], path: Path) -> None:
        (_, number), *rest = path
        if rest:
            self._resume_in(statements[number], rest[0][0], tuple(rest))
        self.body(statements[number + 1 :])

    def _resume_in(self, node: ast.stmt, part: str, path: Path) -> None:
        inner = node.cases[int(part.split()[1])].body if isinstance(node, ast.Match) else getattr(node, part)
        if isinstance(node, ast.While) and part == "body":
            self.while_loop(node, lambda: self.resume(inner, path))
        elif isinstance(node, ast.For) and part == "body":
            self._counted_loop(node, lambda: self.resume(inner, path))
        else:
            self.resume(inner, path)

    def for_loop(self, node: ast.For) -> None:
        if self.process is not None and node in self.process.counters:
            counter = self.process.counters[node]
            self.code.emit(counter.write(Constant(0)))
            self._counted_loop(node, None)
        else:
            super().for_loop(node)

    def _counted_loop(self, node: ast.For, first: Callable[[], None] | None) -> None:
        """A loop with a `yield` in it counts its rounds in the state."""
        assert self.process is not None
        counter = self.process.counters[node]
        found = self._lasting(node)
        length: Expression = Constant(len(found.items)) if isinstance(found, Static) else found.length()

        def item() -> Value:
            if isinstance(found, Indexed):
                return found.item(counter.read())
            return self._of_table(list(found.items), self.load(counter), node, "this")

        self.loop(
            node,
            lambda: Binary("<", counter.read(), length),
            lambda: self._indexed_round(node, item()),
            lambda: self.code.emit(counter.write(Binary("+", counter.read(), Constant(1)))),
            first,
        )
        self.code.emit(counter.write(Constant(0)))

    def _lasting(self, node: ast.For) -> Static | Indexed:
        """What a loop with a `yield` in it goes through: it must be the same later on."""
        value = self.value(node.iter)
        found: Iteration = self.iteration(value, node.iter)
        if isinstance(found, Static | Indexed) and isinstance(value, Known | Place):
            self.lasting(value, node.iter)
            return found
        raise self.refusal(
            node.iter,
            "a loop with a `yield` in it needs a list of the state, or something constant",
            "write a `while` with a variable that counts",
        )

    def lasting(self, value: Value, node: ast.AST) -> None:
        """The object is used in later steps as well: no step may put something else in its place."""
        for place in mutable_places(value):
            self.in_use.append(
                (
                    place.node,
                    self.refusal(
                        node,
                        "this object is used after others have run, and somewhere else something is put in its place",
                        "name it again after each `yield`, or change the object and do not replace it",
                    ),
                )
            )

    # Variables

    def prepare(self, process: ProcessParts, make: Callable[[Type, str], Place]) -> None:
        """Find out which variables a process has, and make those that are part of the state."""
        definition, places = process.definition, self.functions.places
        parameters = {argument.arg for argument in definition.args.args}
        for part in ast.walk(definition):
            if isinstance(part, ast.YieldFrom):
                raise places.refusal(part, "`yield from` cannot be compiled", "write the steps out in the process")
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store) and part.id in parameters:
                raise places.refusal(
                    part, f"the parameter `{part.id}` is assigned to", "use a variable of another name"
                )
        live = Liveness(definition)
        unbound = live.at_begin - {argument.arg for argument in definition.args.args}
        for part in ast.walk(definition):
            if isinstance(part, ast.Name) and part.id in unbound:
                raise places.refusal(
                    part, f"`{part.id}` may have no value here", "give it one at the begin of the process"
                )
        self.process = process
        self._fix(process, definition)
        declared = {
            part.target.id: part.annotation
            for part in ast.walk(definition)
            if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
        }
        self.frame = self.frame_of(process)
        wanted = [name for name in _in_order(definition) if name in live.kept and name not in process.fixed]
        for name in wanted:
            if name in declared:
                process.kept[name] = make(self.annotated(declared[name]), name)
                self.frame.kept[name] = process.kept[name]
        for name in wanted:
            if name not in declared:
                process.kept[name] = make(self._inferred(name, definition), name)
                self.frame.kept[name] = process.kept[name]
        for part in ast.walk(definition):
            if isinstance(part, ast.For) and any(isinstance(each, ast.Yield) for each in ast.walk(part)):
                found = self._trial(partial(self._lasting, part))
                most = len(found.items) if isinstance(found, Static) else found.most
                process.counters[part] = make(Integer(0, most), f"round of line {part.lineno}")

    def _fix(self, process: ProcessParts, definition: ast.FunctionDef) -> None:
        """Variables that are assigned once, and to the same whatever the state is."""
        stores = [
            part.id for part in ast.walk(definition) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
        ]
        stores += [
            part.name for part in ast.walk(definition) if isinstance(part, ast.MatchAs | ast.MatchStar) and part.name
        ]
        for part in ast.walk(definition):
            match part:
                case ast.Assign([ast.Name(name)], value) if stores.count(name) == 1:
                    self.frame = self.frame_of(process)
                    try:
                        found = self._trial(partial(self.value, value))
                    except InputError:
                        continue
                    structure = isinstance(found, Place) and not isinstance(found.node, Leaf)
                    if structure and (is_immutable(found.type) or not isinstance(found.at, Constant)):
                        continue
                    if isinstance(found, Known) or (structure and found.in_state):
                        process.fixed[name] = found
                        self.lasting(found, value)

    def _trial(self, run: Callable[[], Any]) -> Any:
        """What something gives, without doing it."""
        outside = self.code
        self.code = Code(list(outside.failures), trial=True)
        try:
            return run()
        finally:
            self.code = outside

    def _inferred(self, name: str, definition: ast.FunctionDef) -> Type:
        """The type of all that is assigned to a variable."""
        kind: Type | None = None
        hint = f"annotate it where it gets its first value: {name}: TYPE = …"
        for part in ast.walk(definition):
            match part:
                case ast.Assign(targets, value) if any(name in local for local in map(_names, targets)):
                    if len(targets) > 1 or not isinstance(targets[0], ast.Name):
                        raise self.refusal(part, f"the type of `{name}` cannot be told", hint)
                    found = self._trial(partial(self._type_of, value))
                case ast.For(target, _, _, _) if isinstance(target, ast.Name) and target.id == name:
                    found = self._trial(lambda part=part: self._type_of_items(part))  # type: ignore[misc]  # the type of a default is not inferred
                case ast.AugAssign(ast.Name(other)) | ast.NamedExpr(ast.Name(other)) if other == name:
                    raise self.refusal(part, f"the range of `{name}` cannot be told", hint)
                case _:
                    continue
            joined = found if kind is None or kind == found else _joined(kind, found)
            if joined is None:
                raise self.refusal(part, f"`{name}` has values of different types", hint)
            kind = joined
        if kind is None:
            raise self.refusal(definition, f"the type of `{name}` cannot be told", hint)
        return kind

    def _type_of(self, node: ast.expr) -> Type:
        value = self.value(node)
        match value:
            case Made(kind):
                return kind
            case Place():
                return value.type
        return self.scalar(value, node).type

    def _type_of_items(self, node: ast.For) -> Type:
        found = self.iteration(self.value(node.iter), node.iter)
        items = (
            [found.item(Constant(0))]
            if isinstance(found, Indexed)
            else [
                each[1] if isinstance(each, tuple) and not isinstance(each, Scalar | Place) else each
                for each in found.items
            ]
        )
        return self.scalar(self._any_of(items, node), node).type

    def annotated(self, annotation: ast.expr) -> Type:
        names = {**self.frame.namespace, **self.namespace()}
        try:
            found = eval(compile(ast.Expression(annotation), "annotation", "eval", dont_inherit=True), names)
            if isinstance(found, str):
                found = eval(found, names)
        except Exception as error:
            raise self.refusal(annotation, f"Python does not understand this annotation: {error}") from None
        return self.resolved(found, annotation)

    # Processes as others see them

    def process_at(self, process: Processes, place: str, node: ast.AST) -> Expression:
        parts = self._running(process, node)
        found = parts.at(place)
        if found == FALSE:
            labels = ", ".join(dict.fromkeys(location.label for location in parts.locations))
            raise self.refusal(node, f"`{parts.name}` has no place {place!r}", f"its places are: {labels}, {END}")
        return found

    def process_variable(self, process: Processes, name: str, node: ast.AST) -> Value:
        parts = self._running(process, node)
        if name in parts.kept:
            return parts.kept[name]
        if name in parts.fixed:
            return parts.fixed[name]
        raise self.refusal(node, f"`{name}` is no variable of `{parts.name}` that outlives a step")

    def _running(self, process: Processes, node: ast.AST) -> ProcessParts:
        found = self.known_processes.get((id(process.owner.node), process.name, process.member))
        if found is None or not process.chosen:
            raise self.refusal(node, f"there is no such process `{process.name}`", "name one by its index")
        return found


def _joined(left: Type, right: Type) -> Simple | None:
    if isinstance(left, Integer) and isinstance(right, Integer):
        return join(left, right)
    return None


def _names(target: ast.expr) -> set[str]:
    return {part.id for part in ast.walk(target) if isinstance(part, ast.Name)}


def _in_order(definition: ast.FunctionDef) -> list[str]:
    names = local_names(definition)
    stores = [part for part in ast.walk(definition) if isinstance(part, ast.Name) and part.id in names]
    return list(dict.fromkeys(part.id for part in sorted(stores, key=lambda part: (part.lineno, part.col_offset))))
