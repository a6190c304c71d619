"""The terms of a certificate: which model it is about, what was asked of it, and which options change what that means.

Whoever confirms a certificate asks the same again, by these terms; nothing else in the file says what is shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from typing import Any, Literal

from ouroboros import __version__
from ouroboros.checking.question import ASSERTIONS, Asked, deadlock_name
from ouroboros.errors import InputError
from ouroboros.ltl import Automaton
from ouroboros.system.model import Deadlock, Overflow, System


@dataclass(frozen=True)
class Terms:
    model: str
    sha256: str
    """Of the model's text."""
    overflow: Overflow
    definitions: Mapping[str, str]
    properties: Sequence[str]
    invariants: Sequence[str]
    ltl: Sequence[str]
    formula_files: Sequence[Sequence[str]]
    """The name and the text of each."""
    deadlock: Deadlock | Literal["off"] | None
    grown: Sequence[int]
    """For what a model's states needed more room than it had by itself, in this order."""
    version: str = field(default=__version__)

    def data(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def options(self) -> str:
        """Those that change what the answer means, in words."""
        said = [f"-D {name}={value}" for name, value in self.definitions.items()]
        if self.overflow != "error":
            said.append(f"--overflow {self.overflow}")
        if self.deadlock is not None:
            said.append(f"--deadlock {self.deadlock}")
        return " ".join(said)


_KINDS: dict[str, type | tuple[type, ...]] = {
    "model": str,
    "sha256": str,
    "overflow": str,
    "definitions": dict,
    "properties": list,
    "invariants": list,
    "ltl": list,
    "formula_files": list,
    "deadlock": (str, type(None)),
    "grown": list,
    "version": str,
}
_VALUES = {"overflow": ("error", "wrap"), "deadlock": ("stuck", "stuttering", "off", None)}


def read_terms(data: Mapping[str, Any]) -> Terms:
    """Raises InputError where something is missing, or there is more than is understood."""
    if set(data) != set(_KINDS):
        raise InputError("the terms of the certificate are not those of this version")
    if not _is_right(data):
        raise InputError("the terms of the certificate cannot be understood")
    return Terms(**data)


def _is_right(data: Mapping[str, Any]) -> bool:
    if not all(isinstance(data[name], kind) for name, kind in _KINDS.items()):
        return False
    pairs = [*data["formula_files"], *map(list, data["definitions"].items())]
    texts = [*data["properties"], *data["invariants"], *data["ltl"]]
    return (
        all(data[name] in values for name, values in _VALUES.items())
        and all(isinstance(pair, list) and len(pair) == 2 for pair in pairs)
        and all(isinstance(text, str) for text in (*texts, *(part for pair in pairs for part in pair)))
        and all(type(site) is int for site in data["grown"])
    )


def under(system: System, deadlock: Deadlock | Literal["off"] | None) -> System:
    """The system with another meaning of deadlock, if the user gave one."""
    return system if deadlock is None or deadlock == "off" else replace(system, deadlock=deadlock)


def states_section(system: System, asked: Asked) -> dict[str, Any]:
    ends = [deadlock_name(system)] if asked.deadlock else []
    titles = [title for title, _ in asked.titles]
    names = [ASSERTIONS, *ends, *titles, *(invariant.name for invariant in asked.invariants)]
    return {"kind": "states", "properties": names, "words": system.layout.words}


def runs_section(name: str, automaton: Automaton, words: int) -> dict[str, Any]:
    """`words` are those of a state of the product."""
    identity = sha256(repr(automaton).encode()).hexdigest()
    return {"kind": "runs", "properties": [name], "words": words + 1, "automaton": identity}
