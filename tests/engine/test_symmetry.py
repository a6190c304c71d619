"""Representatives against the definition: every permutation of a state has the same one, and it is one of them.

The reference permutes plain lists of numbers and shares nothing with the kernel but the description of the symmetry.
"""

from __future__ import annotations

from itertools import permutations, product
from math import prod
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from ouroboros.graph.canonical import Canonicaliser
from ouroboros.system.layout import Field, Layout, Vector
from ouroboros.system.symmetry import PLAIN, Dimension, SymmetricField, Symmetry


@st.composite
def symmetries(draw: st.DrawFn) -> Symmetry:
    sizes = draw(st.lists(st.integers(2, 3), min_size=1, max_size=2))
    sets = tuple((f"s{number}", size) for number, size in enumerate(sizes))
    starts = [sum(sizes[:number]) for number in range(len(sizes))]
    atoms = [tuple(range(start, start + size)) for start, size in zip(starts, sizes, strict=True)]
    # A set, all sets with a plain value between them as in a union, or no atoms at all.
    together = tuple(atom for group in atoms for atom in (PLAIN, *group))
    choices = st.sampled_from([*atoms, *atoms, together, (PLAIN, PLAIN)])
    fields: list[SymmetricField] = []

    def add(dimensions: tuple[Dimension, ...], values: tuple[int, ...]) -> None:
        elements = prod(len(dimension.atoms) for dimension in dimensions)
        name = f"f{len(fields)}"
        field = Field(name, "globals", 4, length=elements if dimensions else None, initial=(0,) * elements)
        fields.append(SymmetricField(field, dimensions, (PLAIN, *values)))

    for _ in range(draw(st.integers(1, 3))):
        dimensions = tuple(Dimension(draw(choices)) for _ in range(draw(st.integers(0, 2))))
        add(dimensions, draw(choices))
    around: tuple[Dimension, ...] = (Dimension(draw(choices)),) if draw(st.booleans()) else ()
    # No multiset, one, or one within another.
    for number in range(draw(st.integers(0, 2))):
        around = (*around, Dimension((PLAIN,) * draw(st.integers(1, 3 - number)), number))
        add(around, (PLAIN,))
        for _ in range(draw(st.integers(1 - number, 2))):
            add((*around, *((Dimension(draw(choices)),) if draw(st.booleans()) else ())), draw(choices))
    return Symmetry(sets, tuple(fields))


Contents = tuple[tuple[int, ...], ...]
"""The elements of each field."""


def permuted(symmetry: Symmetry, contents: Contents, renamed: dict[int, int]) -> Contents:
    result: list[tuple[int, ...]] = []
    for item, values in zip(symmetry.fields, contents, strict=True):
        lengths = [len(dimension.atoms) for dimension in item.dimensions]
        moved = list(values)
        for number, index in enumerate(product(*(range(length) for length in lengths))):
            target = 0
            for at, dimension in zip(index, item.dimensions, strict=True):
                atom = dimension.atoms[at]
                position = at if atom == PLAIN else dimension.atoms.index(renamed[atom])
                target = target * len(dimension.atoms) + position
            value = values[number]
            atom = item.atoms[value] if value < len(item.atoms) else PLAIN
            moved[target] = value if atom == PLAIN else item.atoms.index(renamed[atom])
        result.append(tuple(moved))
    return with_sorted_slots(symmetry, result)


def with_sorted_slots(symmetry: Symmetry, contents: list[tuple[int, ...]]) -> Contents:
    """With the slots of every multiset sorted: of those with greater numbers, which are within others, first."""
    multisets = {dimension.multiset for item in symmetry.fields for dimension in item.dimensions} - {PLAIN}
    for multiset in sorted(multisets, reverse=True):
        contents = _with_slots_of(multiset, symmetry, contents)
    return tuple(contents)


def _with_slots_of(multiset: int, symmetry: Symmetry, contents: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    lists: dict[int, list[int]] = {}
    rows = slots = 0
    for number, item in enumerate(symmetry.fields):
        for at, dimension in enumerate(item.dimensions):
            if dimension.multiset == multiset:
                lists[number] = list(contents[number])
                rows, slots = prod(len(outer.atoms) for outer in item.dimensions[:at]), len(dimension.atoms)
    for row in range(rows):
        bags = []
        for slot in range(slots):
            bag = []
            for values in lists.values():
                each = len(values) // (rows * slots)
                first = (row * slots + slot) * each
                bag.append(tuple(values[first : first + each]))
            bags.append(bag)
        # Slots that hold an element come first.
        bags.sort(key=lambda bag: (tuple(-value for value in bag[0]), *bag[1:]))
        for slot, bag in enumerate(bags):
            for number, part in zip(lists, bag, strict=True):
                first = (row * slots + slot) * len(part)
                lists[number][first : first + len(part)] = part
    return [tuple(lists.get(number, values)) for number, values in enumerate(contents)]


def renamings(symmetry: Symmetry) -> list[dict[int, int]]:
    start, groups = 0, []
    for _, size in symmetry.sets:
        atoms = range(start, start + size)
        groups.append([dict(zip(atoms, order, strict=True)) for order in permutations(atoms)])
        start += size
    return [{key: value for part in parts for key, value in part.items()} for parts in product(*groups)]


def packed(layout: Layout, symmetry: Symmetry, contents: Contents) -> Vector:
    words = [0] * layout.words
    for item, values in zip(symmetry.fields, contents, strict=True):
        for index, value in enumerate(values):
            layout.write(words, item.field, index, value)
    return tuple(words)


@given(symmetries(), st.integers(0, 1 << 32))
@settings(max_examples=150, deadline=None)
def test_representatives(symmetry: Symmetry, seed: int) -> None:
    random = Random(seed)
    for _ in range(5):
        drawn = [
            tuple(random.choice((0, 1, random.randrange(16))) for _ in range(item.field.elements))
            for item in symmetry.fields
        ]
        seen = {PLAIN}
        for at, item in enumerate(symmetry.fields):
            innermost = item.dimensions[-1].multiset if item.dimensions else PLAIN
            if innermost not in seen:
                # The first field of a multiset says which slots are in use.
                seen.add(innermost)
                drawn[at] = tuple(value % 2 for value in drawn[at])
        assert_one_representative(symmetry, drawn)


def test_representatives_of_multisets_within_each_other() -> None:
    """The inner ones were sorted last, so that the outer ones were in an order from before that."""
    outer, inner, atoms = Dimension((PLAIN, PLAIN), 0), Dimension((PLAIN, PLAIN), 1), Dimension((0, 1, 2))
    fields: list[SymmetricField] = []
    for dimensions, values in [((atoms,), ()), ((outer,), ()), ((outer, inner), ()), ((outer, inner), atoms.atoms)]:
        elements = prod(len(dimension.atoms) for dimension in dimensions)
        field = Field(f"f{len(fields)}", "globals", 2, length=elements, initial=(0,) * elements)
        fields.append(SymmetricField(field, dimensions, (PLAIN, *values)))
    for values in product((1, 2, 3), repeat=4):
        # The array tells the atoms apart, and all slots are in use.
        assert_one_representative(Symmetry((("s", 3),), tuple(fields)), [(0, 1, 2), (1,) * 2, (1,) * 4, values])


def assert_one_representative(symmetry: Symmetry, unsorted: list[tuple[int, ...]]) -> None:
    layout = Layout(tuple(item.field for item in symmetry.fields))
    canonicaliser = Canonicaliser(layout, symmetry)
    contents = with_sorted_slots(symmetry, unsorted)
    orbit = {packed(layout, symmetry, permuted(symmetry, contents, renamed)) for renamed in renamings(symmetry)}
    assert packed(layout, symmetry, contents) in orbit
    representatives = {canonicaliser.representative(state) for state in orbit}
    assert len(representatives) == 1
    assert representatives <= orbit
