"""What a page may ask: every field of a request is looked at before anything is done with it."""

from __future__ import annotations

from typing import Any

from ouroboros.errors import InputError
from ouroboros.system.model import REDUCTIONS
from ouroboros.web.walks import LONGEST_PATH, Path

_LONGEST_WORD = 4_000
_MOST_WORDS = 200
_LARGEST = 2**53


class Fields:
    """The fields of a request, each by what it must be; InputError where it is something else."""

    def __init__(self, data: Any) -> None:
        if not isinstance(data, dict):
            raise InputError("a request is a JSON object")
        self._data: dict[str, Any] = data

    def text(self, name: str, longest: int = _LONGEST_WORD) -> str:
        value = self._data.get(name)
        if not isinstance(value, str) or len(value) > longest:
            raise InputError(f"{name} is a text of at most {longest:,} characters")
        return value

    def optional_text(self, name: str) -> str | None:
        return None if self._data.get(name) in (None, "") else self.text(name)

    def texts(self, name: str) -> list[str]:
        value = self._data.get(name, [])
        if (
            not isinstance(value, list)
            or len(value) > _MOST_WORDS
            or not all(isinstance(each, str) and len(each) <= _LONGEST_WORD for each in value)
        ):
            raise InputError(f"{name} is a list of at most {_MOST_WORDS} texts")
        return value

    def number(self, name: str, default: int, least: int, most: int) -> int:
        value = self._data.get(name, default)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise InputError(f"{name} is a whole number from {least:,} to {most:,}")
        return value

    def optional_number(self, name: str) -> int | None:
        return None if self._data.get(name) is None else self.number(name, 0, 1, _LARGEST)

    def truth(self, name: str, default: bool = False) -> bool:
        value = self._data.get(name, default)
        if not isinstance(value, bool):
            raise InputError(f"{name} is true or false")
        return value

    def choice(self, name: str, allowed: tuple[str, ...]) -> str | None:
        value = self._data.get(name)
        if value in (None, ""):
            return None
        if value not in allowed:
            raise InputError(f"{name} is one of {', '.join(allowed)}")
        return str(value)

    def path(self, name: str) -> Path:
        value = self._data.get(name)
        if (
            not isinstance(value, list)
            or not 1 <= len(value) <= LONGEST_PATH
            or not all(isinstance(each, int) and not isinstance(each, bool) for each in value)
            or not all(0 <= each < _LARGEST for each in value)
        ):
            raise InputError(f"{name} is a list of at most {LONGEST_PATH:,} numbers")
        return tuple(value)

    def optional_path(self, name: str) -> Path | None:
        return None if self._data.get(name) is None else self.path(name)

    def definitions(self) -> dict[str, str]:
        value = self._data.get("definitions", {})
        if (
            not isinstance(value, dict)
            or len(value) > _MOST_WORDS
            or not all(isinstance(each, str) and len(each) <= _LONGEST_WORD for each in value.values())
        ):
            raise InputError("definitions is an object of texts")
        return value

    def object(self, name: str) -> dict[str, Any]:
        value = self._data.get(name)
        if not isinstance(value, dict):
            raise InputError(f"{name} is an object")
        return value

    def stamp(self) -> list[int]:
        value = self._data.get("stamp")
        if not isinstance(value, list) or not all(isinstance(each, int) for each in value):
            raise InputError("stamp is what the server gave")
        return value


def search_arguments(fields: Fields) -> dict[str, Any]:
    """Of an `Inquiry`, from what a page has chosen."""
    common: dict[str, Any] = {
        "definitions": fields.definitions(),
        "workers": fields.number("workers", 1, 1, 64),
        "memory": fields.optional_number("memory"),
        "seconds": fields.optional_number("seconds"),
        "states": fields.optional_number("states"),
    }
    if fields.truth("counted"):
        return {**common, "counted": True}
    sought = fields.optional_text("sought")
    if sought is not None:
        return {**common, "sought": sought, "start": fields.optional_path("start")}
    question: dict[str, Any] = {
        "properties": fields.texts("properties"),
        "invariants": fields.texts("invariants"),
        "ltl": fields.texts("ltl"),
        "responses": fields.texts("responses"),
        "deadlock": fields.choice("deadlock", ("stuck", "stuttering", "off")),
        "fairness": fields.choice("fairness", ("weak", "strong")),
        "algorithm": fields.choice("algorithm", ("auto", "ndfs", "owcty", "map")) or "auto",
        "symmetry": fields.truth("symmetry"),
        "reductions": sorted(REDUCTIONS) if fields.truth("reduction", True) else (),
        "store": fields.text("store") if fields.optional_text("store") else "full",
    }
    return {**common, "question": question}
