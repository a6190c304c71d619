"""Steps that foreign code has made before: machine code finds them in a table, see `system.foreign.Known`."""

from __future__ import annotations

from llvmlite import ir

from ouroboros.native.types import I32, I64, POINTER, Value, constant
from ouroboros.system.foreign import Known

_NUMBERS = {name: number for number, (name, *_) in enumerate(Known._fields_)}


def emit_known_successors(module: ir.Module, table: int, otherwise: ir.Function | Value) -> ir.Function:
    """Define `i32 known_successors(state*, out*, labels*)`: as the table at an address has it, or else another says."""
    entry = ir.Function(module, ir.FunctionType(I32, [POINTER] * 3), "known_successors")
    state, out, labels = entry.args
    begin_block, look, found, check, copy, done, ask = (entry.append_basic_block() for _ in range(7))
    at = ir.IRBuilder(begin_block)

    def of_table(name: str, kind: ir.Type = I64) -> Value:
        address = ir.FormattedConstant(POINTER, f"inttoptr (i64 {table + 8 * _NUMBERS[name]} to ptr)")
        return at.load(address, typ=kind)

    def element(base: Value, index: Value, kind: ir.Type = I64) -> Value:
        return at.gep(base, [index], source_etype=kind)

    number = at.load(state, typ=I64)
    at.cbranch(at.icmp_unsigned("<", number, of_table("states")), look, ask)
    at.position_at_end(look)
    begin = at.load(element(of_table("begins", POINTER), number), typ=I64)
    count = at.sub(at.load(element(of_table("ends", POINTER), number), typ=I64), begin)
    there = at.icmp_signed(">=", begin, constant(I64, 0))
    at.cbranch(at.and_(there, at.icmp_signed("<=", count, of_table("most"))), found, ask)
    at.position_at_end(found)
    targets, names = of_table("targets", POINTER), of_table("labels", POINTER)
    at.branch(check)
    at.position_at_end(check)
    index = at.phi(I64)
    index.add_incoming(constant(I64, 0), found)
    at.cbranch(at.icmp_signed("<", index, count), copy, done)
    at.position_at_end(copy)
    source = at.add(begin, index)
    at.store(at.load(element(targets, source), typ=I64), element(out, index))
    at.store(at.load(element(names, source, I32), typ=I32), element(labels, index, I32))
    index.add_incoming(at.add(index, constant(I64, 1)), copy)
    at.branch(check)
    at.position_at_end(done)
    at.ret(at.trunc(count, I32))
    at.position_at_end(ask)
    at.ret(at.call(otherwise, [state, out, labels]))
    return entry
