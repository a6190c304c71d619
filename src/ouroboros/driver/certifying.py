"""Writing the certificate of a run while its searches are made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ouroboros.certificate.format import CertificateWriter
from ouroboros.certificate.terms import Terms
from ouroboros.system.model import Overflow
from ouroboros.verdict.report import Answer, Certified, Verdict

if TYPE_CHECKING:
    from ouroboros.memory import Words
    from ouroboros.search.evidence import Evidence


@dataclass(frozen=True)
class CertificateFile:
    """Where a certificate is to be written, and how the model was loaded."""

    path: str
    overflow: Overflow = "error"
    definitions: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Sequence[str]] = field(default_factory=dict)


class Certifying:
    """The certificate of one run. Only one process writes; the others hand their states over to it.

    What goes wrong with the file is no reason to lose the verdict: it is told at the end.
    """

    def __init__(self, file: CertificateFile, terms: Terms, writes: bool) -> None:
        self._path = file.path
        self._writer: CertificateWriter | None = None
        self._shown: list[str] = []
        self._waiting: dict[str, Any] | None = None
        """The section that the next states begin."""
        self._lacking: str | None = None
        if writes:
            self._attempt(lambda: self._begin(terms))

    def _begin(self, terms: Terms) -> None:
        self._writer = CertificateWriter(self._path)
        self._writer.terms(terms.data())

    def evidence(self, section: dict[str, Any]) -> Evidence:
        """Who takes the states that are the evidence for a section."""
        self._shown += section["properties"]
        self._waiting = section
        return self._take

    def _take(self, rows: Words) -> None:
        writer, section = self._writer, self._waiting
        if writer is None:
            return
        if section:
            self._attempt(lambda: writer.section(section))
            self._waiting = None
        self._attempt(lambda: writer.block(rows))

    def lacks(self, limit: str | None) -> None:
        """A search could not hand its states over, for it met a limit."""
        self._lacking = self._lacking or limit

    def finished(self, answers: Sequence[Answer]) -> Certified:
        """Put the file in its place if every property holds, and say what it shows."""
        others = [answer.property for answer in answers if answer.property not in self._shown]
        if not all(answer.verdict is Verdict.HOLDS for answer in answers):
            self._lacking = "not every property holds"
        elif not self._shown:
            self._lacking = f"it would show nothing of {', '.join(others)}"
        if self._writer and not self._lacking:
            self._attempt(self._writer.finish)
        if self._lacking:
            self.give_up()
        self._writer = None
        return Certified(self._path, tuple(self._shown), tuple(others), self._lacking)

    def give_up(self) -> None:
        """Leave nothing behind, unless it is finished."""
        writer, self._writer = self._writer, None
        if writer:
            with suppress(OSError):
                writer.give_up()

    def _attempt(self, write: Callable[[], None]) -> None:
        try:
            write()
        except OSError as error:
            self._lacking = f"{self._path} cannot be written: {error.strerror}"
            self.give_up()
