"""The way of a program from what the compiler made to what is explored.

SROA, whatever access is then left kept as it is, inlining, simplification, and a cut before each instruction that other
threads may notice. The reference and the machine code both begin here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from llvmlite import binding as llvm

from ouroboros.errors import InputError
from ouroboros.languages.c.permitted import Permitted
from ouroboros.languages.c.prepare.accesses import forget_unread, keep_accesses
from ouroboros.languages.c.prepare.arithmetic import forget_flags, guard, unguard
from ouroboros.languages.c.prepare.calls import refuse_other_types, settle_calls
from ouroboros.languages.c.prepare.choices import narrow_choices
from ouroboros.languages.c.prepare.cuts import choices_first, cut, cut_blocks
from ouroboros.languages.c.prepare.editing import Edits
from ouroboros.languages.c.prepare.exceptions import HELPERS, lower_exceptions
from ouroboros.languages.c.prepare.inlining import chosen
from ouroboros.languages.c.prepare.liveness import Liveness, leaves_frame
from ouroboros.languages.c.prepare.program import FINISH, START, begin, make_sections, settle_thread_locals, wrap_roots
from ouroboros.languages.c.prepare.stubs import limit, stub
from ouroboros.languages.c.program import Cut, Program
from ouroboros.languages.c.read import read, read_code
from ouroboros.languages.c.read.instructions import Call, Invoke, operands
from ouroboros.languages.c.read.module import Module
from ouroboros.languages.c.read.values import Aggregate, Expression, Global, Local, Value

_NAMES = "begin end choose sample blocked drop fail self create leave exit allocate scratch free size print"
PRIMITIVES = frozenset(f"__ouro_{name}" for name in _NAMES.split())
"""What the interpreter and the machine code do by themselves."""


@dataclass(frozen=True)
class PipelineOptions:
    slots: int = 4
    """How many threads may be at once."""
    permitted: Permitted = field(default_factory=Permitted)
    visible_output: bool = False
    """Whether printing is a step of its own, so that all orders of output are seen."""


def prepare(text: str, options: PipelineOptions) -> Program:
    text = _before_inlining(text, options)
    text = _inlined(text, {START, FINISH, *HELPERS})
    edits = Edits(text)
    wrap_roots(edits)
    text = _inlined(edits.text(), {START})
    text = _simplified(text)
    return _program(_cut(text, options))


def _before_inlining(text: str, options: PipelineOptions) -> str:
    edits = Edits(_without_promises(text))
    if options.permitted.stubs:
        stub(edits, options.permitted.stubs)
        edits = Edits(edits.text())
    limit(edits, options.permitted.ranges)
    if options.permitted.wraps:
        forget_flags(edits)
    edits = Edits(edits.text())
    begin(edits)
    settle_calls(edits)
    make_sections(edits)
    settle_thread_locals(edits, options.slots)
    guard(edits)
    edits = Edits(edits.text())
    lower_exceptions(edits)
    return edits.text()


def _without_promises(text: str) -> str:
    """Attributes by which the compiler promises what a wrong program does not keep."""
    return re.sub(r"^(attributes #\d+ = ).*$", r"\1{ null_pointer_is_valid }", text, flags=re.MULTILINE)


def _run(text: str, *names: str, module: tuple[str, ...] = ()) -> str:
    """The text after these passes: first those over the module, then the others over each function."""
    parsed = _parsed(text)
    _passes(parsed, names, module)
    return str(parsed)


def _parsed(text: str) -> llvm.ModuleRef:
    try:
        parsed = llvm.parse_assembly(text, llvm.create_context())
        parsed.verify()
    except RuntimeError as error:
        raise InputError(f"the program cannot be prepared: {str(error).strip()}") from None
    return parsed


def _passes(parsed: llvm.ModuleRef, names: tuple[str, ...], module: tuple[str, ...]) -> None:
    builder = llvm.create_pass_builder(_machine(), llvm.create_pipeline_tuning_options(speed_level=1))
    if module:
        manager = llvm.create_new_module_pass_manager()
        for name in module:
            getattr(manager, f"add_{name}_pass")()
        manager.run(parsed, builder)
    for function in parsed.functions:
        if names and not function.is_declaration:
            over_function = llvm.create_new_function_pass_manager()
            for name in names:
                getattr(over_function, f"add_{name}_pass")()
            over_function.run(function, builder)


def _machine() -> llvm.TargetMachine:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine()


def _inlined(text: str, kept: set[str]) -> str:
    parsed = _parsed(text)
    for each in (*parsed.functions, *parsed.global_variables):
        if not each.is_declaration and not each.name.startswith("llvm."):
            each.linkage = llvm.Linkage.external if each.name in kept else llvm.Linkage.internal
    _passes(parsed, ("sroa",), ("global_dead_code_eliminate",))
    inlined = chosen(read_code(str(parsed)))
    for function in parsed.functions:
        if function.name in inlined:
            function.add_function_attribute("alwaysinline")
    _passes(parsed, ("sroa",), ("always_inliner", "global_dead_code_eliminate"))
    return str(parsed)


def _simplified(text: str) -> str:
    edits = Edits(text)
    refuse_other_types(edits)
    keep_accesses(edits)
    simplify = ("sroa", "instruction_combine", "simplify_cfg", "new_gvn", "simplify_cfg", "aggressive_dce")
    unused = ("global_dead_code_eliminate",)
    edits = Edits(_run(edits.text(), *simplify, "instruction_namer", module=unused))
    forget_unread(edits)
    return _run(edits.text(), "aggressive_dce")


def _cut(text: str, options: PipelineOptions) -> str:
    edits = Edits(text)
    narrow_choices(edits)
    edits = Edits(edits.text())
    forget_flags(edits)
    cut(edits, visible_output=options.visible_output)
    edits = Edits(_run(edits.text(), "sinking", module=("global_dead_code_eliminate", "strip_dead_prototype")))
    choices_first(edits)
    return unguard(edits.text())


def _program(text: str) -> Program:
    _parsed(text)
    module = read(text)
    defined = frozenset(name for name, function in module.functions.items() if function.blocks)
    liveness = {name: Liveness(module.functions[name]) for name in defined}

    def ordered(live: frozenset[Local]) -> tuple[Local, ...]:
        return tuple(sorted(live, key=lambda local: (-module.layout.size(local.type), local.name)))

    cuts = tuple(
        Cut(number, function.name, block.label, ordered(liveness[function.name].at_begin(block.label)))
        for number, (function, block) in enumerate(cut_blocks(module))
    )
    calls: dict[tuple[str, str, int], tuple[Local, ...]] = {}
    called: dict[str, int | None] = {}
    named = _named(module)
    for name in defined:
        for block in module.functions[name].blocks:
            for index, instruction in enumerate(block.instructions):
                if leaves_frame(instruction, defined | module.aliases.keys()):
                    live = liveness[name].after(block, index)
                    rest = frozenset(local for local in live if local.name != instruction.result)
                    calls[name, block.label, index] = ordered(rest)
                match instruction:
                    case Call(Global(callee)) | Invoke(Global(callee)):
                        called.setdefault(callee, instruction.location)
    needs = {
        name: called.get(name)
        for name in module.functions
        if name not in defined and name not in PRIMITIVES and name in named and not name.startswith("llvm.")
    }
    by_function = {name: tuple(each for each in cuts if each.function == name) for name in defined}
    return Program(module, by_function, calls, START, needs)


def _named(module: Module) -> set[str]:
    """The functions and variables that instructions call or point to, or initial values of variables."""
    waiting: list[Value] = [each.initialiser for each in module.variables.values() if each.initialiser is not None]
    for function in module.functions.values():
        for block in function.blocks:
            for instruction in block.instructions:
                waiting += operands(instruction)
    found: set[str] = set()
    while waiting:
        match waiting.pop():
            case Global(name):
                found.add(name)
            case Expression(_, _, inner) | Aggregate(_, inner):
                waiting += inner
    return found
