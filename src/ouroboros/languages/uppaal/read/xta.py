"""Models as text: what XML has as elements is written as processes."""

from __future__ import annotations

from ouroboros.errors import InputError
from ouroboros.languages.uppaal.read import ast
from ouroboros.languages.uppaal.read.declarations import DeclarationParser
from ouroboros.languages.uppaal.read.units import whole
from ouroboros.source import Source


def read_text(source: Source, model: ast.Model) -> None:
    parser = TextParser(whole(source))
    while not parser.at("system") and not (parser.token.kind == "name" and parser.ahead().text in ("=", ":=", "(")):
        before = parser.token
        if parser.at("process"):
            model.declarations.append(parser.process())
        else:
            model.declarations += parser.declarations()
        if parser.token is before:
            parser.fail("a declaration, a process or the `system` line")
    parser.system_section(model)


class TextParser(DeclarationParser):
    def process(self) -> ast.Template:
        self.take()
        name = self.name("the name of the process")
        parameters: tuple[ast.Variable, ...] = ()
        if self.accept("("):
            parameters = self.parameters(")")
            self.expect(")")
        self.expect("{")
        declarations = self.declarations()
        locations: dict[str, ast.Location] = {}
        if self.accept("state"):
            self._states(locations)
        marks: dict[str, set[str]] = {"commit": set(), "urgent": set(), "branchpoint": set()}
        initial: str | None = None
        edges: tuple[ast.Edge, ...] = ()
        while not self.accept("}"):
            start = self.token
            if mark := self.accept("commit", "urgent", "branchpoint"):
                marks[mark.text] |= self._names(locations, new=mark.text == "branchpoint")
            elif self.accept("init"):
                token = self.name("the name of a state")
                if token.text not in locations:
                    raise InputError(f"there is no state {token.text}", token.span)
                if initial is not None:
                    raise InputError(f"{name.text} begins in {initial}: it can have one initial state", start.span)
                initial = token.text
                self.expect(";")
            elif self.accept("trans"):
                if edges:
                    raise InputError(f"{name.text} has had its `trans` already: put both lists together", start.span)
                edges = self._transitions(locations)
            else:
                self.fail("`commit`, `urgent`, `init`, `trans` or `}`")
        if locations and initial is None:
            raise InputError(f"{name.text} has no initial state (init)", name.span)
        marked = tuple(
            ast.Location(
                each.span,
                each.name,
                each.key,
                each.invariant,
                each.name in marks["urgent"],
                each.name in marks["commit"],
                each.name in marks["branchpoint"],
            )
            for each in locations.values()
        )
        return ast.Template(name.span, name.text, parameters, tuple(declarations), marked, initial, edges)

    def _states(self, locations: dict[str, ast.Location]) -> None:
        while True:
            token = self.name("the name of a state")
            if token.text in locations:
                raise InputError(f"there is another state {token.text}", token.span)
            invariant = None
            if self.accept("{"):
                invariant = None if self.at("}") else self.conjunction()
                if self.accept(";"):
                    raise InputError("exponential rates are not supported", token.span)
                self.expect("}")
            locations[token.text] = ast.Location(token.span, token.text, token.text, invariant)
            if not self.accept(","):
                break
        self.expect(";")

    def conjunction(self) -> ast.Expression:
        """Guards and invariants of old files have commas for `and`."""
        start = self.token
        result = self.expression()
        while self.accept(","):
            right = self.expression()
            result = ast.Binary(self.since(start), "&&", result, right)
        return result

    def _names(self, locations: dict[str, ast.Location], new: bool) -> set[str]:
        found: set[str] = set()
        while True:
            token = self.name("a name")
            if new and token.text in locations:
                raise InputError(f"there is another state {token.text}", token.span)
            if new:
                locations[token.text] = ast.Location(token.span, token.text, token.text)
            elif token.text not in locations:
                raise InputError(f"there is no state {token.text}", token.span)
            found.add(token.text)
            if not self.accept(","):
                break
        self.expect(";")
        return found

    def _transitions(self, locations: dict[str, ast.Location]) -> tuple[ast.Edge, ...]:
        edges: list[ast.Edge] = []
        origin = ""
        while True:
            start = self.token
            if not self.at("->", "-u->"):
                origin = self._known_state(locations)
            elif not origin:
                self.fail("the name of a state")
            if self.at("-u->"):
                raise InputError("transitions that the environment controls are not supported", self.token.span)
            self.expect("->")
            target = self._known_state(locations)
            edges.append(self._transition(start.start, origin, target))
            if not self.accept(","):
                break
        self.expect(";")
        return tuple(edges)

    def _known_state(self, locations: dict[str, ast.Location]) -> str:
        token = self.name("the name of a state")
        if token.text not in locations:
            raise InputError(f"there is no state {token.text}", token.span)
        return token.text

    def _transition(self, begin: int, origin: str, target: str) -> ast.Edge:
        select: tuple[ast.Variable, ...] = ()
        guard: ast.Expression | None = None
        sync: ast.Synchronisation | None = None
        updates: tuple[ast.Expression, ...] = ()
        texts: list[str] = []
        known: set[str] = set()
        if self.accept("{"):
            while not self.accept("}"):
                word = self.token
                first = self.ahead()
                if word.text in known:
                    raise InputError(f"this transition has two labels `{word.text}`", word.span, "write one of both")
                known.add(word.text)
                if self.accept("select"):
                    select = self.select()
                elif self.accept("guard"):
                    guard = self.conjunction()
                elif self.accept("sync"):
                    sync = self.synchronisation()
                elif self.accept("assign"):
                    updates = () if self.at(";") else self.expressions()
                elif self.accept("probability"):
                    self.expression()
                else:
                    self.fail("`select`, `guard`, `sync`, `assign` or `}`")
                if word.text != "probability":
                    texts.append(" ".join(self.unit.text[first.start : self.token.start].split()))
                self.expect(";")
        span = self.unit.span(begin, self.ahead(-1).end)
        return ast.Edge(span, origin, target, select, guard, sync, updates, "; ".join(texts))

    def select(self) -> tuple[ast.Variable, ...]:
        found: list[ast.Variable] = []
        while True:
            name = self.name("the name of a variable")
            self.expect(":")
            of = self.type()
            found.append(ast.Variable(name.span, of, name.text))
            if not self.accept(","):
                return tuple(found)

    def synchronisation(self) -> ast.Synchronisation:
        start = self.token
        channel = self._postfix()
        direction = self.accept("!", "?")
        return ast.Synchronisation(self.since(start), channel, direction.text == "!" if direction else None)
