"""Memory between pages that nobody can touch: who writes far beyond it is stopped where he does."""

from __future__ import annotations

import ctypes
import mmap
import sys

PAGE = mmap.PAGESIZE
_NO_ACCESS = 0
# The mmap module names this flag only from Python 3.12 on.
_NO_RESERVE = 0x4000 if sys.platform == "linux" else 0


def guarded_pages(size: int) -> mmap.mmap:
    """So many bytes, from the second page on; each process has its own copy of what is in them."""
    pages = mmap.mmap(-1, size + 2 * PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE)
    begin = ctypes.addressof(ctypes.c_char.from_buffer(pages))
    protect = ctypes.CDLL(None).mprotect
    protect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    for page in (begin, begin + PAGE + size):
        protect(page, PAGE, _NO_ACCESS)
    return pages
