"""A message sequence chart as text: a column for each process, time runs down.

A message that is received in the step that sends it is one arrow. Any other leaves a number where it is sent, and comes
with the same number where it is received.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ouroboros.simulation.messages import Message

_LEAST_WIDTH, _STEP_WIDTH = 16, 6


def chart_lines(messages: Sequence[Message], processes: Sequence[str]) -> Iterator[str]:
    """The chart of a run; `processes` in the order of their lifelines, those without a message are left out."""
    involved = {message.sender for message in messages} | {message.receiver for message in messages}
    names = [name for name in processes if name in involved]
    longest = max([len(_told(message, 99)) + 4 for message in messages] + [len(name) + 2 for name in names], default=0)
    width = max(_LEAST_WIDTH, longest)
    centres = {name: _STEP_WIDTH + width * number + width // 2 for number, name in enumerate(names)}
    yield (" " * _STEP_WIDTH + "".join(name.center(width) for name in names)).rstrip()
    numbers = {id(message): number for number, message in enumerate(messages, 1)}
    events: list[tuple[int, int, Message, bool]] = []
    for order, message in enumerate(messages):
        events.append((message.sent, order, message, True))
        if message.received is not None and message.received != message.sent:
            events.append((message.received, order, message, False))
    shown = -1
    for moment, _, message, sends in sorted(events, key=lambda event: event[:2]):
        line = _Line(centres, width)
        if moment and moment != shown:
            line.write(0, str(moment).rjust(_STEP_WIDTH - 2))
        shown = moment
        if sends and message.received == message.sent and message.sender in centres and message.receiver in centres:
            line.arrow(centres[message.sender], centres[message.receiver], message.text)
        elif sends and message.sender in centres:
            line.beside(centres[message.sender], f"{_told(message, numbers[id(message)])} ─▶")
        elif not sends and message.receiver in centres:
            line.beside(centres[message.receiver], f"◀─ {_told(message, numbers[id(message)])}")
        else:
            continue
        yield str(line)
    waiting = [message for message in messages if message.received is None]
    if waiting:
        told = ", ".join(_told(message, numbers[id(message)]) for message in waiting)
        yield f"still in its channel: {told}"


def _told(message: Message, number: int) -> str:
    return f"({number}) {message.text}"


class _Line:
    """One line of the chart, with its lifelines."""

    def __init__(self, centres: dict[str, int], width: int) -> None:
        self._cells = [" "] * (_STEP_WIDTH + width * len(centres) + width)
        for centre in centres.values():
            self._cells[centre] = "│"

    def write(self, at: int, text: str) -> None:
        self._cells[at : at + len(text)] = text

    def beside(self, at: int, text: str) -> None:
        self.write(at + 1, text)

    def arrow(self, start: int, end: int, text: str) -> None:
        left, right = sorted((start, end))
        for at in range(left + 1, right):
            self._cells[at] = "─"
        self._cells[right - 1 if start < end else left + 1] = "▶" if start < end else "◀"
        middle = (left + right - len(text)) // 2
        self.write(max(left + 2, middle), f" {text} "[: max(0, right - left - 4)])

    def __str__(self) -> str:
        return "".join(self._cells).rstrip()
