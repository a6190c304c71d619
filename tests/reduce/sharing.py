"""What the checks of one model have in common is done once: many small models are judged in less time.

Nothing of what is judged changes: the same functions make the same things of the same arguments, but not again. Two
decisions that only save time are taken out, for with them there would be less to judge: leaving out steps pays for any
model, and what is never executed is searched for now and then only.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import fields, replace
from functools import cache, lru_cache
from typing import Any, TypeVar

from ouroboros import native
from ouroboros.driver import reducing, searching
from ouroboros.driver.searching import Found
from ouroboros.native import Program, objects
from ouroboros.native import stubborn as native_stubborn
from ouroboros.properties import states
from ouroboros.reduce.stubborn import Stubborn, StubbornTables
from ouroboros.system.expressions import fields_in
from ouroboros.system.layout import Field
from ouroboros.system.model import Proposition, Reduced, ReductionKind, System

T = TypeVar("T")

_made: dict[Hashable, Any] = {}
_kept: list[Any] = []
"""Whatever is known by its address must not be given back before."""
_NAMES = [each.name for each in fields(System) if each.name not in ("failures", "deadlock", "extends_finite_runs")]

_compile = native.compile_system
_smaller = reducing.smaller
_with_all_actions = states._with_all_actions
_conditions = native_stubborn._conditions_assembly
_closure = native_stubborn.closure_assembly


def begin() -> None:
    """Another model."""
    _made.clear()
    _kept.clear()


def share(also_coverage: Callable[[], bool]) -> None:
    """From now on, in this process; `also_coverage` says whether a check looks for all that is never executed."""

    def covered(found: Found, *arguments: Any) -> Found:
        return _with_all_actions(found, *arguments) if also_coverage() else found

    for module, name, function in (
        (native, "compile_system", compiled),
        (native_stubborn, "_conditions_assembly", conditions_assembly),
        (native_stubborn, "closure_assembly", lambda _, words: closure_assembly(words)),
        (objects, "object_code", lru_cache(64)(objects.object_code)),
        (reducing, "smaller", smaller),
        (reducing, "Stubborn", stubborn),
        (searching, "_pays", lambda *_: True),
        (states, "_with_all_actions", covered),
    ):
        assert hasattr(module, name)
        setattr(module, name, function)


def stubborn(system: System) -> Stubborn:
    return _once(("stubborn", *_identity(system)), lambda: Stubborn(system))


def smaller(
    system: System, observed: frozenset[Field], kinds: frozenset[ReductionKind], runs: bool = False
) -> Reduced | None:
    kinds -= {"partial order"}
    asked = ("smaller", *_identity(system), observed, kinds, runs)
    return _once(asked, lambda: _smaller(system, observed, kinds, runs))


def compiled(system: System, propositions: Sequence[Proposition] = (), tables: StubbornTables | None = None) -> Program:
    _kept.append(propositions)
    asked = ("code", *_parts(system), tuple(_expression(each) for each in propositions))
    whole = _once(asked, lambda: _compile(system, propositions))
    if tables is None:
        return whole
    _kept.append(tables)
    reduced = _once(
        ("chosen", *asked, id(tables.discord), tables.visible, tables.wanted, tables.allowed),
        lambda: native_stubborn.reduced_successors(system, tables, whole.successors),
    )
    return replace(
        whole, successors=reduced.successors, more_successors=reduced.more_successors, _kept=(whole, reduced.kept)
    )


def conditions_assembly(system: System, tables: StubbornTables) -> str:
    _kept.append(tables)
    return _once(("conditions", *_parts(system), id(tables.conditions)), lambda: _conditions(system, tables))


@cache
def closure_assembly(words: int) -> str:
    return _closure(native_stubborn._module("closure"), words)


def _expression(proposition: Proposition) -> Hashable:
    expression = proposition.expression
    return (repr(expression), *map(id, fields_in(expression)))


def _identity(system: System) -> tuple[Hashable, ...]:
    return *_parts(system), system.deadlock, system.extends_finite_runs


def _parts(system: System) -> tuple[Hashable, ...]:
    """Systems that were copied for another meaning of deadlock have all parts in common."""
    _kept.append(system)
    # Reading an expression makes a new tuple of the same failures, if there are no more.
    return *(id(getattr(system, name)) for name in _NAMES), *map(id, system.failures)


def _once(key: Hashable, make: Callable[[], T]) -> T:
    if key not in _made:
        _made[key] = make()
    found: T = _made[key]
    return found
