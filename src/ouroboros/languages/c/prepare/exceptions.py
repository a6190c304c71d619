"""Exceptions become ordinary control flow: a call that may throw is followed by a look at whether something was thrown.

Where it was, a function goes to the landing pad of the call, or returns. What is thrown and caught, and by which types,
is the business of the library (`library/exceptions.c`).
"""

from __future__ import annotations

from ouroboros.languages.c.prepare.editing import Edits, attached, rename_origins
from ouroboros.languages.c.read.instructions import Call, Invoke, LandingPad, Resume
from ouroboros.languages.c.read.module import Block, Function
from ouroboros.languages.c.read.types import Void, quoted
from ouroboros.languages.c.read.values import Global, Value
from ouroboros.languages.c.read.write import plain, typed

THROWERS = frozenset({"__cxa_throw", "__cxa_rethrow"})
HELPERS = ("__ouro_thrown", "__ouro_arrive", "__ouro_catches", "__ouro_fly_on", "__ouro_uncaught")
UNWIND = "ouro.unwind"
_EVERYTHING = 1 << 20
"""The number of the clause that catches whatever comes."""


def lower_exceptions(edits: Edits) -> None:
    _Exceptions(edits).run()


class _Exceptions:
    def __init__(self, edits: Edits) -> None:
        self.edits = edits
        self.number = 0
        self.throwing = _throwing(edits)
        self.types: dict[str, int] = {}

    def run(self) -> None:
        for function in self.edits.bodies():
            last_piece: dict[str, str] = {}
            unwinds = False
            for block in function.blocks:
                unwinds |= self._block(block, last_piece)
            rename_origins(self.edits, function, last_piece)
            if unwinds:
                self.edits.before(function.end, *self._way_out(function))

    def _way_out(self, function: Function) -> list[str]:
        """Where a function goes whose caller shall see to what was thrown; roots have no caller."""
        if function.name.startswith(("__ouro_main", "__ouro_run")):
            return [f"{UNWIND}:", "  call void @__ouro_uncaught()" + self._any_place(function), "  unreachable"]
        result = function.signature.result
        value = "void" if isinstance(result, Void) else f"{result} zeroinitializer"
        return [f"{UNWIND}:", f"  ret {value}"]

    def _any_place(self, function: Function) -> str:
        lines = (self.edits.lines[each.line] for block in function.blocks for each in block.instructions)
        return next(filter(None, map(attached, lines)), "")

    def _block(self, block: Block, last_piece: dict[str, str]) -> bool:
        """The instructions of a block; whether it may leave the function because something was thrown."""
        leaves = False
        for each in block.instructions:
            match each:
                case Call(Global(name), arguments) if name.startswith("llvm.eh.typeid.for"):
                    result = quoted(each.result or "")
                    self.edits.replace(each.line, f"  %{result} = freeze i32 {self._type(arguments[0])}")
                case Call() if self._may_throw(each):
                    leaves = True
                    go_on = f"ouro.go.{each.line}"
                    line = self.edits.lines[each.line]
                    self.edits.replace(each.line, line, *self._look(attached(line), UNWIND, go_on), f"{go_on}:")
                    last_piece[block.label] = go_on
                case Invoke():
                    self._invoke(each)
                case LandingPad():
                    self._land(each)
                case Resume(value):
                    leaves = True
                    self._resume(each, value)
        return leaves

    def _may_throw(self, call: Call | Invoke) -> bool:
        if not self.throwing:
            return False
        if not isinstance(call.callee, Global):
            return True
        return call.callee.name in self.throwing

    def fresh(self) -> str:
        self.number += 1
        return f"%ouro.thrown.{self.number}"

    def _look(self, place: str, unwind: str, normal: str) -> list[str]:
        thrown, condition = self.fresh(), self.fresh()
        return [
            f"  {thrown} = call i32 @__ouro_thrown(){place}",
            f"  {condition} = icmp ne i32 {thrown}, 0",
            f"  br i1 {condition}, label %{unwind}, label %{normal}",
        ]

    def _invoke(self, invoke: Invoke) -> None:
        first, second = self.edits.lines[invoke.line], self.edits.lines[invoke.line + 1]
        place = attached(second)
        unwind, normal = quoted(invoke.unwind), quoted(invoke.normal)
        self.edits.replace(invoke.line, first.replace("invoke ", "call ", 1) + place)
        after = self._look(place, unwind, normal) if self._may_throw(invoke) else [f"  br label %{normal}"]
        self.edits.replace(invoke.line + 1, *after)
        if not self._may_throw(invoke):
            # The landing pad loses a predecessor; it must not have phis that know of it.
            self.edits.replace(invoke.line + 1, f"  br i1 false, label %{unwind}, label %{normal}")

    def _land(self, pad: LandingPad) -> None:
        last = pad.line
        while self.edits.lines[last + 1].strip().startswith(("cleanup", "catch", "filter")):
            last += 1
        place = attached(self.edits.lines[last])
        for line in range(pad.line + 1, last + 1):
            self.edits.replace(line)
        if not self.throwing:
            self.edits.replace(pad.line, f"  %{quoted(pad.result or '')} = freeze {pad.type} zeroinitializer")
            return
        exception = self.fresh()
        made = [f"  {exception} = call ptr @__ouro_arrive(){place}"]
        selector = "0"
        for kind, value in reversed(pad.clauses):
            if kind != "catch":
                continue
            if not isinstance(value, Global):
                selector = str(_EVERYTHING)
                continue
            caught, condition, chosen = self.fresh(), self.fresh(), self.fresh()
            made += [
                f"  {caught} = call i32 @__ouro_catches(ptr {exception}, {typed(value)}){place}",
                f"  {condition} = icmp ne i32 {caught}, 0",
                f"  {chosen} = select i1 {condition}, i32 {self._type(value)}, i32 {selector}",
            ]
            selector = chosen
        half = self.fresh()
        made += [
            f"  {half} = insertvalue {pad.type} zeroinitializer, ptr {exception}, 0",
            f"  %{quoted(pad.result or '')} = insertvalue {pad.type} {half}, i32 {selector}, 1",
        ]
        self.edits.replace(pad.line, *made)

    def _resume(self, resume: Resume, value: Value) -> None:
        place = attached(self.edits.lines[resume.line])
        exception = self.fresh()
        again = f"  call void @__ouro_fly_on(ptr {exception}){place}" if self.throwing else ""
        self.edits.replace(
            resume.line,
            f"  {exception} = extractvalue {value.type} {plain(value)}, 0",
            again,
            f"  br label %{UNWIND}",
        )

    def _type(self, value: Value) -> int:
        """The number of a type of exceptions, from 1 on."""
        name = value.name if isinstance(value, Global) else ""
        return self.types.setdefault(name, len(self.types) + 1)


def _throwing(edits: Edits) -> set[str]:
    """Functions out of which an exception may come: what a pointer leads to may throw."""
    functions = edits.module.functions
    if not any(functions[name].blocks for name in THROWERS if name in functions):
        return set()
    callers: dict[str, set[str]] = {}
    found = set(THROWERS)
    for function, _, each in edits.instructions():
        if isinstance(each, Call | Invoke):
            if isinstance(each.callee, Global):
                callers.setdefault(each.callee.name, set()).add(function.name)
            else:
                found.add(function.name)
    waiting = list(found)
    while waiting:
        for caller in callers.get(waiting.pop(), ()):
            if caller not in found:
                found.add(caller)
                waiting.append(caller)
    return found
