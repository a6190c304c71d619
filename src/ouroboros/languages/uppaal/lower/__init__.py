"""From the tree to a System: instances of templates, expressions over fields, zones of clocks."""
