"""LLVM IR as typed objects, read from its text."""

from ouroboros.languages.c.read.parse import read

__all__ = ["read"]
