"""The models that come with Ouroboros: in the folder `models` of an installation, in `examples` of a source tree."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from ouroboros.errors import UsageError
from ouroboros.expectations.header import Header, read_header
from ouroboros.languages import LANGUAGES, is_model
from ouroboros.source import Source


@dataclass(frozen=True)
class Example:
    path: Path
    header: Header

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def language(self) -> str:
        return LANGUAGES[self.path.parent.name].title

    @property
    def companions(self) -> list[Path]:
        """Files that its checks name, such as formulas, and those that are named like it, such as queries."""
        named = [word for check in self.header.checks for word in check.options]
        found = {self.path.with_name(word) for word in named} | set(self.path.parent.glob(f"{self.path.stem}.*"))
        return sorted(path for path in found if path.is_file() and path != self.path)


def all_examples() -> list[Example]:
    """By topic, in alphabetical order."""
    installed = Path(__file__).parent / "models"
    folder = installed if installed.is_dir() else Path(__file__).parents[3] / "examples"
    paths = [path for name in LANGUAGES for path in (folder / name).glob("*.*") if is_model(path)]
    found = [Example(path, read_header(Source(str(path), path.read_text(encoding="utf-8")))) for path in paths]
    return sorted(found, key=lambda example: (str(example.header.topic), example.name))


def find_example(name: str) -> Example:
    """By its name, or that of its file where several languages have it; raises UsageError if there is none."""
    found: dict[str, Example] = {}
    order = list(LANGUAGES)
    for example in sorted(all_examples(), key=lambda each: order.index(each.path.parent.name)):
        found[example.path.name] = example
        found.setdefault(example.name, example)
    if name not in found:
        near = get_close_matches(name, found, n=1)
        hint = f"did you mean {near[0]}?" if near else "`ouro examples` lists them"
        raise UsageError(f"there is no example {name}: {hint}")
    return found[name]
