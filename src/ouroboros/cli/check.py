"""`ouro check`: do the properties hold?"""

from __future__ import annotations

from typing import Any

import click

from ouroboros.cli.options import RunOptions, run_options


@click.command(short_help="Check the properties of a model.")
@click.argument("model")
@click.option(
    "--property",
    "properties",
    metavar="NAME",
    multiple=True,
    help="assertions, deadlock, or a property of the model by name (`ouro info` lists them). Repeatable.",
)
@click.option(
    "--invariant",
    "invariants",
    metavar="EXPR",
    multiple=True,
    help="An expression over the model's names that must hold in every state. Repeatable.",
)
@run_options
def check(model: str, properties: tuple[str, ...], invariants: tuple[str, ...], **options: Any) -> int:
    """Check the properties of a model.

    Assertions are always checked, and so is that nothing goes wrong: no index out of range, no division by zero.
    Without --property or --invariant, the model's own property automaton is checked too, or, where it has none, that
    there is no deadlock.

    A violation is shown as a shortest run that leads to it.
    """
    run = RunOptions(**options)

    from ouroboros import checking
    from ouroboros.cli.running import run_and_report
    from ouroboros.report.terminal import check_report

    return run_and_report(
        model,
        run,
        lambda loaded, **resources: checking.check(loaded, properties=properties, invariants=invariants, **resources),
        check_report,
    )
