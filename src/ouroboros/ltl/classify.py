"""How strong the acceptance condition of an automaton is: the weaker, the cheaper the search for an accepting run.

Černá and Pelánek (SPIN 2003): a violation of a terminal automaton is a reachable state, that of a weak one a cycle
that stays inside an accepting component, and only a strong one needs a full search for accepting cycles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ouroboros.ltl.diagrams import TRUE, Diagrams

if TYPE_CHECKING:
    from ouroboros.ltl.automaton import Automaton

Strength = Literal["terminal", "weak", "strong"]


def strength_of(automaton: Automaton) -> Strength:
    """`terminal` if accepting states accept every word from there on, `weak` if no cycle passes through accepting and
    other states, `strong` otherwise."""
    if _is_terminal(automaton):
        return "terminal"
    for component in automaton.components():
        if len({automaton.accepting[state] for state in component}) > 1:
            return "strong"
    return "weak"


def _is_terminal(automaton: Automaton) -> bool:
    """Whether every letter leads from each accepting state to an accepting one, so that a run never has to leave."""
    diagrams = Diagrams()
    for state, accepting in enumerate(automaton.accepting):
        if accepting:
            allowed = diagrams.any_of(
                diagrams.cube(edge.mask, edge.value)
                for edge in automaton.edges[state]
                if automaton.accepting[edge.target]
            )
            if allowed != TRUE:
                return False
    return True
