"""Properties that an automaton watches for: formulas, as they are read and translated, and automata of models."""
