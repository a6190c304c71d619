"""Metadata as it is written: what is known of the source."""

from __future__ import annotations

from ouroboros.languages.c.read.module import Datum, Node, Reference
from ouroboros.languages.c.read.parse_instructions import InstructionParser
from ouroboros.languages.c.read.tokens import unescaped


class MetadataParser(InstructionParser):
    def node(self) -> Node:
        """What stands right of the number of a node."""
        cursor = self.cursor
        cursor.taken("distinct")
        word = cursor.expect_kind("metadata")
        if cursor.taken("{"):
            return Node("", {}, self._items("}"))
        if cursor.kind == "string":
            return Node("string", {}, (cursor.take(),))
        cursor.expect("(")
        fields: dict[str, Datum] = {}
        items: list[Datum] = []
        while not cursor.taken(")"):
            if fields or items:
                cursor.expect(",")
            if cursor.texts[cursor.at + 1] == ":":
                name = cursor.take()
                cursor.take()
                fields[name] = self._datum()
            else:
                items.append(self._datum())
        return Node(word[1:], fields, tuple(items))

    def _items(self, closing: str) -> tuple[Datum, ...]:
        found: list[Datum] = []
        while not self.cursor.taken(closing):
            if found:
                self.cursor.expect(",")
            found.append(self._datum())
        return tuple(found)

    def _datum(self) -> Datum:
        cursor = self.cursor
        match cursor.kind:
            case "node":
                return Reference(int(cursor.take()[1:]))
            case "string":
                return unescaped(cursor.take()).decode("utf-8", "replace")
            case "number":
                text = cursor.take()
                return int(text, 0)
            case "metadata":
                return self._nested()
            case "word" if cursor.text == "null":
                cursor.take()
                return None
            case "word" if not cursor.texts[cursor.at + 1] or cursor.texts[cursor.at + 1] in ",)}|":
                words = [cursor.take()]
                while cursor.taken("|"):
                    words.append(cursor.take())
                return " | ".join(words)
        value = self.typed_value()
        return getattr(value, "value", None) if isinstance(getattr(value, "value", None), int) else str(value)

    def _nested(self) -> Datum:
        """A node inside another one."""
        cursor = self.cursor
        if cursor.texts[cursor.at + 1][:1] == '"':
            cursor.take()
            return unescaped(cursor.take()).decode("utf-8", "replace")
        start = cursor.at
        word = cursor.take()
        if cursor.taken("{"):
            return self._items("}")
        if cursor.text == "(":
            cursor.skip_parentheses()
        return "".join(cursor.texts[start : cursor.at]) or word

    def expression(self) -> str:
        """A nested node, as text."""
        start = self.cursor.at
        self.cursor.take()
        self.cursor.skip_parentheses()
        return "".join(self.cursor.texts[start : self.cursor.at])
