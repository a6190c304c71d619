"""The meaning of a program: an interpreter of its instructions, written to be read, and independent of machine code."""
