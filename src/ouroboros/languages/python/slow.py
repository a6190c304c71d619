"""Models that are run and not compiled: any object with `initial()` and `successors(state)`.

States are objects of Python, numbered as they are met: to the engine a state is its number. The number means nothing to
another process, so that one worker does the search, and nothing of it outlives it.
"""

from __future__ import annotations

import _thread
import ctypes
from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any, NamedTuple

from ouroboros.errors import InputError
from ouroboros.python import Blocked, Model, Run
from ouroboros.python import Step as Taken
from ouroboros.python.declare import MARK, InvariantMark
from ouroboros.python.run import Candidate, Undecided, arguments_of, functions_of, model_parts, processes_of, shown
from ouroboros.python.types import annotations_of
from ouroboros.source import Source, Span
from ouroboros.system.arithmetic import ExecutionError
from ouroboros.system.choices import Action, All, Part
from ouroboros.system.expressions import Observed
from ouroboros.system.foreign import CROWDED, Machine
from ouroboros.system.interpret import Step
from ouroboros.system.layout import Field, Layout, Vector
from ouroboros.system.model import Failure, Proposition, System

_FAILED = 1 << 31
_UNKNOWN = 1 << 63
_RAISED = 0
"""The site of what Python raises."""
_SUCCESSORS = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_VALUATION = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p)

Holds = Callable[[Any], bool]


class Named(NamedTuple):
    """A step with its name, and where it leads to; None where Python raised something."""

    text: str
    state: Any
    failed: bool = False


class Interned:
    """The steps of an object, between numbers of states."""

    def __init__(self, graph: Any, actions: Mapping[str, int]) -> None:
        self.graph = graph
        self.states: list[Any] = []
        self.propositions: list[Holds] = []
        self.most_successors = 16
        self._numbers: dict[Any, int] = {}
        self._actions = actions

    def number(self, state: Any) -> int:
        number = self._numbers.get(state)
        if number is None:
            number = self._numbers[state] = len(self.states)
            self.states.append(state)
        return number

    def _labelled(self, found: Iterable[Any]) -> tuple[list[int], list[int]]:
        numbers: list[int] = []
        labels: list[int] = []
        known = self._numbers
        try:
            for each in found:
                label = 0
                if each.__class__ is Taken:
                    label, each = self._actions.get(each.name, 0), each.state  # noqa: PLW2901
                number = known.get(each)
                if number is None:
                    number = known[each] = len(self.states)
                    self.states.append(each)
                numbers.append(number)
                labels.append(label)
        except Exception:
            numbers.append(_RAISED)
            labels.append(_FAILED)
        return numbers, labels

    def machine(self) -> Machine:
        read = ctypes.c_uint64.from_address
        states, known, graph = self.states, self._numbers.get, self.graph
        rows = [ctypes.c_uint64 * count for count in range(64)]

        def successors(state: int, out: int, labels: int) -> int:
            try:
                number = read(state).value
                try:
                    found: Iterable[Any] = list(graph.successors(states[number]))
                    seen = list(map(known, found))
                except Exception:
                    found, seen = self._successors(number), [None]
                count = len(seen)
                if count <= self.most_successors and count < 64 and None not in seen:
                    # All of them are states that were seen, by steps without names.
                    rows[count].from_address(out)[:] = seen  # type: ignore[assignment]
                    ctypes.memset(labels, 0, 4 * count)
                    return count
                numbers, names = self._labelled(found)
                count = len(numbers)
                if count > self.most_successors:
                    self.most_successors = 2 * count
                    return CROWDED
                (ctypes.c_uint64 * count).from_address(out)[:] = numbers  # type: ignore[assignment]
                (ctypes.c_uint32 * count).from_address(labels)[:] = names  # type: ignore[assignment]
            except KeyboardInterrupt:
                _thread.interrupt_main()
                return 0
            return count

        def valuation(state: int) -> int:
            try:
                return self.observe((read(state).value,))
            except KeyboardInterrupt:
                _thread.interrupt_main()
            except ExecutionError:
                pass
            return _UNKNOWN

        kept = _SUCCESSORS(successors), _VALUATION(valuation)
        first, second = (ctypes.cast(each, ctypes.c_void_p).value or 0 for each in kept)
        return Machine(first, second, kept)

    def _successors(self, number: int) -> Iterable[Any]:
        """Also where asking for them raises something, that comes when they are gone through."""
        yield from self.graph.successors(self.states[number])

    def steps(self, state: Vector) -> Sequence[Step]:
        found: list[Step] = []
        for taken in self._taken(self.states[state[0]]):
            part = Part("", taken.text, None)
            if taken.failed:
                found.append(Step(0, None, _RAISED, parts=(part,)))
            else:
                found.append(Step(self._actions.get(taken.text, 0), (self.number(taken.state),), parts=(part,)))
        return found

    def _taken(self, state: Any) -> Iterator[Named]:
        try:
            for each in self.graph.successors(state):
                yield Named(each.name, each.state) if isinstance(each, Taken) else Named("step", each)
                hash(each)
        except Exception as error:
            yield Named(f"{type(error).__name__}: {error}", None, True)

    def observe(self, state: Vector) -> int:
        found = 0
        for number, holds in enumerate(self.propositions):
            try:
                found |= bool(holds(self.states[state[0]])) << number
            except Exception:
                raise ExecutionError(_RAISED) from None
        return found

    def shown(self, state: Vector) -> Mapping[str, int | str]:
        return {name: str(value) for name, value in parts_of(self.states[state[0]]).items()}

    def remarks(self) -> Sequence[str]:
        return ()


class ActionsRun:
    """A model of actions as its class runs: a state is what its attributes are."""

    def __init__(self, cls: type[Model]) -> None:
        self._cls = cls
        self._state: Any = namedtuple(cls.__name__, annotations_of(cls))  # type: ignore[misc]
        self._kept: dict[Any, Model] = {}
        """A model in each state."""
        if any(processes_of(type(part)) for _, part in model_parts(Run(cls).model)):
            raise InputError(f"`{cls.__name__}` has processes, whose states Python cannot copy: they must be compiled")
        for name, function in functions_of(cls):
            if isinstance(vars(function).get(MARK), InvariantMark):
                setattr(self, name, partial(self._holds, name, arguments_of(function, cls)))

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


def parts_of(state: Any) -> Mapping[str, Any]:
    """The parts of a state that have names, or else the whole."""
    if isinstance(state, tuple) and hasattr(state, "_asdict"):
        found: Mapping[str, Any] = state._asdict()
        return found
    if is_dataclass(state) and not isinstance(state, type):
        return {item.name: getattr(state, item.name) for item in fields(state)}
    return {"state": state}


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
