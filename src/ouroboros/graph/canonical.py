"""Canonical representatives: of all states that differ only by a permutation of alike values, the same one is chosen.

Each atom gets a colour that tells as much of its role in the state as can be found without naming atoms: rounds of
refinement mix the colours of the atoms that occur together, as the Weisfeiler-Leman method does for graphs. Sorting the
atoms by colour leaves only those of the same colour to be permuted. Where any two neighbours of a colour can be
exchanged without changing the state, any order is the same; of all others every permutation is tried, and the least
vector wins. Colours only save work: the choice is exact whatever they are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ouroboros.graph.symmetry_tables import Numbers, SymmetryTables, symmetry_tables
from ouroboros.jit import inlined, kernel, record
from ouroboros.memory import Words
from ouroboros.system.layout import Layout, Vector
from ouroboros.system.symmetry import Symmetry

_ROUNDS = 3


@inlined
def _mix(value: np.uint64) -> np.uint64:
    value = (value ^ (value >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    value = (value ^ (value >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    return value ^ (value >> np.uint64(32))


@record(
    "int64[::1], int64[::1], int64[::1], uint64[::1], uint64[::1], uint64[::1], int64[::1], int64[::1], int64[:, ::1]"
)
class Scratch(NamedTuple):
    """What a kernel works on, for kernels have no memory of their own."""

    contents: Numbers
    """Of the elements; and so are the next two."""
    best: Numbers
    tried: Numbers
    colours: Words
    """Of the atoms."""
    fresh: Words
    slot_colours: Words
    order: Numbers
    """Of the atoms, as all that follows."""
    renamed: Numbers
    cells: Numbers

    @classmethod
    def of(cls, tables: SymmetryTables) -> Scratch:
        elements, atoms, slots = len(tables.places), int(tables.sets[-1]), int(tables.slots.max(initial=-1)) + 1
        contents, best, tried = np.zeros((3, elements), np.int64)
        colours, fresh = np.zeros((2, atoms), np.uint64)
        order, renamed = np.zeros((2, atoms), np.int64)
        cells = np.zeros((atoms, 2), np.int64)
        return cls(contents, best, tried, colours, fresh, np.zeros(slots, np.uint64), order, renamed, cells)


@inlined
def _refine(tables: SymmetryTables, scratch: Scratch) -> None:
    """Mix into the colour of each atom what occurs together with it."""
    contents, colours, fresh, slot_colours = scratch.contents, scratch.colours, scratch.fresh, scratch.slot_colours
    keys, slots, dimensions, atoms = tables.keys, tables.slots, tables.dimensions, tables.atoms
    value_tables, value_counts = tables.value_tables, tables.value_counts
    for a in range(colours.size):
        fresh[a] = _mix(colours[a])
    for s in range(slot_colours.size):
        slot_colours[s] = np.uint64(0)
    for turn in range(2):
        for e in range(contents.size):
            value = contents[e]
            atom = -1
            if value_tables[e] >= 0 and value < value_counts[e]:
                atom = atoms[value_tables[e] + value]
            seen = colours[atom] if atom >= 0 else np.uint64(value)
            here = _mix(np.uint64(keys[e]) * np.uint64(0x9E3779B97F4A7C15) + seen)
            around = np.uint64(0)
            for d in range(dimensions.shape[1]):
                if dimensions[e, d, 0] >= 0:
                    around += _mix(colours[dimensions[e, d, 0]] + np.uint64(d))
            if turn == 0:
                # What is in a slot together gives the slot a colour, whichever slot it is.
                if slots[e] >= 0:
                    slot_colours[slots[e]] += _mix(here + around)
                continue
            if slots[e] >= 0:
                around += _mix(slot_colours[slots[e]])
            for d in range(dimensions.shape[1]):
                if dimensions[e, d, 0] >= 0:
                    own = _mix(colours[dimensions[e, d, 0]] + np.uint64(d))
                    fresh[dimensions[e, d, 0]] += _mix(here + (around - own) + np.uint64(7 * d + 1))
            if atom >= 0:
                fresh[atom] += _mix(np.uint64(keys[e]) * np.uint64(0x9E3779B97F4A7C15) + around + np.uint64(5))
    for a in range(colours.size):
        colours[a] = fresh[a]


@inlined
def _apply(tables: SymmetryTables, contents: Numbers, renamed: Numbers, result: Numbers) -> None:
    """Write to `result` the state with atom a renamed to `renamed[a]`, its multisets sorted again."""
    origins, dimensions, atoms, values = tables.origins, tables.dimensions, tables.atoms, tables.values
    value_tables, value_counts, indices, groups = (
        tables.value_tables, tables.value_counts, tables.indices, tables.groups,
    )  # fmt: skip
    for e in range(contents.size):
        value = contents[e]
        if value_tables[e] >= 0 and value < value_counts[e]:
            atom = atoms[value_tables[e] + value]
            if atom >= 0:
                value = values[value_tables[e] + renamed[atom]]
        target = origins[e]
        for d in range(dimensions.shape[1]):
            if dimensions[e, d, 0] >= 0:
                target += dimensions[e, d, 1] * indices[dimensions[e, d, 2] + renamed[dimensions[e, d, 0]]]
        result[target] = value
    start = 0
    while start < groups.shape[0]:
        end = start + 1
        while end < groups.shape[0] and groups[end, 2] == groups[start, 2]:
            end += 1
        _sort_slots(groups, start, end, result)
        start = end


@inlined
def _sort_slots(groups: Numbers, start: int, end: int, contents: Numbers) -> None:
    """Sort the slots of one multiset, whose parts are groups start to end; those that hold an element come first."""
    slots = groups[start, 3]
    for last in range(1, slots):
        at = last
        while at > 0:
            order = 0
            for g in range(start, end):
                left = contents[groups[g, 0] + (at - 1) * groups[g, 1]]
                right = contents[groups[g, 0] + at * groups[g, 1]]
                if left != right:
                    order = 1 if left > right else -1
                    # The first part says whether the slot holds anything.
                    order = -order if g == start else order
                    break
            if order <= 0:
                break
            for g in range(start, end):
                first = groups[g, 0] + (at - 1) * groups[g, 1]
                second = groups[g, 0] + at * groups[g, 1]
                kept = contents[first]
                contents[first] = contents[second]
                contents[second] = kept
            at -= 1


@inlined
def _less(left: Numbers, right: Numbers) -> bool:
    for e in range(left.size):
        if left[e] != right[e]:
            return bool(left[e] < right[e])
    return False


@inlined
def _next_permutation(order: Numbers, start: int, end: int) -> bool:
    """The next arrangement of order[start:end] in lexicographic order; False after the last, which starts over."""
    at = end - 2
    while at >= start and order[at] > order[at + 1]:
        at -= 1
    if at >= start:
        other = end - 1
        while order[other] < order[at]:
            other -= 1
        kept = order[at]
        order[at] = order[other]
        order[other] = kept
    left, right = at + 1, end - 1
    while left < right:
        kept = order[left]
        order[left] = order[right]
        order[right] = kept
        left += 1
        right -= 1
    return bool(at >= start)


@kernel("void(uint64[::1], int64, SymmetryTables, Scratch, int64)")
def _canonicalise(vectors: Words, count: int, tables: SymmetryTables, scratch: Scratch, words: int) -> None:
    """Replace each vector by the representative of its orbit."""
    contents, best, tried, colours, _, _, order, renamed, cells = scratch
    places, sets = tables.places, tables.sets
    total = places.shape[0]
    atom_count = sets[sets.size - 1]
    for k in range(count):
        for e in range(total):
            word = vectors[k * words + places[e, 0]] >> np.uint64(places[e, 1])
            contents[e] = np.int64(word & ((np.uint64(1) << np.uint64(places[e, 2])) - np.uint64(1)))
        for s in range(sets.size - 1):
            for a in range(sets[s], sets[s + 1]):
                colours[a] = np.uint64(s)
        for _ in range(_ROUNDS):
            _refine(tables, scratch)
        # order[p] is the atom that gets number p.
        for s in range(sets.size - 1):
            for p in range(sets[s], sets[s + 1]):
                at = p
                while at > sets[s] and colours[order[at - 1]] > colours[p]:
                    order[at] = order[at - 1]
                    at -= 1
                order[at] = p
        for p in range(atom_count):
            renamed[order[p]] = p
        _apply(tables, contents, renamed, best)
        # In `best` atoms stand in the order of their colours: cells of one colour are still to be permuted.
        cell_count = 0
        for s in range(sets.size - 1):
            first = sets[s]
            while first < sets[s + 1]:
                last = first + 1
                while last < sets[s + 1] and colours[order[last]] == colours[order[first]]:
                    last += 1
                alike = True
                for p in range(first, last - 1):
                    for a in range(atom_count):
                        renamed[a] = a
                    renamed[p] = p + 1
                    renamed[p + 1] = p
                    _apply(tables, best, renamed, tried)
                    if _less(best, tried) or _less(tried, best):
                        alike = False
                        break
                if not alike:
                    cells[cell_count, 0] = first
                    cells[cell_count, 1] = last
                    cell_count += 1
                first = last
        if cell_count > 0:
            for e in range(total):
                contents[e] = best[e]
            for a in range(atom_count):
                renamed[a] = a
            cell = 0
            while cell < cell_count:
                if not _next_permutation(renamed, cells[cell, 0], cells[cell, 1]):
                    cell += 1
                    continue
                cell = 0
                _apply(tables, contents, renamed, tried)
                if _less(tried, best):
                    for e in range(total):
                        best[e] = tried[e]
        for w in range(words):
            vectors[k * words + w] = np.uint64(0)
        for e in range(total):
            vectors[k * words + places[e, 0]] |= np.uint64(best[e]) << np.uint64(places[e, 1])


class Canonicaliser:
    """Chooses representatives for the states of a layout."""

    def __init__(self, layout: Layout, symmetry: Symmetry) -> None:
        self._tables = symmetry_tables(layout, symmetry)
        self._scratch = Scratch.of(self._tables)
        self._words = layout.words

    def apply(self, vectors: Words, count: int) -> None:
        """Replace each of the first vectors by its representative."""
        _canonicalise(vectors, count, self._tables, self._scratch, self._words)

    def representative(self, vector: Vector) -> Vector:
        words = np.array(vector, np.uint64)
        self.apply(words, 1)
        return tuple(int(word) for word in words)
