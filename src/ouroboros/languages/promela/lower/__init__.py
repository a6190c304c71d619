"""Tree and flow to System: the fields of a state, expressions, statements, processes, channels, claims, the choices."""
