"""Linear temporal logic: from the text of a formula to a small Büchi automaton."""

from ouroboros.ltl.automaton import Automaton, Edge
from ouroboros.ltl.formula import Formula, Not
from ouroboros.ltl.parse import AtomSpan, ParsedFormula, parse_formula, parse_span
from ouroboros.ltl.semantics import holds_on
from ouroboros.ltl.translate import translate

__all__ = [
    "AtomSpan",
    "Automaton",
    "Edge",
    "Formula",
    "Not",
    "ParsedFormula",
    "holds_on",
    "parse_formula",
    "parse_span",
    "translate",
]
