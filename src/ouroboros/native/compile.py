"""From a System to machine code."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from llvmlite import ir

from ouroboros.native import objects
from ouroboros.native.choices import emit_successors
from ouroboros.native.foreign import emit_widened_successors
from ouroboros.native.stubborn import reduced_successors
from ouroboros.native.valuation import emit_valuation
from ouroboros.reduce.stubborn import StubbornTables
from ouroboros.system.choices import most_successors
from ouroboros.system.foreign import Foreign
from ouroboros.system.model import Proposition, System


@dataclass(frozen=True, eq=False)
class Program:
    """The machine code of a system; its addresses are valid for as long as the program lives."""

    successors: int
    """Address of `i32 successors(i64* state, i64* out, i32* labels)`: writes successor k at `out + k * words` and the
    index of its action at `labels[k]`, and gives their number. An entry whose label has the bit `FAILURE` holds the
    failure's site in its first word; the label's other bits are the action that failed, or the number of actions where
    a choice between them failed. The bit `ASSERTED` says that an assertion was false on the way to the successor, the
    bit `TRANSIENT` that the successor is a transient state. The buffers must not overlap, and have room for
    `most_successors` entries. If the bit `REDUCED` is set, steps were left out."""
    more_successors: int
    """The same, with fewer left out: no step of a transition that is wanted."""
    valuation: int
    """Address of `i64 valuation(i64* state)`: bit i is the truth of proposition i; `EVALUATION_FAILED` alone where
    evaluating one failed."""
    words: int
    seconds: float
    cached: bool
    """Whether the object code came from the cache."""
    _whole_successors: int = field(repr=False)
    _most_successors: Callable[[], int] = field(repr=False)
    _kept: tuple[Any, ...] = field(repr=False)
    """What must live as long."""

    @property
    def most_successors(self) -> int:
        """Of any state: a bound, or what foreign code knows by now, which gives CROWDED where it knows better."""
        return self._most_successors()

    @property
    def unreduced(self) -> Program:
        """The same, with no step left out."""
        return replace(self, successors=self._whole_successors, more_successors=self._whole_successors)


def compile_system(
    system: System, propositions: Sequence[Proposition] = (), stubborn: StubbornTables | None = None
) -> Program:
    """Machine code for a system, and for the propositions over its states; with tables for stubborn sets, steps that
    are not needed are left out.
    """
    if system.foreign:
        return _foreign_program(system, system.foreign, propositions)
    started = time.perf_counter()
    most = most_successors(system.choices)
    with _no_garbage_collection():
        code, cached = objects.object_code(llvm_text(system, propositions))
        engine = objects.load(code)
        whole = engine.get_function_address("whole_successors")
        program = Program(
            successors=whole,
            more_successors=whole,
            valuation=engine.get_function_address("valuation"),
            words=system.layout.words,
            seconds=0.0,
            cached=cached,
            _whole_successors=whole,
            _most_successors=lambda: most,
            _kept=(engine,),
        )
        if stubborn:
            reduced = reduced_successors(system, stubborn, whole)
            program = replace(
                program,
                successors=reduced.successors,
                more_successors=reduced.more_successors,
                cached=cached and reduced.cached,
                _kept=(engine, reduced.kept),
            )
    return replace(program, seconds=time.perf_counter() - started)


def _foreign_program(system: System, foreign: Foreign, propositions: Sequence[Proposition]) -> Program:
    """Other code makes the steps; ours are the propositions, and what makes room for words that it does not know of."""
    started = time.perf_counter()
    machine = foreign.machine()
    module = ir.Module("foreign")
    module.triple, module.data_layout = objects.target()
    emit_widened_successors(module, system, machine)
    emit_valuation(module, system, propositions, machine.valuation)
    # There are addresses in it, which are others in the next run.
    engine = objects.load(objects.compiled(str(module)))
    widened = engine.get_function_address("whole_successors")
    return Program(
        successors=widened,
        more_successors=widened,
        valuation=engine.get_function_address("valuation"),
        words=system.layout.words,
        seconds=time.perf_counter() - started,
        cached=False,
        _whole_successors=widened,
        _most_successors=lambda: foreign.most_successors,
        _kept=(engine, machine),
    )


def assembly_text(system: System, propositions: Sequence[Proposition] = ()) -> str:
    """The machine code of a system, for the processor we run on, as assembly."""
    return objects.assembly(llvm_text(system, propositions))


def llvm_text(system: System, propositions: Sequence[Proposition] = ()) -> str:
    """The system as LLVM IR, before it is optimised."""
    module = ir.Module("system")
    module.triple, module.data_layout = objects.target()
    emit_successors(module, system)
    emit_valuation(module, system, propositions)
    return str(module)


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """The IR of a large model is a million objects and no garbage: looking for some would take most of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
