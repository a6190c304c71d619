"""Rules of the house that no tool knows: how large things may be, and who may know of languages."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import ouroboros
from ouroboros.languages import LANGUAGES as TABLE

ROOT = Path(ouroboros.__file__).parent
FILES = sorted(set(ROOT.rglob("*.py")) - set((ROOT / "examples" / "models").rglob("*.py")))
OUTSIDE = [path for path in FILES if path.relative_to(ROOT).parts[0] != "languages"]

MOST_LINES = 400
MOST_PARAMETERS = 10

LONG_MODULES: set[str] = set()
"""Modules that are too long, by name. What is not any more has to be taken out: the list only becomes shorter."""

MANY_PARAMETERS: set[str] = set()
"""Functions with too many parameters, by module and name; likewise."""


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def test_modules_are_short() -> None:
    long = {path.stem for path in FILES if len(path.read_text(encoding="utf-8").splitlines()) > MOST_LINES}
    assert not long - LONG_MODULES, f"over {MOST_LINES} lines: divide them"
    assert not LONG_MODULES - long, "these are not too long any more: take them out of the list"


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    given = function.args
    rest = (given.vararg, given.kwarg)
    return sum(map(len, (given.posonlyargs, given.args, given.kwonlyargs))) + sum(each is not None for each in rest)


def test_functions_have_few_parameters() -> None:
    many = {
        f"{path.stem}.{node.name}"
        for path in FILES
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and parameters(node) > MOST_PARAMETERS
    }
    assert not many - MANY_PARAMETERS, f"over {MOST_PARAMETERS} parameters: put together what belongs together"
    assert not MANY_PARAMETERS - many, "these have not too many any more: take them out of the list"


LANGUAGES = set(TABLE)
SUFFIXES = {suffix for language in TABLE.values() for suffix in language.suffixes}


def is_front_end(module: str) -> bool:
    """Whether a module belongs to the front end of one language. What its models import is a room of its own."""
    return module.startswith("ouroboros.languages.")


def names_of_languages(tree: ast.Module) -> Iterator[str]:
    """Where code depends on a language: its package, its name or its suffix as a value. Prose may mention it. A letter
    alone is an order of arrays.
    """
    for node in ast.walk(tree):
        match node:
            case ast.Constant(str(text)) if text.lower() in {*LANGUAGES, *SUFFIXES} - {"c"}:
                yield f"line {node.lineno}: {text!r}"
            case ast.ImportFrom(module="ouroboros.languages", names=names):
                yield from (f"line {node.lineno}: {name.name}" for name in names if name.name in LANGUAGES)
            case ast.ImportFrom(module=str(module)) if is_front_end(module):
                yield f"line {node.lineno}: {module}"
            case ast.Import(names):
                yield from (f"line {node.lineno}: {name.name}" for name in names if is_front_end(name.name))


@pytest.mark.parametrize("path", OUTSIDE, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_languages_know_of_languages(path: Path) -> None:
    """A model says what it can do; nobody else asks in which language it was written."""
    assert not list(names_of_languages(parsed(path)))


PLATFORM = {"os", "mmap"}
"""Modules of Python that have more on some systems than on others."""


def questions_by_name(tree: ast.Module) -> Iterator[str]:
    """Asking an object whether it has a certain attribute, which its type should have said."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(ast.Name("getattr" | "hasattr"), [asked, ast.Constant(str(name)), *_]):
                if not (isinstance(asked, ast.Name) and asked.id in PLATFORM):
                    yield f"line {node.lineno}: {name}"


@pytest.mark.parametrize("path", OUTSIDE, ids=lambda path: str(path.relative_to(ROOT)))
def test_nobody_asks_for_what_is_outside_a_protocol(path: Path) -> None:
    assert not list(questions_by_name(parsed(path)))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('if model.system.language == "Murphi": pass', 1),
        ("from ouroboros.languages.promela.model import PromelaModel", 1),
        ("import ouroboros.languages.dve", 1),
        ("from ouroboros.languages import murphi", 1),
        ("from ouroboros.python import Model", 0),
        ('suffix = ".pml"', 1),
        ('help = "for models in Promela"', 0),
        ("from ouroboros.languages import load", 0),
    ],
)
def test_knowing_of_a_language_is_noticed(text: str, found: int) -> None:
    assert len(list(names_of_languages(ast.parse(text)))) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('getattr(model, "spin_formulas", False)', 1),
        ('hasattr(self.model, "grow")', 1),
        ('hasattr(os, "posix_fadvise")', 0),
        ("getattr(options, name)", 0),
    ],
)
def test_asking_by_name_is_noticed(text: str, found: int) -> None:
    assert len(list(questions_by_name(ast.parse(text)))) == found
