"""The nodes of a minimal automaton that accepts a set of words of one length: kernels that add a word.

A node is a state of the automaton: the sorted labels of its arcs, and where they lead. Equal nodes are one, so that the
automaton is minimal after each word (Holzmann and Puri, "A minimized automaton representation of reachable states"): a
register finds the node with given arcs. A node counts the arcs that lead to it. From the root on, nodes that only one
arc leads to are changed where they are; behind the first that several lead to, changed copies are made.

A node stands in 32-bit cells: references, next in the register's chain, hash, and arcs with a mark for the last letter;
then the labels, four in a cell, and then the targets, which the nodes of the last letter have not.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ouroboros.engine.stores.base import OLD
from ouroboros.jit import inlined, kernel, record
from ouroboros.memory import Bytes, Ids, Words

HEAD = 4
REFERENCES, NEXT, HASH, ARCS = range(HEAD)
LAST_LETTER = 1 << 16
"""Set beside the number of arcs, where they end words."""
_COUNT = LAST_LETTER - 1
MOST_CELLS = HEAD + 64 + 256
"""Of a node; with more room than for one of these on each letter, a word can be added."""

USED, NODES, ROOT = range(3)
"""The numbers of a table: its cells in use, its nodes in the register, and the root."""

Numbers = npt.NDArray[np.int64]
Number: TypeAlias = Any
"""An integer of machine code; mypy would have all of them be of one type."""


@record("uint32[::1], uint32[::1], uint32[::1], int64[::1], uint8[::1], uint32[::1], uint32[::1]")
class NodeStore(NamedTuple):
    cells: Ids
    register: Ids
    """The first node of each chain; 0: none. Their number is a power of two."""
    free: Ids
    """The first of the free places of each size, which are chained."""
    numbers: Numbers
    places: Bytes
    """Which byte of a vector each letter is."""
    path: Ids
    """The nodes on the way of a word."""
    letters: Ids
    """Of a word."""


@inlined
def _size(arcs: Number) -> Number:
    count = arcs & _COUNT
    return HEAD + (count + 3) // 4 + (0 if arcs & LAST_LETTER else count)


@inlined
def _label(cells: Ids, node: Number, arc: Number) -> Number:
    return (np.int64(cells[node + HEAD + arc // 4]) >> (8 * (arc % 4))) & 255


@inlined
def _target_place(cells: Ids, node: Number, arc: Number) -> Number:
    return node + HEAD + ((np.int64(cells[node + ARCS]) & _COUNT) + 3) // 4 + arc


@inlined
def _mix(label: Number, target: Number) -> Number:
    """The part of a node's hash that one arc has; the parts are added, so that one can be replaced."""
    value = (np.uint64(target) << np.uint64(8) | np.uint64(label)) + np.uint64(1)
    value *= np.uint64(0x9E3779B97F4A7C15)
    value ^= value >> np.uint64(29)
    value *= np.uint64(0xBF58476D1CE4E5B9)
    return np.uint32(value >> np.uint64(32))


@inlined
def _arc_at(cells: Ids, node: Number, label: Number) -> Number:
    """The first arc with no smaller label."""
    low, high = np.int64(0), np.int64(cells[node + ARCS]) & _COUNT
    while low < high:
        middle = (low + high) // 2
        if _label(cells, node, middle) < label:
            low = middle + 1
        else:
            high = middle
    return low


@inlined
def _has(cells: Ids, node: Number, arc: Number, label: Number) -> bool:
    return bool(arc < (np.int64(cells[node + ARCS]) & _COUNT) and _label(cells, node, arc) == label)


@inlined
def _chain(register: Ids, value: Number) -> Number:
    spread = (np.uint64(value) * np.uint64(0x9E3779B1)) >> np.uint64(16)
    return np.int64(spread) & (register.size - 1)


@inlined
def _allocate(table: NodeStore, arcs: Number) -> Number:
    size = _size(arcs)
    node = np.int64(table.free[size])
    if node != 0:
        table.free[size] = table.cells[node]
    else:
        node = table.numbers[USED]
        table.numbers[USED] += size
    table.cells[node + REFERENCES] = 0
    table.cells[node + ARCS] = arcs
    return node


@inlined
def _release(table: NodeStore, node: Number) -> None:
    size = _size(np.int64(table.cells[node + ARCS]))
    table.cells[node] = table.free[size]
    table.free[size] = node


@inlined
def _unlink(table: NodeStore, node: Number) -> None:
    cells, register = table.cells, table.register
    chain = _chain(register, cells[node + HASH])
    following = cells[node + NEXT]
    at = np.int64(register[chain])
    if at == node:
        register[chain] = following
    else:
        while np.int64(cells[at + NEXT]) != node:
            at = np.int64(cells[at + NEXT])
        cells[at + NEXT] = following
    table.numbers[NODES] -= 1


@inlined
def _same(cells: Ids, one: Number, other: Number) -> bool:
    """Whether two nodes with as many arcs have the same."""
    different = np.uint32(0)
    for cell in range(HEAD, _size(np.int64(cells[one + ARCS]))):
        different |= cells[one + cell] ^ cells[other + cell]
    return bool(different == np.uint32(0))


@inlined
def _registered(table: NodeStore, node: Number) -> Number:
    """The node in the register with the same arcs: another one, or this, which is entered."""
    cells = table.cells
    value, arcs = cells[node + HASH], cells[node + ARCS]
    chain = _chain(table.register, value)
    at = np.int64(table.register[chain])
    while at != 0:
        if cells[at + HASH] == value and cells[at + ARCS] == arcs and _same(cells, at, node):
            return at
        at = np.int64(cells[at + NEXT])
    cells[node + NEXT] = table.register[chain]
    table.register[chain] = node
    table.numbers[NODES] += 1
    return node


@inlined
def _refer(table: NodeStore, node: Number, by: Number) -> None:
    """Count the arcs of a node for their targets, or no longer."""
    cells = table.cells
    arcs = np.int64(cells[node + ARCS])
    if arcs & LAST_LETTER == 0:
        first = _target_place(cells, node, 0)
        for place in range(first, first + (arcs & _COUNT)):
            target = np.int64(cells[place])
            cells[target] = np.int64(cells[target]) + by


@inlined
def _with_arc(table: NodeStore, node: Number, arc: Number, label: Number, target: Number) -> Number:
    """A copy of a node with one arc more, before the given one; nothing is counted."""
    cells = table.cells
    arcs = np.int64(cells[node + ARCS]) + 1
    copy = _allocate(table, arcs)
    count = arcs & _COUNT
    for cell in range(copy + HEAD, copy + HEAD + (count + 3) // 4):
        cells[cell] = 0
    for to in range(count):
        origin = to - (to > arc)
        letter = label if to == arc else _label(cells, node, origin)
        cells[copy + HEAD + to // 4] |= np.uint32(letter << (8 * (to % 4)))
        if arcs & LAST_LETTER == 0:
            reached = target if to == arc else np.int64(cells[_target_place(cells, node, origin)])
            cells[_target_place(cells, copy, to)] = reached
    cells[copy + HASH] = cells[node + HASH] + _mix(label, target)
    return copy


@inlined
def _with_target(table: NodeStore, node: Number, arc: Number, target: Number) -> Number:
    """A copy of a node with another target of one arc; nothing is counted."""
    cells = table.cells
    arcs = np.int64(cells[node + ARCS])
    copy = _allocate(table, arcs)
    for cell in range(HEAD, _size(arcs)):
        cells[copy + cell] = cells[node + cell]
    cells[copy + HASH] = cells[node + HASH]
    _redirect(cells, copy, arc, target)
    return copy


@inlined
def _redirect(cells: Ids, node: Number, arc: Number, target: Number) -> None:
    place = _target_place(cells, node, arc)
    label = _label(cells, node, arc)
    cells[node + HASH] += _mix(label, target) - _mix(label, np.int64(cells[place]))
    cells[place] = target


@inlined
def _suffix(table: NodeStore, known: Number) -> Number:
    """The node from which the rest of the word is accepted, and nothing else, behind so many letters."""
    cells, length = table.cells, table.letters.size
    target = np.int64(0)
    for at in range(length - 1, known - 1, -1):
        arcs = 1 | (LAST_LETTER if at == length - 1 else 0)
        node = _allocate(table, arcs)
        letter = np.int64(table.letters[at])
        cells[node + HEAD] = letter
        if at < length - 1:
            cells[node + HEAD + 1] = target
        cells[node + HASH] = _mix(letter, target)
        found = _registered(table, node)
        if found != node:
            _release(table, node)
        elif at < length - 1:
            cells[target] += 1
        target = found
    return target


@inlined
def _add(table: NodeStore) -> bool:
    """Add the word of the table's letters; False if it is there."""
    cells, path, letters, numbers = table.cells, table.path, table.letters, table.numbers
    length = letters.size
    node, depth, owned, sole = numbers[ROOT], 0, 0, True
    arc = np.int64(0)
    while True:
        path[depth] = node
        sole = sole and cells[node] == 1
        owned += sole
        arc = _arc_at(cells, node, np.int64(letters[depth]))
        if not _has(cells, node, arc, np.int64(letters[depth])):
            break
        if depth == length - 1:
            return False
        node = np.int64(cells[_target_place(cells, node, arc)])
        depth += 1

    target = _suffix(table, depth + 1)
    for at in range(depth, -1, -1):
        node = np.int64(path[at])
        mine = at < owned
        changed = node
        if at == depth:
            if mine and at > 0:
                _unlink(table, node)
            changed = _with_arc(table, node, arc, np.int64(letters[at]), target)
            if mine:
                _release(table, node)
                if target != 0:
                    cells[target] += 1
            else:
                _refer(table, changed, 1)
        else:
            place = _arc_at(cells, node, np.int64(letters[at]))
            before = np.int64(cells[_target_place(cells, node, place)])
            if before == target:
                return True
            if mine:
                if at > 0:
                    _unlink(table, node)
                _redirect(cells, node, place, target)
                cells[target] += 1
                # What was changed in its place is gone, and what was copied has one arc less.
                if at + 1 >= owned:
                    cells[before] -= 1
            else:
                changed = _with_target(table, node, place, target)
                _refer(table, changed, 1)
        if at == 0:
            cells[changed] = 1
            numbers[ROOT] = changed
            return True
        if mine:
            cells[changed] = 0
        found = _registered(table, changed)
        if found != changed:
            _refer(table, changed, -1)
            _release(table, changed)
        elif mine and changed == node:
            # Its one arc is still that of the node before it.
            cells[changed] = 1
        target = found
    return True


@kernel("UniTuple(int64, 2)(uint64[::1], int64, int64, int64, int64, int64, NodeStore, uint32[::1], uint64[::1])")
def add_words(
    arrivals: Words,
    first: Number,
    total: Number,
    words: Number,
    known: Number,
    room: Number,
    table: NodeStore,
    ids: Ids,
    fresh: Words,
) -> tuple[int, int]:
    """Add vectors until there might be no room for the next; returns how many were looked at, and the states then.

    `known` are the states so far, and `fresh` gets the vectors of the new ones.
    """
    numbers, letters, places = table.numbers, table.letters, table.places
    before = known
    for k in range(first, total):
        if numbers[USED] + letters.size * MOST_CELLS > room or numbers[NODES] > 2 * table.register.size:
            return k, known
        for at in range(letters.size):
            place = np.int64(places[at])
            word = arrivals[k * words + place // 8]
            letters[at] = np.uint32((word >> np.uint64(8 * (place % 8))) & np.uint64(255))
        if _add(table):
            ids[k] = known
            row = known - before
            for w in range(words):
                fresh[row * words + w] = arrivals[k * words + w]
            known += 1
        else:
            ids[k] = OLD
    return total, known


@kernel("void(NodeStore, uint32[::1])")
def enter_again(table: NodeStore, register: Ids) -> None:
    """Put all nodes into another register."""
    cells = table.cells
    for chain in range(table.register.size):
        node = np.int64(table.register[chain])
        while node != 0:
            following = np.int64(cells[node + NEXT])
            to = _chain(register, cells[node + HASH])
            cells[node + NEXT] = register[to]
            register[to] = node
            node = following
