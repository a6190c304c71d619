"""Where something stands in a Python file, and the refusal of what cannot be compiled."""

from __future__ import annotations

import ast

from ouroboros.errors import InputError
from ouroboros.source import Source, Span


class Places:
    """The places of a syntax tree in the text that it was read from."""

    def __init__(self, source: Source, shift: int = 0) -> None:
        self.source = source
        self._lines = source.text.split("\n")
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._shift = shift
        """By how many characters the tree has the first line further to the right than the text."""

    def _offset(self, line: int, column: int) -> int:
        if line == 1:
            column -= self._shift
        line = min(line, len(self._lines))
        text = self._lines[line - 1]
        # The tree counts bytes.
        characters = column if text.isascii() else len(text.encode()[:column].decode(errors="ignore"))
        return min(self._starts[line - 1] + max(0, characters), len(self.source.text))

    def span(self, node: ast.AST) -> Span:
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        last, end = getattr(node, "end_lineno", line), getattr(node, "end_col_offset", column)
        return Span(self.source, self._offset(line, column), self._offset(last or line, end or column))

    def text(self, node: ast.AST) -> str:
        return " ".join(self.span(node).text.split())

    def refusal(self, node: ast.AST, message: str, hint: str | None = None) -> InputError:
        return InputError(message, self.span(node), hint)
