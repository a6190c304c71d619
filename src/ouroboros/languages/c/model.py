"""A program as a model: its steps are made by its own machine code, and by the reference once more."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ouroboros.conditions import condition
from ouroboros.errors import InputError
from ouroboros.languages import Abilities, read_model
from ouroboros.languages.c.compile import LIBRARY, CompilerOptions, compile_program
from ouroboros.languages.c.description import Description
from ouroboros.languages.c.machine.compile import FIRST_ROOM, Machine, machine_code
from ouroboros.languages.c.machine.failures import (
    ASSERTION,
    BOUNDS,
    CONSTANT,
    DISABLED_KIND,
    DIVISION,
    DOUBLE_FREE,
    DROPPED_KIND,
    ERROR_FUNCTION,
    FREED,
    HEAP_ROOM,
    INVALID_FREE,
    MESSAGES,
    MISALIGNED,
    NULL,
    OVERFLOW,
    SHIFT,
    STACK,
    THREADS,
    UNKNOWN_KINDS,
    WILD,
)
from ouroboros.languages.c.machine.failures import Failure as MachineFailure
from ouroboros.languages.c.machine.layout import Room
from ouroboros.languages.c.permitted import Permitted
from ouroboros.languages.c.pipeline import PipelineOptions, prepare
from ouroboros.languages.c.places import Places
from ouroboros.languages.c.program import Program
from ouroboros.languages.c.readable import Readable
from ouroboros.languages.c.requests import LEAKS, ON_REQUEST, RACES, no_leak, no_race
from ouroboros.languages.c.steps import Steps
from ouroboros.source import Source
from ouroboros.system.choices import Action, All
from ouroboros.system.expressions import Binary, Constant, Read, conjunction
from ouroboros.system.layout import Field, Layout
from ouroboros.system.model import CodeLine, Failure, FailureKind, Proposition, System

MOST_THREADS = 64
MOST_STACK_WORDS = 1 << 12
MOST_HEAP_WORDS = 1 << 15
MOST_HEAP_OBJECTS = 1 << 10

_KINDS: dict[int, FailureKind] = {
    ASSERTION: "assertion",
    ERROR_FUNCTION: "assertion",
    **dict.fromkeys((NULL, WILD, BOUNDS, FREED, INVALID_FREE, DOUBLE_FREE, CONSTANT, MISALIGNED), "index"),
    **dict.fromkeys((OVERFLOW, SHIFT), "range"),
    DIVISION: "division",
    DROPPED_KIND: "dropped",
    DISABLED_KIND: "disabled",
    **dict.fromkeys(UNKNOWN_KINDS, "room"),
}

_STREAMS = frozenset({"stdin", "stdout", "stderr"})
"""Of which a program only hands the names on, to functions that print."""


class CModel:
    """A program that was compiled; it is compiled again where it needs more room."""

    abilities = Abilities()

    def __init__(self, source: Source, paths: list[Path], options: CompilerOptions, permitted: Permitted) -> None:
        self._source, self._paths, self._options, self._permitted = source, paths, options, permitted
        self._others = tuple(read_model(path) for path in paths[1:])
        self._room = FIRST_ROOM
        self._asked: frozenset[str] = frozenset()
        """The properties on request that the system tells of."""
        self._given_up: frozenset[int] = frozenset()
        """Of what there cannot be more, so that nothing after it is tried."""
        self._program = self._prepared(FIRST_ROOM.threads)
        self._make()

    def _prepared(self, threads: int) -> Program:
        text = compile_program(self._paths, self._options, threads, self._permitted.switches)
        program = prepare(text, PipelineOptions(slots=threads, permitted=self._permitted))
        if program.needs:
            places = Places(program.module)
            calls = {name: places.own(location) for name, location in sorted(program.needs.items())}
            told = [f"{name} ({place.file.name}:{place.line})" if place else name for name, place in calls.items()]
            raise InputError(
                f"{self._source.name}: these functions have no body: {', '.join(told)}",
                hint="give the files that define them, write a stand-in for each, or have them give back anything"
                " with --stub",
            )
        missing = [name for name, each in program.module.variables.items() if each.initialiser is None]
        if undefined := sorted(name for name in missing if not name.startswith("_") and name not in _STREAMS):
            raise InputError(
                f"{self._source.name}: these variables are defined nowhere: {', '.join(undefined)}",
                hint="give the files that define them",
            )
        return program

    def _make(self) -> None:
        self._machine: Machine = machine_code(
            self._program, self._room, leaks=LEAKS in self._asked, given_up=self._given_up
        )
        self._room = self._machine.layout.room
        self._description = Description(self._machine, (self._source, *self._others))
        machine = self._machine
        fields = tuple(Field(f"word {word}", _component(machine, word), 64) for word in range(machine.layout.words))
        self._fields = fields
        self._steps = Steps(machine, self._description, self._asked)
        over = Binary("!=", Binary("&", Read(fields[0]), Constant(0xFFFFFFFF)), Constant(0))
        threads = [machine.layout.thread_word(slot) for slot in range(self._room.threads)]
        # Where all threads have ended, main among them, the program has ended, too.
        nobody = conjunction(*(Binary("==", Read(fields[word]), Constant(0)) for word in threads))
        self.system = System(
            name=Path(self._source.name).stem,
            language="C",
            source=self._source,
            included=self._others,
            layout=Layout(fields),
            initial=(machine.initial,),
            actions=tuple(Action((part,), ()) for part in self._description.actions()),
            choices=All(()),
            failures=tuple(self._failure(each) for each in machine.failures),
            evaluation_bits=64,
            processes=self._threads(),
            code=tuple(CodeLine(part, False, frozenset()) for part in self._description.lines()),
            on_request=ON_REQUEST,
            valid_end=Binary("or", over, nobody),
            foreign=self._steps,
            extends_finite_runs=True,
            omissions=self._description.omissions(),
        )

    def _threads(self) -> tuple[str, ...]:
        return ("main", *(f"thread {slot}" for slot in range(1, self._room.threads)))

    def _failure(self, failure: MachineFailure) -> Failure:
        place = self._description.place_of(failure)
        span = self._description.places.span(place) if place else None
        message = MESSAGES.get(failure.kind, "an assumption is false")
        if failure.kind == ASSERTION and failure.text:
            message = f"the assertion `{failure.text}` is false"
        elif failure.text:
            message = f"{message}: {failure.text}"
        return Failure(_KINDS.get(failure.kind, "error"), message, span)

    def grow(self, sites: Iterable[int]) -> None:
        """More room of the kind that was missing; where there is no more, what needs more is left out."""
        for site in sites:
            self._grow(self._machine.failures[site])
        self._make()

    def _grow(self, missing: MachineFailure) -> None:
        room = self._room
        if missing.kind == THREADS and room.threads < MOST_THREADS:
            self._room = room._replace(threads=more_threads(room.threads))
            self._program = self._prepared(self._room.threads)
        elif missing.kind == STACK and room.stack_words < MOST_STACK_WORDS:
            more = max(4, room.stack_words)
            self._room = room._replace(main_words=room.main_words + more, stack_words=room.stack_words + more)
        elif missing.kind == HEAP_ROOM and room.heap_words < MOST_HEAP_WORDS:
            objects = min(MOST_HEAP_OBJECTS, 2 * room.heap_objects)
            self._room = room._replace(heap_objects=objects, heap_words=2 * room.heap_words)
        else:
            self._given_up |= {missing.kind}

    def requested(self, name: str) -> Proposition:
        if name not in self._asked:
            self._asked |= {name}
            self._make()
        if name == RACES:
            return no_race(self._steps.races.told)
        return no_leak(self._fields[0], lambda state: "memory that was allocated is lost, and was not freed")

    def proposition(self, source: Source) -> Proposition:
        """A condition over global variables, and over the places of threads."""
        readable = Readable(self._description, self._fields, self._steps, Path(self._source.name).name)
        return Proposition(" ".join(source.text.split()), condition(source, readable.names(), -1))


def more_threads(threads: int) -> int:
    """One more where there are few: each makes every state longer."""
    return min(MOST_THREADS, threads + 1 if threads < 6 else threads + threads // 3)


def _component(machine: Machine, word: int) -> str:
    layout = machine.layout
    if word < layout.thread_base:
        return "globals"
    if word < layout.heap_entries:
        slot = max(slot for slot in range(layout.room.threads) if layout.thread_word(slot) <= word)
        return f"thread {slot}" if slot else "main"
    return "heap"


__all__ = ["LIBRARY", "CModel", "Room", "more_threads"]
