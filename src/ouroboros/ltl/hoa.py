"""Automata in the Hanoi Omega-Automata format, version 1: Büchi and generalised Büchi, marks on states or transitions.

What is read becomes a generalised automaton, and is made small as that of a formula is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ouroboros.errors import InputError
from ouroboros.ltl.automaton import Automaton
from ouroboros.ltl.diagrams import FALSE, TRUE, Diagrams
from ouroboros.ltl.generalised import GeneralisedAutomaton, Transition
from ouroboros.ltl.translate import smallest_of
from ouroboros.source import Source, Span

MOST_STATES = 10_000

_TOKEN = re.compile(
    r"""
      (?P<blank> \s+ )
    | (?P<comment> /\*.*?\*/ )
    | (?P<body> --BODY-- | --END-- | --ABORT-- )
    | (?P<header> [A-Za-z_][A-Za-z0-9_-]*: )
    | (?P<word> [A-Za-z_][A-Za-z0-9_-]* )
    | (?P<alias> @[A-Za-z0-9_-]+ )
    | (?P<number> [0-9]+ )
    | (?P<string> "(?:\\.|[^"\\])*" )
    | (?P<symbol> [\[\]{}()!&|] )
    """,
    re.VERBOSE | re.DOTALL,
)


class Token(NamedTuple):
    kind: str
    text: str
    span: Span


class HoaAutomaton(NamedTuple):
    name: str | None
    automaton: Automaton
    """Its atoms are the atomic propositions of the file."""
    places: tuple[Span, ...]
    """Where each of the atoms stands."""


def read_hoa(source: Source) -> HoaAutomaton:
    """Raises InputError with the place of what is wrong, or is not Büchi acceptance."""
    return _Reader(source).automaton()


class _Reader:
    def __init__(self, source: Source) -> None:
        self._source = source
        self._tokens = list(self._tokenize())
        self._at = 0
        self._diagrams = Diagrams()
        self._name: str | None = None
        self._states: int | None = None
        self._starts: list[tuple[int, Span]] = []
        self._atoms: list[Token] = []
        self._aliases: dict[str, int] = {}
        self._sets: int | None = None
        self._all_accept = False
        self._nothing_accepts = False

    # Tokens

    def _tokenize(self) -> Iterator[Token]:
        text, at = self._source.text, 0
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None:
                raise InputError(f"{text[at]!r} means nothing in this format", Span(self._source, at, at + 1))
            kind = str(found.lastgroup)
            if kind not in ("blank", "comment"):
                yield Token(kind, found[0], Span(self._source, at, found.end()))
            at = found.end()

    @property
    def _next(self) -> Token:
        if self._at < len(self._tokens):
            return self._tokens[self._at]
        end = len(self._source.text)
        return Token("end", "the end of the file", Span(self._source, end, end))

    def _take(self) -> Token:
        token = self._next
        self._at += 1
        return token

    def _expect(self, kind: str, text: str | None, what: str) -> Token:
        token = self._take()
        if token.kind != kind or (text is not None and token.text != text):
            raise InputError(f"{what} is expected here, and not {token.text}", token.span)
        return token

    def _takes(self, text: str) -> bool:
        if self._next.text == text and self._next.kind != "string":
            self._at += 1
            return True
        return False

    def _number(self, what: str) -> tuple[int, Span]:
        token = self._expect("number", None, what)
        return int(token.text), token.span

    # The header

    def automaton(self) -> HoaAutomaton:
        self._expect("header", "HOA:", "`HOA: v1`")
        version = self._take()
        if version.text != "v1":
            raise InputError(f"this is version {version.text} of the format, and v1 is what is read", version.span)
        while self._next.kind == "header":
            self._item(self._take())
        self._expect("body", "--BODY--", "`--BODY--`")
        if self._sets is None:
            raise InputError("the header has no `Acceptance:`", self._next.span)
        rows = self._rows()
        ending = self._expect("body", None, "`State:` or `--END--`")
        if ending.text != "--END--":
            raise InputError("the automaton was given up by who wrote it", ending.span)
        if self._next.kind != "end":
            raise InputError("there is more than one automaton in the file", self._next.span, "put each into its own")
        generalised = self._with_one_start(rows)
        names = tuple(_unquoted(token) for token in self._atoms)
        return HoaAutomaton(self._name, smallest_of(generalised, names), tuple(token.span for token in self._atoms))

    def _item(self, head: Token) -> None:
        match head.text:
            case "States:":
                self._states, span = self._number("a number of states")
                if self._states > MOST_STATES:
                    raise InputError(f"at most {MOST_STATES:,} states are read", span)
            case "Start:":
                self._starts.append(self._number("the number of a state"))
                if self._next.text == "&":
                    raise InputError(
                        "alternating automata are not supported: a run begins in one state", self._next.span
                    )
            case "AP:":
                count, span = self._number("a number of propositions")
                while self._next.kind == "string":
                    self._atoms.append(self._take())
                if len(self._atoms) != count:
                    raise InputError(f"{count} propositions are announced, and {len(self._atoms)} named", span)
            case "Alias:":
                name = self._expect("alias", None, "a name such as @a")
                self._aliases[name.text] = self._label()
            case "Acceptance:":
                self._acceptance()
            case "name:":
                self._name = _unquoted(self._expect("string", None, "a name in quotation marks"))
            case _:
                # What begins with a capital letter may change what the automaton means.
                if head.text[0].isupper():
                    raise InputError(f"`{head.text}` is not known, and may change the meaning", head.span)
                while self._next.kind not in ("header", "body", "end"):
                    self._take()

    def _acceptance(self) -> None:
        self._sets, _ = self._number("a number of acceptance sets")
        first = self._next
        found: set[int] = set()
        if self._sets == 0 and self._takes("t"):
            self._all_accept = True
            return
        if self._takes("f"):
            self._nothing_accepts = True
            return
        while True:
            word = self._take()
            if word.text != "Inf":
                raise InputError(
                    "only Büchi and generalised Büchi acceptance are supported", first.span,
                    "that is a conjunction of Inf(0), Inf(1), …; `autfilt --gba` or `--buchi` of Spot makes one",
                )  # fmt: skip
            self._expect("symbol", "(", "(")
            if self._next.text == "!":
                raise InputError("the complement of an acceptance set is not supported", self._next.span)
            number, span = self._number("the number of a set")
            if number >= self._sets:
                raise InputError(f"there are only {self._sets} acceptance sets", span)
            found.add(number)
            self._expect("symbol", ")", ")")
            if not self._takes("&"):
                break
        if self._next.text == "|":
            raise InputError(
                "only Büchi and generalised Büchi acceptance are supported, and no disjunction", self._next.span
            )
        if found != set(range(self._sets)):
            raise InputError("some acceptance set is not used", first.span)

    # Labels

    def _label(self) -> int:
        """A condition over the propositions, with `|` weaker than `&`."""
        result = self._conjunction()
        while self._takes("|"):
            result = self._diagrams.disjunction(result, self._conjunction())
        return result

    def _conjunction(self) -> int:
        result = self._literal()
        while self._takes("&"):
            result = self._diagrams.conjunction(result, self._literal())
        return result

    def _literal(self) -> int:
        token = self._take()
        match token.kind, token.text:
            case _, "t":
                return TRUE
            case _, "f":
                return FALSE
            case _, "!":
                return self._diagrams.negation(self._literal())
            case _, "(":
                inside = self._label()
                self._expect("symbol", ")", ")")
                return inside
            case "number", text:
                if int(text) >= len(self._atoms):
                    raise InputError(f"there is no proposition {text}", token.span)
                return self._diagrams.variable(int(text))
            case "alias", text if text in self._aliases:
                return self._aliases[text]
        raise InputError(f"a condition is expected here, and not {token.text}", token.span)

    # The body

    def _rows(self) -> dict[int, list[Transition]]:
        rows: dict[int, list[Transition]] = {}
        while self._takes("State:"):
            label = self._bracketed()
            state, span = self._number("the number of a state")
            self._confirm_state(state, span)
            if state in rows:
                raise InputError(f"state {state} is described twice", span)
            if self._next.kind == "string":
                self._take()
            rows[state] = self._edges(label, self._marks())
        return rows

    def _edges(self, label: int | None, marks: int) -> list[Transition]:
        edges: list[Transition] = []
        letters = 0
        while self._next.kind == "number" or self._next.text == "[":
            own = self._bracketed()
            target, span = self._number("the number of a state")
            self._confirm_state(target, span)
            if self._next.text == "&":
                raise InputError("alternating automata are not supported", self._next.span)
            guard = own if own is not None else label
            if guard is None:
                # Edges without labels stand for the letters, in the order of their numbers.
                if letters >= 1 << len(self._atoms):
                    raise InputError("there are more edges than letters", span)
                guard = self._diagrams.cube((1 << len(self._atoms)) - 1, letters)
                letters += 1
            edges.append(Transition(guard, marks | self._marks(), target))
        if letters and letters != 1 << len(self._atoms):
            raise InputError("there is no edge for some letters", self._next.span)
        return [edge for edge in edges if edge.guard != FALSE]

    def _bracketed(self) -> int | None:
        if not self._takes("["):
            return None
        label = self._label()
        self._expect("symbol", "]", "]")
        return label

    def _marks(self) -> int:
        marks = int(self._all_accept)
        if not self._takes("{"):
            return marks
        while self._next.kind == "number":
            number, span = self._number("the number of a set")
            if number >= (self._sets or 0):
                raise InputError(f"there are only {self._sets} acceptance sets", span)
            marks |= 0 if self._nothing_accepts else 1 << number
        self._expect("symbol", "}", "}")
        return marks

    def _confirm_state(self, state: int, span: Span) -> None:
        most = MOST_STATES if self._states is None else self._states
        if state >= most:
            raise InputError(f"there is no state {state}: they are numbered from 0 to {most - 1}", span)

    def _with_one_start(self, rows: dict[int, list[Transition]]) -> GeneralisedAutomaton:
        """A state of its own where runs may begin in several, or in none."""
        named = {*rows, *(edge.target for row in rows.values() for edge in row), *(start for start, _ in self._starts)}
        for start, span in self._starts:
            self._confirm_state(start, span)
        transitions = [rows.get(state, []) for state in range(max(named, default=-1) + 1)]
        starts = list(dict.fromkeys(start for start, _ in self._starts))
        if len(starts) == 1:
            initial = starts[0]
        else:
            initial = len(transitions)
            transitions.append([edge for start in starts for edge in rows.get(start, [])])
        return GeneralisedAutomaton(self._diagrams, max(1, self._sets or 0), initial, transitions)


def _unquoted(token: Token) -> str:
    return re.sub(r"\\(.)", r"\1", token.text[1:-1])
