"""Reports as programs and notebooks read them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ouroboros.errors import OuroborosError
from ouroboros.library.traces import Trace
from ouroboros.verdict import report as told
from ouroboros.verdict.outcome import Statistics
from ouroboros.verdict.report import Verdict

if TYPE_CHECKING:
    from ouroboros.library.graphs import Graph
    from ouroboros.library.models import Model


class Violated(OuroborosError):
    """A property is violated; the text has the trace."""

    exit_code = 1

    def __init__(self, report: Report) -> None:
        super().__init__(str(report))
        self.report = report


@dataclass(frozen=True)
class Answer:
    """What a run says of one property."""

    name: str
    verdict: Verdict
    reason: str | None
    """Why it is violated, or why nothing is known; None where it holds."""
    trace: Trace | None
    further: tuple[Trace, ...]
    """Other violations, if several were asked for."""
    statistics: Statistics
    """Of the search that gave the answer."""
    algorithm: str
    warnings: tuple[str, ...]

    @property
    def holds(self) -> bool:
        return self.verdict is Verdict.HOLDS


class Answers(Mapping[str, Answer]):
    """One for each property that was asked for, by name."""

    def __init__(self, answers: tuple[Answer, ...]) -> None:
        self._answers = {answer.name: answer for answer in answers}

    def __getitem__(self, name: str) -> Answer:
        if name not in self._answers:
            raise KeyError(f"{name}: there are answers for {', '.join(self._answers)}")
        return self._answers[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._answers)

    def __len__(self) -> int:
        return len(self._answers)

    def __repr__(self) -> str:
        return f"Answers({', '.join(f'{name}: {answer.verdict}' for name, answer in self._answers.items())})"


class Report:
    """What came of a check or an exploration."""

    def __init__(self, report: told.Report, model: Model, kind: str) -> None:
        self._report = report
        self._model = model
        self._kind = kind

    @property
    def verdict(self) -> Verdict:
        return self._report.verdict

    @property
    def holds(self) -> bool:
        """Whether everything holds; an answer that is not known does not."""
        return self.verdict is Verdict.HOLDS

    @property
    def reason(self) -> str | None:
        """Why something is violated, or why nothing is known."""
        return self._report.reason

    @property
    def property_name(self) -> str:
        """The property that decides the verdict; all of them where all hold."""
        return self._report.property_name

    @cached_property
    def answers(self) -> Answers:
        return Answers(
            tuple(
                Answer(
                    answer.property,
                    answer.verdict,
                    answer.reason,
                    Trace(answer.trace) if answer.trace else None,
                    tuple(map(Trace, answer.further)),
                    answer.search.statistics,
                    answer.search.algorithm,
                    answer.warnings,
                )
                for answer in self._report.answers
            )
        )

    @property
    def trace(self) -> Trace | None:
        """The counterexample of what decides the verdict."""
        return Trace(self._report.trace) if self._report.trace else None

    @property
    def statistics(self) -> Statistics:
        """The numbers of the search that gave the verdict."""
        return self._report.statistics

    @property
    def complete(self) -> bool:
        """Whether the numbers are of the whole state space."""
        return self._report.complete

    @property
    def limit(self) -> str | None:
        """The limit that ended a search before it was complete."""
        return self._report.limit

    @property
    def assurance(self) -> tuple[str, ...]:
        """What the verdict rests on."""
        return self._report.assurance

    @property
    def warnings(self) -> tuple[str, ...]:
        return self._report.warnings

    @property
    def seconds(self) -> float:
        """Wall time of the whole run, reading and compiling included."""
        return self._report.seconds

    @property
    def workers(self) -> int:
        return self._report.setting.workers

    def graph(self, most: int = 10_000) -> Graph:
        """The state graph of the model as data; raises UsageError where it has more states than `most`."""
        return self._model.graph(most)

    def raise_if_violated(self) -> None:
        """Raises Violated, with the trace as its text."""
        if self.verdict is Verdict.VIOLATED:
            raise Violated(self)

    def to_dict(self) -> dict[str, Any]:
        """What `ouro check --json` writes."""
        from ouroboros.report.json import report_data

        return report_data(self._report)

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)

    def __bool__(self) -> bool:
        raise TypeError("a report is neither true nor false: ask report.holds, or report.verdict")

    def __repr__(self) -> str:
        number = self.statistics.states
        return f"<Report on {self._report.model.name}: {self.verdict}, {number:,} states>"

    def __str__(self) -> str:
        """As on the terminal."""
        from io import StringIO

        from ouroboros.report.page import Page
        from ouroboros.report.terminal import write_check, write_states

        stream = StringIO()
        write = write_check if self._kind == "check" else write_states
        write(self._report, Page(stream))
        return stream.getvalue()

    def _repr_html_(self) -> str:
        from ouroboros.library.html import report_html

        return report_html(self, self._report.statistics)
