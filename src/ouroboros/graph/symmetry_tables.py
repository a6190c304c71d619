"""The symmetry of a layout as tables of numbers, which a kernel can read."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ouroboros.jit import record
from ouroboros.system.layout import WORD_BITS, Field, Layout
from ouroboros.system.symmetry import PLAIN, Dimension, SymmetricField, Symmetry

Numbers = npt.NDArray[np.int64]


@record(
    "int64[:, ::1], int64[::1], int64[::1], int64[::1], int64[:, :, ::1], int64[::1], int64[::1], int64[::1],"
    " int64[::1], int64[::1], int64[::1], int64[:, ::1]"
)
class SymmetryTables(NamedTuple):
    """One row for each element of each field, in the first seven."""

    places: Numbers
    """Word, shift and width in bits."""
    keys: Numbers
    """Equal for elements whose indices differ in atoms only; in a multiset, also for those of different slots."""
    slots: Numbers
    """The number of the slot of a multiset that an element is in, or PLAIN."""
    origins: Numbers
    """The number of the row that the indices which are no atoms lead to."""
    dimensions: Numbers
    """For each index that is an atom: the atom, the distance between rows, and where `indices` has the atoms' numbers.
    PLAIN where an element has fewer of them."""
    value_tables: Numbers
    """Where `atoms` and `values` have an element's values; PLAIN where no value is an atom."""
    value_counts: Numbers
    """How many values `atoms` knows."""
    atoms: Numbers
    """The atom of a value."""
    values: Numbers
    """The value of an atom."""
    indices: Numbers
    """The index of an atom."""
    sets: Numbers
    """The first atom of each set, and behind them the number of all atoms."""
    groups: Numbers
    """For each part of a multiset's slots: the row in the first slot, the distance to the next slot, the number of the
    multiset, and how many slots it has. The parts of a multiset stand together; the first says which slots are used.
    A multiset that is in another one comes before it."""


def symmetry_tables(layout: Layout, symmetry: Symmetry) -> SymmetryTables:
    sizes = [size for _, size in symmetry.sets]
    starts = [sum(sizes[:number]) for number in range(len(sizes) + 1)]
    builder = _Builder(layout, starts[-1])
    described = {item.field: item for item in symmetry.fields}
    for field in layout.fields:
        plain = SymmetricField(field, (Dimension((PLAIN,) * field.elements),), ())
        builder.add(described.get(field, plain))
    return builder.tables(starts)


class _Group(NamedTuple):
    """One multiset, of which an array or another multiset may hold several."""

    multiset: int
    around: tuple[int, ...]
    """The indices that lead to it."""
    depth: int
    """How many multisets it is in."""


class _Builder:
    def __init__(self, layout: Layout, atom_count: int) -> None:
        self._layout = layout
        self._atom_count = atom_count
        self._places: list[tuple[int, int, int]] = []
        self._keys: list[int] = []
        self._slots: list[int] = []
        self._origins: list[int] = []
        self._dimensions: list[list[tuple[int, int, int]]] = []
        self._value_tables: list[int] = []
        self._value_counts: list[int] = []
        self._atoms: list[int] = []
        self._values: list[int] = []
        self._indices: list[int] = []
        self._groups: dict[_Group, list[tuple[int, int, int]]] = {}
        # Numbers that were given to keys, slots, and tables of values and indices.
        self._key_numbers: dict[object, int] = {}
        self._slot_numbers: dict[object, int] = {}
        self._value_starts: dict[tuple[int, ...], int] = {}
        self._index_starts: dict[tuple[int, ...], int] = {}

    def add(self, item: SymmetricField) -> None:
        first = len(self._places)
        lengths = [len(dimension.atoms) for dimension in item.dimensions]
        strides = [prod(lengths[number + 1 :]) for number in range(len(lengths))]
        for number, index in enumerate(product(*(range(length) for length in lengths))):
            self._places.append(self._place(item.field, number))
            self._add_element(item, index, strides, first)

    def _place(self, field: Field, number: int) -> tuple[int, int, int]:
        word, shift, width = self._layout.placements[field]
        offset = shift + number * width
        return word + offset // WORD_BITS, offset % WORD_BITS, field.bits

    def _add_element(self, item: SymmetricField, index: tuple[int, ...], strides: Sequence[int], first: int) -> None:
        row = len(self._places) - 1
        origin = first
        symmetric: list[tuple[int, int, int]] = []
        kept: list[int | None] = []
        slot, depth = PLAIN, 0
        for at, dimension, stride in zip(index, item.dimensions, strides, strict=True):
            atom = dimension.atoms[at]
            kept.append(None if atom != PLAIN or dimension.multiset != PLAIN else at)
            if atom != PLAIN:
                symmetric.append((atom, stride, self._index_table(dimension.atoms)))
            else:
                origin += stride * at
            if dimension.multiset != PLAIN:
                multiset = _Group(dimension.multiset, index[: len(kept) - 1], depth)
                depth += 1
                slot = self._slot_numbers.setdefault((*multiset, at), len(self._slot_numbers))
                if at == 0:
                    self._groups.setdefault(multiset, []).append((row, stride, len(dimension.atoms)))
        self._origins.append(origin)
        self._dimensions.append(symmetric)
        self._slots.append(slot)
        self._keys.append(self._key_numbers.setdefault((id(item.field), tuple(kept)), len(self._key_numbers)))
        has_atoms = any(atom != PLAIN for atom in item.atoms)
        self._value_tables.append(self._value_table(item.atoms) if has_atoms else PLAIN)
        self._value_counts.append(len(item.atoms))

    def _value_table(self, atoms: tuple[int, ...]) -> int:
        if atoms not in self._value_starts:
            start = self._value_starts[atoms] = len(self._atoms)
            size = max(len(atoms), self._atom_count)
            self._atoms += [*atoms, *[PLAIN] * (size - len(atoms))]
            self._values += [0] * size
            for value, atom in enumerate(atoms):
                if atom != PLAIN:
                    self._values[start + atom] = value
        return self._value_starts[atoms]

    def _index_table(self, atoms: tuple[int, ...]) -> int:
        if atoms not in self._index_starts:
            start = self._index_starts[atoms] = len(self._indices)
            self._indices += [0] * self._atom_count
            for at, atom in enumerate(atoms):
                if atom != PLAIN:
                    self._indices[start + atom] = at
        return self._index_starts[atoms]

    def tables(self, starts: list[int]) -> SymmetryTables:
        most = max((len(symmetric) for symmetric in self._dimensions), default=0)
        dimensions = np.full((len(self._places), max(1, most), 3), PLAIN, np.int64)
        for row, symmetric in enumerate(self._dimensions):
            for at, entry in enumerate(symmetric):
                dimensions[row, at] = entry
        # The elements of a multiset have their order once the multisets within them are sorted.
        inner_first = sorted(self._groups.items(), key=lambda item: -item[0].depth)
        groups = [
            (row, stride, number, slots)
            for number, (_, parts) in enumerate(inner_first)
            for row, stride, slots in parts
        ]
        return SymmetryTables(
            places=np.array(self._places, np.int64).reshape(-1, 3),
            keys=np.array(self._keys, np.int64),
            slots=np.array(self._slots, np.int64),
            origins=np.array(self._origins, np.int64),
            dimensions=dimensions,
            value_tables=np.array(self._value_tables, np.int64),
            value_counts=np.array(self._value_counts, np.int64),
            atoms=np.array(self._atoms or [PLAIN], np.int64),
            values=np.array(self._values or [0], np.int64),
            indices=np.array(self._indices or [0], np.int64),
            sets=np.array(starts, np.int64),
            groups=np.array(groups, np.int64).reshape(-1, 4),
        )
