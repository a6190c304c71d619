"""The System: the one small language that every front end lowers to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, get_args

from ouroboros.source import Source, Span
from ouroboros.system.blocks import Block
from ouroboros.system.choices import Action, Choice, Part
from ouroboros.system.expressions import Expression
from ouroboros.system.foreign import Foreign
from ouroboros.system.intervals import Ranges
from ouroboros.system.layout import Field, Layout, Vector
from ouroboros.system.symmetry import Symmetry

FailureKind = Literal[
    "assertion",
    "index",
    "division",
    "overflow",
    "loop",
    "block",
    "channel",
    "room",
    "undefined",
    "range",
    "error",
    "recursion",
    "full",
    "dropped",
    "disabled",
    "covered",
]
"""What went wrong. Two kinds are no failures, but assumptions of the model: a step that is `dropped` was made, and the
state that it led to is not looked at; one that is `disabled` was never made. What is `covered` was searched for. `room`
is no fault of the model: the layout has no place for what a step would create."""

ASSUMPTIONS = frozenset({"dropped", "disabled"})

Deadlock = Literal["stuck", "stuttering"]
"""What a deadlock is: a state where no action is enabled; or also one that every enabled action leads back to."""


Overflow = Literal["error", "wrap"]
"""What an assignment does with a value that does not fit its variable: fail, or keep the low bits as C does."""


class Failure(NamedTuple):
    """A place in the model where execution can go wrong."""

    kind: FailureKind
    message: str
    span: Span | None


class Proposition(NamedTuple):
    """A named predicate over states."""

    name: str
    expression: Expression
    span: Span | None = None
    distinguishes: bool = False
    """Whether it tells values apart that are symmetric."""
    timed: bool = False
    """Whether it is about clocks: then it is true of a state if it is true of all valuations."""
    title: str | None = None
    """What it can be asked for by, where the model gives it a name; instances of one rule have the same."""
    told: Callable[[Vector], str] | None = None
    """What is wrong with a state where it is false, if that is more than that it is false."""


class OnRequest(NamedTuple):
    """A property of states that needs a system that tells more: whoever asks for it gets that from the model."""

    name: str
    meaning: str


class AutomatonStep(NamedTuple):
    """A transition of a property automaton; it goes with a step of the system from a state where `guard` holds."""

    origin: int
    target: int
    guard: Expression
    text: str
    span: Span | None


class ResponseProperty(NamedTuple):
    """Whenever p holds, q holds then or later."""

    name: str
    p: Expression
    q: Expression
    span: Span | None = None


@dataclass(frozen=True, eq=False)
class PropertyAutomaton:
    """A Büchi automaton that the model brings along: it accepts the runs that violate the property."""

    name: str
    states: tuple[str, ...]
    initial: int
    accepting: frozenset[int]
    steps: tuple[AutomatonStep, ...]
    meaning: str = "the model's automaton accepts no run"
    infinite: bool = False
    """Whether it is about infinite runs alone, and not about those that end."""
    only_on_request: bool = False
    """Whether the model does not ask for it, and only who checks it may."""
    stutters: bool = False
    """Whether it is known not to mind how often a state is repeated."""


class Probe(NamedTuple):
    """A place in the model that some run must come to."""

    name: str
    system: Callable[[], System]
    """The same system, with a failure of the kind `covered` at that place."""


QueryKind = Literal[
    "always",
    "possibly",
    "inevitably",
    "possibly always",
    "leads to",
    "largest",
    "smallest",
    "endless",
    "never for ever",
]
"""A[] E<> A<> E[] --> of computation tree logic, as UPPAAL has them; the extreme values of something; that every state
has a successor; that something does not hold again and again on any run."""


class Measure(NamedTuple):
    """Something that has a value in each state, or several: a number, or a clock."""

    text: str
    reaches: Callable[[int, bool], Query]
    """Whether it can be at least some number, or more; for the smallest value, at most the number, or less."""
    value: Expression | None
    """None for a clock."""
    low: int
    high: int


class Query(NamedTuple):
    """A question of the model that needs a system of its own."""

    name: str
    text: str
    kind: QueryKind
    system: Callable[[], System]
    propositions: Callable[[], Sequence[Proposition]]
    """Over the system that was made last. Of `always` and `possibly`, what holds until what is sought is found; of the
    others, what runs come to: for `possibly always`, the end of it; for `leads to`, the cause and what follows."""
    span: Span | None = None
    only_on_request: bool = False
    refusal: Exception | None = None
    """Why it cannot be answered: to be raised where it is asked."""
    measure: Measure | None = None
    """Whose largest or smallest value is asked for, in states where it has one by `system` and `propositions`."""
    failing: bool = False
    """Whether a step that goes wrong violates it."""
    diverging: Callable[[], Query] | None = None
    """The same about runs on which time goes on without end: its last proposition is true again and again on these."""


class NamedFormula(NamedTuple):
    """A formula of temporal logic that the model brings along, over expressions of its language."""

    name: str
    text: Span


ReductionKind = Literal["partial order", "merging", "dead variables", "unread variables", "inclusion"]
"""What leaves out states: that differ only in the order of steps that do not concern each other; that lie between steps
of one process which concern nobody else; that differ only in variables which nobody will read again,
or which nobody ever reads; whose zone is inside of that of another state."""

REDUCTIONS: frozenset[ReductionKind] = frozenset(get_args(ReductionKind))


class Reduced(NamedTuple):
    """A system with fewer states."""

    system: System
    """With the same layout, initial states and failures, and other actions."""
    kinds: frozenset[ReductionKind]
    """By which reductions it is smaller."""
    origins: tuple[tuple[int, ...], ...]
    """The actions of the whole system that each action is made of, one after the other."""


class CodeLine(NamedTuple):
    """A statement of the model that a run may execute, and when a process is where it is tried."""

    part: Part
    """Its process is known by its type."""
    first: bool
    """Whether a process begins there."""
    after: frozenset[int]
    """The numbers of the statements of that type that lead there."""


class Exclusive(NamedTuple):
    """How a sequence of steps is made one: while `field` is not zero, the state is transient.

    A transient state is on the way from one state to others and is no state of the system's graph: the successors of
    a state are what is reached through transient states, by each way one. A sequence that comes back to a transient
    state that it has passed would never end, and fails at the site `endless`.
    """

    field: Field
    """A scalar, no wider than the evaluation."""
    endless: int


@dataclass(frozen=True, eq=False)
class System:
    """A state layout plus a choice tree of actions."""

    name: str
    language: str
    source: Source
    layout: Layout
    initial: tuple[Vector, ...]
    actions: tuple[Action, ...]
    choices: Choice
    failures: tuple[Failure, ...] = ()
    evaluation_bits: Literal[32, 64] = 32
    assertions: tuple[Proposition, ...] = ()
    """Predicates that the model asserts of every reachable state."""
    covers: tuple[Proposition, ...] = ()
    """Predicates that some reachable state must satisfy."""
    attainable: tuple[Proposition, ...] = ()
    """Predicates that from every reachable state some state that satisfies them can be reached: AG EF."""
    probes: tuple[Probe, ...] = ()
    responses: tuple[ResponseProperty, ...] = ()
    automata: tuple[PropertyAutomaton, ...] = ()
    formulas: tuple[NamedFormula, ...] = ()
    queries: tuple[Query, ...] = ()
    processes: tuple[str, ...] = ()
    on_request: tuple[OnRequest, ...] = ()
    code: tuple[CodeLine, ...] = ()
    """What a run may execute, where that is more than the actions tell: some of it may belong to no action at all."""
    locals: int = 0
    """Temporaries that the greediest action uses."""
    ranges: Ranges = field(default_factory=dict)
    """What is known of the values of fields in every reachable state: machine code leaves out checks by it, the
    interpreter does not."""
    deadlock: Deadlock = "stuck"
    exclusive: Exclusive | None = None
    valid_end: Expression | None = None
    """Where this holds, a run may end. None: nowhere."""
    symmetry: Symmetry | None = None
    """What could be permuted in a state. States are only taken together where a search is asked to do so."""
    zone: Field | None = None
    start: Block = ()
    """With clocks: what the initial states have behind them, from where all clocks are zero."""
    """The bounds on the clocks, where there are any: a state stands for all valuations within them."""
    clocks: tuple[str, ...] = ()
    """The names of the zone's rows and columns; the first is of the clock that is always zero."""
    included: tuple[Source, ...] = ()
    """Other files that the model's text takes in."""
    warnings: tuple[str, ...] = ()
    """What is accepted, and may not mean what its author takes it to mean; each begins with its place."""
    foreign: Foreign | None = None
    """Who makes the steps, where it is not the choice tree; then actions have no effects, and only tell of steps."""
    extends_finite_runs: bool = field(default=False)
    """Whether a run that ends is taken to repeat its last state for ever, or is no infinite run."""
    omissions: Mapping[int, str] = field(default_factory=dict)
    """Actions that stand for steps which are not tried, and what these would be: where one is made, nothing holds."""

    def shown(self, state: Vector) -> Mapping[str, int | str] | None:
        """What is told of a state where its fields do not tell it."""
        return self.foreign.shown(state) if self.foreign else None

    def parts(self, action: int | None) -> tuple[Part, ...]:
        """What is told of an action; None is no action."""
        return () if action is None else self.actions[action].parts
