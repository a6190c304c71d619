"""The combinations of options that are unsound, impossible or without effect: refused, with the reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from ouroboros.errors import InputError, UsageError
from ouroboros.system.arithmetic import ExecutionError
from ouroboros.system.interpret import evaluate
from ouroboros.system.layout import Vector
from ouroboros.system.model import System
from ouroboros.system.symmetry import Symmetry

if TYPE_CHECKING:
    from ouroboros.engine.stores.choice import StoreChoice
    from ouroboros.search.accepting import Algorithm
    from ouroboros.search.graph_search import EdgePolicy
    from ouroboros.search.product_search import Order


@dataclass(frozen=True)
class Combination:
    """How a run is to be made. None: the user leaves the choice to Ouroboros."""

    store: StoreChoice
    algorithm: Algorithm | None = None
    order: Order | None = None
    edges: EdgePolicy | None = None
    workers: int = 1
    cycles: bool = False
    """Whether a property was asked for that needs a search for accepting cycles."""
    responses: bool = False
    """Whether a response was asked for, or a formula that is one."""
    fair: bool = False
    """Whether some actions are fair."""
    fairness_asked: bool = False
    """Whether it was the user who made them so."""
    stutter: bool | None = None
    symmetry: bool = False
    first: bool = False
    violations: int = 1
    """The most that are collected of each property of states."""
    symmetric: bool = True
    """Whether the model's language has values that are all alike."""
    alike: Symmetry | None = None
    """Those values of the model."""
    saved: bool = False
    """Whether checkpoints were asked for."""
    certified: bool = False
    """Whether a certificate was asked for."""
    inclusion: bool = False
    """Whether it was asked for that zones inside of others are left out."""
    timed: bool = False
    """Whether the model has clocks."""
    non_zeno: bool = False
    """Whether only runs count on which time goes on without end."""
    lasting: bool = True
    """Whether a state of the model means the same to another process and to another run."""


_VALUES = {
    "algorithm": ("ndfs", "owcty", "map"),
    "order": ("discovery", "reverse", "hash"),
    "edges": ("auto", "keep", "regenerate"),
}


class Refusal(NamedTuple):
    applies: Callable[[Combination], bool]
    reason: str


ONLY_QUERIES = Refusal(
    lambda run: run.non_zeno,
    "--non-zeno says which runs count for A<>, E[] and --> of timed automata: leave it out, or other questions",
)

_REFUSALS = (
    Refusal(
        lambda run: not run.lasting and (run.workers > 1 or run.saved or run.certified),
        "the states of this model are objects of one process, which nobody else can read: it is for one worker, without"
        " --checkpoint and --certificate",
    ),
    Refusal(
        lambda run: run.saved and not run.store.exact,
        "--checkpoint needs a store that keeps the states themselves, which other workers may have to take over:"
        " --store full, tree or collapse",
    ),
    Refusal(
        lambda run: run.violations > 1 and run.first,
        "--first ends the search at one violation, and --all collects several: leave out one of them",
    ),
    Refusal(
        lambda run: run.violations > 1 and not run.store.exact,
        "--all looks at all states once more, and so needs a store that keeps them: --store full, tree or collapse",
    ),
    Refusal(
        lambda run: run.symmetry and not run.symmetric,
        "--symmetry needs a model whose language says which values are alike: the scalarsets of Murphi",
    ),
    Refusal(
        lambda run: run.symmetry and (run.cycles or run.responses),
        "--symmetry keeps one state of each orbit, and loses which of the processes makes the steps of a cycle: it is"
        " for properties of states, not for formulas or responses",
    ),
    Refusal(
        lambda run: run.symmetry and not run.store.exact,
        "--symmetry needs an exact store: a run is rebuilt from what was stored, which must not stand for two states",
    ),
    Refusal(
        lambda run: run.non_zeno and not (run.timed and run.cycles),
        "--non-zeno says which runs count, and nothing was asked of runs of a timed automaton: ask for A<>, E[] or -->",
    ),
    Refusal(
        lambda run: run.inclusion and not run.timed,
        "--inclusion leaves out zones inside of others, and this model has no clocks",
    ),
    Refusal(
        lambda run: run.inclusion and (run.cycles or run.responses),
        "--inclusion loses which runs come back to where they were: it is for properties of states, E<> and A[], not"
        " for A<>, E[], -->, formulas and responses",
    ),
    Refusal(
        lambda run: run.inclusion and not run.store.keeps_vectors,
        "--inclusion compares a zone with all others of the same locations and variables, which only --store full can",
    ),
    Refusal(
        lambda run: run.inclusion and (run.saved or run.certified),
        "--inclusion forgets zones for larger ones, so that neither --checkpoint nor --certificate has what it needs:"
        " leave one of them out",
    ),
    Refusal(
        lambda run: not run.cycles and not run.responses and any((run.algorithm, run.order, run.edges)),
        "--algorithm, --order and --edges say how to look for cycles, and no property was asked for that needs one:"
        " give a formula with --ltl, or choose a property automaton with --property",
    ),
    Refusal(
        lambda run: not run.cycles and not run.responses and (run.fairness_asked or run.stutter is not None),
        "--fairness, --weak, --strong and --stutter say which infinite runs count, and no property was asked for that"
        " speaks of them: give one with --response or --ltl",
    ),
    Refusal(
        lambda run: run.algorithm in ("ndfs", "map") and (run.fair or run.responses or bool(run.stutter)),
        "--algorithm ndfs and map know nothing of fairness and stuttering: responses and fair runs have an algorithm of"
        " their own, a form of owcty",
    ),
    Refusal(
        lambda run: run.store.name == "bitstate" and (run.fair or run.responses or bool(run.stutter)),
        "--store bitstate knows no more of a state than that it was seen, and a search for fair runs comes back to"
        " states again and again: use --store compact, or an exact store",
    ),
    Refusal(
        lambda run: (
            run.store.name == "compact"
            and run.edges == "regenerate"
            and (run.fair or run.responses or bool(run.stutter))
        ),
        "--edges regenerate makes edges from states, and --store compact keeps none: leave it out, or use another"
        " store",
    ),
    Refusal(
        lambda run: run.store.name == "automaton" and (run.cycles or run.responses),
        "--store automaton says of a state whether it was seen, and gives none back: it is for assertions, deadlocks"
        " and invariants, where each state is looked at once. For formulas and responses use --store tree",
    ),
    Refusal(
        lambda run: run.algorithm == "ndfs" and run.workers > 1,
        "--algorithm ndfs is sequential, since its order of visits cannot be divided: use one worker, or owcty or map",
    ),
    Refusal(
        lambda run: run.algorithm == "ndfs" and run.store.name in ("tree", "collapse"),
        "--algorithm ndfs looks up a few states at a time, and the tree store is made for batches: use --store full, or"
        " owcty or map",
    ),
    Refusal(
        lambda run: run.cycles and run.store.name == "bitstate" and run.algorithm in ("owcty", "map"),
        "--store bitstate knows no more of a state than that it was seen, which is enough for --algorithm ndfs only",
    ),
    Refusal(
        lambda run: run.cycles and run.store.name == "bitstate" and run.workers > 1,
        "--store bitstate looks for cycles by nested DFS, which is sequential: use one worker, or --store compact",
    ),
    Refusal(
        lambda run: run.algorithm in ("ndfs", "map") and run.store.name == "compact",
        "--store compact needs --algorithm owcty: it verifies a cycle that it finds among hashes; others cannot",
    ),
    Refusal(
        lambda run: run.order is not None and run.algorithm != "map",
        "--order is the order of states in which maximal accepting predecessors are compared, and has no effect without"
        " --algorithm map",
    ),
    Refusal(
        lambda run: run.edges is not None and run.algorithm == "ndfs",
        "--edges has no effect with --algorithm ndfs, which comes to each edge while it generates it, and keeps none",
    ),
    Refusal(
        lambda run: run.certified and not run.store.exact,
        "--certificate writes all states down, and this store has not got them: use --store full, tree or collapse",
    ),
    Refusal(
        lambda run: run.certified and run.symmetry,
        "--certificate writes down a set that has all successors of its states, and --symmetry leaves most of them out",
    ),
    Refusal(
        lambda run: run.certified and (run.responses or (run.cycles and (run.fair or bool(run.stutter)))),
        "--certificate shows by ranks that there is no accepting cycle, and under fairness or stuttering there may be"
        " some that do not count: it is for properties of states, and for formulas and automata without fairness",
    ),
    Refusal(
        lambda run: run.certified and run.fairness_asked,
        "--certificate knows nothing of fairness, which changes what a formula says",
    ),
)

_LEAVE_OUT = "--symmetry is for models that treat all elements of a scalarset alike: leave it out"


def decided_by_order(system: System, state: Vector) -> InputError:
    """Of a system whose assertions are complete: one fails in a state, or only in a permuted one."""
    span = None
    for item in system.assertions:
        try:
            evaluate(system, state, item.expression)
        except ExecutionError:
            span = item.span
            break
    message = "in a state that was reached, the order of the elements of a scalarset decides whether this fails"
    return InputError(message, span, _LEAVE_OUT)


def refuse(run: Combination, of_properties: Iterable[Refusal] = ()) -> None:
    """Raise UsageError for a value that does not exist, and for the first refusal that applies: those of all runs come
    before those of the properties that were asked for.

    Where the model itself tells values apart that should be alike, raise InputError with the place.
    """
    for name, values in _VALUES.items():
        value = getattr(run, name)
        if value is not None and value not in values:
            raise UsageError(f"{value!r} is no {name}: choose from {', '.join(values)}")
    for refusal in (*_REFUSALS, *of_properties):
        if refusal.applies(run):
            raise UsageError(refusal.reason)
    asymmetry = run.alike.asymmetry() if run.symmetry and run.alike else None
    if asymmetry:
        raise InputError(asymmetry.message, asymmetry.span, _LEAVE_OUT)
