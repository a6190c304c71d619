"""From the text of a Python file to the class of its model. The file is executed, as every import does."""

from __future__ import annotations

import ast
import inspect
import linecache
import sys
import traceback
from collections.abc import Mapping
from hashlib import sha256
from types import ModuleType
from typing import Any

from ouroboros.errors import InputError, UsageError
from ouroboros.languages.python.places import Places
from ouroboros.python import Model
from ouroboros.source import Source, Span


class PythonFile:
    """A file that was executed, and the text of its functions."""

    def __init__(self, source: Source, definitions: Mapping[str, str]) -> None:
        self.source = source
        self.places = Places(source)
        self.tree = self._parsed(definitions)
        self.module = self._executed()
        self._functions = {
            min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]): node
            for node in ast.walk(self.tree)
            if isinstance(node, ast.FunctionDef)
        }

    def _parsed(self, definitions: Mapping[str, str]) -> ast.Module:
        try:
            tree = ast.parse(self.source.text)
        except SyntaxError as error:
            lines = self.source.text.split("\n")
            start = sum(len(line) + 1 for line in lines[: (error.lineno or 1) - 1]) + max(0, (error.offset or 1) - 1)
            raise InputError(error.msg, Span(self.source, min(start, len(self.source.text)), start + 1)) from None
        constants = _constants(tree)
        for name, text in definitions.items():
            if name not in constants:
                known = f"it has: {', '.join(constants)}" if constants else "it has none"
                raise UsageError(f"-D {name}: {self.source.name} has no such constant; {known}")
            for constant in constants[name]:
                constant.value = ast.copy_location(_value(name, text, constant.value), constant.value)
        return ast.fix_missing_locations(tree)

    def _executed(self) -> ModuleType:
        name = f"ouroboros_model_{sha256(self.source.name.encode()).hexdigest()[:12]}"
        module = ModuleType(name)
        module.__file__ = self.source.name
        # Dataclasses and annotations look their module up there.
        sys.modules[name] = module
        lines = self.source.text.splitlines(keepends=True)
        linecache.cache[self.source.name] = (len(self.source.text), None, lines, self.source.name)
        try:
            exec(compile(self.tree, self.source.name, "exec", dont_inherit=True), vars(module))
        except InputError:
            raise
        except Exception as error:
            inside = [each for each in traceback.extract_tb(error.__traceback__) if each.filename == self.source.name]
            raise InputError(
                f"Python cannot import this: {type(error).__name__}: {error}", self._line(inside)
            ) from None
        return module

    def _line(self, frames: list[traceback.FrameSummary]) -> Span:
        node = ast.Pass(lineno=frames[-1].lineno or 1 if frames else 1, col_offset=0)
        return self.places.span(node)

    def model(self, name: str | None) -> type[Model]:
        """The class that is meant: by name, or the only one that is no part or base of another."""
        found: dict[str, type[Model]] = {
            key: value
            for key, value in vars(self.module).items()
            if isinstance(value, type) and issubclass(value, Model) and value.__module__ == self.module.__name__
        }
        if name is not None:
            if name not in found:
                raise InputError(f"{self.source.name}: there is no model {name}", hint=f"it has: {', '.join(found)}")
            return found[name]
        bases = {base for value in found.values() for base in value.__mro__[1:]}
        parts = {kind for value in found.values() for kind in inspect.get_annotations(value).values()}
        named = [key for key, value in found.items() if value not in bases and value not in parts and key not in parts]
        if not named:
            raise InputError(f"{self.source.name}: there is no model", hint="a model is a class with the base Model")
        if len(named) > 1:
            raise InputError(
                f"{self.source.name}: there are several models: {', '.join(named)}",
                hint=f"name one: {self.source.name}::{named[0]}",
            )
        return found[named[0]]

    def graph(self, name: str | None) -> Any:
        """An object with `initial` and `successors`, or the class of one: by name, or the only one; or else None."""
        found = {
            key: value
            for key, value in vars(self.module).items()
            if all(callable(getattr(value, method, None)) for method in ("initial", "successors"))
            and (value if isinstance(value, type) else type(value)).__module__ == self.module.__name__
        }
        if name is None:
            objects = {key: value for key, value in found.items() if not isinstance(value, type)}
            found = objects or found
            if len(found) > 1:
                raise InputError(
                    f"{self.source.name}: there are several models: {', '.join(found)}",
                    hint=f"name one: {self.source.name}::{next(iter(found))}",
                )
        chosen = next(iter(found.values()), None) if name is None else found.get(name)
        if not isinstance(chosen, type):
            return chosen
        try:
            return chosen()
        except Exception as error:
            raise InputError(
                f"{self.source.name}: `{chosen.__name__}()` raised {type(error).__name__}: {error}",
                hint="make the object in the file: NAME = CLASS(…)",
            ) from None

    def span_of(self, cls: type) -> Span | None:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ClassDef) and node.name == cls.__name__:
                head = ast.Pass(lineno=node.lineno, col_offset=node.col_offset)
                return self.places.span(head)
        return None

    def head(self, function: Any) -> Span | None:
        """The first line of a function."""
        definition = self.definition(function)
        if definition is None:
            return None
        span = self.places.span(definition)
        return Span(span.source, span.start, span.start + len(span.text.partition("\n")[0]))

    def definition(self, function: Any) -> ast.FunctionDef | None:
        """The text of a function, if it is in this file."""
        if not inspect.isfunction(function) or function.__code__.co_filename != self.source.name:
            return None
        found = self._functions.get(function.__code__.co_firstlineno)
        return found if found is not None and found.name == function.__code__.co_name else None


def _constants(tree: ast.Module) -> dict[str, list[ast.Assign]]:
    """The assignments to names in the file and in its classes that `-D` can change."""
    found: dict[str, list[ast.Assign]] = {}
    for body in (tree.body, *(node.body for node in tree.body if isinstance(node, ast.ClassDef))):
        for node in body:
            match node:
                case ast.Assign([ast.Name(name)], ast.Constant() | ast.UnaryOp() | ast.Attribute() | ast.BinOp()):
                    found.setdefault(name, []).append(node)
    return found


def _value(name: str, text: str, before: ast.expr) -> ast.expr:
    if isinstance(before, ast.Constant) and isinstance(before.value, str):
        return ast.Constant(text)
    try:
        return ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        raise UsageError(f"-D {name}={text}: this is no value in Python") from None
