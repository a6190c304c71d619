"""`ouro test`: do models do what their headers say?"""

from __future__ import annotations

import click

from ouroboros.cli.options import confirm_writable


@click.command(short_help="Ask models what their headers say, and compare the answers.")
@click.argument("paths", metavar="[FILE or FOLDER]…", nargs=-1)
@click.option("--junit", metavar="FILE", help="Write the results in the XML of JUnit, for continuous integration.")
@click.option("--sarif", metavar="FILE", help="Write what is not as expected in SARIF, for annotations of code.")
@click.option(
    "--cache",
    is_flag=True,
    help="Leave out what was as expected before, where neither the model nor a file of formulas nor Ouroboros itself"
    " has changed since.",
)
def test(paths: tuple[str, ...], junit: str | None, sarif: str | None, cache: bool) -> int:
    """Ask models what the comments at their tops say, and compare the answers with those that they expect.

    Without a FILE or FOLDER, all models in and below this directory are asked that expect something:

    \b
        // check: --property starves
        // expect: violated starves by a cycle
        // states: 8  transitions: 14  deadlocks: 0

    The exit code is 0 where all is as expected, 1 where it is not, 2 where a header makes no sense.
    """
    for option, file in (("--junit", junit), ("--sarif", sarif)):
        if file is not None:
            confirm_writable(option, file)

    from ouroboros.cli.testing import run_tests

    return run_tests(paths or (".",), junit=junit, sarif=sarif, cache=cache)
