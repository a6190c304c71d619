"""What a kind of question is, and what a property is that was asked for.

Each kind has a file of its own, and `table.py` a line for it. A kind reads: it makes properties of what the user chose
and of what the model asks. A property knows the rest: which search answers it, alone or together with others, what that
search may leave out, how what is found is confirmed, what the answer says, and what a certificate has to show.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self, TypeAlias

if TYPE_CHECKING:
    from ouroboros.certificate.verify import RunsClaim, StatesClaim
    from ouroboros.driver.combinations import Refusal
    from ouroboros.driver.run import Kernels, Run
    from ouroboros.properties.asking import Asking, Fair
    from ouroboros.system.model import System
    from ouroboros.verdict.report import Answer

Section: TypeAlias = dict[str, Any]
"""What the header of a section of a certificate says."""


class Option(NamedTuple):
    """How a kind is asked for: an argument of `check`, and an option of the command line, given any number of times."""

    name: str
    flag: str
    metavar: str
    help: str
    file: bool = False
    """Whether it names files that have the questions."""


When: TypeAlias = Literal["first", "also", "otherwise", "on request"]
"""When nothing is chosen: whether a property is asked first of all; also; if none is asked first; or not at all."""


class Known(NamedTuple):
    """A property that has a name, by which it can be chosen."""

    name: str
    meaning: str
    asked: When = "on request"


class Property:
    """A question that was read."""

    name: str
    looks_for: Kernels = "states"
    of_states: bool = False
    """Whether the model's assertions come along with it: a model that goes wrong has no other properties."""
    idle: bool = False
    """Whether there is nothing in the model that it could find."""
    stutters: bool = False
    """Whether a run may stay in a state for ever, unless the user says otherwise."""
    refusals: Sequence[Refusal] = ()
    """With what it cannot go together, beyond what no run can."""

    @property
    def family(self) -> type[Property]:
        """Those of one family are answered together."""
        return type(self)

    def under(self, fair: Fair) -> Property:
        """The same, where some runs do not count."""
        return self

    @classmethod
    def answers(cls, properties: Sequence[Self], run: Run) -> Iterator[Answer]:
        """The answers to all properties of the family."""
        for each in properties:
            yield each.answer(run)

    def answer(self, run: Run) -> Answer:
        """Search, have what is found confirmed by the interpreter, and say what that means."""
        raise NotImplementedError

    @classmethod
    def claims(cls, properties: Sequence[Self], system: System) -> Iterator[tuple[Section, StatesClaim | RunsClaim]]:
        """What a certificate shows of the family: each section, and what its states must satisfy."""
        yield from ()


class Kind:
    """How questions of one kind are asked."""

    makes: ClassVar[tuple[type[Property], ...]]
    options: ClassVar[tuple[Option, ...]] = ()
    fair_by_actions: ClassVar[bool] = False
    """Whether it needs fairness as a matter of actions, and not of conditions that hold again and again."""

    def known(self, system: System) -> Iterable[Known]:
        """Those that a model has, to be chosen by name."""
        return ()

    def read(self, asking: Asking) -> Iterable[Property]:
        """What was asked for; raises InputError or UsageError."""
        return ()

    def along(self, asking: Asking) -> Iterable[Property]:
        """What comes along with that."""
        return ()
