"""What a user sees when something goes wrong, and the exit code for it."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from typing import Any, NamedTuple

import click

from ouroboros import __version__
from ouroboros.cli.output import ReaderGone
from ouroboros.errors import InputError, OuroborosError, OutOfTime, SelfCheckError
from ouroboros.source import Span

INTERRUPTED = 130
UNKNOWN = 3
OUR_FAULT = SelfCheckError.exit_code


class Interrupted(OuroborosError):
    """The user ended a search."""

    exit_code = INTERRUPTED


class Failed(NamedTuple):
    """An error, for programs."""

    message: str
    exit_code: int
    span: Span | None = None
    hint: str | None = None


def explained(
    command: Callable[[], int | None], heard: Callable[[Failed], None] | None = None, alone: bool = False
) -> int:
    """Run a command; tell of any error once, without a traceback, and return the exit code.

    Who has `heard` of it first is told the same, unless a report was written before. `alone` is who knows of an error
    that no other rank meets.
    """

    def tell(message: str, failed: Failed) -> int:
        if heard:
            heard(failed)
        if alone or _speaks():
            print(message, file=sys.stderr, flush=True)
        return failed.exit_code

    try:
        code = command() or 0
        sys.stdout.flush()
        return code
    except ReaderGone:
        # Of a help text; what decides anything is printed with its exit code known.
        return 0
    except click.ClickException as error:
        if heard:
            heard(Failed(error.format_message(), error.exit_code))
        if _speaks():
            error.show()
        return error.exit_code
    except click.Abort:
        return tell("ouro: interrupted", Failed("interrupted", INTERRUPTED))
    except SelfCheckError as error:
        return tell(f"ouro: {error}\n{_OURS}", Failed(str(error), error.exit_code))
    except InputError as error:
        # Editors jump to a place that a line begins with.
        told = str(error) if error.span else f"ouro: {error}"
        return tell(told, Failed(error.message, error.exit_code, error.span, error.hint))
    except OuroborosError as error:
        if error.after_report:
            heard = None
        return tell(f"ouro: {error}", Failed(str(error), error.exit_code))
    except OutOfTime as end:
        return tell(f"ouro: {end}", Failed(str(end), end.exit_code))
    except MemoryError:
        message = (
            "unknown: memory: the machine has too little for the model itself, or lets a process reserve too little"
        )
        return tell(f"ouro: {message}", Failed(message, UNKNOWN))
    except Exception as error:
        if os.environ.get("OUROBOROS_DEBUG"):
            traceback.print_exc()
        message = f"{type(error).__name__}: {error}"
        if heard:
            heard(Failed(message, OUR_FAULT))
        # Whether it speaks or not: only this rank may have met it.
        print(f"ouro: {message}\n{_OURS}", file=sys.stderr, flush=True)
        return OUR_FAULT


def failure_data(failed: Failed, model: str | None = None) -> dict[str, Any]:
    """As `docs/error.schema.json` describes it."""
    span = failed.span
    data: dict[str, Any] = {
        "error": {
            "message": failed.message,
            "exit_code": failed.exit_code,
            "file": span.source.name if span else None,
            "line": span.line if span else None,
            "column": span.column if span else None,
            "hint": failed.hint,
        },
        "version": __version__,
    }
    return data if model is None else {"model": {"path": model}, **data}


_OURS = (
    "This is a bug in Ouroboros, not in your model: nothing is decided. Please report it together with the model.\n"
    "With OUROBOROS_DEBUG=1 in the environment, an unexpected error is shown with its traceback."
)


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
