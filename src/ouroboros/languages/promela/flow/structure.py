"""From the statements of a body to its elements, linked, numbered and marked as Spin does it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from ouroboros.errors import InputError
from ouroboros.languages.promela.flow.elements import Death, Element, Jump, Run, all_elements
from ouroboros.languages.promela.read import ast, terms
from ouroboros.source import Span

_SPECIAL = ("accept", "end", "progress")


class Structure:
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
        for element in all_elements(self.body):
            if element.kind == "goto" and element.label:
                element.target = self.labels.get(element.label)
                if element.target is None:
                    raise InputError(f"there is no label {element.label.name} here", element.span)
        for element in all_elements(self.body):
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
        return self._numbered(Element("basic", span, ast.Condition(span, terms.Number(span, 1))))

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
                for part in all_elements(element.options[0]):
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
                self.run_of((ast.Assignment(span, place, terms.Number(span, value)),), span)
                for value in range(first, last + 1)
            ]
            return self._choice(span, options, run)
        if isinstance(statement, ast.ForArray):
            size = statement.array.last.size
            if size is None:
                raise InputError(f"{statement.array.last.name} is no array", statement.array.span)
            low: terms.Expression = terms.Number(span, 0)
            high: terms.Expression = terms.Number(span, size - 1)
        else:
            low, high = statement.first, statement.last
        selects = isinstance(statement, ast.Select)
        condition = terms.Binary(span, "<" if selects else "<=", place, high)
        increment = ast.Assignment(span, place, terms.Binary(span, "+", place, terms.Number(span, 1)))
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
        counter = terms.Access(span, counter_of(statement), None, ())
        message = tuple(terms.basic_accesses(statement.place))
        more = terms.Binary(span, "<", counter, terms.AskChannel(span, "len", channel))
        body = (
            ast.Condition(span, more),
            ast.Receive(span, channel, False, False, message),
            ast.Send(span, channel, False, message),
            *statement.body,
            ast.Assignment(span, counter, terms.Binary(span, "+", counter, terms.Number(span, 1))),
        )
        self.add(ast.Assignment(span, counter, terms.Number(span, 0)), run)
        return self._leaving(span, body, (ast.Else(span), ast.Break(span)), run)


@cache
def counter_of(loop: ast.ForChannel) -> terms.Variable:
    """The variable, of no name that a user could write, that counts the rounds of a loop over a channel."""
    return terms.Variable(loop.span, "(round)", terms.Basic("byte"), None, None, "", "", False, "_")


def _constant(expression: terms.Expression) -> int:
    if isinstance(expression, terms.Number | terms.Symbol):
        return expression.value
    if isinstance(expression, terms.Unary) and expression.operator == "-":
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
        case ast.Condition(_, terms.Number(_, 1)):
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
