"""Steps that lead forward: a cycle of states cannot consist of them alone.

The values of a control field (a program counter) are put in an order, along the steps that lead from one to another. A
step that takes a control field to a later value, and no other to an earlier one, makes the sum of all places larger. On
a cycle the sum is the same at the end as at the beginning; so one of its steps does not lead forward. Being a matter of
the text alone, this holds for any order of search and any number of workers (Kurshan, Levin, Minea, Peled and Yenigün,
1998).
"""

from __future__ import annotations

from collections import defaultdict

from ouroboros.reduce.facts import Facts, Transition
from ouroboros.system.layout import Field


class Progress:
    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._control = self._control_fields()
        self._places = {field: self._order(field) for field in self._control}
        self.forward = sum(1 << each.number for each in facts.transitions if self._leads_forward(each))
        """Transitions that lead forward, as a set."""

    def _control_fields(self) -> list[Field]:
        """Scalars that steps change from one known value to another."""
        written: dict[Field, bool] = {}
        for each in self._facts.transitions:
            for field, first in self._facts.slots.first.items():
                if each.writes >> first & (1 << field.elements) - 1:
                    known = field.length is None and field in each.required and field in each.assigned
                    written[field] = written.get(field, True) and known
        return [field for field, known in written.items() if known]

    def _order(self, field: Field) -> dict[int, int]:
        """A place for each value of a control field: later ones behind those that lead to them, where there is no
        cycle (depth first, by the order in which values are left behind).
        """
        following: dict[int, list[int]] = defaultdict(list)
        for each in self._facts.transitions:
            if field in each.required and field in each.assigned:
                following[each.required[field]] += sorted(each.assigned[field])
        places: dict[int, int] = {}
        begun: set[int] = set()
        initial = self._facts.system.layout.read(self._facts.settled.system.initial[0], field)
        for start in (initial, *sorted(following)):
            if start in begun:
                continue
            begun.add(start)
            stack = [(start, iter(following[start]))]
            while stack:
                value, rest = stack[-1]
                successor = next((each for each in rest if each not in begun), None)
                if successor is None:
                    stack.pop()
                    places[value] = -len(places)
                else:
                    begun.add(successor)
                    stack.append((successor, iter(following[successor])))
        return places

    def _leads_forward(self, step: Transition) -> bool:
        assigned = [field for field in self._control if field in step.assigned]
        # What is assigned on some condition alone may stay as it is: a step must move one field in any case.
        return not step.moved.isdisjoint(assigned) and all(
            self._places[field][value] > self._places[field][step.required[field]]
            for field in assigned
            for value in step.assigned[field]
        )
