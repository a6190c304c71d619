"""Which parts of a state are symmetric: those that have to do with scalarsets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ouroboros.languages.murphi.places import ArrayNode, Leaf, MultisetNode, Node, RecordNode
from ouroboros.languages.murphi.types import Scalarset, Simple, Union
from ouroboros.system.intervals import Interval, Ranges
from ouroboros.system.layout import Field
from ouroboros.system.symmetry import PLAIN, Dimension, SymmetricField, Symmetry


def symmetry_of(scalarsets: Iterable[Scalarset], variables: Iterable[Node]) -> Symmetry | None:
    """None where nothing can be permuted: a scalarset must have a name and more than one element."""
    sets = [scalarset for scalarset in dict.fromkeys(scalarsets) if scalarset.named and scalarset.size > 1]
    if not sets:
        return None
    first: dict[Simple, int] = {}
    atoms = 0
    for scalarset in sets:
        first[scalarset] = atoms
        atoms += scalarset.size
    walk = _Walk(first)
    fields = [field for variable in variables for field in walk.fields(variable, ())]
    return Symmetry(tuple((scalarset.name, scalarset.size) for scalarset in sets), tuple(fields))


class _Walk:
    def __init__(self, first: dict[Simple, int]) -> None:
        self.first = first
        self.multisets = 0

    def fields(self, node: Node, dimensions: tuple[Dimension, ...]) -> Iterator[SymmetricField]:
        match node:
            case Leaf(kind, storage):
                assert isinstance(storage, Field)
                # Zero is undefined, which is no atom.
                yield SymmetricField(storage, dimensions, (PLAIN, *self._atoms(kind)))
            case RecordNode(_, members):
                for member in members.values():
                    yield from self.fields(member, dimensions)
            case ArrayNode(kind, element):
                yield from self.fields(element, (*dimensions, Dimension(self._atoms(kind.index))))
            case MultisetNode():
                slots = Dimension((PLAIN,) * node.length, self.multisets)
                self.multisets += 1
                yield from self.fields(node.present, (*dimensions, slots))
                yield from self.fields(node.element, (*dimensions, slots))

    def _atoms(self, kind: Simple) -> tuple[int, ...]:
        """The atom of each value of a type."""
        members = kind.members if isinstance(kind, Union) else (kind,)
        found: list[int] = []
        for member in members:
            start = self.first.get(member)
            found += [PLAIN if start is None else start + number for number in range(member.size)]
        return tuple(found)


def closed_ranges(ranges: Ranges, symmetry: Symmetry) -> Ranges:
    """The least ranges that also hold in permuted states: where one element of a scalarset may be, any may."""
    first: list[int] = []
    for _, size in symmetry.sets:
        first += [len(first)] * size
    closed = dict(ranges)
    for item in symmetry.fields:
        low, high = ranges[item.field]
        sets = {first[atom] for atom in item.atoms[low : high + 1] if atom != PLAIN}
        alike = [value for value, atom in enumerate(item.atoms) if atom != PLAIN and first[atom] in sets]
        closed[item.field] = Interval(min([low, *alike]), max([high, *alike]))
    return closed
