"""States that are objects of Python, numbered as they are met: to the engine a state is its number.

The number means nothing to another process, so that one worker does the search, and nothing of it outlives it. A call
of Python costs more than most steps do, so many states are asked for their successors at once, and machine code finds
them in a table.
"""

from __future__ import annotations

import _thread
import ctypes
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from itertools import accumulate, chain, count, islice
from typing import Any, NamedTuple

from ouroboros.python import Step as Taken
from ouroboros.system.arithmetic import ExecutionError
from ouroboros.system.choices import Part
from ouroboros.system.foreign import CROWDED, Known, Machine
from ouroboros.system.interpret import Step
from ouroboros.system.layout import Vector

_FAILED = 1 << 31
_UNKNOWN = 1 << 63
_RAISED = 0
"""The site of what Python raises."""
_MOST_AHEAD, _GROUP = 4096, 32
_NOT_ASKED = array("q", [-1])
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
        self._actions = actions
        self._numbers: defaultdict[Any, int] = defaultdict(count().__next__)
        """A state that is asked for gets the next number. They are in the order of their numbers."""
        self._named = False
        """Whether there are steps with names."""
        self._targets, self._labels = array("Q"), array("I")
        """The successors of all states that were asked, one after the other."""
        self._begins, self._ends = array("q"), array("q")
        """Where those of each state are; -1 for one that was not asked yet."""
        self._ahead, self._next = 16, 0
        """How many states are asked at once, and the number of the one behind those that were."""
        self._tables: list[Known] = []
        """As each search knows where these are."""

    def number(self, state: Any) -> int:
        number = self._numbers[state]
        self._admit()
        return number

    def _admit(self) -> None:
        """Those that have got a number become states."""
        fresh = self._fresh()
        self.states += fresh
        self._begins.extend(_NOT_ASKED * len(fresh))
        self._ends.extend(_NOT_ASKED * len(fresh))
        self._show()

    def _fresh(self) -> list[Any]:
        """Those that have got a number and are not states yet."""
        return list(islice(reversed(self._numbers), len(self._numbers) - len(self.states)))[::-1]

    # Asking for successors

    def _ask(self, first: int) -> None:
        """Ask a state for its successors, and those after it as well where states are gone through in order."""
        self._ahead = min(2 * self._ahead, _MOST_AHEAD) if first == self._next else 1
        asked = self.states[first : first + self._ahead]
        ends = array("q", [len(self._targets)])
        if not self._named:
            self._ask_plainly(asked, ends)
        rest = asked[len(ends) - 1 :]
        self._labels.frombytes(bytes(4 * (len(self._targets) - len(self._labels))))
        for state in rest if self._named else rest[:_GROUP]:
            self._ask_carefully(state)
            ends.append(len(self._targets))
        self._admit()
        self._next = first + len(ends) - 1
        # One that was asked before is asked again, and says the same.
        self._begins[first : self._next] = ends[:-1]
        self._ends[first : self._next] = ends[1:]

    def _ask_plainly(self, asked: Sequence[Any], ends: array[int]) -> None:
        """As many as have steps without names, and raise nothing. In groups, which are small enough for what was just
        made to be at hand when it is looked up.
        """
        targets, number, successors = self._targets, self._numbers.__getitem__, self.graph.successors
        try:
            for at in range(0, len(asked), _GROUP):
                found = list(map(successors, asked[at : at + _GROUP]))
                if not {list, tuple, set, frozenset}.issuperset(map(type, found)):
                    found = list(map(list, found))
                targets.extend(map(number, chain.from_iterable(found)))
                ends.extend(accumulate(map(len, found), initial=ends.pop()))
        except Exception:
            pass
        finally:
            del targets[ends[-1] :]
        fresh = self._fresh()
        if Taken in set(map(type, fresh)):
            # They were taken for states.
            self._named = True
            for each in fresh:
                del self._numbers[each]
            self._numbers.default_factory = count(len(self.states)).__next__
            del ends[1:], targets[ends[0] :]

    def _ask_carefully(self, state: Any) -> None:
        targets, labels = self._targets, self._labels
        try:
            for each in self.graph.successors(state):
                label = 0
                if each.__class__ is Taken:
                    label, each = self._actions.get(each.name, 0), each.state  # noqa: PLW2901 - what is taken stands for its state
                targets.append(self._numbers[each])
                labels.append(label)
        except Exception:
            del targets[len(labels) :]
            targets.append(_RAISED)
            labels.append(_FAILED)

    def _show(self) -> None:
        """Arrays that grow may move."""
        addresses = [each.buffer_info()[0] for each in (self._begins, self._ends, self._targets, self._labels)]
        for known in self._tables:
            known.begins, known.ends, known.targets, known.labels = addresses
            known.states = len(self._begins)

    # What the engine calls

    def machine(self) -> Machine:
        read = ctypes.c_uint64.from_address
        # Who asks for this has room for so many, also if others have found out meanwhile that there are more.
        known = Known(most=self.most_successors)
        self._tables.append(known)
        self._show()

        def successors(state: int, out: int, labels: int) -> int:
            """Of a state that is not in the table, or has more than there is room for."""
            try:
                number = read(state).value
                if self._begins[number] < 0:
                    self._ask(number)
                begin, end = self._begins[number], self._ends[number]
                if end - begin > known.most:
                    known.most = self.most_successors = max(self.most_successors, 2 * (end - begin))
                    return CROWDED
                ctypes.memmove(out, known.targets + 8 * begin, 8 * (end - begin))
                ctypes.memmove(labels, known.labels + 4 * begin, 4 * (end - begin))
            except KeyboardInterrupt:
                _thread.interrupt_main()
                return 0
            return end - begin

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
        return Machine(first, second, (kept, known), ctypes.addressof(known))

    # The reference

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


def parts_of(state: Any) -> Mapping[str, Any]:
    """The parts of a state that have names, or else the whole."""
    if isinstance(state, tuple) and hasattr(state, "_asdict"):
        found: Mapping[str, Any] = state._asdict()
        return found
    if is_dataclass(state) and not isinstance(state, type):
        return {item.name: getattr(state, item.name) for item in fields(state)}
    return {"state": state}
