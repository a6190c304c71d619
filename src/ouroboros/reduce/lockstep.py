"""The referee of merging, dead and unread variables: the reduced system beside the whole one, step by step.

From the same initial state both go on together: what the reduced system does by one action, the whole one does by the
actions that it is made of. Where they have come to, the same must be possible in both, the same must fail, and what is
observed must have the same truth: so a variable that was reset is never read before it is written, or this shows. And
while several steps are made one, no other step may be possible or not because of that: in the states between them every
other step is made before and after the step that was merged, which must not matter.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from ouroboros.reduce.referee import Broken
from ouroboros.system.arithmetic import ExecutionError
from ouroboros.system.expressions import Expression
from ouroboros.system.fairness import first_action
from ouroboros.system.interpret import Step, evaluate, single_steps, successors
from ouroboros.system.layout import Vector
from ouroboros.system.model import Reduced, System


class Lockstep:
    def __init__(self, whole: System, reduced: Reduced, observed: Sequence[Expression] = ()) -> None:
        self.whole = whole
        self.reduced = reduced
        self.observed = observed

    def broken(self, most_states: int) -> Iterator[Broken]:
        """What does not hold in the first so many states."""
        start = [(state, state) for state in self.whole.initial]
        seen = set(start)
        waiting = deque(start)
        while waiting and most_states > 0:
            most_states -= 1
            large, small = waiting.popleft()
            yield from self._alike(large, small)
            for step in successors(self.reduced.system, small):
                followed = self._follow(large, step)
                if followed is None:
                    yield Broken("a reduced step cannot be made in the whole system", large, self._origins(step))
                elif (followed[0] is None) != (step.state is None):
                    yield Broken("a step fails in one of the systems and not in the other", large, self._origins(step))
                elif followed[0] is not None and step.state is not None:
                    yield from followed[1]
                    pair = (followed[0], step.state)
                    if pair not in seen:
                        seen.add(pair)
                        waiting.append(pair)

    def _alike(self, large: Vector, small: Vector) -> Iterator[Broken]:
        possible = {first_action(step) for step in single_steps(self.whole, large)}
        kept = {
            None if step.action is None else self.reduced.origins[step.action][0]
            for step in single_steps(self.reduced.system, small)
        }
        for action in sorted(each for each in possible ^ kept if each is not None):
            yield Broken(
                "a value that was reset, or steps that were made one, decide what is possible", large, (action,)
            )
        if self._truths(large) != self._truths(small):
            yield Broken("a value that was reset is observed", large, ())

    def _truths(self, state: Vector) -> list[bool | None]:
        truths: list[bool | None] = []
        for expression in self.observed:
            try:
                truths.append(evaluate(self.whole, state, expression) != 0)
            except ExecutionError:
                truths.append(None)
        return truths

    def _origins(self, step: Step) -> tuple[int, ...]:
        return () if step.action is None else self.reduced.origins[step.action]

    def _follow(self, state: Vector, step: Step) -> tuple[Vector | None, list[Broken]] | None:
        """The state of the whole system after what a step is made of, None in its place where that fails; nothing
        where it cannot be made.
        """
        found: list[Broken] = []
        now = state
        for each in (*step.before, step):
            for number, action in enumerate(self._origins(each)):
                made = next((one for one in single_steps(self.whole, now) if one.action == action), None)
                if made is None:
                    return None
                if number > 0:
                    found += self._disturbed(now, action, made)
                if made.state is None:
                    return None, found
                now = made.state
        return now, found

    def _disturbed(self, between: Vector, merged: int, made: Step) -> Iterator[Broken]:
        """Other steps between two that were made one, for which it matters when the second is made."""
        exclusive = self.whole.exclusive
        if made.state is None or (exclusive and self.whole.layout.read(between, exclusive.field)):
            # Where a process has control for itself, no other one moves.
            return
        before, after = self._ends(between, merged), self._ends(made.state, merged)
        for action, ends in sorted(before.items()):
            later = after.get(action, set())
            if not later or (None in ends) != (None in later):
                yield Broken("a merged step decides whether another one is possible", between, (merged, action))
                continue
            back = {
                step.state for end in ends if end for step in single_steps(self.whole, end) if step.action == merged
            }
            if back != later - {None}:
                yield Broken("a merged step and another one do not commute", between, (merged, action))

    def _ends(self, state: Vector, merged: int) -> dict[int, set[Vector | None]]:
        """Where the steps of each action but the merged one lead; None for one that fails."""
        found: dict[int, set[Vector | None]] = {}
        for step in successors(self.whole, state):
            action = first_action(step)
            if action is not None and action != merged:
                found.setdefault(action, set()).add(step.state)
        return found
