"""The verdict on a formula by the interpreter alone, and by each algorithm with each reduction."""

from __future__ import annotations

from collections.abc import Callable

from ouroboros.errors import InputError, UsageError
from ouroboros.languages import GrowingModel, Model
from ouroboros.ltl.generalised import strong_components
from ouroboros.properties.formulas.reading import from_formula
from ouroboros.properties.formulas.watched import Watched
from ouroboros.source import Source, Span
from ouroboros.system.arithmetic import ExecutionError
from ouroboros.system.interpret import successors, valuation
from ouroboros.system.layout import Vector
from ouroboros.system.model import REDUCTIONS, ReductionKind, System
from tests.peers.counting import TooLarge, ways
from tests.reduce.judging import BROKEN, Comparison, Question, judged, load, told
from tests.reduce.random_enabledness import RandomModel

MOST_STATES = 1000
MOST_STEPS = 10_000
ALGORITHMS = ("ndfs", "owcty", "map")


class _Fails(Exception):
    """A run goes wrong: what that means for a formula is not looked at here."""


def holds(model: Model, formula: str) -> bool | None:
    """Whether a formula holds, by a search for an accepting component; None where a run goes wrong."""
    while True:
        watched = from_formula(model, Span(Source("--ltl", formula), 0, len(formula)))
        layout = model.system.layout
        watched = from_formula(model, Span(Source("--ltl", formula), 0, len(formula)))
        if model.system.layout is not layout:
            continue
        try:
            return not _accepted(model.system, watched)
        except _Fails:
            return None
        except _NoRoom as missing:
            assert isinstance(model, GrowingModel)
            model.grow(missing.sites)


class _NoRoom(Exception):
    def __init__(self, sites: set[int]) -> None:
        super().__init__(sites)
        self.sites = sites


def _accepted(system: System, watched: Watched) -> bool:
    """Whether the automaton accepts a run of the system."""
    automaton = watched.automaton
    graph: dict[Vector, tuple[int, list[Vector]]] = {}
    """The letter of each state, and where it leads."""
    work = 0

    def state_of(state: Vector) -> tuple[int, list[Vector]]:
        nonlocal work
        if state not in graph:
            work += ways(system, state, 400)
            if len(graph) >= MOST_STATES or work > MOST_STEPS:
                raise TooLarge
            graph[state] = _letter(system, watched, state), _following(system, state)
        return graph[state]

    def following(pair: tuple[int, Vector]) -> list[tuple[int, Vector]]:
        place, state = pair
        letter, after = state_of(state)
        targets = [edge.target for edge in automaton.edges[place] if edge.allows(letter)]
        return [(target, reached) for target in targets for reached in after]

    # What goes wrong must not depend on how far the automaton follows.
    for state in (queue := list(system.initial)):
        queue += [each for each in state_of(state)[1] if each not in graph and each not in queue]
    numbers: dict[tuple[int, Vector], int] = {}
    pairs: list[tuple[int, Vector]] = []

    def number(pair: tuple[int, Vector]) -> int:
        if pair not in numbers:
            numbers[pair] = len(pairs)
            pairs.append(pair)
        return numbers[pair]

    def steps(one: int) -> list[int]:
        return [number(pair) for pair in following(pairs[one])]

    initial = [number((automaton.initial, state)) for state in system.initial]
    return any(
        any(automaton.accepting[pairs[one][0]] for one in component)
        and any(after in component for after in steps(component[0]))
        for component in strong_components(initial, steps)
    )


def _letter(system: System, watched: Watched, state: Vector) -> int:
    try:
        truth = valuation(system, state, watched.propositions)
    except ExecutionError:
        raise _Fails from None
    return sum(1 << index for index, true in enumerate(truth) if true)


def _following(system: System, state: Vector) -> list[Vector]:
    """Where a state leads; a run that ends repeats its last state for ever."""
    steps = successors(system, state)
    sites = {each.failure for step in steps for each in (*step.before, step) if each.failure is not None}
    missing = {site for site in sites if system.failures[site].kind == "room"}
    if missing:
        raise _NoRoom(missing)
    if sites:
        raise _Fails
    reached = [step.state for step in steps if step.state is not None]
    return reached or [state]


def compare_formula(
    model: RandomModel, language: str, formula: str, chance: Callable[[int], bool] | None = None
) -> Comparison:
    """Ask for a formula with every algorithm, with and without reductions."""
    result = Comparison()
    try:
        loaded = load(model.text, language)
        whole = holds(loaded, formula)
    except TooLarge:
        result.skipped = "too large"
        return result
    except (InputError, UsageError) as error:
        result.skipped = f"refused: {str(error).splitlines()[0]}"
        return result
    except BROKEN as error:
        result.differences.append(f"{formula}: {type(error).__name__} without the engine: {error}")
        return result
    found: dict[str, str] = {}
    if whole is not None:
        found["the interpreter"] = "holds" if whole else "violated"
    for algorithm in ALGORITHMS:
        question = Question(formula, {"ltl": [formula], "algorithm": algorithm})
        tried: list[frozenset[ReductionKind]] = [REDUCTIONS]
        if chance is None or algorithm == "owcty":
            tried.append(frozenset())
        tried += [frozenset({kind}) for kind in sorted(REDUCTIONS) if chance is None or chance(8)]
        for kinds in tried:
            found[f"{algorithm} with {told(kinds)}"] = judged(loaded, question, kinds, result.used)
    expected = found.get("the interpreter") or found["owcty with no reduction"]
    result.verdicts["formula"] = expected
    if len(set(found.values())) > 1:
        result.differences.append(f"{formula}: {'; '.join(f'{verdict} by {way}' for way, verdict in found.items())}")
    return result
