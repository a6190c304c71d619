"""The errors that a user can meet; each carries what happened, where, and what to do."""

from __future__ import annotations

from ouroboros.source import Span


class OuroborosError(Exception):
    """Base of every error that is reported to the user without a traceback."""

    exit_code = 2
    after_report = False
    """Whether all that is known was reported before."""


_LONGEST_LINE = 300
"""A longer one is not shown as a whole: files that nobody wrote by hand may be one line."""


def _around(line: str, place: int) -> tuple[str, int]:
    """A part of a long line, and where a place of the line is in it."""
    start = max(0, min(place - _LONGEST_LINE // 4, len(line) - _LONGEST_LINE // 2))
    part = line[start : start + _LONGEST_LINE // 2]
    behind = "" if start + len(part) >= len(line) else "…"
    return ("…" if start else "") + part + behind, place - start + (start > 0)


class UsageError(OuroborosError):
    """The command line, or a combination of options, makes no sense."""


class InputError(OuroborosError):
    """A model, formula or expression that cannot be accepted."""

    def __init__(self, message: str, span: Span | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.span = span
        self.hint = hint

    def __str__(self) -> str:
        parts = [f"{self.span}: {self.message}" if self.span else self.message]
        if self.span:
            line_text = self.span.source.line_text(self.span.line).replace("\t", " ")
            # A caret under the offending text, cut at the end of its first line.
            length = max(1, min(self.span.end - self.span.start, len(line_text) - self.span.column + 1))
            before = self.span.column - 1
            if len(line_text) > _LONGEST_LINE:
                line_text, before = _around(line_text, before)
                length = min(length, max(1, len(line_text) - before))
            parts.append(f"    {line_text}")
            parts.append(f"    {' ' * before}{'^' * length}")
        if self.hint:
            parts.append(f"  {self.hint}")
        return "\n".join(parts)


class WorkerKilled(OuroborosError):
    """A worker was ended from outside: nothing is decided."""

    exit_code = 3


class OutOfTime(BaseException):
    """The limit on time was met while nothing was searched: as KeyboardInterrupt, this is no error of who is ended."""

    exit_code = 3

    def __init__(self, doing: str) -> None:
        super().__init__(f"unknown: the limit on time was met while {doing}: allow more with --time")
        self.doing = doing


class SelfCheckError(OuroborosError):
    """Ouroboros contradicts itself: a bug of ours, never of the model."""

    exit_code = 4
