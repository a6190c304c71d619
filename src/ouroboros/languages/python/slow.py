"""Models that are run and not compiled: any object with `initial()` and `successors(state)`."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any

from ouroboros.errors import InputError
from ouroboros.languages.python.interned import Holds, Interned
from ouroboros.python import Blocked, Model, Run
from ouroboros.python import Step as Taken
from ouroboros.python.declare import MARK, InvariantMark
from ouroboros.python.run import Candidate, Undecided, arguments_of, functions_of, model_parts, processes_of, shown
from ouroboros.python.types import annotations_of
from ouroboros.source import Source, Span
from ouroboros.system.choices import Action, All, Part
from ouroboros.system.expressions import Observed
from ouroboros.system.layout import Field, Layout
from ouroboros.system.model import Failure, Proposition, System


class ActionsRun:
    """A model of actions as its class runs: a state is what its attributes are."""

    def __init__(self, cls: type[Model]) -> None:
        self._cls = cls
        self._state: Any = namedtuple(cls.__name__, annotations_of(cls))  # type: ignore[misc]  # its attributes are known when it runs
        self._kept: dict[Any, Model] = {}
        """A model in each state."""
        if any(processes_of(type(part)) for _, part in model_parts(Run(cls).model)):
            raise InputError(f"`{cls.__name__}` has processes, whose states Python cannot copy: they must be compiled")
        for name, function in functions_of(cls):
            if isinstance(vars(function).get(MARK), InvariantMark):
                setattr(self, name, partial(self._holds, name, arguments_of(function, cls)))
        if hasattr(cls, "as_svg"):
            self.as_svg = lambda state: self._kept[state].as_svg()  # type: ignore[attr-defined]

    def _holds(self, name: str, given: Sequence[tuple[Any, ...]], state: Any) -> bool:
        return all(getattr(self._kept[state], name)(*arguments) for arguments in given)

    def initial(self) -> list[Any]:
        return [self._told(run) for _, run in self._ways(lambda choices: Run(self._cls, choices))]

    def successors(self, state: Any) -> Iterator[Taken]:
        for candidate in Run(deepcopy(self._kept[state])).candidates():

            def taken(choices: Sequence[Any], candidate: Candidate = candidate) -> Run:
                run = Run(deepcopy(self._kept[state]))
                run.take(candidate, choices)
                return run

            for choices, run in self._ways(taken):
                chosen = f" with {', '.join(map(shown, choices))}" if choices else ""
                yield Taken(f"{candidate.name}{chosen}", self._told(run))

    def _ways(self, run: Callable[[Sequence[Any]], Run]) -> Iterator[tuple[Sequence[Any], Run]]:
        waiting: list[tuple[Any, ...]] = [()]
        while waiting:
            choices = waiting.pop(0)
            try:
                yield choices, run(choices)
            except Blocked:
                continue
            except Undecided as undecided:
                waiting += [(*choices, option) for option in undecided.options]

    def _told(self, run: Run) -> Any:
        state = self._state(*(_frozen(getattr(run.model, name)) for name in annotations_of(self._cls)))
        self._kept.setdefault(state, run.model)
        return state


def _frozen(value: Any) -> Any:
    """A value that says all that there is to say of an object, and can be hashed."""
    match value:
        case list() | tuple():
            return tuple(map(_frozen, value))
        case set() | frozenset():
            return frozenset(value)
        case dict():
            return tuple((key, _frozen(item)) for key, item in value.items())
        case Model():
            return tuple(_frozen(getattr(value, name)) for name in annotations_of(type(value)))
    if is_dataclass(value) and not isinstance(value, type):
        return type(value), tuple(_frozen(getattr(value, item.name)) for item in fields(value))
    return value


def system_of(
    graph: Any, source: Source, invariants: Mapping[str, tuple[Holds, Span | None]], warnings: Sequence[str] = ()
) -> System:
    """The system of an object; raises InputError where its beginning goes wrong."""
    declared = getattr(graph, "actions", ())
    fair: dict[str, Any] = dict(declared if isinstance(declared, Mapping) else dict.fromkeys(declared, "none"))
    names = {name: number for number, name in enumerate(fair, 1)}
    interned = Interned(graph, names)
    try:
        found = graph.initial()
        begin = found if isinstance(found, list | set | frozenset | Iterator) else [found]
        initial = tuple((interned.number(state),) for state in begin)
    except Exception as error:
        raise InputError(f"{source.name}: initial() raised {type(error).__name__}: {error}") from None
    if not initial:
        raise InputError(f"{source.name}: there is no initial state")
    assertions: list[Proposition] = []
    for name, (holds, span) in invariants.items():
        assertions.append(Proposition(name, observed(interned, holds), span))
    return System(
        name=source.name,
        language="Python, not compiled",
        source=source,
        layout=Layout((Field("number of the state", "state", 64),)),
        initial=initial,
        actions=(
            Action((Part("", "step", None),), ()),
            *(Action((Part("", name, None),), (), name=name, fairness=fair[name]) for name in names),
        ),
        choices=All(()),
        failures=(Failure("error", "Python raised an exception", None),),
        assertions=tuple(assertions),
        evaluation_bits=64,
        valid_end=observed(interned, graph.final) if hasattr(graph, "final") else None,
        extends_finite_runs=True,
        foreign=interned,
        warnings=tuple(warnings),
    )


def observed(interned: Interned, holds: Holds) -> Observed:
    interned.propositions.append(holds)
    return Observed(len(interned.propositions) - 1)
