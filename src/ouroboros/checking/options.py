"""What `check` can be told, by name."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict

from ouroboros.properties.table import options
from ouroboros.system.fairness import Strength
from ouroboros.system.model import REDUCTIONS, Deadlock, ReductionKind

if TYPE_CHECKING:
    from ouroboros.checkpoint.keeper import Keeper
    from ouroboros.driver.certifying import CertificateFile
    from ouroboros.driver.run import Kernels
    from ouroboros.engine.limits import Limits, Observer
    from ouroboros.engine.team import Team
    from ouroboros.search.accepting import Algorithm
    from ouroboros.search.graph_search import EdgePolicy
    from ouroboros.search.product_search import Order

BeforeSearch: TypeAlias = "Callable[[Kernels], None]"


@dataclass(frozen=True, kw_only=True)
class Means:
    """How a run is to be made, whatever is asked."""

    deadlock: Deadlock | Literal["off"] | None = None
    symmetry: bool = False
    inclusion: bool = False
    """Whether zones inside of others must be left out; where it is sound, they are unless `reductions` lack it."""
    non_zeno: bool = False
    """Whether only runs count on which time goes on without end."""
    algorithm: Algorithm | Literal["auto"] = "auto"
    order: Order | None = None
    edges: EdgePolicy | None = None
    safety: bool = False
    first: bool = False
    """Whether the first violation ends the search of the states."""
    violations: int = 1
    """The most that are collected of each property of states."""
    reductions: Collection[ReductionKind] = REDUCTIONS
    check_reductions: bool = False
    fairness: Strength | None = None
    weak: Sequence[str] = ()
    strong: Sequence[str] = ()
    stutter: bool | None = None
    store: str = "full"
    seed: int = 0
    strict: bool = False
    team: Team | None = None
    limits: Limits | None = None
    observer: Observer | None = None
    before_search: BeforeSearch | None = None
    keeper: Keeper | None = None
    certificate: CertificateFile | None = None


class Counting(TypedDict, total=False):
    """For who writes a call of `explore`: the fields of `Means` that say how states are counted."""

    symmetry: bool
    inclusion: bool
    store: str
    seed: int
    strict: bool
    team: Team | None
    limits: Limits | None
    observer: Observer | None
    before_search: BeforeSearch | None
    keeper: Keeper | None


class Options(TypedDict, total=False):
    """For who writes a call of `check`, and for type checkers: the questions, and the fields of `Means`."""

    properties: Sequence[str]
    invariants: Sequence[str]
    ltl: Sequence[str]
    ltl_files: Sequence[str | Path]
    automata: Sequence[str | Path]
    responses: Sequence[str]

    deadlock: Deadlock | Literal["off"] | None
    symmetry: bool
    inclusion: bool
    non_zeno: bool
    algorithm: Algorithm | Literal["auto"]
    order: Order | None
    edges: EdgePolicy | None
    safety: bool
    first: bool
    violations: int
    reductions: Collection[ReductionKind]
    check_reductions: bool
    fairness: Strength | None
    weak: Sequence[str]
    strong: Sequence[str]
    stutter: bool | None
    store: str
    seed: int
    strict: bool
    team: Team | None
    limits: Limits | None
    observer: Observer | None
    before_search: BeforeSearch | None
    keeper: Keeper | None
    certificate: CertificateFile | None


def divided(given: Mapping[str, Any]) -> tuple[dict[str, Sequence[Any]], Means]:
    """The questions, and the means; raises TypeError, as any call does, where something is neither, or no list."""
    asking = {option.name for option in options()}
    means = {each.name for each in fields(Means)}
    for name in given:
        if name not in asking | means:
            raise TypeError(f"check() got an unexpected keyword argument {name!r}")
        if name in asking and isinstance(given[name], str):
            raise TypeError(f"{name} is a list, also of one: {name}=[{given[name]!r}]")
    questions = {name: value for name, value in given.items() if name in asking}
    return questions, Means(**{name: value for name, value in given.items() if name in means})


def counting(given: Counting) -> Means:
    """The means of a count; raises TypeError, as any call does, where something is none."""
    for name in given:
        if name not in Counting.__annotations__:
            raise TypeError(f"explore() got an unexpected keyword argument {name!r}")
    return Means(**given)
