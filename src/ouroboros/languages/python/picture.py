"""A picture of a state, by a method `as_svg` of the model's class: it is run by Python, and only looks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ouroboros.errors import InputError


class _Stopped:
    """A process as a picture may look at it: where it is, and its variables."""

    def __init__(self, place: str, variables: dict[str, Any]) -> None:
        self._place = place
        self._variables = variables

    def at(self, place: str) -> bool:
        return self._place == place

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._variables:
            raise AttributeError(f"the process has no variable {name} now")
        return self._variables[name]


def drawn(
    cls: type, attributes: dict[str, Any], processes: dict[tuple[str, Any], tuple[str, dict[str, Any]]]
) -> str | None:
    """What the class draws; None where it does not. Raises InputError where that goes wrong."""
    draw = getattr(cls, "as_svg", None)
    if draw is None:
        return None
    model: Any = object.__new__(cls)
    model.__dict__.update(attributes)
    model.__dict__["_running"] = {key: _Stopped(*stopped) for key, stopped in processes.items()}
    return drawn_by(partial(draw, model), cls.__name__)


def drawn_by(draw: Callable[[], Any], name: str) -> str:
    """What a method draws; `name` is that of its class."""
    try:
        text = draw()
    except Exception as error:
        raise InputError(f"{name}.as_svg: {type(error).__name__}: {error}") from None
    if not isinstance(text, str):
        raise InputError(f"{name}.as_svg returns {type(text).__name__}: a text of SVG is expected")
    return text
