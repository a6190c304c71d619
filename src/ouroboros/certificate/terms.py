"""The terms of a certificate: which model it is about, what was asked of it, and which options change what that means.

Whoever confirms a certificate asks the same again, by these terms; nothing else in the file says what is shown.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from ouroboros import __version__
from ouroboros.errors import InputError
from ouroboros.system.model import Deadlock, Overflow


@dataclass(frozen=True)
class Terms:
    model: str
    sha256: str
    """Of the model's text."""
    overflow: Overflow
    definitions: Mapping[str, str]
    settings: Mapping[str, Sequence[str]]
    """What only some languages can be told."""
    texts: Mapping[str, Sequence[str]]
    """What was asked, by the names of options."""
    files: Mapping[str, Sequence[Sequence[str]]]
    """The name and the text of each file of questions, likewise."""
    deadlock: Deadlock | Literal["off"] | None
    grown: Sequence[int]
    """For what a model's states needed more room than it had by itself, in this order."""
    version: str = field(default=__version__)

    def data(self) -> dict[str, Any]:
        data = asdict(self)
        questions = data.pop("texts") | data.pop("files")
        return {**data, **questions}

    @property
    def options(self) -> str:
        """Those that change what the answer means, in words."""
        said = [f"-D {name}={value}" for name, value in self.definitions.items()]
        said += [f"{name} {' '.join(values)}" for name, values in self.settings.items()]
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
    "settings": dict,
    "deadlock": (str, type(None)),
    "grown": list,
    "version": str,
}
_VALUES = {"overflow": ("error", "wrap"), "deadlock": ("stuck", "stuttering", "off", None)}


def read_terms(data: Mapping[str, Any], texts: Collection[str], files: Collection[str]) -> Terms:
    """`texts` and `files` are the options that ask; raises InputError where one is missing, or there is more than is
    understood.
    """
    if set(data) != {*_KINDS, *texts, *files}:
        raise InputError("the terms of the certificate are not those of this version")
    if not _is_right(data, texts, files):
        raise InputError("the terms of the certificate cannot be understood")
    return Terms(
        **{name: data[name] for name in _KINDS},
        texts={name: data[name] for name in texts},
        files={name: data[name] for name in files},
    )


def _is_right(data: Mapping[str, Any], asked: Collection[str], asked_files: Collection[str]) -> bool:
    kinds = {**_KINDS, **dict.fromkeys([*asked, *asked_files], list)}
    if not all(isinstance(data[name], kind) for name, kind in kinds.items()):
        return False
    pairs = [*(file for name in asked_files for file in data[name]), *map(list, data["definitions"].items())]
    if not all(isinstance(values, list) for values in data["settings"].values()):
        return False
    texts = [text for values in (*(data[name] for name in asked), *data["settings"].values()) for text in values]
    return (
        all(data[name] in values for name, values in _VALUES.items())
        and all(isinstance(pair, list) and len(pair) == 2 for pair in pairs)
        and all(isinstance(text, str) for text in (*texts, *(part for pair in pairs for part in pair)))
        and all(type(site) is int for site in data["grown"])
    )
