"""Calls: functions of the model are written out where they are called, some of Python's are known by heart."""

from __future__ import annotations

import ast
import builtins
import copy
import dataclasses
import inspect
import math
from abc import abstractmethod
from collections.abc import Sequence
from enum import Enum
from typing import Any, Protocol

from ouroboros.languages.python.containers import NOTHING
from ouroboros.languages.python.expressions import truth_value
from ouroboros.languages.python.frames import Code, Frame, Target, namespace_of
from ouroboros.languages.python.known_functions import KnownFunctions
from ouroboros.languages.python.liveness import local_names
from ouroboros.languages.python.places import Places
from ouroboros.languages.python.storage import Place, RecordNode
from ouroboros.languages.python.types import Named, NoType, RecordType, Type, is_simple, join, resolve
from ouroboros.languages.python.values import (
    Bound,
    Known,
    Made,
    Scalar,
    Value,
    known,
)
from ouroboros.python import Model, choose, require, until
from ouroboros.system.blocks import Require, Scope, SetLocal
from ouroboros.system.expressions import (
    Constant,
    Expression,
    is_constant,
)

MOST_CALLS = 40
MOST_CALLS_OF_A_STEP = 10_000
MOST_CHOICES = 4096
RESULT = "what is returned"


class Functions(Protocol):
    """Who knows the text of functions."""

    places: Places

    def definition(self, function: Any) -> ast.FunctionDef | None: ...


class Calls(KnownFunctions):
    def __init__(self, code: Code, frame: Frame, functions: Functions) -> None:
        super().__init__(code, frame)
        self.functions = functions
        self.depth = 0

    @abstractmethod
    def body(self, statements: Sequence[ast.stmt]) -> None: ...

    @abstractmethod
    def merged(self, environments: Sequence[dict[str, Value]]) -> dict[str, Value]: ...

    def call(self, node: ast.Call) -> Value:
        if any(keyword.arg is None for keyword in node.keywords):
            raise self.refusal(node, "`**` cannot be compiled", "write the arguments out")
        if isinstance(node.func, ast.Attribute) and self._is_super(node.func.value):
            return self._inherited(node.func.attr, node)
        match node:
            case ast.Call(ast.Name(called), [condition], []) if self._is_asked_of_truth(called):
                return self._of_truth(called, self.condition(condition), node)
        function, *given = self.operands([node.func, *node.args, *(keyword.value for keyword in node.keywords)])
        arguments = given[: len(node.args)]
        named = {str(word.arg): value for word, value in zip(node.keywords, given[len(node.args) :], strict=True)}
        match function:
            case Bound(_, _, None):
                if named:
                    raise self.refusal(node, "this takes no arguments by name", "write them in order")
                return self.container_method(function, arguments, node)
            case Bound(receiver, _, method):
                return self.run(method, [receiver, *arguments], node, named)
            case Known(callee):
                return self._known(callee, arguments, named, node)
        raise self.refusal(node, "this cannot be called")

    def _is_super(self, node: ast.expr) -> bool:
        match node:
            case ast.Call(ast.Name("super"), []):
                return "super" not in self.frame.local_names and "super" not in self.frame.namespace
        return False

    def _is_asked_of_truth(self, name: str) -> bool:
        """Whether it is a function that only asks whether its argument is true."""
        if name not in ("bool", "require") or name in self.frame.local_names:
            return False
        return self.frame.namespace.get(name, bool) is {"bool": bool, "require": require}[name]

    def _of_truth(self, name: str, condition: Expression, node: ast.AST) -> Value:
        if name == "bool":
            return truth_value(condition)
        if not is_constant(condition, 1):
            self.code.emit(Require(condition, self.site("disabled", "what is required does not hold", node)))
        return NOTHING

    def _known(self, callee: Any, arguments: list[Value], named: dict[str, Value], node: ast.Call) -> Value:
        if inspect.isfunction(callee) and self.functions.definition(callee) is not None:
            return self.run(callee, arguments, node, named)
        if isinstance(callee, type) and dataclasses.is_dataclass(callee):
            return self._made(callee, arguments, named, node)
        if callee is choose and len(arguments) == 1:
            return self.chosen(arguments[0], node)
        if callee is require and len(arguments) == 1:
            return self._of_truth("require", self.truth(arguments[0], node), node)
        if callee is until:
            raise self.refusal(node, "`until` stands behind a `yield` only", "write `yield until(…)`")
        if callee in (copy.copy, copy.deepcopy, dataclasses.replace):
            return self._copy_of(callee, arguments, named, node)
        name = getattr(callee, "__name__", "")
        if getattr(builtins, name, None) is callee:
            found = self._builtin(name, arguments, named, node)
            if found is not None:
                return found
        plain = inspect.isbuiltin(callee) | isinstance(callee, type) and callee in _PURE
        plain = plain or getattr(math, name, None) is callee or _is_enum(callee)
        if plain and all(isinstance(each, Known) for each in (*arguments, *named.values())):
            values = {word: each.value for word, each in named.items() if isinstance(each, Known)}
            try:
                return known(callee(*(each.value for each in arguments if isinstance(each, Known)), **values))
            except Exception as error:
                raise self.refusal(node, f"Python cannot do this: {error}") from None
        if isinstance(callee, type) and issubclass(callee, Model):
            raise self.refusal(node, "a model cannot make another one while it runs")
        where = "it is defined in another file: move it into this one" if inspect.isfunction(callee) else None
        raise self.refusal(node, f"`{self.frame.places.text(node.func)}` cannot be compiled", where)

    # Functions of the model

    def run(
        self, function: Any, arguments: Sequence[Value], node: ast.AST, named: dict[str, Value] | None = None
    ) -> Value:
        definition = self.functions.definition(function)
        if definition is None:
            raise self.refusal(
                node, f"`{function.__name__}` is defined in another file", "move it into the file of the model"
            )
        if any(isinstance(part, ast.Yield | ast.YieldFrom) for part in ast.walk(definition)):
            raise self.refusal(node, f"`{function.__name__}` is a generator", "write its steps in the process")
        if self.depth >= MOST_CALLS:
            raise self.refusal(node, f"`{function.__name__}` calls itself too often", "write a loop")
        self.code.calls += 1
        if self.code.calls > MOST_CALLS_OF_A_STEP:
            raise self.refusal(
                node, f"a step makes more than {MOST_CALLS_OF_A_STEP:,} calls", "write a loop, or fewer branches"
            )
        frame = Frame(function.__name__, self.functions.places, namespace_of(function))
        frame.local_names, frame.function, frame.outer = local_names(definition), function, self.frame
        try:
            given = inspect.signature(function).bind(*arguments, **(named or {}))
        except TypeError as error:
            raise self.refusal(node, f"`{function.__name__}`: {error}") from None
        for name, parameter in inspect.signature(function).parameters.items():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                raise self.refusal(node, f"`*{name}` cannot be compiled", "write the parameters out")
            found = self.held(given.arguments.get(name, Known(parameter.default)), node)
            frame.variables[name] = found
            frame.first = frame.first or found
        outside, self.frame = self.frame, frame
        self.depth += 1
        try:
            return self._result_of(function, definition, frame)
        finally:
            self.frame = outside
            self.depth -= 1

    def _result_of(self, function: Any, definition: ast.FunctionDef, frame: Frame) -> Value:
        returns = [part for part in ast.walk(definition) if isinstance(part, ast.Return)]
        last = definition.body[-1]
        if returns == [last] or not returns:
            self.body(definition.body[: -1 if returns else None])
            if not returns or not isinstance(last, ast.Return) or last.value is None:
                return NOTHING
            return self.held(self.value(last.value), last)
        declared = self._declared_result(function)
        if declared is not None:
            frame.declared[RESULT] = declared
        frame.result = Target(self.code.label())
        self.code.conditional += 1
        _, block = self.code.captured(lambda: self.body(definition.body))
        self.code.conditional -= 1
        gives = any(part.value is not None for part in returns)
        if self.code.reachable and gives:
            raise frame.places.refusal(definition, f"`{frame.name}` may end without returning a value", "add a return")
        ends = [*frame.result.environments, *([frame.variables] if self.code.reachable else [])]
        if not ends:
            return NOTHING
        self.code.reachable = True
        self.code.emit(Scope(frame.result.label, block))
        frame.variables = self.merged(ends)
        if not gives:
            return NOTHING
        if RESULT not in frame.variables:
            raise frame.places.refusal(
                definition, f"`{frame.name}` returns values of different types", "annotate the type that it returns"
            )
        return self.load(frame.variables[RESULT])

    def _declared_result(self, function: Any) -> Type | None:
        """What a function says that it returns, where that helps to represent it; Python does not look at it."""
        try:
            found = resolve(inspect.get_annotations(function, eval_str=True).get("return"))
        except (NoType, NameError, TypeError):
            return None
        useful = isinstance(found, Named) and found.values != (None,)
        return found if useful or not is_simple(found) else None

    def _inherited(self, name: str, node: ast.Call) -> Value:
        """`super().name(…)`: the method of the class that comes after the one that the function is defined in."""
        function, variables = self.frame.function, self.frame.first
        inside = namespace_of(function).get("__class__") if function is not None else None
        if inside is None or not isinstance(variables, Place) or not isinstance(variables.node, RecordNode):
            raise self.refusal(node, "`super` is for methods of a model or record")
        order = variables.node.type.cls.__mro__
        for cls in order[order.index(inside) + 1 :]:
            if name in vars(cls):
                arguments = self.operands([*node.args, *(keyword.value for keyword in node.keywords)])
                given, rest = arguments[: len(node.args)], arguments[len(node.args) :]
                words = {str(word.arg): value for word, value in zip(node.keywords, rest, strict=True)}
                if not inspect.isfunction(vars(cls)[name]):
                    break
                return self.run(vars(cls)[name], [variables, *given], node, words)
        raise self.refusal(node, f"no base of `{inside.__name__}` has a method `{name}`")

    def resolved(self, annotation: Any, node: ast.AST) -> Type:
        try:
            return resolve(annotation)
        except NoType as error:
            raise self.refusal(node, error.message, error.hint) from None

    def _made(self, cls: Any, arguments: list[Value], named: dict[str, Value], node: ast.Call) -> Value:
        kind = self.resolved(cls, node)
        assert isinstance(kind, RecordType)
        try:
            parts: dict[str, Value] = dict(inspect.signature(cls).bind(*arguments, **named).arguments)
        except TypeError as error:
            raise self.refusal(node, f"`{cls.__name__}`: {error}") from None
        for item in dataclasses.fields(cls):
            if item.name not in parts:
                if item.default is not dataclasses.MISSING:
                    parts[item.name] = Known(item.default)
                elif item.default_factory is not dataclasses.MISSING:
                    parts[item.name] = known(item.default_factory())
                else:
                    raise self.refusal(node, f"`{item.name}` is not given")
        if not set(parts) <= set(kind.fields):
            raise self.refusal(node, f"`{cls.__name__}` has the attributes {', '.join(kind.fields)}")
        return Made(kind, {name: self.held(parts[name], node) for name in kind.fields})

    def _copy_of(self, function: Any, arguments: list[Value], named: dict[str, Value], node: ast.Call) -> Value:
        if len(arguments) != 1 or not isinstance(arguments[0], Place):
            if arguments and isinstance(arguments[0], Known | Scalar):
                return arguments[0]
            raise self.refusal(node, "this cannot be copied", "copy a part of the state")
        copied = arguments[0]
        if function is not copy.deepcopy:
            self.shallow(copied, node)
        copied = self.copied(copied, node)
        if named and not isinstance(copied.node, RecordNode):
            raise self.refusal(node, "only a record can be copied with changes")
        for name, value in named.items():
            if isinstance(copied.node, RecordNode) and name not in copied.node.members:
                raise self.refusal(node, f"`{copied.type}` has no `{name}`")
            self.store(copied.member(name), value, node, name)
        return copied

    # Choices

    def chosen(self, options: Value, node: ast.Call) -> Value:
        """One of several: each is a step of its own."""
        found = self.guarded(options, node)
        choices = self.code.choices
        if self.code.trial and found:
            return self._any_of([value for _, value in found], node)
        if choices is None or self.code.pure:
            raise self.refusal(node, "a condition cannot choose", "choose in an action or a process")
        if self.code.repeated:
            raise self.refusal(
                node, "`choose` in a loop that is not written out", "go through a constant range, or choose before it"
            )
        number = len(choices.taken)
        index = choices.plan[number] if number < len(choices.plan) else 0
        if not found:
            raise self.refusal(node, "there is nothing to choose")
        if len(found) > MOST_CHOICES:
            raise self.refusal(node, f"{len(found):,} options are too many")
        choices.taken.append((index, len(found)))
        if (self.code.conditional or self.code.left) and index:
            flag = self.code.slot()
            choices.met.append(flag)
            self.code.emit(SetLocal(flag, Constant(1)))
        condition, value = found[index]
        if not is_constant(condition, 1):
            self.code.emit(Require(condition, self.site("disabled", "this cannot be chosen", node)))
        choices.names.append(_option_name(value, index))
        return self.held(value, node)

    def _any_of(self, values: list[Value], node: ast.AST) -> Value:
        first = self.scalar(values[0], node)
        kind = first.type
        for value in values[1:]:
            joined = join(kind, self.scalar(value, node).type)
            if joined is None:
                raise self.refusal(node, "these options are of different types", "annotate the variable")
            kind = joined
        return Scalar(kind, first.number)


def _is_enum(callee: Any) -> bool:
    return isinstance(callee, type) and issubclass(callee, Enum)


def _option_name(value: Value, index: int) -> str:
    return str(getattr(value.value, "name", value.value)) if isinstance(value, Known) else f"#{index}"


_PURE = {
    *(abs, all, any, bool, chr, dict, divmod, enumerate, frozenset, int, isinstance, issubclass, len, list, max, min),
    *(ord, pow, range, repr, reversed, round, set, sorted, str, sum, tuple, zip),
}
"""Functions of Python whose results depend on their arguments alone."""
