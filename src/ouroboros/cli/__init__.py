"""The command `ouro`. Everything heavy is imported by the command that needs it, so that `--help` is instant."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from itertools import pairwise

import click

from ouroboros import __version__
from ouroboros.cli.cesmi import cesmi
from ouroboros.cli.check import check
from ouroboros.cli.completion import completion
from ouroboros.cli.examples import examples
from ouroboros.cli.failures import Failed, explained, failure_data
from ouroboros.cli.graph import graph
from ouroboros.cli.info import info
from ouroboros.cli.lsp import lsp
from ouroboros.cli.ltl import ltl
from ouroboros.cli.man import man
from ouroboros.cli.new import new
from ouroboros.cli.output import printed, take_over_streams
from ouroboros.cli.resume import resume
from ouroboros.cli.serve import serve
from ouroboros.cli.simulate import simulate
from ouroboros.cli.states import states
from ouroboros.cli.test import test
from ouroboros.cli.verify_certificate import verify_certificate


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 holds, 1 violated, 2 error in the input or the command, 3 unknown, 4 a bug in Ouroboros.",
)
@click.version_option(__version__, prog_name="ouro")
def ouro() -> None:
    """Ouroboros, a distributed explicit-state model checker.

    Give a command one core, more with --workers N, or a cluster with mpiexec -n N ouro …
    """


@ouro.command(name="help", short_help="Show the help of a command.")
@click.argument("command", required=False)
@click.pass_context
def show_help(context: click.Context, command: str | None) -> None:
    """Show the help of a command, or of `ouro` itself."""
    group = context.find_root()
    if command is None:
        click.echo(group.get_help())
        return
    found = ouro.get_command(group, command)
    if found is None:
        raise click.UsageError(f"No such command '{command}': `ouro help` lists them.", group)
    click.echo(found.get_help(click.Context(found, group, command)))


ouro.add_command(check)
ouro.add_command(states)
ouro.add_command(test)
ouro.add_command(resume)
ouro.add_command(simulate)
ouro.add_command(serve)
ouro.add_command(info)
ouro.add_command(graph)
ouro.add_command(lsp)
ouro.add_command(ltl)
ouro.add_command(verify_certificate)
ouro.add_command(examples)
ouro.add_command(new)
ouro.add_command(cesmi)
ouro.add_command(completion)
ouro.add_command(man)
ouro.add_command(show_help)


def main(arguments: Sequence[str] | None = None) -> None:
    # Else NumPy would start a thread for each core, in each worker and rank, for linear algebra that nobody does here.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    take_over_streams()
    given = list(sys.argv[1:] if arguments is None else arguments)
    heard = _write_failure if _wants_json(given) else None

    def command() -> int:
        return explained(lambda: ouro.main(given, prog_name="ouro", standalone_mode=False), heard)

    # Who gives arguments wants to go on in this process.
    if arguments is None and _may_run_modules(given):
        from ouroboros.cli.guard import guarded

        sys.exit(explained(lambda: guarded(command), heard, alone=True))
    sys.exit(command())


def _may_run_modules(arguments: list[str]) -> bool:
    """Whether machine code of others may run; of what was saved, nobody knows before it is read."""
    from ouroboros.languages import runs_in_this_process

    return bool({"--cesmi", "resume", "verify-certificate"} & set(arguments)) or runs_in_this_process(arguments)


def _wants_json(arguments: list[str]) -> bool:
    """Whether standard output is read by a program, which wants to hear of an error there as well."""
    return "--json=-" in arguments or any(option == "--json" and value == "-" for option, value in pairwise(arguments))


def _write_failure(failed: Failed) -> None:
    with printed():
        print(json.dumps(failure_data(failed), indent=2, ensure_ascii=False))
