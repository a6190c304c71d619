"""Data moves to the right through the house, and an import never points left."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import ouroboros

ROOT = Path(ouroboros.__file__).parent
MODULES = sorted(set(ROOT.rglob("*.py")) - set((ROOT / "examples" / "models").rglob("*.py")))

LEVELS: list[set[str]] = [
    {
        "source",
        "errors",
        "cache",
        "units",
        "process",
        "outline",
        "settings",
        "amounts",
        "python",
        "compiler",
        "outside",
    },
    {"system"},
    {"reduce", "conditions"},
    {"ltl", "native"},
    {"languages"},
    {"verdict"},
    {"expectations"},
    {"examples"},
    {"jit", "memory"},
    {"graph"},
    {"engine"},
    {"checkpoint"},
    {"search"},
    {"trace", "certificate"},
    {"simulation"},
    {"driver"},
    {"properties"},
    {"checking"},
    {"report"},
    {"web", "editor", "library"},
    {"cli"},
    {"__init__", "__main__"},
]
"""A room may import from itself and from the rooms before it, but not from its neighbours on the same level."""

LEVEL = {room: level for level, rooms in enumerate(LEVELS) for room in rooms}
NEIGHBOURS = {
    ("errors", "source"),
    ("outline", "source"),
    ("amounts", "errors"),
    ("compiler", "errors"),
    ("outside", "errors"),
}
"""The only imports within a level."""

NARROW = {
    "system": {"source"},
    "reduce": {"cache", "errors", "source", "system"},
    "verdict": {"source", "system", "ltl"},
    "trace": {"errors", "source", "system", "ltl", "verdict"},
    "expectations": {"errors", "source", "verdict"},
    "examples": {"errors", "source", "languages", "expectations"},
    "certificate": {"errors", "source", "system", "ltl"},
}
"""Rooms that may import less than all that is before them."""


def room_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imported_modules(path: Path) -> Iterator[str]:
    """The modules of the package that a file imports, wherever in the file it does."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name.startswith("ouroboros"))
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            if node.module == "ouroboros":
                # The version is a fact that every room may know.
                yield from (f"ouroboros.{name.name}" for name in node.names if name.name != "__version__")
            elif node.module and node.module.startswith("ouroboros."):
                yield node.module


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_of(path: Path) -> None:
    room = room_of(path)
    for module in imported_modules(path):
        target = module.split(".")[1]
        if target == room:
            continue
        assert LEVEL[target] < LEVEL[room] or (room, target) in NEIGHBOURS, f"{room} imports {module}"
        assert room not in NARROW or target in NARROW[room], f"{room} imports {module}"


def test_languages_cannot_see_each_other() -> None:
    for path in (ROOT / "languages").rglob("*.py"):
        parts = path.relative_to(ROOT / "languages").parts
        for module in imported_modules(path):
            names = module.split(".")[1:]
            assert names[:1] != ["languages"] or names[1:2] in ([], [parts[0]]), f"{path} imports {module}"


PROMELA = ROOT / "languages" / "promela"
STAGES = ("read", "flow", "lower")
"""The sub-packages of Promela: each may import from itself and from those before it."""


@pytest.mark.parametrize("stage", STAGES)
def test_stages_of_promela_import_only_from_those_before(stage: str) -> None:
    allowed = STAGES[: STAGES.index(stage) + 1]
    paths = list((PROMELA / stage).rglob("*.py"))
    assert paths
    for path in paths:
        for module in imported_modules(path):
            names = module.split(".")[1:]
            if names[:2] == ["languages", "promela"]:
                assert ".".join(names[2:3]) in allowed, f"{path} imports {module}"
