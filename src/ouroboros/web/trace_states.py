"""The states of a counterexample in a model of the server's own: for expressions, pictures and charts along the run."""

from __future__ import annotations

from ouroboros.errors import InputError
from ouroboros.languages import Model
from ouroboros.system.layout import Vector
from ouroboros.web.picture import picture_of
from ouroboros.web.told import Data
from ouroboros.web.walks import Walks, Watch


class TraceStates:
    def __init__(self, model: Model, told: Data) -> None:
        self._model = model
        self._told = told
        self._layout = model.system.layout
        self._states = self._made()

    def picture(self, at: int) -> str | None:
        """Steps count from one, and what comes before is the initial state."""
        drawn = picture_of(self._model, self._state(at))
        # The expressions in the picture may have made room for more in a state.
        return picture_of(self._model, self._state(at)) if self._model.system.layout is not self._layout else drawn

    def chart(self) -> str:
        """The messages of the run; raises InputError where it is too long, or cannot be made again."""
        path = self._told["path"]
        if path is None:
            raise InputError("the run is too long for a chart of its messages")
        return Walks(self._model).chart(tuple(path))

    def values(self, text: str) -> Data:
        """The value of an expression in every state."""
        watch = Watch(self._model, text)
        self._remake_if_changed()
        system = self._model.system
        found = [watch.value(system, state) for state in self._states]
        error = next((one["error"] for one in found if one["error"]), None)
        return {"values": [one["value"] for one in found], "error": error}

    def _state(self, at: int) -> Vector:
        self._remake_if_changed()
        return self._states[max(0, min(at, len(self._states) - 1))]

    def _remake_if_changed(self) -> None:
        if self._model.system.layout is not self._layout:
            self._layout = self._model.system.layout
            self._states = self._made()

    def _made(self) -> list[Vector]:
        if self._model.system.foreign:
            return self._walked()
        layout = self._layout
        by_name = {item.name: item for item in layout.fields}
        fields = [by_name.get(name) for name in self._told["fields"]]
        words = list(layout.initial())
        for item, values in zip(fields, self._told["values"], strict=True):
            for index, value in enumerate(values[: item.elements] if item else []):
                assert item
                layout.write(words, item, index, value)
        states = [tuple(words)]
        for step, written in zip(self._told["steps"], self._told["written"], strict=True):
            if step.get("fails") and not written:
                continue
            for at, index, value in written:
                item = fields[at]
                if item is not None and index < item.elements:
                    layout.write(words, item, index, value)
            states.append(tuple(words))
        return states

    def _walked(self) -> list[Vector]:
        """Of a system whose states cannot be written down: made again, step by step."""
        path = self._told["path"]
        if path is None:
            raise InputError("the run is too long to be made again, or goes another way this time")
        walks = Walks(self._model)
        failed = bool(self._told["steps"] and self._told["steps"][-1].get("fails"))
        return [walks.state(tuple(path[:end])) for end in range(1, len(path) + (0 if failed else 1))]
