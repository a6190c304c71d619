"""Which store a run uses, as people write it: `full`, `tree`, `compact:48`, `bitstate:512M,3`."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from ouroboros.errors import UsageError
from ouroboros.system.layout import WORD_BITS, Layout

if TYPE_CHECKING:
    from ouroboros.engine.stores.base import ExactStore, LossyStore
    from ouroboros.engine.stores.bitstate import BloomFilter
    from ouroboros.engine.stores.compact import Known
    from ouroboros.engine.stores.shape import Span
    from ouroboros.memory import Budget

StoreName = Literal["full", "tree", "collapse", "automaton", "compact", "bitstate"]

BITS = (32, 40, 48, 64)
_BITS_FOR_STATES, _BITS_FOR_CYCLES = 40, 64

# Bytes that a state costs at least, its parent not counted: arrays over states are reserved for as many as could fit.
_LEAST_BYTES_IN_TREE = 7
_LEAST_BYTES_IN_COMPACT = 4
_LEAST_BYTES_IN_AUTOMATON = 1

_KERNELS: dict[StoreName, str] = {
    "full": "keys",
    "tree": "nodes",
    "collapse": "nodes",
    "automaton": "lineage",
    "compact": "fingerprints",
    "bitstate": "bitstate",
}

_FILTER = re.compile(r"(\d+)([kmgt]?)b?(?:,(\d+))?", re.IGNORECASE)
_MOST_HASHES = 32
_MOST_BYTES_IN_FILTER = 1 << 28


class Repeating(NamedTuple):
    """Words that have the same contents in many states."""

    first: int
    end: int
    bits: int
    """Of each of the numbers in them, which are signed."""
    home: int | None
    """Another word of whose upper half nothing is used."""


@dataclass(frozen=True)
class StoreChoice:
    name: StoreName = "full"
    bits: int | None = None
    """Of a compact store: how many are kept of the hash of a state. None: what suits the search."""
    size: int | None = None
    """Bytes of the filter of a bitstate store, of all workers on this machine together. None: some of the memory."""
    hashes: int = 3
    """Bits that a bitstate store sets for each state."""
    seed: int = 0
    """Of the hash of a store that keeps only this."""
    cut: int | None = None
    """For tests: so few bits of the hash are used that states collide."""
    components: tuple[Span, ...] = ()
    """The words of each component of a state."""
    short: bool = False
    """Whether the upper half of the last word of a state is never used."""
    numbered: bool = False
    """Whether a compact store must know the number of a state that is not new."""
    repeating: Repeating | None = None
    """What of a state is the same in many others."""
    places: tuple[int, ...] = ()
    """The bytes of a state in which a field has a part."""
    ways: bool = True
    """Whether it is kept how each state was reached."""
    covering: bool = False
    """Whether a state is only kept if no other one covers it: one that has more of what repeats, and else is alike."""

    def __str__(self) -> str:
        if self.size:
            return f"{self.name}:{self.size},{self.hashes}"
        return f"{self.name}:{self.bits}" if self.bits else self.name

    @property
    def exact(self) -> bool:
        """Whether no state is ever missed, and every state can be had again."""
        return self.name in ("full", "tree", "collapse")

    @property
    def misses_nothing(self) -> bool:
        """Whether no state is ever missed, also where none can be had again."""
        return self.exact or self.name == "automaton"

    @property
    def searches_again(self) -> bool:
        """Whether ways are so much of what a state costs that they are only kept if there is one to be told."""
        return self.name == "automaton"

    @property
    def kernels(self) -> str:
        """The module of its kernels that are compiled for each length of states."""
        return _KERNELS[self.name]

    @property
    def keeps_vectors(self) -> bool:
        return self.name == "full"

    def fitted(self, layout: Layout, cycles: bool = False) -> StoreChoice:
        """The choice for states of this layout, and for a search of this kind."""
        bits = self.bits or (_BITS_FOR_CYCLES if cycles else _BITS_FOR_STATES) if self.name == "compact" else None
        return replace(
            self,
            components=word_spans(layout),
            short=_is_short(layout),
            bits=bits,
            numbered=cycles,
            repeating=_repeating(layout),
            places=_used_bytes(layout),
        )

    def least_bytes(self, words: int) -> int:
        if self.name == "full" and self.repeating:
            return 8
        if self.name == "full":
            return words * 8 - 4 * self.short
        if self.name == "automaton":
            return _LEAST_BYTES_IN_AUTOMATON
        return min(words * 8, _LEAST_BYTES_IN_TREE if self.exact else _LEAST_BYTES_IN_COMPACT)

    def create(self, words: int, budget: Budget, most_arrivals: int) -> ExactStore | LossyStore:
        """An empty store. Loading a store's kernels takes a moment, so that only who needs them does."""
        if self.name == "full" and self.repeating:
            if self.covering:
                from ouroboros.engine.stores.covering import CoveringStore

                return CoveringStore(words, budget, most_arrivals, self.repeating)
            from ouroboros.engine.stores.sharing import SharingStore

            return SharingStore(words, budget, most_arrivals, self.repeating)
        if self.name == "full":
            from ouroboros.engine.stores.full import FullStore

            return FullStore(words, budget, self.short)
        if self.name == "compact" and self.numbered:
            from ouroboros.engine.stores.hashed import HashedStore

            # A key has a word to itself, so that fewer bits would save nothing.
            return HashedStore(words, budget, most_arrivals, self.cut or WORD_BITS, self.seed)
        if not self.exact:
            from ouroboros.engine.stores.compact import CompactStore

            return CompactStore(words, budget, most_arrivals, self._filter(words, budget, most_arrivals))
        from ouroboros.engine.stores.tree import TreeStore

        collapse = self.name == "collapse"
        return TreeStore(words, budget, most_arrivals, self.components, collapse=collapse, short=self.short)

    def _filter(self, words: int, budget: Budget, most_arrivals: int) -> Known:
        if self.name == "automaton":
            from ouroboros.engine.stores.automaton import WordAutomaton

            return WordAutomaton(words, budget, self.places or tuple(range(8 * words)))
        if self.name == "bitstate":
            return self.bloom_filter(words, budget, most_arrivals)
        from ouroboros.engine.stores.fingerprints import Fingerprints

        return Fingerprints(words, budget, self.bits or _BITS_FOR_STATES, self.seed, self.cut)

    def bloom_filter(self, words: int, budget: Budget, most_arrivals: int) -> BloomFilter:
        from ouroboros.engine.stores.bitstate import BloomFilter

        size = self.size or min(_MOST_BYTES_IN_FILTER, budget.limit // 4)
        return BloomFilter(words, budget, most_arrivals, size, self.hashes, self.seed)


FULL = StoreChoice()


def read_store(text: str, seed: int = 0) -> StoreChoice:
    """The store that a text names; raises UsageError."""
    name, colon, detail = text.partition(":")
    if name not in get_args(StoreName):
        raise UsageError(f"{text!r} is no store: choose from {', '.join(get_args(StoreName))}")
    choice = StoreChoice(next(known for known in get_args(StoreName) if known == name), seed=seed)
    if not colon:
        return choice
    if name == "compact" and detail in map(str, BITS):
        return replace(choice, bits=int(detail))
    if name == "compact":
        raise UsageError(f"--store {text}: a compact store keeps 32, 40, 48 or 64 bits of a state: write compact:48")
    if name == "bitstate":
        found = _FILTER.fullmatch(detail)
        if found and int(found[1]) and 1 <= int(found[3] or 3) <= _MOST_HASHES:
            size = int(found[1]) * 1024 ** " kmgt".index((found[2] or " ").lower())
            return replace(choice, size=size, hashes=int(found[3] or 3))
        raise UsageError(f"--store {text}: write the size of the filter, and how many bits to set: bitstate:512M,3")
    raise UsageError(f"--store {text}: the {name} store takes no parameter")


def _is_short(layout: Layout) -> bool:
    """Whether no field has a bit in the upper half of the last word."""
    return _upper_half_is_free(layout, layout.words - 1)


def _upper_half_is_free(layout: Layout, word: int) -> bool:
    for item, (first, shift, width) in layout.placements.items():
        end = first * WORD_BITS + shift + width * item.elements
        if first <= word and end > word * WORD_BITS + WORD_BITS // 2:
            return False
    return True


def _repeating(layout: Layout) -> Repeating | None:
    """The words of a field whose contents repeat, if it has them to itself."""
    for item in layout.fields:
        if item.repeats:
            first, shift, width = layout.placements[item]
            end = first + -(-(shift + width * item.elements) // WORD_BITS)
            others = [word for word in range(layout.words) if not first <= word < end]
            apart = all(
                place.word >= end
                or place.word * WORD_BITS + place.shift + place.width * each.elements <= first * WORD_BITS
                for each, place in layout.placements.items()
                if each is not item
            )
            if apart and others and shift == 0 and width == item.bits:
                home = next((word for word in reversed(others) if _upper_half_is_free(layout, word)), None)
                return Repeating(first, end, width, home)
    return None


def _used_bytes(layout: Layout) -> tuple[int, ...]:
    used: set[int] = set()
    for item, (word, shift, width) in layout.placements.items():
        first = word * WORD_BITS + shift
        used.update(range(first // 8, (first + width * item.elements + 7) // 8))
    return tuple(sorted(used))


def word_spans(layout: Layout) -> tuple[Span, ...]:
    """The words that each component has a part in."""
    spans = []
    for fields in layout.components.values():
        first, last = [], []
        for item in fields:
            word, shift, width = layout.placements[item]
            first.append(word)
            last.append(word + (shift + width * item.elements - 1) // WORD_BITS)
        spans.append((min(first), max(last) + 1))
    return tuple(spans)
