"""Merging: a step that concerns nobody else is made one with the step before it.

A step b is *private* at a control place, a value l of a scalar p, if
* p == l is all that it needs to be possible, and it is a single action that leads to another value of p;
* it is in accord with every transition that can be possible together with it: each stays possible after the other, and
  both orders lead to the same state;
* it writes nothing that is observed.

Then {b} is an ample set in every state with p == l (Peled, 1994). Nothing else takes p away from l, for b would not be
possible afterwards; so until b is made p == l, and whatever is done in the meantime can as well be done after b. This
goes for failures too: what fails after b fails before it. Nothing is said of what b enables, and whoever it disables,
by an `else`, a priority or a rendezvous that is now possible, is not in accord with it. Since p == l is its only
condition and every transition that needs that value is disabled by it, b is the only one of its process there.

So wherever a step a certainly leads to p == l, in a state that is stored, the state between a and b has one successor
that is needed, looks like it, and is no end: a and b become one. All states that are stored are expanded in full, so
no cycle leaves anything out for ever. They are states of the whole system: there are never more of them. At l the step
b stays in the choice tree, for runs that begin there or come there otherwise.

A step made of two may lead back to where it started, which its halves do not: that is no deadlock.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ouroboros.reduce.code import constants_after
from ouroboros.reduce.facts import Facts, Transition, assumes
from ouroboros.reduce.places import required_value
from ouroboros.reduce.relations import Relations
from ouroboros.system.blocks import Assign, Block, SetLocal
from ouroboros.system.expressions import Constant, Local, LocalArray, Procedure
from ouroboros.system.layout import Field
from ouroboros.system.model import ASSUMPTIONS, System

_MOST_TRANSITIONS = 4096
_LONGEST = 32
"""Steps that are made one: their code is written out again for each that comes before them."""

Place = tuple[Field, int]
Origins = tuple[tuple[int, ...], ...]


def merged(system: System, observed: frozenset[Field], runs: bool) -> tuple[System, Origins] | None:
    """The system with merged steps, and the actions that each of its actions is made of; None where none are merged.

    For questions about whole `runs` a step that may fail is not merged: a run ends with the state before it.
    """
    if assumes(system):
        return None
    facts = Facts(system)
    if len(facts.transitions) > _MOST_TRANSITIONS:
        return None
    private = _without_cycles(_private(facts, observed, runs))
    if not private:
        return None
    exclusive = system.exclusive.field if system.exclusive else None
    chains = [_chain(system, number, private, exclusive) for number in range(len(system.actions))]
    if all(len(chain) == 1 for chain in chains):
        return None
    actions = list(system.actions)
    most = system.locals
    for number, chain in enumerate(chains):
        if len(chain) > 1:
            effect, locals_ = _one_after_the_other([system.actions[each].effect for each in chain])
            actions[number] = replace(actions[number], effect=effect)
            most = max(most, locals_)
    return replace(system, actions=tuple(actions), locals=most), tuple(map(tuple, chains))


def _private(facts: Facts, observed: frozenset[Field], runs: bool) -> dict[Place, Transition]:
    """The private step of each place that has one."""
    seen = 0
    for field in observed:
        if field in facts.slots.first:
            seen |= facts.slots.all_of(field)
    candidates = {
        place: step
        for step in facts.transitions
        if step.action < len(facts.system.actions)
        and not step.writes & seen
        and (place := _only_place(facts, step))
        and not (step.may_fail and (runs or _counts_otherwise(facts, step)))
    }
    if not candidates:
        return {}
    relations = Relations(facts)
    return {place: step for place, step in candidates.items() if relations.is_in_accord_with_all(step.number)}


def _only_place(facts: Facts, step: Transition) -> Place | None:
    """The place that is all that a step asks for, if it leaves that with a constant."""
    if step.block is None or len(step.conjuncts) != 1:
        return None
    place = required_value(facts.conjuncts[step.conjuncts[0]].expression)
    return place if place and step.constants.get(*place) != place[1] else None


def _counts_otherwise(facts: Facts, step: Transition) -> bool:
    """Whether a step, if it fails, may do so in a way that not every question takes for a violation: others must be
    able to go on.
    """
    kinds = {facts.system.failures[site].kind for site in _sites(step.block)}
    return bool(kinds & {"overflow", *ASSUMPTIONS})


def _sites(part: Any) -> set[int]:
    found: set[int] = set()
    procedures: set[Procedure] = set()
    waiting = [part]
    while waiting:
        each = waiting.pop()
        match each:
            case object(site=int(site)) if site >= 0:
                found.add(site)
        if isinstance(each, tuple):
            waiting += each
        elif isinstance(each, Procedure) and each not in procedures:
            procedures.add(each)
            waiting += (each.body, each.result)
    return found


def _without_cycles(private: Mapping[Place, Transition]) -> dict[Place, Transition]:
    """Leave out places until private steps do not lead in a circle: the targets of back edges, depth first."""
    following = {place: [each for each in step.constants.items() if each in private] for place, step in private.items()}
    open_: set[Place] = set()
    done: set[Place] = set()
    left_out: set[Place] = set()
    for start in private:
        if start in done:
            continue
        open_.add(start)
        stack = [(start, iter(following[start]))]
        while stack:
            place, targets = stack[-1]
            target = next(targets, None)
            if target is None:
                stack.pop()
                open_.discard(place)
                done.add(place)
            elif target in open_:
                left_out.add(target)
            elif target not in done:
                open_.add(target)
                stack.append((target, iter(following[target])))
    return {place: step for place, step in private.items() if place not in left_out}


def _chain(system: System, number: int, private: Mapping[Place, Transition], exclusive: Field | None) -> list[int]:
    """An action, and the private steps that follow it."""
    chain = [number]
    known = constants_after(system.actions[number].effect)
    while len(chain) < _LONGEST and (exclusive is None or known.get(exclusive) == 0):
        step = next((private[place] for place in known.items() if place in private), None)
        if step is None:
            break
        assert step.block is not None
        chain.append(step.action)
        known = constants_after((*_forgotten(known), *step.block))
    return chain


def _forgotten(known: Mapping[Field, int]) -> Block:
    """Statements that say what is known so far."""
    return tuple(Assign(field, None, Constant(value)) for field, value in known.items())


def _one_after_the_other(blocks: list[Block]) -> tuple[Block, int]:
    """Blocks made one, each with temporaries of its own; and how many they use."""
    result: list[Any] = []
    used = 0
    for block in blocks:
        arrays: dict[LocalArray, LocalArray] = {}
        result += _renumbered(block, used, arrays)
        used += _temporaries(block)
    return tuple(result), used


def _renumbered(part: Any, by: int, arrays: dict[LocalArray, LocalArray]) -> Any:
    """The same code on later temporaries. Those of procedures are their own."""
    match part:
        case Local(slot):
            return Local(slot + by)
        case SetLocal(slot, value):
            return SetLocal(slot + by, _renumbered(value, by, arrays))
        case LocalArray(name, length):
            return arrays.setdefault(part, LocalArray(name, length))
        case tuple():
            parts = [_renumbered(each, by, arrays) for each in part]
            return tuple(parts) if type(part) is tuple else type(part)(*parts)
    return part


def _temporaries(part: Any) -> int:
    """One more than the greatest number of a temporary."""
    match part:
        case Local(slot):
            return slot + 1
        case SetLocal(slot, value):
            return max(slot + 1, _temporaries(value))
        case tuple():
            return max((_temporaries(each) for each in part), default=0)
    return 0
