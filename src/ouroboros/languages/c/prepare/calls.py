"""Calls become what every reader of the program can do: as many arguments as parameters, of the same types, and no
copies but those that are written out.
"""

from __future__ import annotations

from ouroboros.languages.c.machine.failures import BAD_CALL
from ouroboros.languages.c.prepare.editing import Edits, attached, declare
from ouroboros.languages.c.read.instructions import Alloca, Call, Invoke
from ouroboros.languages.c.read.module import Function
from ouroboros.languages.c.read.types import FLOAT_BITS, Float, FunctionType, Integer, Pointer, Type, Void, quoted
from ouroboros.languages.c.read.values import Global, IntegerConstant, Local, Value, Zero
from ouroboros.languages.c.read.write import plain, typed

AREA = "ouro.variadic"
"""The parameter by which a variadic function finds its further arguments."""


def settle_calls(edits: Edits) -> None:
    _Calls(edits).run()


def refuse_other_types(edits: Edits) -> None:
    """A call of a function as if it were of another type fails: the passes would make something of it."""
    for _, _, instruction in edits.instructions():
        match instruction:
            case Call(Global(name), _, signature) if name in edits.module.functions:
                function = edits.module.functions[name]
                if function.blocks and function.signature != signature:
                    place = attached(edits.lines[instruction.line])
                    edits.before(
                        instruction.line, f"  call void @__ouro_fail(i32 {BAD_CALL}, ptr @ouro.no.text){place}"
                    )
                    declare(edits, "__ouro_fail", "void", "i32", "ptr")
                    if _NO_TEXT not in edits.added:
                        edits.added.append(_NO_TEXT)


_NO_TEXT = "@ouro.no.text = internal constant [1 x i8] zeroinitializer"


class _Calls:
    def __init__(self, edits: Edits) -> None:
        self.edits = edits
        self.number = 0

    def run(self) -> None:
        for function in self.edits.bodies():
            self._parameters(function)
        for function, _, instruction in self.edits.instructions():
            if isinstance(instruction, Call | Invoke):
                self._call(function, instruction)
            elif isinstance(instruction, Alloca) and not isinstance(instruction.count, IntegerConstant):
                self._array(instruction)

    def _parameters(self, function: Function) -> None:
        if function.signature.variadic:
            line = self.edits.now(function.line)
            comma = ", " if function.parameters else ""
            self.edits.replace(function.line, line.replace(f"{comma}...)", f"{comma}ptr %{AREA})", 1))

    def fresh(self) -> str:
        self.number += 1
        return f"ouro.{self.number}"

    def _array(self, alloca: Alloca) -> None:
        """An array whose length shows when it is reached is allocated; it is gone when nothing points to it."""
        count = alloca.count
        wide, size = self.fresh(), self.fresh()
        opcode = "zext" if count.type != Integer(64) else "bitcast"
        each = self.edits.module.layout.size(alloca.allocated)
        self.edits.replace(
            alloca.line,
            f"  %{wide} = {opcode} {typed(count)} to i64",
            f"  %{size} = mul i64 %{wide}, {each}",
            f"  %{quoted(alloca.result or '')} = call ptr @__ouro_scratch(i64 %{size})"
            + attached(self.edits.lines[alloca.line]),
        )
        declare(self.edits, "__ouro_scratch", "ptr", "i64")

    def _call(self, function: Function, call: Call | Invoke) -> None:
        name = call.callee.name if isinstance(call.callee, Global) else None
        if name and name.startswith("llvm."):
            self._intrinsic(call, name)
            return
        known = self.edits.module.functions.get(name) if name else None
        defined = known if known and known.blocks else None
        arguments = list(call.arguments)
        before: list[str] = []
        for index, kind in enumerate(call.copied):
            if kind is not None:
                arguments[index] = self._copy(function, arguments[index], kind, before)
        variadic = (
            defined.signature.variadic if defined else call.signature.variadic and bool(call.signature.parameters)
        )
        fixed = len((defined.signature if defined else call.signature).parameters)
        result = defined.signature.result if defined else call.signature.result
        if variadic:
            arguments[fixed:] = [self._area(function, arguments[fixed:], call.copied[fixed:], before)]
        if defined:
            arguments = self._agree(arguments, defined.signature, before)
        changed = bool(before) or call.signature.variadic or result != call.signature.result
        if not changed and arguments == list(call.arguments):
            return
        self._write(call, arguments, result, before)

    def _write(self, call: Call | Invoke, arguments: list[Value], result: Type, before: list[str]) -> None:
        place = attached(self.edits.lines[call.line])
        word = "invoke" if isinstance(call, Invoke) else "call"
        made = f"{word} {result} {plain(call.callee)}({', '.join(map(typed, arguments))})"
        after: list[str] = []
        if call.result is not None and not isinstance(result, Void):
            if result == call.type:
                made = f"%{quoted(call.result)} = {made}"
            else:
                raw = Local(self.fresh(), result)
                made = f"{plain(raw)} = {made}"
                after = self._converted(raw, call.type, call.result)
        elif call.result is not None:
            after = [f"  %{quoted(call.result)} = freeze {call.type} zeroinitializer"]
        if isinstance(call, Invoke):
            place = ""
        self.edits.replace(call.line, *before, f"  {made}{place}", *after)

    def _copy(self, function: Function, value: Value, kind: Type, before: list[str]) -> Value:
        """A copy of what is passed by value."""
        copy = Local(self.fresh(), Pointer())
        size = self.edits.module.layout.size(kind)
        self.edits.entry(function, f"  {plain(copy)} = alloca {kind}, align 16")
        before.append(f"  call void @llvm.memcpy.p0.p0.i64(ptr {plain(copy)}, {typed(value)}, i64 {size}, i1 false)")
        self._uses_memcpy()
        return copy

    def _uses_memcpy(self) -> None:
        declare(self.edits, "llvm.memcpy.p0.p0.i64", "void", "ptr", "ptr", "i64", "i1")

    def _area(
        self, function: Function, values: list[Value], copied: tuple[Type | None, ...], before: list[str]
    ) -> Value:
        """The further arguments, in memory as System V's ABI for x86-64 has them after the registers."""
        if not values:
            return Zero(Pointer())
        area = Local(self.fresh(), Pointer())
        layout, end = self.edits.module.layout, 0
        for value, kind in zip(values, copied, strict=True):
            size = layout.size(kind if kind is not None else value.type)
            start = (end + 15) // 16 * 16 if kind is None and size > 8 else end
            slot = self.fresh()
            before.append(f"  %{slot} = getelementptr i8, ptr {plain(area)}, i64 {start}")
            if kind is not None:
                before.append(f"  call void @llvm.memcpy.p0.p0.i64(ptr %{slot}, {typed(value)}, i64 {size}, i1 false)")
                self._uses_memcpy()
            else:
                before.append(f"  store {typed(value)}, ptr %{slot}")
            end = start + (size + 7) // 8 * 8
        self.edits.entry(function, f"  {plain(area)} = alloca [{end} x i8], align 16")
        return area

    def _agree(self, arguments: list[Value], signature: FunctionType, before: list[str]) -> list[Value]:
        """As many arguments as there are parameters, each of its type, as a careless declaration would have it."""
        expected = [*signature.parameters, *([Pointer()] if signature.variadic else [])]
        made: list[Value] = []
        for index, kind in enumerate(expected):
            if index >= len(arguments):
                made.append(Zero(kind))
            elif arguments[index].type == kind:
                made.append(arguments[index])
            else:
                name = self.fresh()
                before += self._converted(arguments[index], kind, name)
                made.append(Local(name, kind))
        return made

    def _converted(self, value: Value, kind: Type, name: str) -> list[str]:
        match value.type, kind:
            case Integer(bits), Integer(wanted):
                opcode = "zext" if bits < wanted else "trunc" if bits > wanted else "bitcast"
            case Integer(), Pointer():
                opcode = "inttoptr"
            case Pointer(), Integer():
                opcode = "ptrtoint"
            case Float(given), Float(wanted_name):
                opcode = "fpext" if FLOAT_BITS[given] < FLOAT_BITS[wanted_name] else "fptrunc"
            case _:
                return [f"  %{quoted(name)} = freeze {kind} zeroinitializer"]
        return [f"  %{quoted(name)} = {opcode} {typed(value)} to {kind}"]

    def _intrinsic(self, call: Call | Invoke, name: str) -> None:
        if name.startswith("llvm.va_start"):
            target, fresh = typed(call.arguments[0]), [self.fresh(), self.fresh()]
            self.edits.replace(
                call.line,
                f"  store i32 48, {target}",
                f"  %{fresh[0]} = getelementptr i8, {target}, i64 4",
                f"  store i32 304, ptr %{fresh[0]}",
                f"  %{fresh[1]} = getelementptr i8, {target}, i64 8",
                f"  store ptr %{AREA}, ptr %{fresh[1]}",
            )
        elif name.startswith("llvm.va_copy"):
            target, source = map(typed, call.arguments)
            self._uses_memcpy()
            self.edits.replace(call.line, f"  call void @llvm.memcpy.p0.p0.i64({target}, {source}, i64 24, i1 false)")
        elif name.startswith("llvm.stacksave"):
            self.edits.replace(call.line, f"  %{quoted(call.result or '')} = freeze ptr zeroinitializer")
        elif name.startswith(("llvm.stackrestore", "llvm.va_end", "llvm.assume", "llvm.experimental.noalias")):
            self.edits.replace(call.line)
