"""`ouro graph`: the state graph of a small model as a file."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import click

from ouroboros.cli.options import confirm_writable, definitions_option, overflow_option
from ouroboros.errors import UsageError
from ouroboros.system.model import Overflow

_SUFFIXES = (".dot", ".graphml", ".svg")
_MOST_DRAWN = 500
"""States: with more, Graphviz takes minutes, and nobody can read what it draws."""


@click.command(short_help="Write the state graph of a small model.")
@click.argument("model")
@click.option("-o", "--output", "file", required=True, metavar="FILE", help="Ends in .dot, .graphml or .svg.")
@click.option("--most", type=click.IntRange(1), default=10_000, show_default=True, help="States that it may have.")
@definitions_option
@overflow_option
def graph(model: str, file: str, most: int, overflow: Overflow, definitions: dict[str, str]) -> int:
    """Write the states and steps of a small model to a file, for Graphviz (.dot), for programs that read GraphML, or
    drawn (.svg, by the program `dot` of Graphviz).
    """
    from ouroboros.library.models import load

    suffix = Path(file).suffix.lower()
    if suffix not in _SUFFIXES:
        raise UsageError(f"{file}: a graph is written to a file that ends in {', '.join(_SUFFIXES)}")
    drawing = shutil.which("dot") if suffix == ".svg" else ""
    if drawing is None:
        raise UsageError(f"{file}: the program `dot` of Graphviz is not installed; a .dot file needs nothing")
    confirm_writable("--output", file)
    found = load(model, overflow=overflow, definitions=definitions).graph(min(most, _MOST_DRAWN) if drawing else most)
    text = found.to_graphml() if suffix == ".graphml" else found.to_dot()
    if drawing:
        subprocess.run([drawing, "-Tsvg", "-o", file], input=text, text=True, check=True)
    else:
        Path(file).write_text(text, encoding="utf-8")
    print(f"{file}: {len(found.states):,} states, {len(found.edges):,} edges")
    return 0
