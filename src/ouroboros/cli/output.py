"""Printing to whoever listens, for as long as they do."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def printed() -> Iterator[None]:
    """Standard output that its reader may close early: `ouro check … | head` keeps its exit code, and is quiet."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        # What is still buffered has nowhere to go, and must not be tried again when Python exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
