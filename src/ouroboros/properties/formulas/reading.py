"""From the text of a formula to the automaton that looks for its violations in a model.

The logic knows an atom by its text only. A name that was defined means its definition; any other atom is an expression
of the model's language, and is read in its place in the text, so that what is wrong with it is shown there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ouroboros.errors import InputError
from ouroboros.languages import Model
from ouroboros.ltl import AtomSpan, Formula, Not, ParsedFormula, parse_span, translate
from ouroboros.ltl.formula import (
    Atom,
    Finally,
    Globally,
    Next,
    Release,
    StrongRelease,
    Until,
    WeakUntil,
    atoms_of,
    subformulas,
)
from ouroboros.ltl.tokens import COMMON, SPIN, Dialect, ctl_hint
from ouroboros.properties.formulas import responses
from ouroboros.properties.formulas.watched import Watched, confirm_room
from ouroboros.source import Source, Span
from ouroboros.system.model import Proposition

_TEMPORAL = (Next, Finally, Globally, Until, WeakUntil, Release, StrongRelease)


def from_formula(
    model: Model, span: Span, definitions: Mapping[str, Span] | None = None, name: str | None = None
) -> Watched:
    """The property that a formula states, known by its text if it has no name; raises InputError with the place in its
    source.
    """
    meaning = _Meaning(model, definitions or {})
    formula = meaning.of(parse_span(span, _dialect(model)), within=())
    confirm_room(len(atoms_of(formula)), "the formula has", "different atoms", span)
    automaton = translate(Not(formula))
    name = name or " ".join(span.text.split())
    return Watched(
        name=name,
        automaton=automaton,
        propositions=tuple(meaning.propositions[atom] for atom in automaton.atoms),
        locations=tuple(map(str, range(automaton.states))),
        formula=formula,
        response=responses.from_formula(name, formula, meaning.propositions),
    )


class _Meaning:
    """What the atoms of a formula mean in a model."""

    def __init__(self, model: Model, definitions: Mapping[str, Span]) -> None:
        self._model = model
        self._definitions = definitions
        self.propositions: dict[str, Proposition] = {}

    def of(self, parsed: ParsedFormula, within: tuple[str, ...]) -> Formula:
        """The formula with its definitions unfolded; `within` are the names whose definitions are being unfolded."""
        return substitute(parsed.formula, {atom.text: self._atom(atom, within) for atom in parsed.atoms})

    def _atom(self, atom: AtomSpan, within: tuple[str, ...]) -> Formula:
        if atom.text in within:
            raise InputError(f"the definition of {atom.text} uses {atom.text}", atom.span)
        if atom.text in self._definitions:
            return self._defined(atom.text, self._definitions[atom.text], (*within, atom.text))
        if atom.text not in self.propositions:
            try:
                self.propositions[atom.text] = proposition_in_place(self._model, atom.text, atom.span)
            except InputError as error:
                raise InputError(error.message, error.span, ctl_hint(atom.text) or error.hint) from None
        return Atom(atom.text)

    def _defined(self, name: str, body: Span, within: tuple[str, ...]) -> Formula:
        """A state expression stays one atom, known by its name; everything else is a formula over other atoms."""
        if name in self.propositions:
            return Atom(name)
        parsed = self._parsed(body)
        if parsed and self._is_formula(parsed):
            return self.of(parsed, within)
        try:
            self.propositions[name] = proposition_in_place(self._model, name, body)
        except InputError:
            # The logic has operators that the model's language has not, such as an implication.
            if parsed is None or isinstance(parsed.formula, Atom):
                raise
            return self.of(parsed, within)
        return Atom(name)

    def _parsed(self, span: Span) -> ParsedFormula | None:
        try:
            return parse_span(span, _dialect(self._model))
        except InputError:
            return None

    def _is_formula(self, parsed: ParsedFormula) -> bool:
        return any(atom.text in self._definitions for atom in parsed.atoms) or any(
            isinstance(node, _TEMPORAL) for node in subformulas(parsed.formula)
        )


def proposition_in_place(model: Model, name: str, span: Span) -> Proposition:
    """Read an expression where it stands, as if there were only blanks before it."""
    before = re.sub(r"[^\n]", " ", span.source.text[: span.start])
    alone = Source(span.source.name, before + span.text)
    try:
        proposition = model.proposition(alone)
    except InputError as error:
        place = error.span
        if place and place.source is alone:
            place = Span(span.source, place.start, place.end)
        raise InputError(error.message, place, error.hint) from None
    if proposition.timed:
        raise InputError("clocks in formulas and responses are not supported: only in --invariant, A[] and E<>", span)
    return Proposition(name, proposition.expression, span)


def substitute(formula: Formula, atoms: Mapping[str, Formula]) -> Formula:
    """The formula with other formulas in the place of some atoms."""
    if isinstance(formula, Atom):
        return atoms.get(formula.name, formula)
    return formula.with_operands(*(substitute(operand, atoms) for operand in formula.operands))


def _dialect(model: Model) -> Dialect:
    return SPIN if model.abilities.spin_formulas else COMMON
