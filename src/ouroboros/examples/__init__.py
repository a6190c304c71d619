"""The models that come with Ouroboros: in the folder `models` of an installation, in `examples` of a source tree."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from ouroboros.errors import UsageError
from ouroboros.expectations.header import Header, read_header
from ouroboros.source import Source

_LANGUAGES = {"dve": "DVE", "promela": "Promela", "murphi": "Murphi"}
"""What the folders are named, and what the languages are."""


@dataclass(frozen=True)
class Example:
    path: Path
    header: Header

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def language(self) -> str:
        return _LANGUAGES[self.path.parent.name]

    @property
    def companions(self) -> list[Path]:
        """Files that its checks name, such as formulas."""
        named = [word for check in self.header.checks for word in check.options]
        return sorted({found for word in named if (found := self.path.with_name(word)).is_file()})


def all_examples() -> list[Example]:
    """By topic, in alphabetical order."""
    installed = Path(__file__).parent / "models"
    folder = installed if installed.is_dir() else Path(__file__).parents[3] / "examples"
    paths = [path for name in _LANGUAGES for path in (folder / name).glob("*.*") if path.suffix != ".ltl"]
    found = [Example(path, read_header(Source(str(path), path.read_text(encoding="utf-8")))) for path in paths]
    return sorted(found, key=lambda example: (str(example.header.topic), example.name))


def find_example(name: str) -> Example:
    """Raises UsageError if there is none of that name."""
    found = {example.name: example for example in all_examples()}
    if name not in found:
        near = get_close_matches(name, found, n=1)
        hint = f"did you mean {near[0]}?" if near else "`ouro examples` lists them"
        raise UsageError(f"there is no example {name}: {hint}")
    return found[name]
