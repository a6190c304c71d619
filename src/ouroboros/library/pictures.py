"""A small state graph as a picture: a row for each distance from the initial states."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from math import hypot
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ouroboros.library.graphs import Graph

MOST_DRAWN = 300
_ACROSS, _DOWN, _RADIUS = 60, 70, 15


def graph_svg(graph: Graph) -> str:
    """Pointing at a state or a step tells what it is."""
    places = _places(graph)
    width = max((x for x, _ in places), default=0.0) + _ACROSS
    height = max((y for _, y in places), default=0.0) + _DOWN
    return "".join(_parts(graph, places, width, height))


def _places(graph: Graph) -> list[tuple[float, float]]:
    distances = dict.fromkeys(range(graph.initial), 0)
    # States are numbered in breadth-first order, and so the first edge to each is on a shortest way.
    for source, target in graph.edges.tolist():
        distances.setdefault(target, distances[source] + 1)
    rows: dict[int, list[int]] = {}
    for number, distance in sorted(distances.items()):
        rows.setdefault(distance, []).append(number)
    widest = max(map(len, rows.values()), default=0)
    found = [(0.0, 0.0)] * len(graph.states)
    for distance, row in rows.items():
        for at, number in enumerate(row):
            x = _ACROSS * (at + (widest - len(row)) / 2 + 0.5) + _RADIUS
            found[number] = (x, _DOWN * (distance + 0.5))
    return found


def _parts(graph: Graph, places: list[tuple[float, float]], width: float, height: float) -> Iterator[str]:
    size = f"width='{width:.0f}' height='{height:.0f}' viewBox='0 0 {width:.0f} {height:.0f}'"
    yield f"<svg xmlns='http://www.w3.org/2000/svg' {size} font-family='sans-serif' font-size='11'>"
    yield "<defs><marker id='arrow' viewBox='0 0 8 8' refX='8' refY='4' markerWidth='7' markerHeight='7' orient='auto'>"
    yield "<path d='M0 0 L8 4 L0 8 z' fill='#6e7781'/></marker></defs><rect width='100%' height='100%' fill='white'/>"
    for (source, target), label in zip(graph.edges.tolist(), graph.labels, strict=True):
        way = _way(places[source], places[target])
        drawn = f"<path d='{way}' fill='none' stroke='#6e7781' marker-end='url(#arrow)'>"
        yield f"{drawn}<title>{escape(label)}</title></path>"
    for number, ((x, y), state) in enumerate(zip(places, graph.states, strict=True)):
        told = escape("\n".join(f"{name}: {value}" for name, value in state.items()))
        border = 3 if number < graph.initial else 1
        yield f"<g><title>{told}</title><circle cx='{x:.0f}' cy='{y:.0f}' r='{_RADIUS}' fill='#ddf4ff' "
        yield f"stroke='#0969da' stroke-width='{border}'/>"
        yield f"<text x='{x:.0f}' y='{y + 4:.0f}' text-anchor='middle'>{number}</text></g>"
    yield "</svg>"


def _way(start: tuple[float, float], end: tuple[float, float]) -> str:
    """From the border of one circle to that of another, a little bent, so that the way back is beside it."""
    (x, y), (u, v) = start, end
    length = hypot(u - x, v - y)
    if length == 0:
        top = y - _RADIUS
        return f"M{x - 6:.0f} {top:.0f} C{x - 18:.0f} {top - 22:.0f} {x + 18:.0f} {top - 22:.0f} {x + 6:.0f} {top:.0f}"
    across, down = (u - x) / length, (v - y) / length
    bend = length / 10
    middle = ((x + u) / 2 - down * bend, (y + v) / 2 + across * bend)
    begin = (x + across * _RADIUS, y + down * _RADIUS)
    stop = (u - across * _RADIUS, v - down * _RADIUS)
    return f"M{begin[0]:.0f} {begin[1]:.0f} Q{middle[0]:.0f} {middle[1]:.0f} {stop[0]:.0f} {stop[1]:.0f}"
