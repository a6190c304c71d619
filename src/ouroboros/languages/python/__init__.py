"""Models that are classes of Python: the file is executed, and its methods are compiled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ouroboros.errors import InputError, UsageError
from ouroboros.languages import Abilities
from ouroboros.languages.python.importing import PythonFile
from ouroboros.languages.python.lower import ModelLowering
from ouroboros.languages.python.picture import drawn
from ouroboros.languages.python.properties import read_proposition
from ouroboros.languages.python.storage import RecordNode, decode
from ouroboros.source import Source, Span
from ouroboros.system.layout import Vector
from ouroboros.system.model import Overflow, Proposition, System


class PythonModel:
    """A model that was read from a class."""

    abilities = Abilities()

    def __init__(self, source: Source, definitions: Mapping[str, str], name: str | None) -> None:
        file = PythonFile(source, definitions)
        try:
            self._model = ModelLowering(file, file.model(name))
            self._lowered = self._model.lower()
        except RecursionError:
            raise InputError("this is nested too deeply", Span(source, 0, 0)) from None

    @property
    def system(self) -> System:
        return self._lowered.system

    @property
    def cls(self) -> type:
        return self._model.cls

    def proposition(self, source: Source) -> Proposition:
        """Read an expression over the model's names; raises InputError with the place in `source`."""
        proposition, self._lowered.system = read_proposition(self._model, self._lowered, source)
        return proposition

    def values(self, state: Vector) -> dict[str, Any]:
        """A state as Python knows it: the attributes by name, and where each process is, with its variables."""
        layout, root = self.system.layout, self._lowered.root

        def read(item: Any, at: int) -> int:
            return layout.read(state, item, at)

        assert isinstance(root.node, RecordNode)
        found: dict[str, Any] = {name: decode(root.member(name), read) for name in root.node.members}
        for process in self._lowered.processes.values():
            assert process.place is not None
            place = process.place.show(layout.read(state, process.place))
            found[process.name] = (place, {name: decode(item, read) for name, item in process.kept.items()})
        return found

    def picture(self, state: Vector) -> str | None:
        """What the method `as_svg` of the class draws, if there is one."""
        values = self.values(state)
        stopped = {
            (process.declared.name, process.member): values.pop(process.name)
            for process in self._lowered.processes.values()
        }
        return drawn(self.cls, values, stopped)


def load(
    source: Source,
    overflow: Overflow = "error",
    definitions: Mapping[str, str] | None = None,
    name: str | None = None,
) -> PythonModel:
    """Read a model; raises InputError with the place in `source`. `name` is that of the class."""
    if overflow == "wrap":
        raise UsageError("--overflow wrap: in Python a value that is out of the range of its variable is an error")
    return PythonModel(source, definitions or {}, name)
