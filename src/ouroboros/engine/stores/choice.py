"""Which store a run uses, as people write it: `full`, `tree`, `collapse`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

from ouroboros.errors import UsageError
from ouroboros.system.layout import WORD_BITS, Layout

if TYPE_CHECKING:
    from ouroboros.engine.memory import Budget
    from ouroboros.engine.stores.base import ExactStore
    from ouroboros.engine.stores.shape import Span

StoreName = Literal["full", "tree", "collapse"]

# Bytes that a state costs at least, its parent not counted: arrays over states are reserved for as many as could fit.
_LEAST_BYTES_IN_TREE = 12


@dataclass(frozen=True)
class StoreChoice:
    name: StoreName = "full"
    components: tuple[Span, ...] = ()
    """The words of each component of a state."""

    def __str__(self) -> str:
        return self.name

    def fitted(self, layout: Layout) -> StoreChoice:
        """The choice for states of this layout."""
        return replace(self, components=word_spans(layout))

    def least_bytes(self, words: int) -> int:
        return words * 8 if self.name == "full" else min(words * 8, _LEAST_BYTES_IN_TREE)

    def create(self, words: int, budget: Budget, most_arrivals: int) -> ExactStore:
        """An empty store. Loading the tree's kernels takes a moment, so that only who needs them does."""
        if self.name == "full":
            from ouroboros.engine.stores.full import FullStore

            return FullStore(words, budget, most_arrivals)
        from ouroboros.engine.stores.tree import TreeStore

        return TreeStore(words, budget, most_arrivals, self.components, collapse=self.name == "collapse")


FULL = StoreChoice()


def read_store(text: str) -> StoreChoice:
    """The store that a text names; raises UsageError."""
    for name in get_args(StoreName):
        if text == name:
            return StoreChoice(name)
    raise UsageError(f"{text!r} is no store: choose from {', '.join(get_args(StoreName))}")


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
