"""The fields of a state, and what traces call them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ouroboros.errors import InputError
from ouroboros.languages.python.storage import (
    base_of,
)
from ouroboros.languages.python.types import (
    Integer,
    Named,
    Simple,
    Truth,
    value_name,
)
from ouroboros.system.layout import Field, bits_for

MOST_STATE_BITS = 1 << 20


class Fields:
    """The fields of a model, in the order in which they are made."""

    def __init__(self) -> None:
        self.all: list[Field] = []

    def maker(self, component: str) -> Callable[[Simple, tuple[str, ...], int | None], Field]:
        def make(kind: Simple, names: tuple[str, ...], length: int | None) -> Field:
            path, belongs = _field_name(names[0], component, [item.name for item in self.all])
            base = base_of(kind)
            size = kind.high - base + 1 if isinstance(kind, Integer) else kind.size
            made = Field(
                name=path,
                component=belongs,
                bits=bits_for(size),
                length=length,
                initial=(0,) * (1 if length is None else length),
                value_names=_value_names(kind),
                offset=base,
                element_names=names if length is not None else (),
            )
            self.all.append(made)
            if sum(item.bits * item.elements for item in self.all) > MOST_STATE_BITS:
                raise InputError("the state is too large", None, f"it may have {MOST_STATE_BITS:,} bits")
            return made

        return make


def _field_name(name: str, component: str, taken: Sequence[str]) -> tuple[str, str]:
    """The name of a field for elements of which the first has a name, and the component that it belongs to."""
    path = _without_indices(name)
    if path.endswith(".length"):
        return path, path.removesuffix(".length")
    owner = next((each for each in reversed(taken) if each.endswith(".length") and _within(path, each)), None)
    if owner is not None:
        stem = owner.removesuffix(".length")
        number = sum(each.startswith(f"{stem}.") for each in taken) - 1
        return f"{stem}.{number}", stem
    if component == "globals" and "." in path:
        return path, path.partition(".")[0]
    return path, component


def _within(path: str, length: str) -> bool:
    stem = length.removesuffix(".length")
    return path == stem or path.startswith(f"{stem}.")


def _without_indices(name: str) -> str:
    """Without what is in brackets, but for those of a process."""
    depth, kept = 0, []
    process, dot, rest = name.partition("].")
    if dot:
        name = rest
    for character in name:
        depth += character == "["
        if depth == 0:
            kept.append(character)
        depth -= character == "]"
    return (f"{process}]." if dot else "") + "".join(kept)


def _value_names(kind: Simple) -> tuple[str, ...]:
    match kind:
        case Truth():
            return ("False", "True")
        case Named(values):
            return tuple(map(value_name, values))
    return ()
