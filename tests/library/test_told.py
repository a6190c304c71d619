"""What is told of the library: examples in docstrings, the reference, and the notebook."""

from __future__ import annotations

import doctest
import sys
from importlib import import_module
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

import ouroboros
import ouroboros.python

ROOT = Path(__file__).parents[2]
MODULES = ("models", "automata")


@pytest.mark.parametrize("module", MODULES)
def test_examples_in_docstrings_are_right(module: str) -> None:
    found = doctest.testmod(import_module(f"ouroboros.library.{module}"))
    assert found.attempted > 1
    assert found.failed == 0


def test_the_reference_has_all_that_is_public(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(ROOT), *sys.path])
    hooks = import_module("mkdocs_hooks")
    page = hooks.on_page_markdown((ROOT / "docs" / "reference.md").read_text())
    for name in (*ouroboros.__all__, *ouroboros.python.__all__):
        assert name.startswith("_") or f"## `{name}`" in page, name
        what = getattr(ouroboros, name, None) or getattr(ouroboros.python, name)
        assert name.startswith("_") or (what.__doc__ or "").strip(), f"{name} has no docstring"
    assert "* `raise_if_violated()`: Raises Violated" in page
    assert ":::" not in page


def test_the_notebook_runs_from_first_to_last() -> None:
    notebook = nbformat.read(ROOT / "docs" / "notebook.ipynb", as_version=4)
    nbformat.validate(notebook)
    NotebookClient(notebook, timeout=200, kernel_name="python3").execute()
    shown = [output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", [])]
    assert any("<circle" in data.get("image/svg+xml", "") for data in shown), "no picture of a state graph"
    assert any("<details" in data.get("text/html", "") and "<table" in data["text/html"] for data in shown)


def test_a_picture_of_a_state_graph() -> None:
    text = "byte x; active proctype P() { do :: x < 3 -> x = x + 1 :: x > 2 -> x = 0 od }"
    graph = ouroboros.loads(text, "promela").graph()
    picture = graph.to_svg()
    assert picture.count("<circle") == len(graph.states)
    assert picture.count("marker-end") == len(graph.edges)
    assert picture.count("stroke-width='3'") == graph.initial == 1
    many = ouroboros.loads("byte x; active proctype P() { do :: x++ od }", "promela", overflow="wrap").graph()
    if len(many.states) > 300:
        with pytest.raises(ouroboros.OuroborosError, match="at most 300"):
            many.to_svg()
