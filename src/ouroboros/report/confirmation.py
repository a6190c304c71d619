"""What became of the confirmation of a certificate, and how far it has come."""

from __future__ import annotations

import time
from typing import TextIO

from ouroboros.report.line import TerminalLine
from ouroboros.units import duration

_REPORT_EVERY = 0.25  # seconds


class ConfirmationLine(TerminalLine):
    """An observer of a confirmation."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self._started = self._shown = time.monotonic()

    def __call__(self, names: str, done: int, total: int) -> None:
        now = time.monotonic()
        if self.visible and now - self._shown >= _REPORT_EVERY:
            self._shown = now
            rate = done / max(now - self._started, 1e-9)
            share = f"{done / max(1, total):.0%}"
            self.show(f"{share} of {total:,} states  {rate:,.0f}/s  {duration(now - self._started)}  {names}")
