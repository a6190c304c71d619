"""A kind of question in a file of its own: from every state, one where an expression holds can be reached again.

The search is that of attainability, and so is what a reduction may leave out: nothing. This is all that such a kind
needs; a line in the table makes it known.
"""

from __future__ import annotations

from collections.abc import Iterator

from ouroboros.driver.combinations import Refusal
from ouroboros.driver.run import Run
from ouroboros.properties.asking import Asking
from ouroboros.properties.attainability import attain
from ouroboros.properties.kind import Kind, Option, Property
from ouroboros.source import Source
from ouroboros.system.model import Proposition
from ouroboros.trace.replay import replay
from ouroboros.verdict.report import Answer, Verdict


class Return(Property):
    refusals = (
        Refusal(lambda run: not run.store.exact, "--returns needs the states themselves: use --store full or tree"),
        Refusal(lambda run: run.certified, "--returns is nothing that a certificate shows"),
    )

    def __init__(self, wanted: Proposition) -> None:
        self.name = f"returns to {wanted.name}"
        self._wanted = wanted

    def answer(self, run: Run) -> Answer:
        found, search = attain(run.system, [self._wanted], run.resources)
        if not found:
            return Answer(self.name, Verdict.UNKNOWN, search, search.limit)
        if found[0].finding is None:
            return Answer(self.name, Verdict.HOLDS, search)
        trace = replay(run.system, found[0].finding, [self._wanted])
        return Answer(self.name, Verdict.VIOLATED, search, trace.violation.message, trace)


class Returns(Kind):
    makes = (Return,)
    options = (Option("returns", "--returns", "EXPR", "Wherever a run is, it can come to where EXPR holds."),)

    def read(self, asking: Asking) -> Iterator[Return]:
        for text in asking.texts("returns"):
            yield Return(asking.model.proposition(Source("--returns", text)))
