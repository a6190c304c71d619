"""Promela text to a syntax tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ouroboros.errors import InputError
from ouroboros.languages.promela.read.ast import Formula, Model, Process, ProcessKind
from ouroboros.languages.promela.read.check import check_expression, check_model
from ouroboros.languages.promela.read.cursor import Cursor
from ouroboros.languages.promela.read.declarations import DeclarationReader
from ouroboros.languages.promela.read.embedded import refuse_embedded_c
from ouroboros.languages.promela.read.expressions import ExpressionReader
from ouroboros.languages.promela.read.inlines import read_inline
from ouroboros.languages.promela.read.labels import resolve_gotos
from ouroboros.languages.promela.read.misread import misread
from ouroboros.languages.promela.read.names import Names
from ouroboros.languages.promela.read.preprocess import Text, preprocess
from ouroboros.languages.promela.read.statements import StatementReader
from ouroboros.languages.promela.read.terms import Expression, Variable
from ouroboros.languages.promela.read.tokens import Token, tokenize
from ouroboros.source import Source, Span

MOST_PROCESSES = 255


def parse_model(source: Source, definitions: Mapping[str, str] | None = None) -> Model:
    """The tree of a model, checked; `definitions` are macros that are defined beforehand. Raises InputError."""
    text = preprocess(source, definitions or {})
    model = _ModelReader(text).model(source)
    check_model(model)
    return model


def parse_expression(source: Source, model: Model) -> Expression:
    """An expression that stands alone, over all names of a model; raises InputError."""
    names = Names.of(model)
    cursor = Cursor(tokenize(preprocess(source, {})))
    expression = ExpressionReader(cursor, names).expression()
    if cursor.next.kind != "end":
        hint = cursor.operator_hint()
        raise cursor.unexpected("the end of the expression", hint)
    check_expression(expression, model)
    return expression


class _ModelReader:
    def __init__(self, text: Text) -> None:
        self._text = text
        self._cursor = Cursor(tokenize(text))
        self._names = Names()
        self._expressions = ExpressionReader(self._cursor, self._names)
        self._declarations = DeclarationReader(self._cursor, self._names, self._expressions)
        self._statements = StatementReader(self._cursor, self._names, self._expressions, self._declarations)
        self._processes: list[Process] = []
        self._claims: list[Process] = []
        self._events: Process | None = None
        self._formulas: list[Formula] = []
        self._warnings: list[str] = []

    def model(self, source: Source) -> Model:
        while self._cursor.next.kind != "end":
            self._unit()
        if not any(process.active for process in self._processes):
            raise InputError(
                "no process runs in this model",
                Span(source, 0, 0),
                "a model has an init { … } or an active proctype",
            )
        return Model(
            globals=tuple(self._names.globals.values()),
            structures=tuple(self._names.structures.values()),
            symbols=self._names.subtypes,
            processes=tuple(self._processes),
            claims=tuple(self._claims),
            events=self._events,
            formulas=tuple(self._formulas),
            included=self._text.included,
            warnings=tuple(self._warnings),
        )

    def _unit(self) -> None:
        cursor = self._cursor
        token = cursor.next
        match token.kind:
            case ";" | "->":
                cursor.advance()
            case "active" | "proctype" | "D_proctype":
                self._proctype()
            case "init":
                self._init()
            case "never":
                self._claim()
            case "trace" | "notrace":
                self._event_assertion()
            case "ltl":
                self._formula()
            case "typedef":
                self._declarations.structure()
            case "inline":
                read_inline(cursor, self._names)
            case _ if self._declarations.begins():
                self._declarations.variables()
            case _:
                refuse_embedded_c(token)
                if token.kind in ("xr", "xs"):
                    raise InputError(f"{token.kind} stands outside of a process", token.span)
                raise cursor.unexpected("a declaration or a process")

    def _proctype(self) -> None:
        cursor = self._cursor
        active = self._active()
        word = cursor.accept("proctype", "D_proctype")
        if not word:
            raise cursor.unexpected("`proctype`")
        name = cursor.expect("name", "of the proctype")
        self._names.confirm_new(name.text, name.span)
        with self._names.inside_process(name.text):
            parameters = self._parameters()
            priority = self._expressions.priority()
            provided = self._provided()
            process = self._process("proctype", name.text, name)
        self._processes.append(
            replace(
                process,
                parameters=parameters,
                active=active,
                deterministic=word.kind == "D_proctype",
                priority=priority,
                provided=provided,
            )
        )

    def _active(self) -> int:
        """`active [n]`, where it may be written: how many instances run from the beginning."""
        cursor = self._cursor
        if not cursor.accept("active"):
            return 0
        opening = cursor.accept("[")
        if not opening:
            return 1
        number = self._expressions.constant("the number of processes")
        cursor.expect("]", "after the number of processes")
        if number > MOST_PROCESSES:
            raise InputError(f"at most {MOST_PROCESSES} processes can run", cursor.since(opening))
        return max(0, number)

    def _parameters(self) -> tuple[Variable, ...]:
        cursor = self._cursor
        cursor.expect("(", "before the parameters", "a proctype without parameters is written with ()")
        parameters: list[Variable] = []
        while not cursor.accept(")"):
            if not self._declarations.begins():
                raise cursor.unexpected("the type of a parameter or `)`")
            parameters.extend(self._declarations.variables(parameter=True))
            if not cursor.accept(";") and cursor.next.kind != ")":
                raise cursor.unexpected("`;` or `)` after the parameter", "parameters are separated by `;`")
        return tuple(parameters)

    def _provided(self) -> Expression | None:
        cursor = self._cursor
        if not cursor.accept("provided"):
            return None
        cursor.expect("(", "after provided")
        provided = self._expressions.expression()
        cursor.expect(")", "after the condition of provided")
        return provided

    def _init(self) -> None:
        word = self._cursor.advance()
        if any(process.kind == "init" for process in self._processes):
            raise InputError("a second init", word.span, "a model has one; write active proctype for other processes")
        with self._names.inside_process("init"):
            priority = self._expressions.priority()
            process = self._process("init", "init", word)
        self._processes.append(replace(process, active=1, priority=priority))

    def _claim(self) -> None:
        cursor = self._cursor
        word = cursor.advance()
        name = cursor.accept("name")
        called = name.text if name else f"never_{len(self._claims)}"
        self._confirm_new_claim(called, name or word)
        with self._names.inside_process(called):
            process = self._process("never", called, name or word)
        del self._names.processes[called]
        self._claims.append(process)

    def _event_assertion(self) -> None:
        word = self._cursor.advance()
        if self._events is not None:
            raise InputError(f"a second {word.kind}", word.span, "a model has one trace or notrace")
        with self._names.inside_process(word.kind):
            process = self._process("trace" if word.kind == "trace" else "notrace", word.kind, word)
        del self._names.processes[word.kind]
        self._events = process

    def _process(self, kind: ProcessKind, name: str, token: Token) -> Process:
        """The body, and what is known of every kind of process."""
        body = resolve_gotos(self._statements.body(events=kind in ("trace", "notrace")), self._names.labels)
        return Process(
            span=token.place,
            kind=kind,
            name=name,
            parameters=(),
            active=0,
            deterministic=False,
            priority=None,
            provided=None,
            body=body,
            end=self._cursor.previous.place,
            variables=tuple(self._names.processes[name]),
            order=len(self._processes) + len(self._claims) + (self._events is not None),
        )

    def _confirm_new_claim(self, name: str, token: Token) -> None:
        known = {claim.name for claim in self._claims} | {formula.name for formula in self._formulas}
        if name in known:
            raise InputError(f"a second claim named {name}", token.span)

    def _formula(self) -> None:
        cursor = self._cursor
        word = cursor.advance()
        name = cursor.accept("name")
        unnamed = sum(formula.name.startswith("ltl_") for formula in self._formulas)
        called = name.text if name else f"ltl_{unnamed}"
        self._confirm_new_claim(called, name or word)
        opening = cursor.expect("{", "before the formula")
        depth = 1
        tokens: list[Token] = []
        while depth:
            token = cursor.advance()
            tokens.append(token)
            if token.kind == "end":
                raise InputError("the formula is not closed", opening.span, "a } is missing")
            depth += {"{": 1, "}": -1}.get(token.kind, 0)
        closing = cursor.previous
        text = self._text.text[opening.end : closing.start]
        if not text.strip():
            raise InputError("the formula is empty", cursor.since(opening))
        start = opening.end + len(text) - len(text.lstrip())
        formula = self._text.passage(start, start + len(text.strip()))
        self._formulas.append(Formula(cursor.since(word), called, formula))
        self._warnings += misread(tokens, self._text.text)
