"""Models: read from a file or a text, and asked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ouroboros import languages
from ouroboros.errors import UsageError
from ouroboros.languages import LANGUAGES, GrowingModel
from ouroboros.library.arguments import checked_arguments
from ouroboros.library.graphs import Graph, graph_of
from ouroboros.library.reports import Report
from ouroboros.library.states import State, Step, step_of
from ouroboros.library.walks import Walk
from ouroboros.settings import Settings
from ouroboros.simulation import simulation
from ouroboros.source import Source
from ouroboros.system.interpret import successors
from ouroboros.system.model import ASSUMPTIONS, Overflow, System


class Model:
    """A model in any of the languages."""

    def __init__(
        self,
        model: languages.Model,
        overflow: Overflow = "error",
        definitions: Mapping[str, str] | None = None,
        settings: Settings | None = None,
    ) -> None:
        """`overflow`, `definitions` and `settings` are those that it was read with."""
        self._model = model
        self._overflow = overflow
        self._definitions = definitions or {}
        self._settings = settings or {}

    @property
    def name(self) -> str:
        """The file that it was read from."""
        return self._model.system.source.name

    @property
    def properties(self) -> dict[str, str]:
        """What the model can be asked by name, and what each says."""
        from ouroboros.properties.asking import described_properties

        return described_properties(self._system)

    @property
    def asked(self) -> tuple[str, ...]:
        """The properties that a check without arguments is about."""
        from ouroboros.properties.asking import asked_without_choice
        from ouroboros.properties.assertions import ASSERTIONS

        asked = {ASSERTIONS, *asked_without_choice(self._system)}
        return tuple(name for name in self.properties if name in asked)

    @property
    def processes(self) -> tuple[str, ...]:
        return self._system.processes

    @property
    def _system(self) -> System:
        return self._model.system

    def check(self, **arguments: Any) -> Report:
        """See `ouroboros.check`."""
        return check(self, **arguments)

    def explore(self, **arguments: Any) -> Report:
        """See `ouroboros.explore`."""
        return explore(self, **arguments)

    def initial_states(self) -> list[State]:
        return [State(self._system, vector) for vector in self._system.initial]

    def successors(self, state: State) -> list[Step]:
        """Every step from a state, one that fails included, by the reference interpreter."""
        system = self._system
        while missing := self._lacking(system, state):
            assert isinstance(self._model, GrowingModel)
            self._model.grow(missing)
            raise UsageError("the model needed more room for its states: begin again with initial_states()")
        found = []
        for step in successors(system, state.vector):
            failure = None if step.failure is None else system.failures[step.failure]
            if failure and failure.kind in ASSUMPTIONS:
                continue
            found.append(step_of(system, state, step))
        return found

    def graph(self, most: int = 10_000) -> Graph:
        """The state graph; raises UsageError where it has more states than `most`."""
        # A search finds out what room states need, and whether there are too many, in a moment.
        found = explore(self, states=most + 1)
        if found.limit == "states" or found.statistics.states > most:
            raise UsageError(f"the model has more than {most:,} states: say graph(most=…), or choose a smaller one")
        return graph_of(self, most)

    def __repr__(self) -> str:
        return f"<Model {self.name}>"

    def _lacking(self, system: System, state: State) -> set[int]:
        steps = successors(system, state.vector)
        sites = {step.failure for step in steps if step.failure is not None}
        return {site for site in sites if system.failures[site].kind == "room"}


def load(
    path: str | Path,
    *,
    overflow: Overflow = "error",
    definitions: Mapping[str, str] | None = None,
    settings: Settings | None = None,
) -> Model:
    """Read a model from a file; raises OuroborosError where it cannot be read or is not a model.

    `overflow` is what an assignment does with a value that does not fit its variable; `definitions` are values that the
    model's constants and macros are to have instead of their own. Of a Python file with several models, `FILE.py::NAME`
    is one; the file is executed. `settings` are what only some languages can be told: of a C program its other files,
    `{"beside": ["queue.c"], "includes": ["include"], "flags": ["-std=c11"]}`.
    """
    overflow, defined = _overflow(overflow), _defined(definitions)
    model = languages.load(path, overflow=overflow, definitions=defined, settings=settings)
    return Model(model, overflow, defined, settings)


def loads(
    text: str,
    language: str,
    *,
    name: str = "model",
    overflow: Overflow = "error",
    definitions: Mapping[str, str] | None = None,
) -> Model:
    """Read a model from a text in a language, such as "promela"; errors call it by its `name`.

    >>> model = loads("byte x; active proctype P() { do :: x < 3 -> x++ :: else -> break od }", "promela")
    >>> model.processes
    ('P[0]',)
    >>> len(model.graph().states)
    9
    """
    known = LANGUAGES.get(str(language).lower())
    if known is None:
        raise UsageError(f"language={language!r}: choose from {', '.join(LANGUAGES)}")
    if not isinstance(text, str):
        raise UsageError("loads() takes the text of a model; load() takes a path")
    source = Source(name if name.endswith(known.suffixes) else f"{name}{known.suffixes[0]}", text)
    overflow, defined = _overflow(overflow), _defined(definitions)
    return Model(languages.load_text(source, overflow=overflow, definitions=defined), overflow, defined)


def check(model: Model, /, **arguments: Any) -> Report:
    """Check what is asked: `properties` chosen by name, `invariants` that must hold in every state, formulas of
    temporal logic in `ltl` and `ltl_files`, and `responses`, written `p ~> q`. Without any, what the model asks for.

    How: `team=4` workers; limits `time="60s"`, `memory="4G"`, `states=10**6`; `store`, `symmetry`, `algorithm`,
    `fairness`, `reductions` and the others as on the command line; `certificate="FILE"` writes the proof where all
    holds. A word that is not known is an error.

    >>> model = loads("byte x; active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }", "promela")
    >>> check(model, ltl=["[] <> (x == 0)"]).verdict.value
    'holds'
    >>> check(model, invariants=["x < 3"]).trace[-1].changes["x"]
    (2, 3)
    """
    from ouroboros import checking
    from ouroboros.driver.certifying import CertificateFile

    given = checked_arguments(arguments, questions=True)
    if given.get("certificate") is not None:
        file = str(given["certificate"])
        known = _model_of(model)
        given["certificate"] = CertificateFile(file, known._overflow, known._definitions, known._settings)
    return Report(checking.check(_model(model), **given), model, "check")


def explore(model: Model, /, **arguments: Any) -> Report:
    """Visit every state, whatever is wrong with it, and count; `team`, `store`, limits and so on as for `check`.

    >>> model = loads("byte x; active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }", "promela")
    >>> explore(model).statistics.transitions
    8
    """
    from ouroboros import checking

    given = checked_arguments(arguments, questions=False)
    return Report(checking.explore(_model(model), **given), model, "explore")


def simulate(model: Model, /, *, seed: int = 0, steps: int = 1000) -> Walk:
    """One run at random, of at most so many steps; the same `seed` gives the same run.

    >>> model = loads("byte x; active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }", "promela")
    >>> [step.after["x"] for step in simulate(model, steps=6) if "x" in step.changes]
    [1, 2, 3]
    """
    for name, value in (("seed", seed), ("steps", steps)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise UsageError(f"{name}={value!r}: it is a number")
    return Walk(simulation.simulate(_model(model), seed=seed, steps=steps))


def _model_of(given: Model) -> Model:
    if not isinstance(given, Model):
        raise UsageError(f"{type(given).__name__} is no model: load('FILE') gives one, and loads('…', 'promela')")
    return given


def _model(given: Model) -> languages.Model:
    return _model_of(given)._model


def _overflow(given: Overflow) -> Overflow:
    if given not in ("error", "wrap"):
        raise UsageError(f"overflow={given!r}: choose from error, wrap")
    return given


def _defined(given: Mapping[str, Any] | None) -> dict[str, str]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise UsageError(f"definitions={given!r}: it is a dictionary, such as {{'N': '3'}}")
    return {str(name): str(value) for name, value in given.items()}
