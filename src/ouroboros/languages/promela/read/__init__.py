"""Text to tree: the preprocessor, tokens, the tree with inlines expanded and names resolved, and its checks."""
