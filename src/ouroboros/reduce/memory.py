"""Answers about steps that differ in nothing but which fields they are about: one proof is enough for all of them.

Processes of one kind do the same with variables of their own. Of code whose fields are replaced by their numbers in
the order of their appearance, the same is true whatever the fields are, if they have the same widths and ranges.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ouroboros.reduce.facts import Facts, Transition
from ouroboros.system.expressions import LocalArray, Procedure
from ouroboros.system.layout import Field


class Remembered:
    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._answers: dict[Any, bool] = {}
        self._steps: dict[int, tuple[Any, tuple[Field, ...]]] = {}
        self._conjuncts: dict[int, tuple[Any, tuple[Field, ...]]] = {}

    def answer(
        self, question: str, steps: Sequence[Transition], conjuncts: Sequence[int], find: Callable[[], bool]
    ) -> bool:
        shapes: list[Any] = [question]
        numbers: dict[Field, int] = {}
        for shape, fields in (*map(self._step, steps), *map(self._conjunct, conjuncts)):
            shapes.append((shape, tuple(numbers.setdefault(field, len(numbers)) for field in fields)))
        key = (*shapes, tuple(map(self._kind, numbers)))
        if key not in self._answers:
            self._answers[key] = find()
        return self._answers[key]

    def _kind(self, field: Field) -> Any:
        return field.bits, field.signed, field.length, self._facts.ranges.get(field)

    def _step(self, step: Transition) -> tuple[Any, tuple[Field, ...]]:
        if step.number not in self._steps:
            guards = tuple(self._facts.conjuncts[number].expression for number in step.conjuncts)
            code, fields = shape((guards, step.block, tuple(step.required.items())), ("step", step.number))
            # Of the same code it may be known better for one process than for another what it reads and writes.
            parts = tuple((self._part(step.effect.reads, each), self._part(step.writes, each)) for each in fields)
            self._steps[step.number] = ((code, parts), fields)
        return self._steps[step.number]

    def _part(self, slots: int, field: Field) -> int:
        """Which elements of a field are among the slots."""
        return slots >> self._facts.slots.first[field] & (1 << field.elements) - 1

    def _conjunct(self, number: int) -> tuple[Any, tuple[Field, ...]]:
        if number not in self._conjuncts:
            self._conjuncts[number] = shape(self._facts.conjuncts[number].expression, ("conjunct", number))
        return self._conjuncts[number]


def shape(code: Any, name: tuple[str, int]) -> tuple[Any, tuple[Field, ...]]:
    """Code with numbers in place of its fields, and the fields by these numbers; `name` is its own alone."""
    numbers: dict[Field, int] = {}

    def shaped(part: Any) -> Any:
        if isinstance(part, Field):
            return ("field", numbers.setdefault(part, len(numbers)))
        if isinstance(part, tuple):
            return (type(part), *map(shaped, part))
        if isinstance(part, Procedure):
            # It has fields of its own, which may be those of the other code: no other pair is the same.
            return name
        return ("array", id(part)) if isinstance(part, LocalArray) else part

    return shaped(code), tuple(numbers)
