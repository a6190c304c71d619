"""Queries: in the model's file, or one on each line of a file of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ouroboros.errors import InputError
from ouroboros.languages.uppaal.read import ast
from ouroboros.languages.uppaal.read.expressions import ExpressionParser
from ouroboros.languages.uppaal.read.units import Unit
from ouroboros.source import Source

_PATHS: tuple[tuple[ast.QueryKind, tuple[str, ...]], ...] = (
    ("A[]", ("A", "[", "]")),
    ("A<>", ("A", "<", ">")),
    ("E[]", ("E", "[", "]")),
    ("E<>", ("E", "<", ">")),
)
_REFUSED = {
    "Pr": "probabilities (Pr)",
    "simulate": "simulations (simulate)",
    "strategy": "strategies",
    "control": "synthesis (control:)",
    "sat": "live sequence charts (sat:)",
    "saveStrategy": "strategies",
    "loadStrategy": "strategies",
}
_EXTREMES: dict[str, ast.QueryKind] = {"sup": "sup", "inf": "inf", "bounds": "bounds"}
_COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)


def read_query(unit: Unit, comment: str = "") -> ast.Query:
    """A query that cannot be read says so when it is asked: the others can be answered."""
    try:
        return _query(unit, comment)
    except InputError as error:
        span = unit.span(0, len(unit.text))
        text = " ".join(unit.text.split())
        return ast.Query(span, "A[]", ast.Number(span, 1), None, text, comment, error)


def _query(unit: Unit, comment: str) -> ast.Query:
    parser = ExpressionParser(unit)
    text = " ".join(unit.text.split())
    start = parser.token
    if start.text in _REFUSED and parser.ahead().text not in (".", "("):
        raise InputError(f"{_REFUSED[start.text]}: this kind of query is not supported", start.span)
    if start.text in _EXTREMES and parser.ahead().text in ("{", ":"):
        return _extreme(parser, text, comment)
    for kind, words in _PATHS:
        if tuple(parser.ahead(distance).text for distance in range(3)) == words:
            for _ in words:
                parser.take()
            body = parser.expression()
            query = ast.Query(parser.since(start), kind, body, None, text, comment)
            break
    else:
        first = parser.expression()
        if not parser.accept("-->"):
            parser.fail("a query begins with A[], E<>, A<> or E[], or has --> in the middle: an operator")
        second = parser.expression()
        query = ast.Query(parser.since(start), "-->", first, second, text, comment)
    if parser.token.kind == "name" and parser.token.text == "under":
        raise InputError("queries under a strategy are not supported", parser.token.span)
    parser.finished("the query")
    return query


def _extreme(parser: ExpressionParser, text: str, comment: str) -> ast.Query:
    start = parser.take()
    where: ast.Expression = ast.Number(start.span, 1, truth=True)
    if parser.accept("{"):
        where = parser.expression()
        parser.expect("}")
    parser.expect(":")
    measured = parser.expressions()
    parser.finished("the query")
    return ast.Query(parser.since(start), _EXTREMES[start.text], where, None, text, comment, None, measured)


def read_queries(source: Source) -> Iterator[ast.Query]:
    """One query on a line; a line that ends in a backslash goes on, and what is said before a query is its comment."""
    comment = ""
    text = source.text
    blanked = (
        _COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)
        .replace("\\\n", "  ")
        .replace("\\\r\n", "   ")
    )
    comments = [(found.start(), found.end(), found.group()) for found in _COMMENT.finditer(text)]
    start = 0
    last = 0
    for line in blanked.splitlines(keepends=True):
        end = start + len(line)
        if line.strip():
            before = [words for first, until, words in comments if last <= first and until <= end]
            comment = " ".join(" ".join(_plain(words) for words in before).split())
            offsets = [*range(start, end), end]
            yield read_query(Unit(source, line, offsets), comment)
            last = end
        start = end


def _plain(comment: str) -> str:
    return comment[2:] if comment.startswith("//") else comment[2:].removesuffix("*/")
