"""The whole program as one: where it begins, its thread-local variables, what shall be atomic."""

from __future__ import annotations

import re

from ouroboros.errors import InputError
from ouroboros.languages.c.prepare.editing import Edits, attached, declare
from ouroboros.languages.c.read.instructions import Call, Return, operands
from ouroboros.languages.c.read.module import Function
from ouroboros.languages.c.read.types import FunctionType, Integer, Pointer, quoted
from ouroboros.languages.c.read.values import Aggregate, Global, IntegerConstant
from ouroboros.languages.c.read.write import plain

START = "__ouro_main"
FINISH = "__ouro_finish"
_ENDINGS = frozenset({"atexit", "at_quick_exit", "__cxa_atexit"})
_RUN = frozenset({"__ouro_run", "__ouro_run_c11"})
_ASSUMPTION = "assume_abort_if_not"
_ATOMIC = re.compile(r"__VERIFIER_atomic_(?!begin$|end$)")
_NOT_THE_PROGRAM = ("llvm.used", "llvm.compiler.used", "llvm.global_ctors", "llvm.global_dtors")


def begin(edits: Edits) -> None:
    """A function that calls constructors, then main, and ends the program."""
    main = edits.module.functions.get("main")
    if main is None or not main.blocks:
        raise InputError("the program has no function main", hint="give all files of the program at once")
    calls = [f"  call void @{quoted(name)}()" for name in _listed(edits, "llvm.global_ctors")]
    arguments = ["i32 1", "ptr @__ouro_arguments", "ptr getelementptr (i8, ptr @__ouro_arguments, i64 8)"]
    given = ", ".join(arguments[: len(main.parameters)])
    returns = isinstance(main.signature.result, Integer)
    calls.append(f"  %code = call i32 @main({given})" if returns else f"  call void @main({given})")
    _end_at_once(edits, main)
    edits.added += [
        '@__ouro_program = internal global [8 x i8] c"program\\00"',
        "@__ouro_arguments = internal global [2 x ptr] [ptr @__ouro_program, ptr null]",
        f"define void @{START}() {{",
        *calls,
        f"  call void @exit(i32 {'%code' if returns else '0'})",
        "  unreachable",
        "}",
    ]
    declare(edits, "exit", "void", "i32")
    number = edits.module.functions["__ouro_destructors"].line
    last = [f"  call void @{quoted(name)}()" for name in reversed(_listed(edits, "llvm.global_dtors"))]
    edits.replace(number, "define internal void @__ouro_destructors() {", *last, "  ret void", "}")
    for name in _NOT_THE_PROGRAM:
        if name in edits.module.variables:
            number = next(n for n, line in enumerate(edits.lines) if line.startswith(f"@{name} ="))
            edits.replace(number)


def _end_at_once(edits: Edits, main: Function) -> None:
    """That main returns and that the program ends is one step, unless more runs in between: nobody finds the variables
    of main gone.
    """
    if not _ENDINGS.isdisjoint(edits.module.functions) or _listed(edits, "llvm.global_dtors"):
        return
    for _, _, instruction in edits.instructions():
        if Global("main") in operands(instruction):
            return
    declare(edits, "__ouro_begin", "i32", "i32")
    for block in main.blocks:
        last = block.instructions[-1]
        if isinstance(last, Return):
            place = attached(edits.lines[last.line])
            edits.before(last.line, f"  %ouro.last.{last.line} = call i32 @__ouro_begin(i32 1){place}")


def _listed(edits: Edits, name: str) -> list[str]:
    """What runs before or after main, by priority."""
    variable = edits.module.variables.get(name)
    if variable is None or not isinstance(variable.initialiser, Aggregate):
        return []
    found = []
    for entry in variable.initialiser.elements:
        if isinstance(entry, Aggregate):
            priority, function = entry.elements[:2]
            if isinstance(priority, IntegerConstant) and isinstance(function, Global):
                found.append((priority.value, function.name))
    return [name for _, name in sorted(found, key=lambda entry: entry[0])]


def make_sections(edits: Edits) -> None:
    """Functions whose names say so are atomic as a whole, or end a run without complaint."""
    for function in edits.bodies():
        if function.name == _ASSUMPTION:
            for block in function.blocks:
                for instruction in block.instructions:
                    if isinstance(instruction, Call) and instruction.callee == Global("abort"):
                        edits.replace(instruction.line, "  call void @__ouro_drop()")
                        declare(edits, "__ouro_drop", "void")
        if _ATOMIC.match(function.name):
            edits.entry(function, "  %ouro.section = call i32 @__ouro_begin(i32 1)")
            declare(edits, "__ouro_begin", "i32", "i32")
            declare(edits, "__ouro_end", "void")
            for block in function.blocks:
                last = block.instructions[-1]
                if isinstance(last, Return):
                    edits.before(last.line, "  call void @__ouro_end()")


def settle_thread_locals(edits: Edits, slots: int) -> None:
    """Each thread has its own: an array over threads, and what a new thread begins with."""
    variables = [each for each in edits.module.variables.values() if each.thread_local]
    body: list[str] = []
    for variable in variables:
        name, kind = quoted(variable.name), variable.type
        number = next(n for n, line in enumerate(edits.lines) if line.startswith(f"@{name} ="))
        if variable.initialiser is None:
            continue
        value = plain(variable.initialiser)
        copies = ", ".join([f"{kind} {value}"] * slots)
        first = quoted(f"{variable.name}.first")
        edits.replace(
            number,
            f"@{name} = internal global [{slots} x {kind}] [{copies}], align {variable.alignment}",
            f"@{first} = internal constant {kind} {value}",
        )
        at = f"%at.{len(body)}"
        size = edits.module.layout.size(kind)
        body += [
            f"  {at} = getelementptr [{slots} x {kind}], ptr @{name}, i64 0, i32 %slot",
            f"  call void @llvm.memcpy.p0.p0.i64(ptr {at}, ptr @{first}, i64 {size}, i1 false)",
        ]
    if "__ouro_thread_locals" in edits.module.functions:
        number = edits.module.functions["__ouro_thread_locals"].line
        edits.replace(number, "define internal void @__ouro_thread_locals(i32 %slot) {", *body, "  ret void", "}")
    if variables:
        declare(edits, "llvm.memcpy.p0.p0.i64", "void", "ptr", "ptr", "i64", "i1")
        declare(edits, "__ouro_self", "i32")
        _find_own(edits, {each.name: each.type for each in variables}, slots)


def _find_own(edits: Edits, kinds: dict[str, object], slots: int) -> None:
    """Where the address of a thread-local variable is asked for."""
    for _, _, instruction in edits.instructions():
        match instruction:
            case Call(Global(name), (Global(variable),)) if name.startswith("llvm.threadlocal.address"):
                result = quoted(instruction.result or "")
                edits.replace(
                    instruction.line,
                    f"  %ouro.self.{instruction.line} = call i32 @__ouro_self()",
                    f"  %{result} = getelementptr [{slots} x {kinds[variable]}], ptr @{quoted(variable)}, i64 0,"
                    f" i32 %ouro.self.{instruction.line}",
                )


def wrap_roots(edits: Edits) -> None:
    """A thread that runs a known function has a root of its own, in which that function can be inlined."""
    wrapped: set[str] = set()
    for _, _, instruction in edits.instructions():
        match instruction:
            case Call(Global("__ouro_create"), (_, Global(run), Global(name), _)) if run in _RUN:
                root = quoted(f"__ouro_run.{name}")
                line = edits.now(instruction.line).replace(f"@{run}", f"@{root}", 1)
                function_too = rf"ptr (?:noundef |nonnull )*{re.escape('@' + quoted(name))},"
                edits.replace(instruction.line, re.sub(function_too, "ptr null,", line))
                function = edits.module.functions[name]
                if name in wrapped or not function.blocks:
                    continue
                wrapped.add(name)
                throws = "__ouro_thrown" in edits.module.functions
                edits.added += _root(root, name, function.signature, throws=throws)


def _root(root: str, name: str, signature: FunctionType, *, throws: bool) -> list[str]:
    lines = [f"define internal void @{root}(ptr %function, ptr %argument) {{"]
    given = "ptr %argument" if signature.parameters == (Pointer(),) else ""
    if signature.parameters and not given:
        given = ", ".join(f"{kind} zeroinitializer" for kind in signature.parameters)
    kept = isinstance(signature.result, Integer | Pointer)
    called = f"call {signature.result} @{quoted(name)}({given})"
    match signature.result:
        case Pointer():
            lines.append(f"  %result = {called}")
        case Integer(bits):
            # As whoever asks for the result as an integer will find it.
            opcode = "sext" if bits < 64 else "bitcast" if bits == 64 else "trunc"
            lines += [f"  %code = {called}", f"  %wide = {opcode} i{bits} %code to i64"]
            lines.append("  %result = inttoptr i64 %wide to ptr")
        case _:
            lines.append(f"  {called}")
    if throws:
        lines += ["  %thrown = call i32 @__ouro_thrown()", "  %fatal = icmp ne i32 %thrown, 0"]
        lines += ["  br i1 %fatal, label %uncaught, label %end", "uncaught:", "  call void @__ouro_uncaught()"]
        lines += ["  unreachable", "end:"]
    return [*lines, f"  call void @{FINISH}(ptr {'%result' if kept else 'null'})", "  unreachable", "}"]
