"""What a run goes on in spite of, on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterable


def warn(messages: Iterable[str]) -> None:
    for message in messages:
        print(f"ouro: warning: {message}", file=sys.stderr, flush=True)
