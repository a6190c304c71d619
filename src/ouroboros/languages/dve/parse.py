"""DVE text to syntax trees."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Literal, cast

from lark import Lark
from lark.exceptions import UnexpectedToken

from ouroboros.errors import InputError
from ouroboros.languages.dve import ast
from ouroboros.languages.dve.build import Builder
from ouroboros.languages.dve.lex import DveLexer, IllegalCharacterError
from ouroboros.languages.dve.syntax_errors import illegal_character, unexpected_token
from ouroboros.source import Source, Span

_GRAMMAR = Path(__file__).with_name("grammar.lark")
_one_at_a_time = Lock()
_NO_TEXT = re.compile("[\0\ud800-\udfff]")  # Bytes that are not UTF-8 arrive as lone surrogates.


def parse_model(source: Source) -> ast.Model:
    """The syntax tree of a whole model; raises InputError."""
    _require_text(source)
    if not source.text.strip():
        raise InputError("the file is empty", Span(source, 0, 0), "a DVE model ends with `system async;`")
    return cast(ast.Model, _parse(source, "model"))


def parse_expression(source: Source) -> ast.Expression:
    """The syntax tree of an expression that stands alone; raises InputError."""
    _require_text(source)
    return cast(ast.Expression, _parse(source, "standalone"))


def _require_text(source: Source) -> None:
    binary = _NO_TEXT.search(source.text)
    if binary:
        raise InputError("this is not a text file", Span(source, *binary.span()), "expected DVE source text")


@cache
def _parser() -> tuple[Lark, Builder]:
    builder = Builder()
    grammar = _GRAMMAR.read_text(encoding="utf-8")
    lark = Lark(grammar, parser="lalr", lexer=DveLexer, start=["model", "standalone"], transformer=builder)
    return lark, builder


def _parse(source: Source, start: Literal["model", "standalone"]) -> object:
    lark, builder = _parser()
    # The tables of the parser are built around one builder, and it works on one source at a time.
    with _one_at_a_time:
        builder.source = source
        try:
            return lark.parse(source.text, start=start)
        except UnexpectedToken as error:
            raise unexpected_token(source, error) from None
        except IllegalCharacterError as error:
            raise illegal_character(source, error.offset) from None
