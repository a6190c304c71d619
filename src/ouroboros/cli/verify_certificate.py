"""`ouro verify-certificate`: does a certificate show what it says?"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ouroboros.checking.verifying import Confirmed

_NOT_VALID = 1


@click.command("verify-certificate", short_help="Confirm that a property holds, by a certificate.")
@click.argument("model")
@click.argument("file")
def verify_certificate(model: str, file: str) -> int:
    """Confirm what the certificate FILE says of a model, without any search.

    `ouro check --certificate` has written it. The reference interpreter makes every step of every state in it again;
    machine code, stores and searches have no part in that.

    Exit codes: 0 valid, 1 not valid, 2 a file that is no model or no certificate.
    """
    import time

    from ouroboros.certificate.verify import Refuted
    from ouroboros.checking.verifying import verify_certificate as confirm
    from ouroboros.cli.output import printed
    from ouroboros.report.confirmation import ConfirmationLine

    started = time.monotonic()
    line = ConfirmationLine(sys.stderr)
    line.start()
    try:
        confirmed = confirm(model, file, line)
    except Refuted as refuted:
        line.stop()
        with printed():
            print(f"not valid: {file}: {refuted.reason}")
            if refuted.state:
                print(f"  in the state {refuted.state}")
        return _NOT_VALID
    finally:
        line.stop()
    with printed():
        _show(confirmed, model, time.monotonic() - started)
    return 0


def _show(confirmed: Confirmed, model: str, seconds: float) -> None:
    from ouroboros.units import duration

    terms = confirmed.terms
    options = f" with {terms.options}" if terms.options else ""
    print(f"valid: for {model}{options}")
    for part in confirmed.shown:
        shown = "states of the product, with ranks" if part.runs else "states"
        print(f"    holds  {', '.join(part.properties)}: {part.states:,} {shown}")
    print(f"  in {duration(seconds)} by the interpreter · model sha256 {confirmed.model.sha256[:16]}")
