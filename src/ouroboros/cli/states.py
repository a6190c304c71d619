"""`ouro states`: how large is the state space?"""

from __future__ import annotations

from typing import Any

import click

from ouroboros.cli.options import RunOptions, run_options, symmetry_option


@click.command(short_help="Count the states of a model.")
@click.argument("model")
@symmetry_option
@run_options
def states(model: str, symmetry: bool, **options: Any) -> int:
    """Visit every state of a model and count: states, transitions, deadlocks, depth, time, memory.

    No property is checked, and no violation ends the search.
    """
    run = RunOptions(**options)

    from ouroboros import checking
    from ouroboros.cli.running import run_and_report
    from ouroboros.report.terminal import states_report

    return run_and_report(
        model,
        run,
        lambda loaded, **resources: checking.explore(loaded, symmetry=symmetry, **resources),
        states_report,
    )
