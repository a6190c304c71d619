"""The reader of LLVM IR says of a module what LLVM says of it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llvmlite import binding as llvm

from ouroboros.errors import InputError
from ouroboros.languages.c.read import instructions as ir
from ouroboros.languages.c.read import read
from ouroboros.languages.c.read.instructions import operands, successors
from ouroboros.languages.c.read.types import Array, Float, Integer, Pointer, Struct, Type, Vector
from ouroboros.languages.c.read.values import (
    Aggregate,
    Expression,
    FloatConstant,
    Global,
    IntegerConstant,
    Local,
    Text,
    Zero,
)

LAYOUT = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

EVERYTHING = f"""
target datalayout = "{LAYOUT}"
target triple = "x86_64-unknown-linux-gnu"
%"class.std::pair" = type {{ %node, [2 x %union.u] }}
%node = type {{ i32, ptr, i3, double }}
%union.u = type <{{ i8, i32 }}>
%hidden = type opaque
$shared = comdat any
@text = private unnamed_addr constant [7 x i8] c"a\\22\\5C;\\0A%\\00", align 1
@pair = internal global %"class.std::pair" zeroinitializer, align 8, !dbg !4
@node = dso_local global %node {{ i32 -1, ptr getelementptr inbounds (i8, ptr @text, i64 3), i3 -2, double 2.5 }}
@"odd name" = thread_local(initialexec) global float 0x3FB99999A0000000
@elsewhere = external global [4 x ptr], align 16
@other = alias i32, ptr @node
define linkonce_odr dso_local noundef zeroext i1 @f(i32 noundef signext %0, ptr noundef nonnull align 8
    dereferenceable(8) %p, ...) unnamed_addr #0 comdat($shared) personality ptr @__gxx_personality_v0 !dbg !2 {{
  %2 = alloca [3 x i64], i64 2, align 16
  %3 = load atomic volatile i32, ptr %p syncscope("singlethread") acquire, align 4, !dbg !3
  store atomic i32 %0, ptr @node release, align 4
  %4 = getelementptr inbounds nuw %node, ptr @node, i32 0, i32 3
  %5 = atomicrmw volatile nand ptr %p, i32 7 acq_rel, align 4
  %6 = cmpxchg weak ptr %p, i32 %3, i32 -1 seq_cst monotonic, align 4
  %7 = extractvalue {{ i32, i1 }} %6, 1
  fence seq_cst
  %8 = add nuw nsw i32 %3, -5
  %9 = sdiv exact i32 %8, 3
  %10 = fcmp fast oeq double 0x7FF8000000000000, 1.0
  %11 = fneg double 3.25
  %12 = select i1 %7, i32 %9, i32 %0
  %13 = freeze i32 %12
  %14 = icmp samesign ult i32 %13, 9
  %15 = insertelement <2 x i32> poison, i32 %13, i32 0
  %16 = shufflevector <2 x i32> %15, <2 x i32> poison, <4 x i32> zeroinitializer
  %17 = extractelement <4 x i32> %16, i64 3
  %18 = va_arg ptr %p, i32
  %19 = insertvalue {{ ptr, i32 }} undef, i32 %18, 1
  %20 = call fastcc noundef i32 (ptr, ...) @printf(ptr noundef @text, double noundef 1.5) #1 [ "deopt"(i32 1) ], !dbg !3
  %21 = tail call i64 asm sideeffect "mov $1, $0", "=r,r"(i64 4) #1
  %22 = invoke i32 %p(i32 1) #1
          to label %done unwind label %broken, !dbg !3
broken:                                           ; preds = %1
  %23 = landingpad {{ ptr, i32 }}
          cleanup
          catch ptr @text
          filter [1 x ptr] [ptr @node]
  resume {{ ptr, i32 }} %23
done:
  %24 = phi i32 [ %22, %1 ], [ 0, %"more done" ]
  switch i32 %24, label %"more done" [
    i32 1, label %last
    i32 -7, label %last
  ], !dbg !3
"more done":
  br i1 %14, label %done, label %last, !llvm.loop !5
last:
  indirectbr ptr blockaddress(@f, %"more done"), [label %"more done", label %end]
end:
  %25 = trunc nuw i32 %24 to i1
  ret i1 %25
}}
declare noundef i32 @printf(ptr noundef captures(none), ...) local_unnamed_addr #1
declare i32 @__gxx_personality_v0(...)
attributes #0 = {{ alwaysinline nounwind memory(read) "frame-pointer"="all" }}
attributes #1 = {{ nounwind }}
!llvm.dbg.cu = !{{!0}}
!llvm.module.flags = !{{!6}}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "a \\22b\\22.c", directory: "/")
!2 = distinct !DISubprogram(name: "f", file: !1, line: 3, type: !7, unit: !0, 
  spFlags: DISPFlagLocalToUnit | DISPFlagDefinition)
!3 = !DILocation(line: 4, column: 2, scope: !2)
!4 = !DIGlobalVariableExpression(var: !8, expr: !DIExpression(DW_OP_plus_uconst, 4))
!5 = distinct !{{!5}}
!6 = !{{i32 2, !"Debug Info Version", i32 3}}
!7 = !DISubroutineType(types: !9)
!8 = distinct !DIGlobalVariable(name: "pair", file: !1, type: !10, isLocal: true, isDefinition: true)
!9 = !{{null}}
!10 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
"""


@pytest.fixture(scope="module")
def printed() -> str:
    """As LLVM itself prints it."""
    return str(llvm.parse_assembly(EVERYTHING, context=llvm.create_context()))


def opcode(instruction: ir.Instruction) -> str:
    match instruction:
        case ir.Binary(code) | ir.Unary(code) | ir.Compare(code) | ir.Cast(code):
            return code
    return {
        "Jump": "br",
        "Branch": "br",
        "ElementPointer": "getelementptr",
        "AtomicUpdate": "atomicrmw",
        "CompareExchange": "cmpxchg",
        "Return": "ret",
        "Shuffle": "shufflevector",
        "VariadicArgument": "va_arg",
        "IndirectJump": "indirectbr",
    }.get(type(instruction).__name__, type(instruction).__name__.lower())


def test_all_instructions_are_those_that_llvm_sees(printed: str) -> None:
    theirs = llvm.parse_assembly(printed, context=llvm.create_context())
    ours = read(printed)
    assert [f.name for f in theirs.functions] == list(ours.functions)
    assert [v.name for v in theirs.global_variables] == list(ours.variables)
    for function in theirs.functions:
        mine = ours.functions[function.name]
        assert [[i.opcode for i in b.instructions] for b in function.blocks] == [
            [opcode(i) for i in b.instructions] for b in mine.blocks
        ]
        for block, my_block in zip(function.blocks, mine.blocks, strict=True):
            for each, instruction in zip(block.instructions, my_block.instructions, strict=True):
                assert str(each.type) == str(instruction.type)
                own_text = printed.splitlines()[instruction.line].strip()
                assert str(each).strip().splitlines()[0] == own_text


def test_what_the_binding_of_llvm_does_not_tell(printed: str) -> None:
    module = read(printed)
    by_result = {i.result: i for b in module.functions["f"].blocks for i in b.instructions if i.result}
    load = by_result["3"]
    assert isinstance(load, ir.Load)
    assert (load.ordering, load.volatile, load.alignment) == ("acquire", True, 4)
    assert load.location is not None
    assert module.metadata[load.location].fields["line"] == 4
    exchange = by_result["6"]
    assert isinstance(exchange, ir.CompareExchange)
    assert (exchange.weak, exchange.ordering, exchange.failure_ordering) == (True, "seq_cst", "monotonic")
    assert exchange.replacement == IntegerConstant(Integer(32), 0xFFFFFFFF)
    add = by_result["8"]
    assert isinstance(add, ir.Binary)
    assert add.flags == {"nuw", "nsw"}
    compare = by_result["14"]
    assert isinstance(compare, ir.Compare)
    assert compare.predicate == "ult"
    assert operands(compare) == (Local("13", Integer(32)), IntegerConstant(Integer(32), 9))
    call = by_result["20"]
    assert isinstance(call, ir.Call)
    assert call.signature.variadic
    assert call.arguments == (Global("text"), FloatConstant(Float("double"), 0x3FF8000000000000))
    pad = by_result["23"]
    assert isinstance(pad, ir.LandingPad)
    assert [kind for kind, _ in pad.clauses] == ["catch", "filter"]
    switch = module.functions["f"].block("done").instructions[-1]
    assert isinstance(switch, ir.Switch)
    assert switch.cases == ((1, "last"), (0xFFFFFFF9, "last"))
    assert successors(switch) == ("more done", "last", "last")
    assert {"alwaysinline", "nounwind"} <= module.functions["f"].attributes


def test_initialisers_and_names(printed: str) -> None:
    module = read(printed)
    assert module.variables["text"].initialiser == Text(Array(7, Integer(8)), b'a"\\;\n%\0')
    assert module.variables["text"].constant
    assert module.variables["odd name"].thread_local
    assert module.variables["odd name"].initialiser == FloatConstant(Float("float"), 0x3DCCCCCD)
    assert module.variables["elsewhere"].initialiser is None
    assert isinstance(module.variables["pair"].initialiser, Zero)
    node = module.variables["node"].initialiser
    assert isinstance(node, Aggregate)
    assert node.elements[2] == IntegerConstant(Integer(3), 6)
    assert isinstance(node.elements[1], Expression)
    assert node.elements[1].opcode == "getelementptr"
    assert module.aliases == {"other": Global("node")}
    pair = module.variables["pair"].type
    assert isinstance(pair, Struct)
    assert pair.elements[0] == module.types["node"]


SCALARS = st.one_of(
    st.sampled_from([1, 7, 8, 16, 24, 32, 48, 64, 65, 128]).map(Integer),
    st.sampled_from(["half", "float", "double", "x86_fp80", "fp128"]).map(Float),
    st.just(Pointer()),
)
TYPES = st.recursive(
    SCALARS | st.builds(Vector, st.sampled_from([1, 2, 3, 4, 8]), st.sampled_from([8, 16, 32, 64]).map(Integer)),
    lambda inner: st.one_of(
        st.builds(Array, st.integers(0, 5), inner),
        st.builds(
            lambda elements, packed: Struct(None, tuple(elements), packed), st.lists(inner, max_size=5), st.booleans()
        ),
    ),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(TYPES)
def test_layout_is_that_of_llvm(kind: Type) -> None:
    text = f'target datalayout = "{LAYOUT}"\n@x = external global {kind}\n'
    module = read(text)
    theirs = llvm.parse_assembly(text).get_global_variable("x").global_value_type
    data = llvm.create_target_data(LAYOUT)
    assert module.variables["x"].type == kind
    assert module.layout.size(kind) == data.get_abi_size(theirs)
    assert module.layout.alignment(kind) == data.get_abi_alignment(theirs)
    if isinstance(kind, Struct):
        offsets = [module.layout.offset(kind, index) for index in range(len(kind.elements))]
        assert offsets == [data.get_element_offset(theirs, index) for index in range(len(kind.elements))]


@pytest.mark.parametrize(
    "text", ["define void @f() {\n  frobnicate i32 4\n}\n", "@x = global i32 ?\n", "@x = global i32 }\n"]
)
def test_what_is_not_understood_is_told_with_its_line(text: str) -> None:
    with pytest.raises(InputError, match=r"line \d of the LLVM IR"):
        read(text)
