"""What a run is asked: the properties that the user chose, or those that the model asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from ouroboros.checking.brought import Brought, brought_by
from ouroboros.checking.fairness import NOTHING_SAID, FairnessOptions, fair_actions
from ouroboros.checking.formulas import from_formula, proposition_in_place
from ouroboros.checking.ltl_file import parse_formulas
from ouroboros.checking.responses import from_statement, from_text
from ouroboros.checking.watched import Response, Watched, from_model
from ouroboros.errors import InputError, UsageError
from ouroboros.languages import Model
from ouroboros.report.units import plural
from ouroboros.source import Source, Span
from ouroboros.system.fairness import Fairness
from ouroboros.system.model import ASSUMPTIONS, Proposition, Query, System

ASSERTIONS = "assertions"
DEADLOCK = "deadlock"
END_STATES = "end-states"
_DEADLOCKS = {
    "stuck": "some step is always possible, and no value overflows its variable",
    "stuttering": "some step that leads to another state is always possible",
}


def deadlock_name(system: System) -> str:
    """What the property is called that is about the ends of runs."""
    return DEADLOCK if system.valid_end is None else END_STATES


@dataclass(frozen=True)
class Asked:
    """The properties of a run. Those of states are answered by one search together, each of the others by its own."""

    assertions: bool = False
    """Always, where any property of states is asked for: a model that goes wrong has no other properties."""
    deadlock: bool = False
    unasked: frozenset[int] = frozenset()
    """Of the model's assertions, by their places, those that have names and were not chosen."""
    titles: tuple[tuple[str, tuple[int, ...]], ...] = ()
    """The names of others, and their places."""
    invariants: tuple[Proposition, ...] = ()
    watched: tuple[Watched, ...] = ()
    responses: tuple[Response, ...] = ()
    queries: tuple[Query, ...] = ()
    fairness: Fairness = ()
    """Of the runs that automata and responses speak of."""

    def of(self, system: System) -> System:
        """The system without the assertions that nobody asks about."""
        kept = (item for place, item in enumerate(system.assertions) if place not in self.unasked)
        return replace(system, assertions=tuple(kept)) if self.unasked else system

    def groups(self, system: System) -> list[tuple[str, tuple[Proposition, ...]]]:
        """What is required of states, by the names of the properties; `system` has the assertions that are asked."""
        places = [place for place in range(len(system.assertions) + len(self.unasked)) if place not in self.unasked]
        at = dict(zip(places, system.assertions, strict=True))
        titled = [(name, tuple(at.pop(place) for place in of)) for name, of in self.titles]
        return [(ASSERTIONS, tuple(at.values())), *titled, *((item.name, (item,)) for item in self.invariants)]


def brought_along(system: System) -> Brought:
    return brought_by(system, frozenset({ASSERTIONS, deadlock_name(system)}))


def _invariant_text(system: System, places: Sequence[int]) -> str:
    span = system.assertions[places[0]].span
    instances = f", {len(places)} instances" if len(places) > 1 else ""
    return f"{' '.join(span.text.split()) if span else 'an invariant'}{instances}"


def described_properties(system: System) -> dict[str, str]:
    """What `--property` can choose, and what each says."""
    brought = brought_along(system)
    return {
        ASSERTIONS: "no assertion fails, no index is out of range, nothing is divided by zero",
        **(
            {DEADLOCK: _DEADLOCKS[system.deadlock]}
            if system.valid_end is None
            else {END_STATES: "where no step is possible, every process is where it may end"}
        ),
        **{name: _invariant_text(system, places) for name, places in brought.invariants.items()},
        **{
            name: f"{automaton.meaning}:"
            f" {plural(len(automaton.states), 'state')}, {plural(len(automaton.steps), 'transition')}"
            f"{', only if chosen' if automaton.only_on_request else ''}"
            for name, automaton in brought.automata.items()
        },
        **dict.fromkeys(brought.responses, "whenever p holds, q holds then or later"),
        **{name: " ".join(formula.text.text.split()) for name, formula in brought.formulas.items()},
        **{name: query.text for name, query in brought.queries.items()},
    }


def ask(
    model: Model,
    properties: Sequence[str] = (),
    invariants: Sequence[str] = (),
    ltl: Sequence[str] = (),
    formula_files: Sequence[Source] = (),
    responses: Sequence[str] = (),
    fairness: FairnessOptions = NOTHING_SAID,
    deadlocks: bool = True,
) -> Asked:
    """Resolve what the user chose; without a choice, what the model asks for: its automata, else no deadlock; and its
    responses.
    """
    while True:
        layout = model.system.layout
        asked = _ask(model, properties, invariants, ltl, formula_files, responses, fairness, deadlocks)
        if model.system.layout is layout:
            return asked


def _ask(
    model: Model,
    properties: Sequence[str],
    invariants: Sequence[str],
    ltl: Sequence[str],
    formula_files: Sequence[Source],
    responses: Sequence[str],
    fairness: FairnessOptions,
    deadlocks: bool,
) -> Asked:
    brought = brought_along(model.system)
    ends = deadlock_name(model.system)
    known = described_properties(model.system)
    for name in properties:
        if name in brought.clashes and name not in known:
            raise UsageError(f"several properties are called {name}: choose {' or '.join(brought.clashes[name])}")
        if name not in known:
            raise UsageError(
                f"{model.system.source.name} has no property {name}: choose from {', '.join(known)},"
                " or give a state predicate with --invariant, a formula with --ltl"
            )
    chosen = bool(properties or invariants or ltl or formula_files or responses)
    if not chosen:
        own = [name for name, automaton in brought.automata.items() if not automaton.only_on_request]
        own += brought.formulas
        own += [query.name for query in model.system.queries if not query.only_on_request]
        # Where a run may end is part of the model if it says so; else a deadlock is asked for if nothing else is.
        asked_ends = deadlocks and (not own or model.system.valid_end is not None)
        properties = [*own, *([ends] if asked_ends else []), *brought.responses]
    elif ends in properties and not deadlocks:
        raise UsageError(f"--property {ends} asks for what --deadlock off leaves out")
    spans = [Span(Source("--ltl", text), 0, len(text)) for text in dict.fromkeys(ltl)]
    formulas = [
        from_formula(model, item.text, name=name) for name, item in brought.formulas.items() if name in properties
    ]
    formulas += [_from_command_line(model, span) for span in spans]
    for source in formula_files:
        file = parse_formulas(source)
        formulas += [from_formula(model, span, file.definitions) for span in file.properties]
    asked = [from_text(text, partial(proposition_in_place, model)) for text in dict.fromkeys(responses)]
    fair = fair_actions(model.system, fairness)
    # Without fairness, the searches for accepting cycles need not see the whole model.
    routed = [formula.response for formula in formulas if formula.response] if fair else []
    queries = tuple(query for query in model.system.queries if query.name in properties)
    for query in queries:
        if query.refusal:
            raise query.refusal
    # Who has clocks says himself what a deadlock is.
    deadlock = ends in properties and all(query.name != ends for query in queries)
    all_titles = not chosen or ASSERTIONS in properties
    titles = {name: places for name, places in brought.invariants.items() if all_titles or name in properties}
    return Asked(
        assertions=not chosen or deadlock or ASSERTIONS in properties or bool(titles) or bool(invariants),
        deadlock=deadlock,
        unasked=frozenset(
            place for name, places in brought.invariants.items() if name not in titles for place in places
        ),
        titles=tuple(titles.items()),
        invariants=tuple(model.proposition(Source("--invariant", text)) for text in dict.fromkeys(invariants)),
        watched=(
            *(
                replace(from_model(automaton), name=name)
                for name, automaton in brought.automata.items()
                if name in properties
            ),
            *(formula for formula in formulas if formula.response not in routed),
        ),
        responses=(
            *(
                replace(from_statement(response), name=name)
                for name, response in brought.responses.items()
                if name in properties
            ),
            *asked,
            *routed,
        ),
        queries=queries,
        fairness=fair,
    )


def _from_command_line(model: Model, span: Span) -> Watched:
    try:
        return from_formula(model, span)
    except InputError as error:
        name = span.text.strip()
        if Path(name).is_file() or Path(name).suffix == ".ltl":
            raise UsageError(
                f"--ltl {name}: a formula is expected here: --ltl-file {name} reads those of a file"
            ) from error
        raise


def asks_for_states(system: System, asked: Asked) -> bool:
    """Whether the states must be searched. Without a choice assertions are among what is asked; a model that cannot go
    wrong needs no search for them, if there is another one to make.
    """
    runs = bool(asked.watched or asked.responses or asked.queries)
    required = asked.of(system).assertions or asked.invariants or asked.deadlock or system.covers
    return asked.assertions and (bool(required) or can_fail(system) or not runs)


def can_fail(system: System) -> bool:
    """Whether a step may go wrong, but for an overflow."""
    return any(failure.kind not in ("overflow", *ASSUMPTIONS) for failure in system.failures)
