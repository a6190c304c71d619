"""From a program and the room that it gets to machine code, and to the vector that everything starts from."""

from __future__ import annotations

import ctypes
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from llvmlite import ir

from ouroboros.languages.c.machine.canonical import emit_canonical
from ouroboros.languages.c.machine.failures import DISABLED_KIND, DROPPED_KIND, HOPELESS_KINDS, MESSAGES, Failure
from ouroboros.languages.c.machine.functions import emit_function
from ouroboros.languages.c.machine.layout import Room, StateLayout
from ouroboros.languages.c.machine.memory import emit_memory
from ouroboros.languages.c.machine.races import emit_races
from ouroboros.languages.c.machine.stepping import emit_steps, step_failure
from ouroboros.languages.c.machine.unit import Unit
from ouroboros.languages.c.program import Program
from ouroboros.native import objects
from ouroboros.system.layout import Vector

ROOT = "__ouro_run"
"""How the names of functions begin in which threads start."""

FIRST_ROOM = Room(threads=3, main_words=0, stack_words=0, heap_objects=4, heap_words=16)


@dataclass(frozen=True, eq=False)
class Machine:
    """The machine code of a program; its addresses are valid for as long as it lives."""

    successors: int
    """Address of `i32 successors(i64* state, i64* out, i32* labels)`, as of every model; a label is the slot of the
    thread that moves."""
    race: int
    """Address of `i64 race(i64* state)`: whether the state has a data race."""
    layout: StateLayout
    capacity: int
    """Address of how many successors there is room for: more, where that was not enough."""
    failures: tuple[Failure, ...]
    begin: Vector
    """Before the first instruction: where the program begins if something goes wrong before others can see it."""
    initial: Vector
    """The first state."""
    seconds: float
    cached: bool
    kept: Any

    @property
    def most_successors(self) -> int:
        """Of any state, as far as is known."""
        return ctypes.c_int64.from_address(self.capacity).value


def machine_code(
    program: Program, room: Room, *, leaks: bool = False, given_up: frozenset[int] = HOPELESS_KINDS
) -> Machine:
    """Machine code for a program, which notes leaks if that is asked for, and tries nothing after such failures."""
    started = time.perf_counter()
    layout = StateLayout(program, roomy_enough(program, room), leaks=leaks, given_up=given_up)
    text, failures = llvm_text(layout)
    code, cached = objects.object_code(text)
    engine = objects.load(code)
    begin = first_vector(layout)
    vector = begin.copy()
    start = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(engine.get_function_address("start"))
    found = start(vector.ctypes.data)
    return Machine(
        successors=engine.get_function_address("whole_successors"),
        race=engine.get_function_address("race"),
        layout=layout,
        capacity=engine.get_global_value_address("capacity"),
        failures=failures,
        begin=_vector(begin),
        initial=_vector(begin if found >= 0 else vector),
        seconds=time.perf_counter() - started,
        cached=cached,
        kept=engine,
    )


def _vector(words: np.ndarray[Any, np.dtype[np.uint64]]) -> Vector:
    return tuple(int(word) for word in words)


def roomy_enough(program: Program, room: Room) -> Room:
    """At least the room without which nothing can run: for the largest first frame of each thread, and one above it."""
    sizes: dict[str, int] = {}
    layout = StateLayout(program, room)
    for site in layout.sites:
        sizes[site.function] = max(sizes.get(site.function, 0), site.words, layout.frames[site.function].registers)
    roots = {name: size for name, size in sizes.items() if name.startswith(ROOT)}
    called = [size for name, size in sizes.items() if name != program.start and name not in roots]
    above = 1 + max(called) if program.calls and called else 0
    return room._replace(
        main_words=max(room.main_words, 1 + sizes[program.start] + above),
        stack_words=max(room.stack_words, 1 + max(roots.values(), default=0) + above),
    )


def llvm_text(layout: StateLayout) -> tuple[str, tuple[Failure, ...]]:
    """The program as LLVM IR that makes steps, before it is optimised; and all that can go wrong."""
    module = ir.Module("program")
    module.triple, module.data_layout = objects.target()
    unit = Unit(module, layout)
    # First those that are none; then one of each kind, for what has no place.
    for kind in (DROPPED_KIND, DISABLED_KIND, *sorted(MESSAGES)):
        step_failure(unit, kind)
    emit_memory(unit)
    if layout.has_heap:
        emit_canonical(unit)
    for name in layout.frames:
        emit_function(unit, layout.module.functions[name])
    emit_steps(unit)
    emit_races(unit)
    return str(module), tuple(unit.failures.known)


def first_vector(layout: StateLayout) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """The vector in which the first function is about to begin."""
    content = bytearray(8 * layout.words)
    for name, (offset, size) in layout.globals.items():
        initialiser = layout.module.variables[name].initialiser
        assert initialiser is not None
        content[offset : offset + size] = layout.constants.data(initialiser)
    vector = np.frombuffer(content, np.uint64).copy()
    thread = layout.thread_word(0)
    vector[thread] = layout.entries[layout.program.start].number | (thread + 1) << 32
    return vector
