"""XML to a tree of elements whose texts know their places in the file.

Nothing outside of the file is ever read, and no entity that a file defines is accepted: only the five of XML itself.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from ouroboros.errors import InputError
from ouroboros.languages.uppaal.read.units import Unit
from ouroboros.source import Source, Span


@dataclass(eq=False)
class Element:
    name: str
    attributes: dict[str, str]
    span: Span
    children: list[Element] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)
    end: int = 0

    def all(self, name: str) -> Iterator[Element]:
        return (child for child in self.children if child.name == name)

    def first(self, name: str) -> Element | None:
        return next(self.all(name), None)

    @property
    def unit(self) -> Unit:
        return Unit(self.span.source, "".join(self.text), [*self.offsets, self.end])

    @property
    def words(self) -> str:
        """The text, without blanks around it."""
        return "".join(self.text).strip()


def parse(source: Source) -> Element:
    """The root element; raises InputError where the text is no XML."""
    return _Reader(source).read()


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.data = source.text.encode("utf-8", "surrogatepass")
        self.ascii = len(self.data) == len(source.text)
        self.starts = [] if self.ascii else _byte_starts(source.text)
        self.open: list[Element] = []
        self.root: Element | None = None
        # The text was decoded already, whatever its first line says of the encoding.
        self.parser = expat.ParserCreate("utf-8")
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        self.parser.EntityDeclHandler = self.entity
        self.parser.SkippedEntityHandler = self.skipped

    def read(self) -> Element:
        try:
            self.parser.Parse(self.data, True)
        except expat.ExpatError as error:
            at = self.offset(self.parser.ErrorByteIndex)
            told = expat.ErrorString(error.code)
            message = f"this is not well-formed XML: {told}"
            if self.open:
                message += f", inside of <{self.open[-1].name}>"
            raise InputError(message, Span(self.source, at, at)) from None
        assert self.root is not None, "XML without an element is not well-formed"
        return self.root

    def offset(self, byte: int) -> int:
        return byte if self.ascii else bisect_right(self.starts, byte) - 1

    def here(self) -> Span:
        start = self.offset(self.parser.CurrentByteIndex)
        end = self.source.text.find(">", start) + 1
        return Span(self.source, start, max(end, start))

    def start(self, name: str, attributes: dict[str, str]) -> None:
        element = Element(name, attributes, self.here())
        element.end = element.span.end
        if self.open:
            self.open[-1].children.append(element)
        elif self.root is None:
            self.root = element
        self.open.append(element)

    def end(self, name: str) -> None:
        element = self.open.pop()
        element.end = max(element.span.end, self.offset(self.parser.CurrentByteIndex))

    def characters(self, data: str) -> None:
        if not self.open:
            return
        element = self.open[-1]
        start = self.offset(self.parser.CurrentByteIndex)
        element.text.append(data)
        # A reference such as &lt; is one character that takes several.
        step = 0 if self.source.text.startswith("&", start) and data != "&amp;" else 1
        element.offsets += [start + step * number for number in range(len(data))]

    def entity(self, name: str, *_: object) -> None:
        raise InputError(
            f"the file defines an entity, {name}: such definitions are not accepted",
            self.here(),
            "write the text itself; &lt; &gt; &amp; &quot; &apos; are known without a definition",
        )

    def skipped(self, name: str, *_: object) -> None:
        raise InputError(f"&{name}; stands for nothing that is known", self.here())


def _byte_starts(text: str) -> list[int]:
    starts, byte = [], 0
    for character in text:
        starts.append(byte)
        byte += len(character.encode("utf-8", "surrogatepass"))
    return [*starts, byte]
