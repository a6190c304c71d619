"""Machine code that leaves out steps: the tables of a model, put where the code that chooses finds them."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from llvmlite import ir

from ouroboros.native import objects
from ouroboros.native.closure import LINK, Link, closure_assembly
from ouroboros.native.conditions import emit_conditions
from ouroboros.native.sets import WORD
from ouroboros.reduce.stubborn import StubbornTables
from ouroboros.system.model import System

Table = npt.NDArray[np.uint64]


class ReducedSuccessors(NamedTuple):
    """Addresses of functions, valid for as long as what is kept lives."""

    successors: int
    more_successors: int
    cached: bool
    """Whether all of the code came from the cache."""
    kept: object


def reduced_successors(system: System, tables: StubbornTables, whole: int) -> ReducedSuccessors:
    """Functions like the one at the address `whole`, which makes all steps, for the steps that are chosen."""
    conditions_engine, known = _loaded(_conditions_assembly(system, tables))
    words = _words(len(tables.actions))
    engine, also_known = _loaded(closure_assembly(_module("closure"), words))
    packed = _packed(tables, words, len(system.actions))
    transient_word, transient_mask = _transient(system)
    link = Link(
        whole=whole,
        conditions=conditions_engine.get_function_address("conditions"),
        condition_words=_words(len(tables.conditions)),
        vector_words=system.layout.words,
        transitions=len(tables.actions),
        transient_word=transient_word,
        transient_mask=transient_mask,
        **{name: table.ctypes.data for name, table in packed.items()},
    )
    place = (ctypes.c_uint64 * len(link)).from_address(engine.get_global_value_address(LINK))
    place[:] = list(link)
    return ReducedSuccessors(
        engine.get_function_address("successors"),
        engine.get_function_address("more_successors"),
        known and also_known,
        (engine, conditions_engine, packed),
    )


def _loaded(text: str) -> tuple[Any, bool]:
    code, cached = objects.object_code(text)
    return objects.load(code), cached


def _module(name: str) -> ir.Module:
    module = ir.Module(name)
    module.triple, module.data_layout = objects.target()
    return module


def _conditions_assembly(system: System, tables: StubbornTables) -> str:
    module = _module("conditions")
    emit_conditions(module, system, tables.conditions)
    return str(module)


def _transient(system: System) -> tuple[int, int]:
    """The word of a state, and the bits of it, that say whether it is transient."""
    if not system.exclusive:
        return 0, 0
    word, shift, _ = system.layout.placements[system.exclusive.field]
    return word, (1 << system.exclusive.field.bits) - 1 << shift


def _packed(tables: StubbornTables, words: int, actions: int) -> dict[str, Table]:
    """The tables of a link, by their names. One action more than there are is a condition that fails."""
    by_action: dict[int, list[int]] = {}
    for number, action in enumerate(tables.actions):
        by_action.setdefault(action, []).append(number)
    first, of_action = [0], []
    for action in range(actions + 1):
        of_action += by_action.get(action, [])
        first.append(len(of_action))

    conditions = len(tables.conditions)
    condition_words = _words(conditions)
    half = WORD * condition_words
    padding = [0] * (half - conditions)
    necessary = [*tables.necessary[:conditions], *padding, *tables.necessary[conditions:], *padding]
    necessary_of = []
    for own in tables.necessary_of:
        necessary_of.append(sum(1 << (k if k < conditions else half + k - conditions) for k in own))
    return {
        "first_of_action": np.array(first, np.uint64),
        "of_action": np.array(of_action, np.uint64),
        "needed": _rows([each & (1 << half) - 1 for each in necessary_of], condition_words),
        "discord": _rows(tables.discord, words),
        "necessary": _rows(necessary, words),
        "necessary_of": _rows(necessary_of, 2 * condition_words),
        "visible": _rows([tables.visible], words),
        "wanted": _rows([tables.wanted], words),
        "allowed": _rows([tables.allowed], words),
    }


def _words(bits: int) -> int:
    return max(1, -(-bits // WORD))


def _rows(sets: Sequence[int], words: int) -> Table:
    """Sets as bits, so many words each."""
    return np.frombuffer(b"".join(each.to_bytes(8 * words, "little") for each in sets), "<u8").astype(np.uint64)
