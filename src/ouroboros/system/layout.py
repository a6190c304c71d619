"""Where each field of a state lives: bits inside a vector of 64-bit words.

Two rules make every access one shift and one mask: neither a scalar nor an array that fits into a word straddles one,
and the elements of a larger array have a power-of-two width and start at a multiple of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isqrt
from typing import Literal, NamedTuple

WORD_BITS = 64

Vector = tuple[int, ...]
"""A packed state: unsigned 64-bit words."""


@dataclass(frozen=True, eq=False, slots=True)
class Field:
    """A named integer, or an array of them. Two fields are the same only if they are the same object."""

    name: str
    component: str
    bits: int
    signed: bool = False
    length: int | None = None
    """Number of elements of an array; None for a scalar."""
    initial: tuple[int, ...] = (0,)
    """One value for each element."""
    value_names: tuple[str, ...] = ()
    """Names of the values 0, 1, …, where the language has them (locations, enumerations)."""
    offset: int = 0
    """What a value without a name is shown more than it is stored as."""
    element_names: tuple[str, ...] = ()
    """Names of the elements of an array, where an index in brackets would not be one."""
    told: Literal["value", "place", "never"] = "value"
    """How a trace tells of it: by its value, or never. Or it is the place of a process in the text of the model, which
    every step tells itself: then only that there is a process at all is told; where it is zero, there is none."""
    repeats: bool = False
    """Of an array that is longer than a word: many states have the same contents, and more of an element is more."""

    @property
    def elements(self) -> int:
        return 1 if self.length is None else self.length

    def wrap(self, value: int) -> int:
        """The value that an assignment of `value` leaves in the field, as C's conversion does."""
        value &= (1 << self.bits) - 1
        return value - (1 << self.bits) if self.signed and value >> (self.bits - 1) else value

    def show(self, value: int) -> str:
        return str(self.shown(value))

    def shown(self, value: int) -> int | str:
        """The name of a value, or its number where it has none."""
        return self.value_names[value] if 0 <= value < len(self.value_names) else value + self.offset

    def element_name(self, index: int) -> str:
        if self.length is None:
            return self.name
        return self.element_names[index] if self.element_names else f"{self.name}[{index}]"


class Placement(NamedTuple):
    """Element i of a field occupies `width` bits from bit `shift + i * width` of word `word` on."""

    word: int
    shift: int
    width: int


def zone_size(zone: Field) -> int:
    """How many clocks a zone bounds, with the one that is always zero: it is a square matrix, row after row."""
    return isqrt(zone.elements)


def bits_for(values: int) -> int:
    """The bits that tell `values` different values apart; at least one."""
    return max(1, (values - 1).bit_length())


def _element_width(item: Field) -> int:
    return item.bits if item.bits * item.elements <= WORD_BITS else 1 << (item.bits - 1).bit_length()


def _pack(fields: Iterable[Field]) -> tuple[dict[Field, Placement], int]:
    """First fit: each field goes into the earliest word with room."""
    placements: dict[Field, Placement] = {}
    used: list[int] = []
    first_open = 0
    for item in fields:
        width = _element_width(item)
        size = width * item.elements
        if size > WORD_BITS:
            placements[item] = Placement(len(used), 0, width)
            full, rest = divmod(size, WORD_BITS)
            used += [WORD_BITS] * full + ([rest] if rest else [])
            continue
        for word in range(first_open, len(used) + 1):
            if word == len(used):
                used.append(0)
            shift = used[word]
            if shift + size <= WORD_BITS:
                placements[item] = Placement(word, shift, width)
                used[word] = shift + size
                break
        while first_open < len(used) and used[first_open] == WORD_BITS:
            first_open += 1
    return placements, len(used)


@dataclass(frozen=True, eq=False)
class Layout:
    """The fields of a state and their places in the vector."""

    fields: tuple[Field, ...]
    within: Layout | None = field(default=None, repr=False)
    """A layout of the first of these fields, which stay where they are; the others come behind it."""
    placements: Mapping[Field, Placement] = field(init=False)
    words: int = field(init=False)

    def __post_init__(self) -> None:
        if self.within:
            behind, more = _pack(self.fields[len(self.within.fields) :])
            moved = {item: place._replace(word=place.word + self.within.words) for item, place in behind.items()}
            object.__setattr__(self, "placements", {**self.within.placements, **moved})
            object.__setattr__(self, "words", self.within.words + more)
            return
        # The order of declaration keeps components together; by size packs tighter. Locality wins a tie.
        in_order = _pack(self.fields)
        by_size = _pack(sorted(self.fields, key=lambda item: -_element_width(item) * item.elements))
        placements, words = min(in_order, by_size, key=lambda packed: packed[1])
        object.__setattr__(self, "placements", placements)
        object.__setattr__(self, "words", max(1, words))

    @property
    def components(self) -> dict[str, list[Field]]:
        grouped: dict[str, list[Field]] = {}
        for item in self.fields:
            grouped.setdefault(item.component, []).append(item)
        return grouped

    def initial(self) -> Vector:
        words = [0] * self.words
        for item in self.fields:
            for index, value in enumerate(item.initial):
                self.write(words, item, index, value)
        return tuple(words)

    def read(self, vector: Sequence[int], item: Field, index: int = 0) -> int:
        """The value of an element; the index must be in range."""
        word, shift, width = self.placements[item]
        offset = shift + index * width
        return item.wrap(vector[word + offset // WORD_BITS] >> (offset % WORD_BITS))

    def write(self, words: list[int], item: Field, index: int, value: int) -> None:
        """Store a value, wrapped to the field's width; the index must be in range."""
        word, shift, width = self.placements[item]
        offset = shift + index * width
        at, low = word + offset // WORD_BITS, offset % WORD_BITS
        mask = (1 << item.bits) - 1
        words[at] = words[at] & ~(mask << low) | (value & mask) << low
