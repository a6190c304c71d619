"""Reductions: what may be left out of a search, from facts about the actions of a System alone; and who checks that."""
