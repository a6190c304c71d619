"""One search, driven: who searches within which limits, what is left out, what cannot go together."""
