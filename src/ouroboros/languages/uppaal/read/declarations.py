"""Tokens to declarations, functions and statements."""

from __future__ import annotations

from ouroboros.errors import InputError
from ouroboros.languages.uppaal.read import ast
from ouroboros.languages.uppaal.read.expressions import ExpressionParser
from ouroboros.languages.uppaal.read.lex import Token


class DeclarationParser(ExpressionParser):
    def declarations(self) -> list[ast.Declaration]:
        """Variables, types, functions and channel priorities, for as long as there are any."""
        found: list[ast.Declaration] = []
        while self._at_declaration():
            found += self._declaration()
        return found

    def _at_declaration(self) -> bool:
        if self.at("typedef", "import", "dynamic") or self.at_type():
            return True
        # `name name` begins a declaration, with a type of that name.
        return self.token.kind == "name" and self.ahead().kind == "name"

    def _declaration(self) -> list[ast.Declaration]:
        start = self.token
        if self.at("import"):
            raise InputError("functions of other programs (import) are not supported", start.span)
        if self.at("dynamic"):
            raise InputError("dynamic templates are not supported", start.span)
        if self.at("chan") and self.ahead().text == "priority":
            return [self._channel_priorities()]
        if self.accept("typedef"):
            of = self.type()
            found: list[ast.Declaration] = []
            while True:
                name = self.name("the name of the type")
                found.append(ast.Typedef(name.span, of, name.text, self.dimensions()))
                if not self.accept(","):
                    break
            self.expect(";")
            return found
        of = self.type()
        if self.token.kind == "name" and self.ahead().text == "(":
            return [self._function(of)]
        return list(self._variables(of))

    def _variables(self, of: ast.Type) -> list[ast.Variable]:
        found = [self.declarator(of, initialised=True)]
        while self.accept(","):
            found.append(self.declarator(of, initialised=True))
        self.expect(";", " after the declaration")
        return found

    def _channel_priorities(self) -> ast.ChannelPriorities:
        start = self.take()
        self.take()
        groups: list[tuple[ast.Expression | None, ...]] = []
        while True:
            group: list[ast.Expression | None] = []
            while True:
                # A comparison would swallow the order of the groups.
                group.append(None if self.accept("default") else self._postfix())
                if not self.accept(","):
                    break
            groups.append(tuple(group))
            if not self.accept("<"):
                break
        self.expect(";")
        return ast.ChannelPriorities(self.since(start), tuple(groups))

    def _function(self, result: ast.Type) -> ast.Function:
        name = self.take()
        self.expect("(")
        parameters = self.parameters(")")
        self.expect(")")
        return ast.Function(name.span, result, name.text, parameters, self.block())

    def parameters(self, end: str | None = None) -> tuple[ast.Variable, ...]:
        """The list of parameters, which may be empty; `end` is what comes after it."""
        found: list[ast.Variable] = []
        if self.token.kind == "end" or (end and self.at(end)):
            return ()
        while True:
            of = self.type()
            reference = self.accept("&") is not None
            name = self.name("the name of a parameter")
            dimensions = self.dimensions()
            found.append(ast.Variable(name.span, of, name.text, dimensions, None, reference))
            if not self.accept(",", ";"):
                return tuple(found)

    # Statements

    def block(self) -> ast.Block:
        start = self.expect("{")
        declarations: list[ast.Variable | ast.Typedef] = []
        while self._at_declaration():
            for each in self._declaration():
                if not isinstance(each, ast.Variable | ast.Typedef):
                    raise InputError("only variables and types can be declared inside of a function", each.span)
                declarations.append(each)
        statements: list[ast.Statement] = []
        while not self.accept("}"):
            if self.token.kind == "end":
                self.fail("`}`")
            statement = self.statement()
            if statement:
                statements.append(statement)
        return ast.Block(self.since(start), tuple(declarations), tuple(statements))

    def statement(self) -> ast.Statement | None:
        start = self.token
        if self.at("{"):
            return self.block()
        if self.accept(";"):
            return None
        if self.accept("if"):
            return self._if(start)
        if self.accept("while"):
            condition = self._parenthesised()
            return ast.While(self.since(start), condition, self._body())
        if self.accept("do"):
            body = self._body()
            self.expect("while")
            condition = self._parenthesised()
            self.expect(";")
            return ast.While(self.since(start), condition, body, first=True)
        if self.accept("for"):
            return self._for(start)
        if self.accept("return"):
            value = None if self.at(";") else self.expression()
            self.expect(";")
            return ast.Return(self.since(start), value)
        if self.at("assert"):
            raise InputError("`assert` is not supported", start.span, "ask for it by a query: A[] …")
        if start.kind == "name" and start.text in ("break", "continue", "switch", "goto"):
            raise InputError(f"the language has no `{start.text}`", start.span)
        expressions = self.expressions()
        self.expect(";", " after the expression")
        if len(expressions) == 1:
            return ast.Evaluation(self.since(start), expressions[0])
        statements = tuple(ast.Evaluation(each.span, each) for each in expressions)
        return ast.Block(self.since(start), (), statements)

    def _parenthesised(self) -> ast.Expression:
        self.expect("(")
        inside = self.expression()
        self.expect(")")
        return inside

    def _body(self) -> ast.Statement:
        start = self.token
        return self.statement() or ast.Block(self.since(start), (), ())

    def _if(self, start: Token) -> ast.Statement:
        condition = self._parenthesised()
        then = self._body()
        otherwise = self._body() if self.accept("else") else None
        return ast.If(self.since(start), condition, then, otherwise)

    def _for(self, start: Token) -> ast.Statement:
        self.expect("(")
        if self.token.kind == "name" and self.ahead().text == ":":
            name = self.take().text
            self.take()
            of = self.type()
            self.expect(")")
            return ast.ForEach(self.since(start), name, of, self._body())
        parts: list[ast.Expression | None] = []
        for end in (";", ";", ")"):
            if self.at(end):
                parts.append(None)
            else:
                found = self.expressions()
                if len(found) > 1:
                    raise InputError("a `for` has one expression at each of its three places", found[1].span)
                parts.append(found[0])
            self.expect(end)
        return ast.For(self.since(start), parts[0], parts[1], parts[2], self._body())

    # What comes after the templates

    def system_section(self, model: ast.Model) -> None:
        """Declarations and instantiations, then the system line."""
        while not self.at("system"):
            if self.token.kind == "name" and self.ahead().text in ("=", ":=", "("):
                model.declarations.append(self._instantiation())
            elif self._at_declaration():
                model.declarations += self._declaration()
            elif self.token.kind == "end" and not self.unit.text.strip():
                return
            else:
                self.fail("an instantiation, a declaration or the `system` line")
        self._system(model)
        while self.at("progress", "gantt") or self.token.text == "IO":
            if self.token.text == "IO":
                self._joined(model)
            else:
                self._skip_section()
        self.finished("the system")

    def instantiations(self, model: ast.Model) -> None:
        """Old files have them in a section of their own."""
        while self.token.kind != "end":
            if self.token.kind == "name" and self.ahead().text in ("=", ":=", "("):
                model.declarations.append(self._instantiation())
            elif self._at_declaration():
                model.declarations += self._declaration()
            else:
                self.fail("an instantiation")

    def _instantiation(self) -> ast.Instantiation:
        name = self.take()
        parameters: tuple[ast.Variable, ...] = ()
        if self.accept("("):
            parameters = self.parameters(")")
            self.expect(")")
        if not self.accept("=", ":="):
            self.fail("`=`")
        template = self.name("the name of a template")
        self.expect("(")
        arguments = () if self.at(")") else self.expressions()
        self.expect(")")
        self.expect(";")
        return ast.Instantiation(
            self.since(name), name.text, parameters, ast.Name(template.span, template.text), arguments
        )

    def _system(self, model: ast.Model) -> None:
        self.take()
        groups: list[tuple[ast.Name, ...]] = []
        group: list[ast.Name] = []
        while True:
            name = self.name("the name of a process")
            group.append(ast.Name(name.span, name.text))
            if self.at("("):
                raise InputError(
                    "arguments on the system line are not supported", self.token.span, "name the instance: P1 = P(1);"
                )
            if self.accept("<"):
                groups.append(tuple(group))
                group = []
            elif not self.accept(","):
                break
        self.expect(";", " after the system")
        model.system = (*groups, tuple(group))

    def _joined(self, model: ast.Model) -> None:
        """Which channels a process takes part in that are written without `!` and `?`."""
        self.take()
        name = self.name("the name of a process")
        self.expect("{")
        channels = () if self.at("}") else self.expressions()
        self.expect("}")
        model.joined.append((ast.Name(name.span, name.text), channels))

    def _skip_section(self) -> None:
        """A hint for another tool: it says nothing about the system."""
        self.take()
        self.expect("{")
        depth = 1
        while depth:
            token = self.take()
            if token.kind == "end":
                self.fail("`}`")
            depth += {"{": 1, "}": -1}.get(token.text, 0)
