"""LLVM IR as typed objects, read from its text."""

from ouroboros.languages.c.read.parse import read, read_code

__all__ = ["read", "read_code"]
