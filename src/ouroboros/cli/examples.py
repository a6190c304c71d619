"""`ouro examples`: what is there to start from?"""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ouroboros.examples import Example


@click.command(short_help="List the models that come with Ouroboros, or show one.")
@click.argument("name", required=False)
def examples(name: str | None) -> int:
    """List the models that come with Ouroboros by topic, or show the one of that NAME.

    Each has its lesson in a comment at the top, what to ask of it, and what the answers are; `ouro new NAME` copies it.
    """
    from ouroboros.cli.output import printed
    from ouroboros.examples import all_examples, find_example

    if name is None:
        with printed():
            _list(all_examples())
        return 0
    example = find_example(name)
    with printed():
        _describe(example)
    return 0


def _list(found: list[Example]) -> None:
    from rich.table import Table
    from rich.text import Text

    from ouroboros.report.page import Page
    from ouroboros.units import plural

    page = Page(sys.stdout)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    table.add_column()
    table.add_column()
    table.add_column(justify="right")
    topic = None
    for example in found:
        if example.header.topic != topic:
            if topic is not None:
                table.add_row()
            topic = example.header.topic
            table.add_row(Text(str(topic), style="bold"))
        states = example.header.counts[0].numbers["states"]
        table.add_row(
            f"  {example.name}",
            example.language,
            f"{states:,} states",
            Text(_verdicts(example)),
            Text(example.header.summary),
        )
    page.show(table)
    page.line(f"\n{plural(len(found), 'example')}: `ouro examples NAME` shows one, `ouro new NAME` copies it")


def _verdicts(example: Example) -> str:
    """How many of the questions hold, and how many do not."""
    verdicts = [expected.verdict for check in example.header.checks for expected in check.expected]
    numbers = {verdict: verdicts.count(verdict) for verdict in dict.fromkeys(sorted(verdicts))}
    return ", ".join(f"{number} {verdict}" for verdict, number in numbers.items())


def _describe(example: Example) -> None:
    header = example.header
    print(f"{example.name} ({example.language}, {header.topic})\n\n{header.lesson}\n")
    for check in header.checks:
        print(shlex.join(["ouro", "check", example.path.name, *check.options]))
        for expected in check.expected:
            print(f"    {expected.text}")
    for count in header.counts:
        print(shlex.join(["ouro", "states", example.path.name, *count.options]))
        print("    " + ", ".join(f"{number:,} {name}" for name, number in count.numbers.items()))
    print(f"\n{example.path.read_text(encoding='utf-8')}", end="")
