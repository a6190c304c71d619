"""From files to a tree: XML, text, queries."""
