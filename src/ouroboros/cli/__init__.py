"""The command `ouro`. Everything heavy is imported by the command that needs it, so that `--help` is instant."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper

import click

from ouroboros import __version__
from ouroboros.cli.check import check
from ouroboros.cli.failures import explained
from ouroboros.cli.info import info
from ouroboros.cli.ltl import ltl
from ouroboros.cli.resume import resume
from ouroboros.cli.simulate import simulate
from ouroboros.cli.states import states
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


ouro.add_command(check)
ouro.add_command(states)
ouro.add_command(resume)
ouro.add_command(simulate)
ouro.add_command(info)
ouro.add_command(ltl)
ouro.add_command(verify_certificate)


def main(arguments: Sequence[str] | None = None) -> None:
    # Else NumPy would start a thread for each core, in each worker and rank, for linear algebra that nobody does here.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # A terminal that cannot show an arrow gets a question mark, not an exception.
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    sys.exit(explained(lambda: ouro.main(arguments, prog_name="ouro", standalone_mode=False)))
