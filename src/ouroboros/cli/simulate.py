"""`ouro simulate`: what does a model do?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ouroboros.cli.options import definitions_option, files_argument, one_model, overflow_option, settings_options
from ouroboros.errors import UsageError
from ouroboros.settings import Settings
from ouroboros.system.model import Overflow

_DETAILS = ("statements", "globals_", "locals_", "sends", "receives")


@click.command(short_help="Run a model, at random or by hand.")
@files_argument
@click.option(
    "--seed", type=int, help="Choose the same steps as the run that had this seed. Default: another each time."
)
@click.option("--steps", type=click.IntRange(0), default=1000, show_default=True, help="Stop after so many steps.")
@click.option("--interactive", is_flag=True, help="Choose each step among the possible ones; h is help.")
@click.option(
    "--replay", metavar="FILE", help="Make the steps of a trace again that `ouro check --json FILE` has written."
)
@click.option(
    "--violation",
    metavar="WHICH",
    help="Of a report with several traces: which one to replay, by the name of the property, or by its number in the"
    " order of the report. Default: the one that decides the verdict.",
)
@click.option(
    "--msc", metavar="FILE", help="Draw the messages of the run: a sequence chart, as SVG; - is the terminal, as text."
)
@click.option("-p", "statements", is_flag=True, help="Tell of each step only its statement; with -g and -l, more.")
@click.option("-g", "globals_", is_flag=True, help="Tell what changes in global variables and channels.")
@click.option("-l", "locals_", is_flag=True, help="Tell what changes in the processes.")
@click.option("-s", "sends", is_flag=True, help="Tell of the steps that send a message.")
@click.option("-r", "receives", is_flag=True, help="Tell of the steps that receive one.")
@definitions_option
@overflow_option
@settings_options
def simulate(
    files: tuple[str, ...],
    interactive: bool,
    replay: str | None,
    violation: str | None,
    msc: str | None,
    definitions: dict[str, str],
    overflow: Overflow,
    settings: Settings,
    **options: Any,
) -> int:
    """Run a model and show each step: at random, by hand, or as a trace says.

    The letters -p -g -l -s -r say what to tell, as in Spin; without any, each step is told with all that it changes.
    What the model prints is always shown.

    The exit code is 1 where the run ends in a failure, such as an assertion that is violated.
    """
    if interactive and replay:
        raise UsageError("--interactive and --replay cannot go together: a trace leaves nothing to choose")
    if violation and not replay:
        raise UsageError("--violation says what to replay: name the report with --replay FILE")
    if msc and not Path(msc).parent.is_dir():
        raise UsageError(f"--msc {msc}: there is no directory {Path(msc).parent}")

    from ouroboros.cli.simulating import run_simulation
    from ouroboros.cli.warning import warn
    from ouroboros.languages import beside, load
    from ouroboros.report.simulation import Detail
    from ouroboros.simulation.replay import RecordedTrace

    chosen = [options.pop(name) for name in _DETAILS]
    statements, globals_, locals_, sends, receives = chosen
    detail = Detail(statements or globals_ or locals_, globals_, locals_, sends, receives) if any(chosen) else Detail()
    model, others = one_model(files)
    loaded = load(model, overflow=overflow, definitions=definitions, settings=beside(others, settings))
    warn(loaded.system.warnings)
    trace = RecordedTrace(replay, which=violation) if replay is not None else None
    return run_simulation(loaded, interactive=interactive, trace=trace, chart=msc, detail=detail, **options)
