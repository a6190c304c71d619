"""`ouro ltl`: the automaton of a formula."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from ouroboros.errors import UsageError

if TYPE_CHECKING:
    from ouroboros.ltl import Automaton


@click.command(short_help="Translate a formula to an automaton.")
@click.argument("formula")
@click.option("--negate", is_flag=True, help="Translate the negation: `check` looks for runs that it accepts.")
@click.option("--hoa", is_flag=True, help="Print it in the Hanoi Omega-Automata format.")
@click.option("--never", is_flag=True, help="Print it as a never claim of Promela.")
@click.option("--dot", is_flag=True, help="Print it as a graph for Graphviz.")
def ltl(formula: str, negate: bool, hoa: bool, never: bool, dot: bool) -> int:
    """Print a Büchi automaton that accepts the runs on which FORMULA holds.

    Its atoms may be any expressions: they are not looked up in a model.
    """
    from ouroboros.cli.output import printed
    from ouroboros.ltl import Not, parse_span, translate
    from ouroboros.ltl.output import to_dot, to_hoa, to_never_claim, to_text
    from ouroboros.source import Source, Span
    from ouroboros.units import plural

    formats: list[Callable[[Automaton], str]] = [
        write for write, asked in ((to_hoa, hoa), (to_never_claim, never), (to_dot, dot)) if asked
    ]
    if len(formats) > 1:
        raise UsageError("one format at a time: choose from --hoa, --never and --dot")
    parsed = parse_span(Span(Source("formula", formula), 0, len(formula))).formula
    shown = Not(parsed) if negate else parsed
    automaton = translate(shown)
    edges = plural(sum(map(len, automaton.edges)), "edge")
    title = f"{shown}\n{plural(automaton.states, 'state')}, {edges}, {automaton.strength}"
    with printed():
        if formats:
            # Standard output is for the program that reads the format.
            print(title, file=sys.stderr)
            sys.stdout.write(formats[0](automaton))
        else:
            sys.stdout.write(f"{title}\n\n{to_text(automaton)}")
    return 0
