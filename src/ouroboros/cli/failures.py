"""What a user sees when something goes wrong, and the exit code for it."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable

import click

from ouroboros.errors import InputError, OuroborosError, SelfCheckError

INTERRUPTED = 130
UNKNOWN = 3
OUR_FAULT = SelfCheckError.exit_code


class Interrupted(OuroborosError):
    """The user ended a search."""

    exit_code = INTERRUPTED


def explained(command: Callable[[], int | None]) -> int:
    """Run a command; tell of any error once, without a traceback, and return the exit code."""
    try:
        return command() or 0
    except click.ClickException as error:
        if _speaks():
            error.show()
        return error.exit_code
    except click.Abort:
        return _tell("ouro: interrupted", INTERRUPTED)
    except SelfCheckError as error:
        return _tell(f"ouro: {error}\n{_OURS}", error.exit_code)
    except OuroborosError as error:
        # Editors jump to a place that a line begins with.
        placed = isinstance(error, InputError) and error.span
        return _tell(str(error) if placed else f"ouro: {error}", error.exit_code)
    except MemoryError:
        return _tell("ouro: unknown: memory: the machine has too little for the model itself", UNKNOWN)
    except Exception as error:
        if os.environ.get("OUROBOROS_DEBUG"):
            traceback.print_exc()
        # Not through _tell: only this rank may have met it.
        print(f"ouro: {type(error).__name__}: {error}\n{_OURS}", file=sys.stderr, flush=True)
        return OUR_FAULT


_OURS = (
    "This is a bug in Ouroboros, not in your model: nothing is decided. Please report it together with the model.\n"
    "With OUROBOROS_DEBUG=1 in the environment, an unexpected error is shown with its traceback."
)


def _tell(message: str, code: int) -> int:
    if _speaks():
        print(message, file=sys.stderr, flush=True)
    return code


def _speaks() -> bool:
    """Under MPI every rank meets the same error; the first one tells."""
    from ouroboros.engine.exchange.mpi import launched_ranks
    from ouroboros.engine.team import Team

    if launched_ranks() == 1:
        return True
    try:
        return Team().leads
    except OuroborosError:
        return True
