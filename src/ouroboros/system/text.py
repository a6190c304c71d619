"""A System as text, for whoever wants to see what a front end, or a reduction, has made of a model.

It is written to be read, and nobody reads it back in. What can fail names its site, `!3`, which stands in the list of
failures at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ouroboros.system.blocks import (
    Assert,
    Assign,
    Block,
    Constrain,
    If,
    Leave,
    Print,
    Require,
    Reset,
    Scope,
    SetElement,
    SetLocal,
    Settle,
    Shown,
    Statement,
    While,
)
from ouroboros.system.choices import Action, All, Choice, Do, First, Switch, When
from ouroboros.system.expressions import (
    NO_SITE,
    Binary,
    Call,
    Check,
    Conditional,
    Constant,
    Difference,
    Element,
    Evaluate,
    Expression,
    Local,
    LocalArray,
    Meets,
    Observed,
    Procedure,
    Read,
    Stuck,
    Unary,
    Unlimited,
    is_constant,
)
from ouroboros.system.layout import WORD_BITS, Field, Layout, Vector
from ouroboros.system.model import PropertyAutomaton, System

_INDENT = "  "


def system_text(system: System) -> Iterator[str]:
    """The lines of the text."""
    yield f"system {system.name} ({system.language}, evaluated in {system.evaluation_bits} bits)"
    yield from _section("layout", _layout(system.layout))
    yield from _section("initial", (_state(system.layout, vector) for vector in system.initial))
    yield from _section("actions", _actions(system))
    yield from _section("choices", ["foreign"] if system.foreign else _choice(system.choices, system))
    yield from _section("propositions", _propositions(system))
    yield from _section("automata", (line for automaton in system.automata for line in _automaton(automaton)))
    yield from _section("procedures", _procedures(system))
    yield from _section("failures", _failures(system))


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
    """A title and what is under it; nothing where there is nothing."""
    first = True
    for line in lines:
        if first:
            yield ""
            yield title
            first = False
        yield _INDENT + line


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (_INDENT + line for line in lines)


def _layout(layout: Layout) -> Iterator[str]:
    yield f"{layout.words} word{'' if layout.words == 1 else 's'} of {WORD_BITS} bits"
    for component, fields in layout.components.items():
        yield f"component {component}"
        yield from _indented(map(layout_line, fields, (layout for _ in fields)))


def layout_line(field: Field, layout: Layout) -> str:
    """A field, its type, and where it is: `word.low-high` of its bits, or of those of its first and last element."""
    word, shift, width = layout.placements[field]
    kind = f"{'signed' if field.signed else 'unsigned'} {field.bits}"
    name = field.name if field.length is None else f"{field.name}[{field.length}]"
    last = shift + (field.elements - 1) * width
    place = _bits(word, shift, field.bits)
    if field.length is not None and field.length > 1:
        stride = f", every {width}" if width != field.bits else ""
        place = f"{place} … {_bits(word + last // WORD_BITS, last % WORD_BITS, field.bits)}{stride}"
    names = f" {{{', '.join(field.value_names)}}}" if field.value_names else ""
    return f"{name}: {kind} at {place}{names}"


def _bits(word: int, low: int, bits: int) -> str:
    return f"{word}.{low}" if bits == 1 else f"{word}.{low}-{low + bits - 1}"


def _state(layout: Layout, vector: Vector) -> str:
    return ", ".join(
        f"{field.element_name(index)} = {field.show(layout.read(vector, field, index))}"
        for field in layout.fields
        for index in range(field.elements)
    )


def _actions(system: System) -> Iterator[str]:
    for number, action in enumerate(system.actions):
        fairness = "" if action.fairness == "none" else f" ({action.fairness}ly fair)"
        yield f"action {number} {_title(action)}{fairness}"
        if not is_constant(action.guard, 1):
            yield f"{_INDENT}guard {expression_text(action.guard)}"
        yield from _indented(_block(action.effect))


def _title(action: Action) -> str:
    name = f"{action.name}: " if action.name else ""
    parts = (
        f"{part.process}{f' line {part.span.line}' if part.span else ''} {_one_line(part.text)}".strip()
        for part in action.parts
    )
    return name + " | ".join(parts)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _choice(choice: Choice, system: System) -> Iterator[str]:
    match choice:
        case Do(action):
            yield f"do action {action}"
        case All(children) | First(children):
            yield "all" if isinstance(choice, All) else "first"
            for child in children:
                yield from _indented(_choice(child, system))
        case Switch(field, cases):
            yield f"switch {field.name}"
            for value, child in cases:
                yield f"{_INDENT}case {field.show(value)}"
                yield from _indented(_indented(_choice(child, system)))
        case When(guard, child):
            yield f"when {expression_text(guard)}"
            yield from _indented(_choice(child, system))


def _propositions(system: System) -> Iterator[str]:
    for kind, propositions in (
        ("assert", system.assertions),
        ("cover", system.covers),
        ("attainable", system.attainable),
    ):
        for proposition in propositions:
            yield f"{kind} {_one_line(proposition.name)}: {expression_text(proposition.expression)}"
    for response in system.responses:
        yield f"response {response.name}: {expression_text(response.p)} ~> {expression_text(response.q)}"
    for formula in system.formulas:
        yield f"formula {formula.name}: {_one_line(formula.text.text)}"
    if system.valid_end is not None:
        yield f"valid end: {expression_text(system.valid_end)}"
    if system.exclusive is not None:
        yield f"transient: {system.exclusive.field.name} != 0{_site(system.exclusive.endless)}"


def _automaton(automaton: PropertyAutomaton) -> Iterator[str]:
    yield f"automaton {automaton.name}, from {automaton.states[automaton.initial]}"
    for origin, state in enumerate(automaton.states):
        yield f"{_INDENT}{state}{' (accepting)' if origin in automaton.accepting else ''}"
        for step in automaton.steps:
            if step.origin == origin:
                yield f"{_INDENT * 2}{expression_text(step.guard)} -> {automaton.states[step.target]}"


def _procedures(system: System) -> Iterator[str]:
    for procedure in _procedures_in(system):
        yield f"procedure {procedure.name}({', '.join(f't{k}' for k in range(procedure.parameters))})"
        yield from _indented(_block(procedure.body))
        yield f"{_INDENT}result {expression_text(procedure.result)}"


def _procedures_in(system: System) -> list[Procedure]:
    """Every procedure that something calls, in the order of the first call."""
    found: dict[Procedure, None] = {}
    properties = (*system.assertions, *system.covers, *system.attainable, *system.responses, *system.automata)
    roots: list[object] = [
        *((action.guard, action.effect) for action in system.actions),
        system.choices,
        *(automaton.steps if isinstance(automaton, PropertyAutomaton) else automaton for automaton in properties),
        system.valid_end,
    ]
    waiting = roots[::-1]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Procedure) and part not in found:
            found[part] = None
            waiting += (part.result, part.body)
        elif isinstance(part, tuple):
            waiting += reversed(part)
    return list(found)


def _failures(system: System) -> Iterator[str]:
    for site, failure in enumerate(system.failures):
        place = f" ({failure.span})" if failure.span else ""
        yield f"!{site} {failure.kind}: {_one_line(failure.message)}{place}"


def _block(block: Block) -> Iterator[str]:
    for statement in block:
        yield from _statement(statement)


def _statement(statement: Statement) -> Iterator[str]:
    match statement:
        case Assign(field, at, value, site):
            yield f"{_place(field, at)} := {expression_text(value)}{_site(site)}"
        case SetLocal(slot, value):
            yield f"t{slot} := {expression_text(value)}"
        case SetElement(array, at, value, site):
            yield f"{_place(array, at)} := {expression_text(value)}{_site(site)}"
        case If(condition, then, otherwise):
            yield f"if {expression_text(condition)}"
            yield from _indented(_block(then))
            if otherwise:
                yield "else"
                yield from _indented(_block(otherwise))
        case While(condition, body, limit, site):
            yield f"while {expression_text(condition)}, at most {limit:,} times{_site(site)}"
            yield from _indented(_block(body))
        case Require(condition, site):
            yield f"require {expression_text(condition)}{_site(site)}"
        case Assert(condition, site):
            yield f"assert {expression_text(condition)}{_site(site)}"
        case Scope(label, body):
            yield f"scope {label}"
            yield from _indented(_block(body))
        case Leave(label):
            yield f"leave {label}"
        case Constrain(zone, difference, site):
            yield f"{zone.name}: {_difference(difference)}{_site(site)}"
        case Reset(zone, clock, value):
            yield f"{zone.name}: clock {expression_text(clock)} := {expression_text(value)}"
        case Settle():
            yield from _settle(statement)
        case Print(parts):
            yield "print " + ", ".join(_printed(part) for part in parts)


def _difference(difference: Difference) -> str:
    row, column, bound = map(expression_text, difference[:3])
    return f"clock {row} - clock {column} {'<' if difference.strict else '<='} {bound}"


def _settle(end: Settle) -> Iterator[str]:
    yield f"{end.zone.name}: time passes if {expression_text(end.delays)}{_site(end.site)}"
    for limit in end.limits:
        bound = f"clock {expression_text(limit.clock)} {'<' if limit.strict else '<='} {expression_text(limit.bound)}"
        yield f"  while {bound} if {expression_text(limit.condition)}"
    for clock, (lower, upper) in enumerate(zip(end.lower, end.upper, strict=True)):
        yield f"  clock {clock} is compared with {expression_text(lower)} below, {expression_text(upper)} above"


def _printed(part: str | Shown) -> str:
    return repr(part) if isinstance(part, str) else f"{expression_text(part.value)} as %{part.conversion}"


def expression_text(expression: Expression) -> str:
    """With brackets around every operand that has operands itself: nobody has to know who binds tighter."""
    match expression:
        case Constant(value):
            return str(value)
        case Read(field, at, site):
            return _place(field, at) + _site(site)
        case Local(slot):
            return f"t{slot}"
        case Element(array, at, site):
            return _place(array, at) + _site(site)
        case Check(operand, low, high, site):
            return f"check({expression_text(operand)} in {low}..{high}{_site(site)})"
        case Evaluate(block, result):
            return f"{{ {'; '.join(line.strip() for line in _block(block))}; {expression_text(result)} }}"
        case Call(procedure, arguments, limit, site):
            given = ", ".join(map(expression_text, arguments))
            return f"{procedure.name}({given}; at most {limit:,} deep{_site(site)})"
        case Unary(operator, operand):
            return f"{operator}{' ' if operator == 'not' else ''}{_operand(operand)}"
        case Binary(operator, left, right, site):
            return f"{_operand(left)} {operator} {_operand(right)}{_site(site)}"
        case Conditional(condition, then, otherwise):
            return f"{_operand(condition)} ? {_operand(then)} : {_operand(otherwise)}"
        case Meets(zone, constraints):
            return f"{zone.name} meets({', '.join(map(_difference, constraints))})"
        case Observed(number):
            return f"observed({number})"
        case Unlimited(zone):
            return f"{zone.name} unlimited"
        case Stuck(zone):
            return f"{zone.name} stuck"


def _operand(expression: Expression) -> str:
    text = expression_text(expression)
    return f"({text})" if isinstance(expression, Binary | Conditional | Unary) else text


def _place(item: Field | LocalArray, at: Expression | None) -> str:
    return item.name if at is None else f"{item.name}[{expression_text(at)}]"


def _site(site: int) -> str:
    return "" if site == NO_SITE else f" !{site}"
