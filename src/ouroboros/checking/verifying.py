"""Confirming a certificate against a model: the same question again, answered by the interpreter alone.

Nothing here may come from `native/`, `engine/` or `search/`: what they have in common with the search is the front end,
the translation of formulas, and the interpreter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ouroboros.certificate.format import read_certificate
from ouroboros.certificate.terms import Terms, read_terms
from ouroboros.certificate.verify import Refuted, RunsClaim, StatesClaim, verify_runs, verify_states
from ouroboros.errors import InputError, OuroborosError
from ouroboros.languages import GrowingModel, Model, load
from ouroboros.properties.asking import Asked, Question, ask
from ouroboros.properties.assertions import under
from ouroboros.properties.kind import Section
from ouroboros.properties.table import options
from ouroboros.source import Source
from ouroboros.system.model import System

Progress = Callable[[str, int, int], None]
"""Is told of which properties how many states are done, and of how many."""


@dataclass(frozen=True)
class Shown:
    """A part of what a certificate shows."""

    properties: tuple[str, ...]
    states: int
    runs: bool
    """Whether the states are those of a product with an automaton, and have ranks."""


@dataclass(frozen=True)
class Confirmed:
    terms: Terms
    model: Source
    shown: tuple[Shown, ...]


def verify_certificate(model: str | Path | Model, file: str | Path, progress: Progress = lambda *_: None) -> Confirmed:
    """Confirm it for a file, or for a model that is as it was when the certificate was written.

    Raises Refuted where the certificate does not show what it says, InputError where a file is none."""
    certificate = read_certificate(file)
    texts = [option.name for option in options() if not option.file]
    terms = read_terms(certificate.terms, texts, [option.name for option in options() if option.file])
    loaded = _loaded(model, terms)
    asked = _asked(loaded, terms)
    system = under(loaded.system, terms.deadlock)
    claims = list(_claims(system, asked))
    if [section.content for section in certificate.sections] != [section for section, _ in claims]:
        raise Refuted(_other_sections(certificate.sections, claims))
    shown: list[Shown] = []
    for (content, claim), section in zip(claims, certificate.sections, strict=True):
        names = tuple(content["properties"])

        def tell(done: int, total: int, names: tuple[str, ...] = names) -> None:
            progress(", ".join(names), done, total)

        if isinstance(claim, StatesClaim):
            count = verify_states(claim, section.blocks, tell)
        else:
            count = verify_runs(claim, section.blocks, tell)
        shown.append(Shown(names, count, isinstance(claim, RunsClaim)))
    return Confirmed(terms, system.source, tuple(shown))


def _loaded(model: str | Path | Model, terms: Terms) -> Model:
    if isinstance(model, str | Path):
        loaded = load(model, overflow=terms.overflow, definitions=terms.definitions, settings=terms.settings)
    else:
        loaded = model
    if loaded.system.source.sha256 != terms.sha256:
        raise Refuted(f"it is about another model, {terms.model}, or another version of it: its text is not the same")
    for site in terms.grown:
        if not isinstance(loaded, GrowingModel):
            raise Refuted("the states of this model have all the room that they need")
        try:
            loaded.grow((site,))
        except KeyError:
            raise Refuted("there is no such thing to make room for in the states of this model") from None
    return loaded


def _asked(model: Model, terms: Terms) -> Asked:
    files = {option: [Source(name, text) for name, text in given] for option, given in terms.files.items()}
    try:
        asked = ask(model, Question(terms.texts, files, deadlocks=terms.deadlock != "off"))
    except InputError as error:
        raise Refuted(f"what was asked makes no sense for this model: {error.message}") from None
    except OuroborosError as error:
        raise Refuted(f"what was asked makes no sense for this model: {error}") from None
    sought = {each.looks_for for each in asked.properties}
    if "fair cycles" in sought or ("cycles" in sought and asked.fairness):
        raise Refuted("it is about fair runs, of which a certificate can show nothing")
    return asked


def _claims(system: System, asked: Asked) -> Iterator[tuple[Section, StatesClaim | RunsClaim]]:
    """What is to be shown, each with the section that must be there for it."""
    for family, properties in asked.families:
        yield from family.claims(properties, system)


def _other_sections(found: Any, wanted: Any) -> str:
    names = [", ".join(map(str, section.content.get("properties", ()))) for section in found]
    needed = [", ".join(content["properties"]) for content, _ in wanted]
    if names != needed:
        return f"it has states for {'; '.join(names) or 'nothing'}, and they are needed for {'; '.join(needed)}"
    return "its states have another form, or an automaton is another one: a different version of Ouroboros wrote it"
