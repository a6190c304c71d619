"""Printing to whoever listens, for as long as they do."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from typing import NoReturn, TextIO

from ouroboros.errors import UsageError


class ReaderGone(Exception):
    """Whoever read standard output does not want more."""


class _Output(TextIOWrapper):
    """Standard output that says what became of it: its reader may leave early, or its disk be full.

    Not by an OSError, which could come from anywhere, and of which click knows better than its caller.
    """

    def write(self, text: str) -> int:
        try:
            return super().write(text)
        except OSError as error:
            self._lost(error)

    def flush(self) -> None:
        try:
            super().flush()
        except OSError as error:
            self._lost(error)

    def _lost(self, error: OSError) -> NoReturn:
        _silence(self)
        if isinstance(error, BrokenPipeError):
            raise ReaderGone from None
        raise UsageError(f"standard output cannot be written: {error.strerror}") from None


class _Messages(TextIOWrapper):
    """Standard error. Where nobody can be told, nothing is told, and the exit code is the one that it would be."""

    def write(self, text: str) -> int:
        try:
            return super().write(text)
        except OSError:
            _silence(self)
            return len(text)

    def flush(self) -> None:
        try:
            super().flush()
        except OSError:
            _silence(self)


def _silence(stream: TextIO) -> None:
    """What is still buffered has nowhere to go, and must not be tried again when Python exits."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def take_over_streams() -> None:
    """Make standard output and error those that can be lost; a terminal that cannot show an arrow gets a question mark.

    What is no file, in a test, stays as it is.
    """
    sys.stdout = _taken_over(sys.stdout, _Output)
    sys.stderr = _taken_over(sys.stderr, _Messages)


def _taken_over(stream: TextIO | None, kind: type[_Output] | type[_Messages]) -> TextIO:
    if stream is None:
        # Closed by whoever started the process.
        return open(os.devnull, "w", encoding="utf-8")
    if not isinstance(stream, TextIOWrapper) or isinstance(stream, kind):
        return stream
    encoding, buffered = stream.encoding, stream.line_buffering
    return kind(stream.detach(), encoding=encoding, errors="replace", line_buffering=buffered)


@contextmanager
def printed() -> Iterator[None]:
    """Printing that its reader may end early: `ouro check … | head` keeps its exit code, and is quiet."""
    try:
        yield
        sys.stdout.flush()
    except ReaderGone:
        pass
