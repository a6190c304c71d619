"""How a step can end other than at the next cut."""

from __future__ import annotations

from typing import NamedTuple


class Failed(Exception):
    """Something went wrong; the kinds are those of `machine.failures`."""

    def __init__(self, kind: int, text: str = "") -> None:
        super().__init__(kind, text)
        self.kind = kind
        self.text = text


class Blocked(Exception):
    """The step cannot be made now."""

    def __init__(self, on: int, kind: int) -> None:
        super().__init__(on, kind)
        self.on = on
        self.kind = kind


class Dropped(Exception):
    """An assumption is false: the step leads nowhere."""


class Omitted(Exception):
    """The step stands for values that are not tried."""


class Finished(Exception):
    """The thread, or the whole program, is over."""


class Site(NamedTuple):
    """An instruction."""

    function: str
    label: str
    number: int
    """In its block; of a call that has not returned: the one after it."""
