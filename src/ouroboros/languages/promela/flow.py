"""The control flow of a body: which statement leads from which place to which.

The places are Spin's, so that states can be counted alike. Every statement has a place before it; so has an `if`, a
`do`, and a block, though what can be done there is what can be done at its beginning. A `goto` or `break` and the end
of an `if` are no places of their own: they are folded into the step before, unless there is none, or that step would
leave an atomic sequence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Literal, NamedTuple, TypeAlias

from ouroboros.errors import InputError
from ouroboros.languages.promela import ast
from ouroboros.source import Span

Basic: TypeAlias = (
    ast.Condition
    | ast.Assignment
    | ast.Send
    | ast.Receive
    | ast.Assert
    | ast.Printf
    | ast.Printm
    | ast.SetPriority
    | ast.Else
    | ast.Event
)

Kind = Literal["basic", "goto", "join", "choice", "block", "d_step", "unless", "end"]

_SPECIAL = ("accept", "end", "progress")
_MOST_JUMPS = 500


class Jump(NamedTuple):
    """A step that does nothing but go on: a `goto` or the like that could not be folded."""

    span: Span


class Death(NamedTuple):
    """A process has come to its end and is removed."""

    span: Span


@dataclass(eq=False)
class Element:
    """A node of the control structure; in the end those that are reached are the places of a process."""

    kind: Kind
    span: Span
    statement: Basic | Jump | Death | ast.DStep
    options: list[Run] = field(default_factory=list)
    """Of a choice: its options. Of a block or a d_step: its body. Of an unless: main part and escape."""
    label: ast.Label | None = None
    """Where a goto leads; None for a break, whose `target` is set."""
    target: Element | None = None
    next: Element | None = None
    inside: bool = False
    """In an atomic sequence, and not its last step."""
    last: bool = False
    """The last step of an atomic sequence."""
    escapes: list[Run] = field(default_factory=list)
    labels: set[str] = field(default_factory=set)
    atomic: bool = False
    """A block that is an atomic sequence."""
    number: int = -1
    """In the order in which Spin makes elements; also of what it drops later."""


@dataclass(eq=False)
class Run:
    """Elements one after the other."""

    elements: list[Element] = field(default_factory=list)
    extent: int = 0
    """How many of them were written there: an end that is shared with others may follow."""

    @property
    def first(self) -> Element:
        return self.elements[0]

    def add(self, element: Element) -> None:
        if self.elements:
            self.elements[-1].next = element
        self.elements.append(element)


class Step(NamedTuple):
    """A transition of the automaton of a process."""

    element: Element
    target: Element | None
    """None after death."""
    keeps: bool
    """Whether the process goes on without interruption."""

    @property
    def statement(self) -> Basic | Jump | Death | ast.DStep:
        return self.element.statement


class Group(NamedTuple):
    """Steps that compete; `otherwise` is the `else` among them."""

    steps: tuple[Step, ...]
    otherwise: Step | None


class Flow:
    """The automaton of a body, from `start` on; `at` gives the steps at each place that can be reached."""

    def __init__(self, process: ast.Process) -> None:
        builder = _Builder(process)
        self.start = _hunt(builder.body.first, builder.body.first)
        self.labels = builder.labels
        self.body = builder.body
        self.elements = builder.count
        """How many elements Spin makes of this body."""
        self.first_number = 0
        """The number of elements in all bodies before this one."""
        self.at: dict[Element, tuple[Group, ...]] = {}
        """The groups of steps at a place; the first that has an enabled one wins."""
        waiting = [self.start]
        for place in waiting:
            if place in self.at:
                continue
            self.at[place] = tuple(_group(steps) for steps in _competing(place))
            for group in self.at[place]:
                for step in (*group.steps, *([group.otherwise] if group.otherwise else [])):
                    if step.target:
                        waiting.append(step.target)
        self._special = {place: _labels_at(place) for place in self.at}

    def number_of(self, element: Element) -> int:
        """The number by which Spin knows a statement of the model."""
        return self.first_number + element.number

    def is_at(self, place: Element, prefix: str) -> bool:
        """Whether a place has a label that begins with a word: `end`, `accept` or `progress`."""
        return any(name.startswith(prefix) for name in self._special[place])

    def place_of(self, name: str) -> Element | None:
        """The place that has a label, if it can be reached."""
        for label, element in self.labels.items():
            if label.name == name and element in self.at:
                return element
        return None


def steps_at(flow: Flow, place: Element) -> Iterator[Step]:
    """All that can be done at a place, whatever competes with it."""
    for group in flow.at[place]:
        yield from group.steps
        if group.otherwise:
            yield group.otherwise


def number_statements(model: ast.Model, flows: dict[str, Flow]) -> None:
    """Number the statements of all bodies in one row, in the order of the text, as Spin does."""
    first = 0
    others = [*model.claims, *([model.events] if model.events else [])]
    for process in sorted((*model.processes, *others), key=lambda process: process.order):
        flow = Flow(process) if process in others else flows[process.name]
        flow.first_number = first
        first += flow.elements


class DStepFlow:
    """The automaton of a d_step's body; a step with no target leaves it."""

    def __init__(self, step: Element) -> None:
        self.start = _start_of(step.options[0])
        self.exit = step.next
        self.at: dict[Element, tuple[Step, ...]] = {}
        inside = set(_all_elements(step.options[0]))
        waiting = [self.start]
        for place in waiting:
            if place in self.at:
                continue
            found = []
            for each in _steps(place):
                target = each.target if each.target in inside else None
                found.append(each._replace(target=target))
                if target:
                    waiting.append(target)
            # The first that is enabled is taken, and an `else` comes last.
            self.at[place] = tuple(sorted(found, key=lambda each: isinstance(each.statement, ast.Else)))


def _competing(place: Element) -> list[list[Step]]:
    """The steps of each escape, outer ones first, and then those of the place itself."""
    escapes = list(place.escapes)
    start = place
    while start.kind in ("block", "unless"):
        # What can be done at a block is what can be done at its beginning, and that may be left by more escapes.
        start = _start_of(start.options[0])
        escapes += [escape for escape in start.escapes if escape not in escapes]
    return [*(list(_steps(_start_of(escape))) for escape in escapes), list(_steps(place))]


def _group(steps: list[Step]) -> Group:
    otherwise = [step for step in steps if isinstance(step.statement, ast.Else)]
    if len(otherwise) > 1:
        raise InputError("a choice has two `else`", otherwise[1].element.span)
    others = tuple(step for step in steps if not isinstance(step.statement, ast.Else))
    return Group(others, otherwise[0] if otherwise else None)


def _labels_at(place: Element) -> set[str]:
    """The labels of a place and of what stands at its beginning."""
    labels = set(place.labels)
    if place.kind in ("choice", "block"):
        for option in place.options:
            labels |= _labels_at(_start_of(option))
    return labels


def _start_of(run: Run) -> Element:
    element = run.first
    while True:
        if element.kind == "join" and element.next:
            element = element.next
        elif element.kind == "unless":
            element = element.options[0].first
        else:
            return element


def _steps(place: Element) -> Iterator[Step]:
    """What can be done at a place, escapes aside."""
    match place.kind:
        case "choice" | "block":
            for option in place.options:
                yield from _steps(_start_of(option))
        case "unless":
            yield from _steps(_start_of(place.options[0]))
        case "end":
            yield Step(place, None, False)
        case "goto":
            assert place.target
            yield Step(place, _hunt(place.target, place), place.inside)
        case _:
            following = place.next
            assert following
            yield Step(place, _hunt(following, place), place.inside)


def _hunt(element: Element, origin: Element) -> Element:
    """Where a step that leads to an element comes to rest: jumps are followed, but not out of an atomic sequence."""
    for _ in range(_MOST_JUMPS):
        match element.kind:
            case "goto":
                following = element.target
            case "join":
                following = element.next
            case "unless":
                following = _hunt(element.options[0].first, origin)
            case _:
                return element
        if following is None or (origin.inside and not following.inside):
            return element
        element = following
    raise InputError("the jumps from here lead round in a circle", origin.span)


def _all_elements(run: Run) -> Iterator[Element]:
    for element in run.elements:
        yield element
        for option in element.options:
            yield from _all_elements(option)


class _Builder:
    """Builds the elements of a body."""

    def __init__(self, process: ast.Process) -> None:
        self.labels: dict[ast.Label, Element] = {}
        self.breaks: list[Element] = []
        self.count = 0
        self.body = Run()
        for statement in process.body:
            self.add(statement, self.body)
        if not self.body.elements:
            self.body.add(self.skip(process.end))
        self.body.add(self._numbered(Element("end", process.end, Death(process.end))))
        self.body.extent = len(self.body.elements)
        self._link(self.body)
        for element in _all_elements(self.body):
            if element.kind == "goto" and element.label:
                element.target = self.labels.get(element.label)
                if element.target is None:
                    raise InputError(f"there is no label {element.label.name} here", element.span)
        for element in _all_elements(self.body):
            if element.kind == "block":
                _bridge(element.options[0])

    def _link(self, run: Run) -> None:
        """What follows a block follows the last element in it."""
        for element in run.elements[: run.extent]:
            if element.kind in ("block", "d_step"):
                body = element.options[0]
                body.elements[body.extent - 1].next = element.next
            for option in element.options:
                self._link(option)

    def _numbered(self, element: Element) -> Element:
        element.number = self.count
        self.count += 1
        return element

    def skip(self, span: Span) -> Element:
        return self._numbered(Element("basic", span, ast.Condition(span, ast.Number(span, 1))))

    def run_of(self, statements: ast.Sequence, span: Span) -> Run:
        run = Run()
        for statement in statements:
            self.add(statement, run)
        if not run.elements:
            run.add(self.skip(span))
        run.extent = len(run.elements)
        return run

    def add(self, statement: ast.Statement, run: Run) -> Element | None:
        """Append the elements of a statement; returns the one that a label before it labels."""
        match statement:
            case ast.Declaration(_, _, steps):
                for step in steps:
                    self.add(step, run)
                return None
            case ast.Exclusive():
                return None
            case ast.Labelled(_, label, inner):
                return self._labelled(label, inner, run)
            case ast.Goto(span, label):
                return self._added(Element("goto", span, Jump(span), label=label), run)
            case ast.Break(span):
                if not self.breaks:
                    raise InputError("`break` outside of a loop", span)
                return self._added(Element("goto", span, Jump(span), target=self.breaks[-1]), run)
            case ast.If(span, options):
                return self._choice(span, [self.run_of(option.body, option.span) for option in options], run)
            case ast.Do(span, options):
                return self._loop(span, lambda: [self.run_of(option.body, option.span) for option in options], run)
            case ast.ForRange() | ast.ForArray() | ast.ForChannel() | ast.Select():
                return self._counting(statement, run)
            case ast.Atomic(span, body):
                element = Element("block", span, Jump(span), options=[self.run_of(body, span)], atomic=True)
                _make_atomic(element.options[0])
                return self._added(element, run)
            case ast.DStep(span, body):
                element = Element("d_step", span, statement, options=[self.run_of(body, span)])
                for part in _all_elements(element.options[0]):
                    if part.kind == "d_step":
                        part.kind, part.statement = "block", Jump(part.span)
                return self._added(element, run)
            case ast.Block(span, body):
                if not body and statement.inline:
                    return None
                return self._added(Element("block", span, Jump(span), options=[self.run_of(body, span)]), run)
            case ast.Unless(span, main, escape):
                return self._unless(span, main, escape, run)
            case _:
                return self._added(Element("basic", statement.span, statement), run)

    def _added(self, element: Element, run: Run) -> Element:
        if element.number < 0:
            self._numbered(element)
        run.add(element)
        return element

    def _labelled(self, label: ast.Label, inner: ast.Statement, run: Run) -> Element | None:
        if isinstance(inner, ast.Unless) and isinstance(inner.main, ast.Block):
            inner = ast.Block(inner.span, (inner,), None)
        if isinstance(inner, ast.Goto | ast.Break) and label.name.startswith(_SPECIAL):
            # Spin makes the jump first, and then the skip that takes its label.
            jump = Run()
            self.add(inner, jump)
            element: Element | None = self._added(self.skip(inner.span), run)
            run.add(jump.first)
        else:
            element = self.add(inner, run)
        if element is None:
            element = self._added(self.skip(inner.span), run)
        self.labels[label] = element
        element.labels.add(label.name)
        return element

    def _choice(self, span: Span, options: list[Run], run: Run) -> Element:
        for option in options:
            _prune(option)
        options.sort(key=_begins_with_else)
        choice = self._numbered(Element("choice", span, Jump(span), options=options))
        end = self._numbered(Element("join", span, Jump(span)))
        for option in options:
            option.add(end)
        run.add(choice)
        run.add(end)
        return choice

    def _loop(self, span: Span, make_options: Callable[[], list[Run]], run: Run) -> Element:
        end = Element("join", span, Jump(span))
        self.breaks.append(end)
        options = make_options()
        self.breaks.pop()
        for option in options:
            _prune(option)
        options.sort(key=_begins_with_else)
        choice = self._numbered(Element("choice", span, Jump(span), options=options))
        again = self._numbered(Element("join", span, Jump(span)))
        self._numbered(end)
        for option in options:
            option.add(again)
        run.add(again)
        run.add(choice)
        run.add(end)
        return choice

    def _unless(self, span: Span, main: ast.Statement, escape: ast.Statement, run: Run) -> Element:
        main_run = self.run_of(main.body if isinstance(main, ast.Block) else (main,), span)
        escape_run = self.run_of(escape.body if isinstance(escape, ast.Block) else (escape,), span)
        element = self._numbered(Element("unless", span, Jump(span), options=[main_run, escape_run]))
        end = self._numbered(Element("join", span, Jump(span)))
        main_run.add(end)
        escape_run.add(end)
        _attach(main_run, escape_run)
        run.add(element)
        run.add(end)
        return element

    def _counting(self, statement: ast.ForRange | ast.ForArray | ast.ForChannel | ast.Select, run: Run) -> Element:
        """The loops that Spin writes for `for` and `select`."""
        span, place = statement.span, statement.place
        if isinstance(statement, ast.ForChannel):
            return self._rotating(statement, run)
        if isinstance(statement, ast.Select) and statement.single:
            first, last = _constant(statement.first), _constant(statement.last)
            options = [
                self.run_of((ast.Assignment(span, place, ast.Number(span, value)),), span)
                for value in range(first, last + 1)
            ]
            return self._choice(span, options, run)
        if isinstance(statement, ast.ForArray):
            size = statement.array.last.size
            if size is None:
                raise InputError(f"{statement.array.last.name} is no array", statement.array.span)
            low: ast.Expression = ast.Number(span, 0)
            high: ast.Expression = ast.Number(span, size - 1)
        else:
            low, high = statement.first, statement.last
        selects = isinstance(statement, ast.Select)
        condition = ast.Binary(span, "<" if selects else "<=", place, high)
        increment = ast.Assignment(span, place, ast.Binary(span, "+", place, ast.Number(span, 1)))
        body = () if isinstance(statement, ast.Select) else statement.body
        self.add(ast.Assignment(span, place, low), run)
        leave: tuple[ast.Statement, ...] = (ast.Break(span),) if selects else (ast.Else(span), ast.Break(span))
        return self._leaving(span, (ast.Condition(span, condition), *body, increment), leave, run)

    def _leaving(self, span: Span, body: ast.Sequence, leave: ast.Sequence, run: Run) -> Element:
        """A loop that is left by its first option, which Spin makes last."""

        def options() -> list[Run]:
            repeated = self.run_of(body, span)
            return [self.run_of(leave, span), repeated]

        return self._loop(span, options, run)

    def _rotating(self, statement: ast.ForChannel, run: Run) -> Element:
        """Takes each message out and puts it back, as often as there are messages."""
        span, channel = statement.span, statement.channel
        counter = ast.Access(span, counter_of(statement), None, ())
        message = tuple(ast.basic_accesses(statement.place))
        more = ast.Binary(span, "<", counter, ast.AskChannel(span, "len", channel))
        body = (
            ast.Condition(span, more),
            ast.Receive(span, channel, False, False, message),
            ast.Send(span, channel, False, message),
            *statement.body,
            ast.Assignment(span, counter, ast.Binary(span, "+", counter, ast.Number(span, 1))),
        )
        self.add(ast.Assignment(span, counter, ast.Number(span, 0)), run)
        return self._leaving(span, body, (ast.Else(span), ast.Break(span)), run)


@cache
def counter_of(loop: ast.ForChannel) -> ast.Variable:
    """The variable, of no name that a user could write, that counts the rounds of a loop over a channel."""
    return ast.Variable(loop.span, "(round)", ast.Basic("byte"), None, None, "", "", False, "_")


def _constant(expression: ast.Expression) -> int:
    if isinstance(expression, ast.Number | ast.Symbol):
        return expression.value
    if isinstance(expression, ast.Unary) and expression.operator == "-":
        return -_constant(expression.operand)
    raise InputError("a constant is needed here", expression.span)


def _begins_with_else(option: Run) -> bool:
    return isinstance(option.first.statement, ast.Else)


def _prune(option: Run) -> None:
    """Of several skips in a row, without labels, Spin drops all but the first, unless the last ends the option."""
    kept: list[Element] = []
    skips = 0
    for number, element in enumerate(option.elements):
        if _is_skip(element) and not element.labels:
            skips += 1
            prints = isinstance(element.statement, ast.Printf | ast.Printm)
            if skips > 1 and not prints and 0 < number < len(option.elements) - 1:
                continue
        else:
            skips = 0
        kept.append(element)
    option.elements = []
    for element in kept:
        option.add(element)
    option.extent = len(kept)


def _is_skip(element: Element) -> bool:
    match element.statement:
        case ast.Printf() | ast.Printm():
            return True
        case ast.Condition(_, ast.Number(_, 1)):
            return element.kind == "basic"
    return False


def _make_atomic(run: Run) -> None:
    """Mark the elements of an atomic sequence: all but the last keep control."""
    _walk_atomic(run.elements)
    last = run.elements[-1]
    if last.kind == "block" or last.kind == "unless":
        _make_atomic(last.options[0])
    else:
        last.inside = False
        last.last = True


def _walk_atomic(elements: list[Element]) -> None:
    for element in elements:
        element.inside = True
        if element.kind == "d_step":
            continue
        element.atomic = False
        for option in element.options:
            _walk_atomic(option.elements)


def _bridge(run: Run) -> None:
    """A goto out of an atomic sequence ends it; one that leads into another one goes on without interruption."""
    for element in run.elements:
        if element.kind == "goto":
            assert element.target
            into = element.target.inside or element.target.last
            if (element.inside or element.last) and not into:
                element.inside, element.last = False, True
            elif element.last and into:
                element.inside, element.last = True, False
        elif element.kind == "choice" or element.kind == "unless":
            for option in element.options:
                _bridge(option)


def _attach(run: Run, escape: Run) -> None:
    """Have every place of a run left by an escape."""
    for element in run.elements[: run.extent]:
        if escape in element.escapes:
            continue
        for inner in element.escapes:
            _attach(inner, escape)
        element.escapes.insert(0, escape)
        match element.kind:
            case "unless":
                _attach(element.options[0], escape)
            case "choice" | "block":
                for option in element.options:
                    _attach(option, escape)
            case "d_step":
                element.options[0].first.escapes.insert(0, escape)
