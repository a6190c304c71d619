"""The report of a run: what was asked, what was found, and how far to trust it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from ouroboros.ltl.automaton import Automaton
from ouroboros.source import Source
from ouroboros.system.choices import Part
from ouroboros.verdict.outcome import Forecast, LimitName, Statistics
from ouroboros.verdict.trace import Trace


class Verdict(StrEnum):
    """What came of a question; `unknown` where a limit ended the search, or a state may have been missed."""

    HOLDS = "holds"
    VIOLATED = "violated"
    UNKNOWN = "unknown"

    @property
    def exit_code(self) -> int:
        return {Verdict.HOLDS: 0, Verdict.VIOLATED: 1, Verdict.UNKNOWN: 3}[self]


@dataclass(frozen=True, eq=False)
class Search:
    """One search and its numbers."""

    algorithm: str
    choice: str | None
    """Why it was this algorithm, where there are several."""
    statistics: Statistics
    limit: LimitName | None
    """The limit that ended the search before it was complete."""
    complete: bool
    """Whether the numbers are of the whole state space: neither a limit nor a violation ended the search."""
    forecasts: tuple[Forecast, ...] = ()
    """Where memory was not enough: what other stores would have made of it."""
    meanwhile: str | None = None
    """What was being done when the limit was met, if that was not searching."""

    @classmethod
    def not_begun(cls, meanwhile: str) -> Search:
        """There was no time for it."""
        return cls("none", None, Statistics(), "time", complete=False, meanwhile=meanwhile)

    @property
    def omission(self) -> float:
        """A bound on the probability that a state was missed; zero where the store is exact."""
        return self.statistics.omission

    @property
    def bytes_per_state(self) -> float:
        """What tables and arrays cost, for each state, without buffers that do not grow with the states."""
        return (self.statistics.bytes - self.statistics.buffers) / max(1, self.statistics.states)


@dataclass(frozen=True)
class Answer:
    """What the run says of one property."""

    property: str
    verdict: Verdict
    search: Search
    """The search that gave the answer; others may have come from the same one."""
    reason: str | None = None
    """Why a property is violated, or why nothing is known; None where it holds."""
    trace: Trace | None = None
    """The nearest violation, where its search looks for that."""
    further: tuple[Trace, ...] = ()
    """Other violations, if they were collected."""
    witness: Trace | None = None
    """A run that shows what holds, where it only needs one."""
    automaton: Automaton | None = None
    """What accepts the violating runs, for a property that an automaton decides."""
    formula: str | None = None
    """The formula, with its definitions unfolded."""
    runs: str | None = None
    """Which infinite runs it speaks of, if not of all."""
    warnings: tuple[str, ...] = ()
    certain: bool = False
    """Whether it holds because of what was found, and not because nothing was: then no missed state matters."""

    @cached_property
    def traces(self) -> tuple[Trace, ...]:
        return (self.trace, *self.further) if self.trace else ()


class Unreached(NamedTuple):
    """A statement that no run executes."""

    part: Part
    tried: bool
    """Whether a process comes to where it is, and it is never possible there."""


class Coverage(NamedTuple):
    """What was never executed."""

    unreached: tuple[Unreached, ...] | None
    """None where that is not known."""
    reason: str | None = None
    """Why it is not."""


@dataclass(frozen=True)
class Setting:
    """How the run was made."""

    store: str
    exchange: str
    workers: int
    symmetry: bool = False
    """Whether of states that differ only by a permutation one was explored."""
    reductions: tuple[str, ...] = ()
    """By which some search left out states."""
    reductions_off: tuple[str, ...] = ()
    """Which of them were switched off, and why."""
    seed: int = 0
    """Of the hash, where a store keeps nothing else of a state."""


@dataclass(frozen=True)
class Saving:
    """What became of the checkpoints of a run."""

    directory: str
    written: int
    """Since the run was started, or resumed."""
    resumed: bool
    """Whether the run went on from where it was ended before."""
    failure: str | None
    """Why the last attempt to write one failed, if it did."""


@dataclass(frozen=True)
class Certified:
    """What became of the certificate that was asked for."""

    path: str
    shown: tuple[str, ...]
    """The properties that it is about."""
    others: tuple[str, ...]
    """Those that it says nothing of."""
    lacking: str | None
    """Why there is none; None where it was written."""
    unreduced: bool = False
    """Whether a reduction was left out for its sake."""


@dataclass(frozen=True)
class Report:
    """Everything that a run tells; terminal and JSON are two views of it."""

    model: Source
    answers: tuple[Answer, ...]
    """One for each property that was asked for, at least one."""
    setting: Setting
    seconds: float
    """Wall time of the whole run, reading and compiling included."""
    peak_bytes: int
    """The most memory that the process had, summed over the ranks of an MPI run."""
    coverage: Coverage
    saving: Saving | None = None
    """Where checkpoints were asked for."""
    certificate: Certified | None = None
    warnings: tuple[str, ...] = ()
    """About the model and the expressions over it, each with its place; those about an answer are the answer's."""
    remarks: tuple[str, ...] = ()
    """What was met and nobody had asked for."""

    @property
    def traces(self) -> tuple[tuple[Answer, Trace], ...]:
        """Of each property all violations, the nearest first."""
        return tuple((answer, trace) for answer in self.answers for trace in answer.traces)

    @cached_property
    def decisive(self) -> Answer:
        """The answer that decides the whole: one violation is enough, the nearest that its search has found; and doubt
        outweighs what holds.
        """
        for verdict in (Verdict.VIOLATED, Verdict.UNKNOWN):
            found = [answer for answer in self.answers if answer.verdict is verdict]
            if found:
                return min((answer for answer in found if answer.search is found[0].search), key=_length)
        return self.answers[0]

    @property
    def verdict(self) -> Verdict:
        return self.decisive.verdict

    @property
    def omission(self) -> float:
        """A bound on the probability that any of the searches missed a state."""
        return min(1.0, sum(search.omission for search in self.searches))

    @property
    def reason(self) -> str | None:
        return self.decisive.reason

    @property
    def property_name(self) -> str:
        """The property that the verdict is about; all of them where all hold."""
        if self.verdict is Verdict.HOLDS:
            return ", ".join(answer.property for answer in self.answers)
        return self.decisive.property

    @property
    def trace(self) -> Trace | None:
        return self.decisive.trace

    @property
    def searches(self) -> tuple[Search, ...]:
        """Each search once, in the order in which they were made."""
        return tuple(dict.fromkeys(answer.search for answer in self.answers))

    @property
    def search(self) -> Search:
        """The search that gave the verdict; where every property holds, the largest."""
        if self.verdict is Verdict.HOLDS:
            return max(self.searches, key=lambda search: search.statistics.states)
        return self.decisive.search

    @property
    def statistics(self) -> Statistics:
        """The numbers of the search that gave the verdict."""
        return self.search.statistics

    @property
    def complete(self) -> bool:
        """Whether the statistics are of the whole state space."""
        return self.search.complete

    @property
    def limit(self) -> LimitName | None:
        """A limit that ended a search before it was complete."""
        return next((search.limit for search in self.searches if search.limit), None)

    @property
    def assurance(self) -> tuple[str, ...]:
        """What the verdict rests on."""
        statements = [_store(self.setting, self.searches), _team(self.setting)]
        if self.setting.symmetry:
            statements.append("one state of each orbit under symmetry")
        if self.setting.reductions:
            statements.append(f"reduced by {', '.join(self.setting.reductions)}")
        statements += self.setting.reductions_off
        statements += dict.fromkeys(answer.runs for answer in self.answers if answer.runs)
        if self.limit == "interrupted":
            statements.append("interrupted")
        else:
            statements.append(f"ended by the {self.limit} limit" if self.limit else "no limit met")
        if self.saving and self.saving.resumed:
            statements.append("resumed from a checkpoint")
        statements.append(f"model sha256 {self.model.sha256[:16]}")
        traces = [trace for _, trace in self.traces]
        if traces:
            watched = any(trace.watcher for trace in traces)
            subject = "counterexample" if len(traces) == 1 else "counterexamples"
            fair = ", fairness confirmed" if any(trace.dues for trace in traces) else ""
            beside = " beside the automaton" if watched else ""
            statements.append(f"{subject} replayed by the interpreter{beside}{fair}")
        if self.certificate:
            statements.append(_certificate(self.certificate))
        return tuple(statements)


def _length(answer: Answer) -> tuple[int, bool]:
    """Of two as near as each other, what is wrong in a state comes before that nothing follows it."""
    if answer.trace is None:
        return 0, False
    return len(answer.trace.steps), answer.trace.violation.kind != "proposition"


def _store(setting: Setting, searches: tuple[Search, ...]) -> str:
    covered = [search.statistics.coverage for search in searches if search.statistics.coverage is not None]
    if covered:
        return f"{setting.store} store, seed {setting.seed}: about {min(covered):.2%} of the states met were visited"
    bits = [search.statistics.identity_bits for search in searches if search.statistics.identity_bits is not None]
    if not bits:
        return f"{setting.store} store, exact"
    return (
        f"{setting.store} store, seed {setting.seed}: a state was missed with a probability of at most"
        f" {min(1.0, sum(search.omission for search in searches)):.1e}, states * transitions / 2^{min(bits)}"
    )


def _certificate(certified: Certified) -> str:
    if certified.lacking:
        return f"no certificate: {certified.lacking}"
    others = f", which says nothing of {', '.join(certified.others)}" if certified.others else ""
    unreduced = ", for which there is no partial order reduction" if certified.unreduced else ""
    return f"certificate in {certified.path}{unreduced}{others}"


def _team(setting: Setting) -> str:
    match setting.exchange:
        case "solo":
            return "one worker"
        case "processes":
            return f"{setting.workers} workers"
        case _:
            return f"{setting.workers} MPI ranks"
