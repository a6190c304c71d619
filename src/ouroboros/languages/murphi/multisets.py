"""Multisets in a canonical order: a bag has no order, so that of its slots must not make states different.

Elements come first and are sorted by their leaves, in the order of their declaration; behind them are the empty slots.
"""

from __future__ import annotations

from ouroboros.languages.murphi.code import Code, compare, leaves_of
from ouroboros.languages.murphi.places import Leaf, MultisetNode
from ouroboros.system.blocks import Block, If, SetLocal, Statement, While
from ouroboros.system.expressions import Binary, Conditional, Constant, Expression, Local

MOST_ROUNDS = 1 << 20


def sorted_block(node: MultisetNode, code: Code) -> Block:
    """Statements that sort every multiset of a node, which stands for several inside of an array."""
    leaves = [(leaf, _per_slot(node, leaf)) for leaf in [node.present, *leaves_of(node.element)]]
    total = _elements(node.present)
    site = code.site("loop", "sorting a multiset does not end", None)
    block: list[Statement] = []
    for start in range(0, total, node.length):
        block += _sort(start, node.length, leaves, code, site)
    return tuple(block)


def _elements(leaf: Leaf) -> int:
    return getattr(leaf.storage, "length", None) or 1


def _per_slot(node: MultisetNode, leaf: Leaf) -> int:
    """How many values of a leaf one slot has."""
    return _elements(leaf) // _elements(node.present)


def _sort(start: int, length: int, leaves: list[tuple[Leaf, int]], code: Code, site: int) -> list[Statement]:
    """Insertion by neighbours: pass after pass, until nothing is exchanged; a pass or two, since one element moved."""
    changed, slot, kept = code.slot(), code.slot(), code.slot()
    here, there = Local(slot), Binary("+", Local(slot), Constant(1))
    exchange: list[Statement] = [SetLocal(changed, Constant(1))]
    greater: Expression = Constant(0)
    for leaf, count in reversed(leaves):
        for part in reversed(range(count)):
            first, second = (leaf.raw(_at(position, count, part)) for position in (here, there))
            # Present ones first: what has the larger presence is the smaller.
            operator = "<" if leaf is leaves[0][0] else ">"
            greater = Conditional(compare("=", first, second), greater, compare(operator, first, second))
    for leaf, count in leaves:
        for part in range(count):
            exchange += [
                SetLocal(kept, leaf.raw(_at(here, count, part))),
                leaf.set_raw(_at(here, count, part), leaf.raw(_at(there, count, part))),
                leaf.set_raw(_at(there, count, part), Local(kept)),
            ]
    one_pass: Block = (
        SetLocal(changed, Constant(0)),
        SetLocal(slot, Constant(start)),
        While(
            compare("<", Local(slot), Constant(start + length - 1)),
            (If(greater, tuple(exchange)), SetLocal(slot, there)),
            MOST_ROUNDS,
            site,
        ),
    )
    return [SetLocal(changed, Constant(1)), While(Local(changed), one_pass, MOST_ROUNDS, site)]


def _at(slot: Expression, count: int, part: int) -> Expression:
    row: Expression = slot if count == 1 else Binary("*", slot, Constant(count))
    return row if part == 0 else Binary("+", row, Constant(part))
