"""Data alone: what a search has found, a run that shows it, the answers of a run, and its report."""
