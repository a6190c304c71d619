"""Statements of Python to blocks of a step."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Sequence

from ouroboros.languages.python.aliases import can_change
from ouroboros.languages.python.calls import RESULT
from ouroboros.languages.python.frames import Target
from ouroboros.languages.python.loops import Loops
from ouroboros.languages.python.types import Integer, Type
from ouroboros.languages.python.values import Known
from ouroboros.system.blocks import Leave, Print, Require, Shown

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


class Statements(Loops):
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
            case ast.Expr(ast.Call(ast.Name("print"))) if self._is_builtin("print"):
                self._print(node.value)  # type: ignore[arg-type]  # the case above says what it is
            case ast.Expr(ast.Constant(str())) | ast.Pass():
                pass
            case ast.Expr(value):
                self.value(value)
            case ast.Assign(targets, value):
                found = self.value(value)
                if len(targets) > 1:
                    if can_change(found):
                        raise self.shared(node)
                    found = self.held(found, value)
                for target in targets:
                    self.assign(target, found)
            case ast.AnnAssign(target, annotation, value):
                if isinstance(target, ast.Name) and target.id not in self.frame.kept:
                    self.frame.declared[target.id] = self.annotated(annotation)
                if value is not None:
                    self.assign(target, self.value(value))
            case ast.AugAssign():
                self.augmented(node)
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
                self.match(node)
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
                raise self.refusal(node, f"`{what}` cannot be compiled", _INSTEAD.get(type(node)))

    def _jump(self, target: Target) -> None:
        self.code.left = True
        target.environments.append(dict(self.frame.variables))
        self.code.emit(Leave(target.label))
        self.code.reachable = False

    def _is_builtin(self, name: str) -> bool:
        return name not in self.frame.local_names and name not in self.frame.namespace

    def _print(self, call: ast.Call) -> None:
        if call.keywords:
            raise self.refusal(call, "`print` takes nothing by name here", "write the separators and ends as texts")
        parts: list[str | Shown] = []
        for number, argument in enumerate(call.args):
            if number:
                parts.append(" ")
            for piece in argument.values if isinstance(argument, ast.JoinedStr) else [argument]:
                inner = self._formatted(piece) if isinstance(piece, ast.FormattedValue) else piece
                match self.value(inner):
                    case Known(known):
                        parts.append(str(known))
                    case value:
                        scalar = self.scalar(value, inner)
                        names = tuple(map(str, getattr(scalar.type, "values", ())))
                        names = names or (("False", "True") if not isinstance(scalar.type, Integer) else ())
                        parts.append(Shown(scalar.number, names=names))
        self.code.emit(Print((*parts, "\n")))

    def _formatted(self, piece: ast.FormattedValue) -> ast.expr:
        if piece.format_spec is not None or piece.conversion != -1:
            raise self.refusal(piece, "values are printed as they are", "leave out what stands behind `!`, `:` or `=`")
        return piece.value
