"""The comment at the top of a model, in which it says what to ask of it and what to expect.

    // A spin lock: nothing stops one process from taking it again and again.
    // topic: mutual exclusion
    // check: --property starves
    // expect: violated starves by a cycle
    // states: 8  transitions: 14  deadlocks: 0

The comment signs are those of the model's language. What comes before the first of these words is the *lesson*.

    check: OPTIONS      of `ouro check`; files that they name are looked for next to the model
    expect: VERDICT [PROPERTY] [in N steps | by a cycle][, N states][, N transitions][: REASON]
    count: OPTIONS      of `ouro states`; may be left out where there are none
    states: N  transitions: N  deadlocks: N  depth: N

The verdict is `holds`, `violated`, `unknown` or `error`; the last is a model or a command that is refused. With a
property, which goes in quotation marks where it is no plain name, it is that property's verdict, else that of them all.
A check may be followed by several expectations. The reason is a part of the one that is told.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from ouroboros.errors import InputError
from ouroboros.source import Source, Span

_EXPECTED = re.compile(
    r'(?P<verdict>holds|violated|unknown|error)(?: (?P<property>"[^"]*"|[\w.-]+))??'
    r"(?: in (?P<steps>\d+) steps?| (?P<cycle>by a cycle))?"
    r"(?:, (?P<states>[\d,]*\d) states?)?(?:, (?P<transitions>[\d,]*\d) transitions?)?(?:: (?P<reason>.*))?"
)
_WORD = re.compile(r"(topic|check|expect|count|states):\s*(.*)")
_NUMBERS = ("states", "transitions", "deadlocks", "depth")
_NUMBER = re.compile(rf"({'|'.join(_NUMBERS)}): ([\d,]*\d)(?:\s+|$)")


@dataclass(frozen=True)
class Expected:
    """What one `expect` line says."""

    verdict: str
    text: str
    line: int
    property: str | None = None
    steps: int | None = None
    cycle: bool = False
    states: int | None = None
    transitions: int | None = None
    reason: str | None = None


@dataclass(frozen=True)
class Check:
    options: tuple[str, ...]
    expected: tuple[Expected, ...]


@dataclass(frozen=True)
class Count:
    options: tuple[str, ...]
    numbers: dict[str, int]
    line: int


@dataclass(frozen=True)
class Header:
    lesson: str
    """Paragraphs are separated by an empty line."""
    topic: str | None
    checks: tuple[Check, ...]
    counts: tuple[Count, ...]

    @property
    def expects(self) -> bool:
        return bool(self.checks or self.counts)

    @property
    def summary(self) -> str:
        """The first sentence of the lesson."""
        return re.split(r"(?<=[.?!:]) (?=[A-Z])", self.lesson.replace("\n", " "), maxsplit=1)[0]


def read_header(source: Source) -> Header:
    """Raises InputError where a line of the header cannot be understood."""
    lesson: list[str] = []
    topic: str | None = None
    checks: list[Check] = []
    counts: list[Count] = []
    options: dict[str, tuple[str, ...]] = {}
    told = False
    for line, text in _comment(source.text):
        found = _WORD.match(text)
        if not found:
            if not told:
                lesson.append(text)
            continue
        told = True
        word, rest = found[1], found[2].strip()
        if word == "topic":
            topic = rest
        elif word in ("check", "count"):
            options[word] = _options(rest, source, line)
            if word == "check":
                checks.append(Check(options[word], ()))
        elif word == "expect":
            if not checks:
                raise InputError("`expect:` follows no `check:`", _line(source, line))
            checks[-1] = Check(checks[-1].options, (*checks[-1].expected, _expected(rest, source, line)))
        else:
            counts.append(Count(options.pop("count", ()), _numbers(text, source, line), line))
    for check in checks:
        if not check.expected:
            raise InputError(f"{source.name}: `check: {shlex.join(check.options)}` says not what to `expect:`")
    return Header(_paragraphs(lesson), topic, tuple(checks), tuple(counts))


_LINE_SIGNS = ("//", "--")
_BLOCK_SIGNS = {"/*": "*/", "<!--": "-->", '"""': '"""'}
_BEFORE = ("<?xml", "<!DOCTYPE")
"""What an XML file begins with, before its first comment."""


def _comment(text: str) -> Iterator[tuple[int, str]]:
    """The lines before the first that is no comment, with their numbers and without comment signs."""
    end = ""
    for number, line in enumerate(text.splitlines(), 1):
        content = line.strip()
        if not end:
            if not content or content.startswith(_BEFORE):
                yield number, ""
                continue
            if content.startswith(_LINE_SIGNS):
                yield number, content[2:].removeprefix(" ").rstrip()
                continue
            sign = next((sign for sign in _BLOCK_SIGNS if content.startswith(sign)), None)
            if sign is None:
                return
            end = _BLOCK_SIGNS[sign]
            content = content.removeprefix(sign)
        elif end == "*/":
            content = "" if content == "*/" else content.removeprefix("*")
            if not line.strip().removeprefix("*"):
                content = ""
        ended = end in content or line.strip() == end
        yield number, content.partition(end)[0].removeprefix(" ").rstrip()
        if ended:
            end = ""


def _paragraphs(lines: list[str]) -> str:
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def _options(text: str, source: Source, line: int) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise InputError(f"these are no options: {error}", _line(source, line)) from None


def _expected(text: str, source: Source, line: int) -> Expected:
    found = _EXPECTED.fullmatch(text)
    if not found:
        raise InputError(
            "this is nothing to expect",
            _line(source, line),
            hint="write `holds`, `violated deadlock in 5 steps`, `violated by a cycle`, `unknown` or `error: reason`",
        )
    name = found["property"]
    return Expected(
        found["verdict"],
        text,
        line,
        name.strip('"') if name else None,
        _whole(found["steps"]),
        bool(found["cycle"]),
        _whole(found["states"]),
        _whole(found["transitions"]),
        found["reason"],
    )


def _whole(text: str | None) -> int | None:
    return int(text.replace(",", "")) if text else None


def _numbers(text: str, source: Source, line: int) -> dict[str, int]:
    found = {name: int(number.replace(",", "")) for name, number in _NUMBER.findall(text)}
    if _NUMBER.sub("", text).strip():
        raise InputError(
            "these are no numbers to expect", _line(source, line), hint=f"write NAME: NUMBER for {', '.join(_NUMBERS)}"
        )
    return found


def _line(source: Source, number: int) -> Span:
    lines = source.text.splitlines(keepends=True)
    start = sum(map(len, lines[: number - 1]))
    text = lines[number - 1]
    return Span(source, start + len(text) - len(text.lstrip()), start + len(text.rstrip()))
