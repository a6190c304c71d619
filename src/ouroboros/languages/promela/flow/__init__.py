"""What is worked out from the tree before it is lowered: control flow, who refers to what, statements as text."""
