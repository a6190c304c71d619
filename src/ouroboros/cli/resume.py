"""`ouro resume`: go on with a run that was ended."""

from __future__ import annotations

from typing import Any

import click

from ouroboros.cli.options import RunOptions, every_option, json_option, limit_options, trace_option, workers_option


@click.command(short_help="Go on with a run from its last checkpoint.")
@click.argument("directory")
@workers_option(None, "Processes to search with. Default: as many as before.")
@limit_options
@every_option
@trace_option
@json_option
def resume(directory: str, workers: int | None, every: float | None, **options: Any) -> int:
    """Go on with a run that was started with --checkpoint DIRECTORY, and was ended: by a signal, a limit or a crash.

    What the run was asked is known from the directory. The number of workers may be another one than before, also that
    of the ranks of an MPI run; limits are those that are given now, and none of before.
    """
    from ouroboros.cli.check import check_model
    from ouroboros.cli.saving import SavedRun
    from ouroboros.cli.states import count_states
    from ouroboros.engine.exchange.mpi import launched_ranks

    saved = SavedRun.read(directory)
    before = saved.options
    if workers is None:
        workers = 1 if launched_ranks() > 1 else before["workers"]
    before |= {"workers": workers, "every": every or before["every"], "checkpoint": directory}
    run = RunOptions(**before, **options)
    command = {"check": check_model, "states": count_states}[saved.recipe.command]
    return command(saved.model, run, saved.recipe.arguments, saved)
