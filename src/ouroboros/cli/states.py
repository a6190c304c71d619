"""`ouro states`: how large is the state space?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ouroboros.cli.options import RunOptions, files_argument, one_model, run_options, symmetry_option

if TYPE_CHECKING:
    from ouroboros.cli.saving import SavedRun


@click.command(short_help="Count the states of a model.")
@files_argument
@symmetry_option
@click.option("--inclusion", is_flag=True, help="Of timed automata: leave out zones inside of others.")
@run_options
def states(files: tuple[str, ...], symmetry: bool, inclusion: bool, **options: Any) -> int:
    """Visit every state of a model and count: states, transitions, deadlocks, depth, time, memory.

    No property is checked, and no violation ends the search.
    """
    model, others = one_model(files)
    return count_states(model, RunOptions(**options).of_files(others), {"symmetry": symmetry, "inclusion": inclusion})


def count_states(model: str, run: RunOptions, arguments: dict[str, Any], saved: SavedRun | None = None) -> int:
    """Returns the exit code. With a `saved` run, go on with that."""
    from ouroboros import checking
    from ouroboros.cli.running import run_and_report
    from ouroboros.cli.saving import Recipe
    from ouroboros.report.terminal import write_states

    return run_and_report(
        model,
        run,
        Recipe("states", arguments),
        lambda loaded, **resources: checking.explore(loaded, **arguments, **resources),
        write_states,
        saved=saved,
    )
