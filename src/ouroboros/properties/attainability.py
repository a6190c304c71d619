"""Attainability: from every state, some state that satisfies a predicate can be reached."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Self

from ouroboros.driver.combinations import Refusal
from ouroboros.driver.stages import COMPILING, CONFIRMING
from ouroboros.properties.formulas.watched import MOST_ATOMS
from ouroboros.properties.kind import Kind, Property
from ouroboros.properties.states import GOES_WRONG
from ouroboros.system.model import Proposition, System
from ouroboros.verdict.report import Answer, Search, Verdict

if TYPE_CHECKING:
    from ouroboros.driver.run import Run
    from ouroboros.driver.searching import Found, Resources
    from ouroboros.properties.asking import Asking
    from ouroboros.search.worker import Worker
    from ouroboros.verdict.outcome import Outcome


class Attainable(Property):
    of_states = True
    refusals = (
        Refusal(
            lambda run: run.symmetry,
            "--symmetry keeps one state of each orbit, and the model's `liveness` asks for particular ones",
        ),
        Refusal(
            lambda run: not run.store.exact,
            "what can be reached from every state needs the states themselves: use --store full or tree",
        ),
    )

    def __init__(self, predicate: Proposition) -> None:
        self.name = f"liveness {predicate.name}"
        self._predicate = predicate

    @classmethod
    def answers(cls, properties: Sequence[Self], run: Run) -> Iterator[Answer]:
        """One search for as many as a valuation has bits; none where the model goes wrong."""
        from ouroboros.trace.replay import replay

        if run.gone_wrong:
            yield from (Answer(each.name, Verdict.UNKNOWN, run.gone_wrong, GOES_WRONG) for each in properties)
            return
        for first in range(0, len(properties), MOST_ATOMS):
            wanted = properties[first : first + MOST_ATOMS]
            found, search = attain(run.system, [each._predicate for each in wanted], run.resources)
            for each, one in zip(wanted, found, strict=False):
                if one.finding is None:
                    yield Answer(each.name, Verdict.HOLDS, search)
                else:
                    with run.resources.limits.stage(CONFIRMING, False):
                        trace = replay(run.system, one.finding, [each._predicate])
                    yield Answer(each.name, Verdict.VIOLATED, search, trace.violation.message, trace)
            for each in wanted[len(found) :]:
                yield Answer(each.name, Verdict.UNKNOWN, search, search.limit)


class Attainability(Kind):
    makes = (Attainable,)

    def along(self, asking: Asking) -> Iterator[Property]:
        if asking.of_states:
            yield from map(Attainable, asking.system.attainable)


def attain(system: System, wanted: Sequence[Proposition], resources: Resources) -> tuple[list[Found], Search]:
    """For each predicate, look for a state from which no state that satisfies it can be reached."""
    from ouroboros.driver.searching import Task, run_for_outcome
    from ouroboros.graph.base import SystemGraph
    from ouroboros.native import compile_system
    from ouroboros.search.attainability import attainability

    with resources.limits.stage(COMPILING):
        program = compile_system(system, wanted)

    def work(worker: Worker) -> Outcome:
        return attainability(SystemGraph(system, program), len(wanted), worker)

    outcome, found = run_for_outcome(Task("attainability", system), work, resources)
    return [found._replace(finding=finding) for finding in outcome.findings], found.search
