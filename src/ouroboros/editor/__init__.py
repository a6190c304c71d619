"""A language server: what an editor shows of a model while it is written."""
