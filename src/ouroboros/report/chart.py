"""A message sequence chart as SVG: one lifeline a process, time runs down, an arrow for each message."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from ouroboros.simulation.messages import Message

_COLUMN, _ROW, _MARGIN, _HEAD = 170, 26, 90, 60

_STYLE = """
text { font: 12px sans-serif; fill: #222 }
.name { font-weight: bold; text-anchor: middle }
.label { text-anchor: middle; paint-order: stroke; stroke: #fff; stroke-width: 3px }
.life { stroke: #999; stroke-dasharray: 4 3 }
.head { fill: #eef2f7; stroke: #5b7085 }
.arrow { stroke: #1f4e79; stroke-width: 1.4; fill: none; marker-end: url(#tip) }
.waiting { stroke: #b35900; stroke-width: 1.4; fill: none; marker-end: url(#rest) }
.step { fill: #999; font-size: 10px; text-anchor: end }
"""


def chart_svg(messages: Sequence[Message], processes: Sequence[str]) -> str:
    """The chart of a run; `processes` in the order of their lifelines, those without a message are left out."""
    involved = {message.sender for message in messages} | {message.receiver for message in messages}
    columns = {name: number for number, name in enumerate(name for name in processes if name in involved)}
    moments = sorted({moment for message in messages for moment in (message.sent, message.received) if moment})
    rows = {moment: _HEAD + _ROW * number for number, moment in enumerate(moments, 1)}
    rows[0] = _HEAD
    width = 2 * _MARGIN + _COLUMN * max(0, len(columns) - 1)
    height = _HEAD + _ROW * (len(moments) + 2)
    content = [
        *_lifelines(columns, height),
        *(f'<text class="step" x="40" y="{rows[moment] + 4}">{moment}</text>' for moment in moments),
        *(line for message in messages for line in _arrow(message, columns, rows)),
    ]
    body = "\n".join(content)
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">
<style>{_STYLE}</style>
<defs>
<marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">
<path d="M0 0 L8 4 L0 8 z" fill="#1f4e79"/></marker>
<marker id="rest" viewBox="0 0 8 8" refX="4" refY="4" markerWidth="7" markerHeight="7"><circle cx="4" cy="4" r="3"
 fill="#b35900"/></marker>
</defs>
<rect width="100%" height="100%" fill="#fff"/>
{body}
</svg>
"""


def _lifelines(columns: dict[str, int], height: int) -> Iterator[str]:
    for name, column in columns.items():
        x = _x(column)
        yield f'<line class="life" x1="{x}" y1="40" x2="{x}" y2="{height - 10}"/>'
        yield f'<rect class="head" x="{x - 60}" y="14" width="120" height="26" rx="4"/>'
        yield f'<text class="name" x="{x}" y="31">{escape(name)}</text>'


def _arrow(message: Message, columns: dict[str, int], rows: dict[int, int]) -> Iterator[str]:
    start_y = rows[message.sent]
    if message.sender in columns:
        start_x = _x(columns[message.sender])
    elif message.receiver in columns:
        start_x = _x(columns[message.receiver]) - _COLUMN // 2
    else:
        return
    if message.received is None or message.receiver not in columns:
        # Still in its channel when the run ends.
        end_x, end_y, style = start_x + 45, start_y + 8, "waiting"
    else:
        end_x, end_y, style = _x(columns[message.receiver]), rows[message.received], "arrow"
    if start_x == end_x:
        path = f"M{start_x} {start_y} q 40 {(end_y - start_y) // 2} 0 {end_y - start_y}"
    else:
        path = f"M{start_x} {start_y} L{end_x} {end_y}"
    yield f'<path class="{style}" d="{path}"/>'
    x, y = (start_x + end_x) // 2, (start_y + end_y) // 2 - 4
    yield f'<text class="label" x="{x}" y="{y}">{escape(message.text)}</text>'


def _x(column: int) -> int:
    return _MARGIN + _COLUMN * column
