"""What the operating system knows of this process: since when it runs, and the most memory it had."""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path


def process_started() -> float:
    """When this program began, on the clock of `time.monotonic`, for who asks before anything is waited for.

    The process may be older: a shell becomes the last program that it runs, and has waited for others before.
    """
    return time.monotonic() - time.process_time()


def peak_memory() -> int:
    """The largest resident set so far, in bytes."""
    peak = _status("VmHWM")
    if peak is not None:
        return peak
    # Only second choice: on Linux it starts from what the parent process had.
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def copied_memory() -> int:
    """Of a process that is a copy, right at its start: what it shares with the original until one of them writes."""
    return _status("RssAnon") or 0


def library_memory() -> int:
    """Parts of files in memory, which processes of the same program share."""
    return _status("RssFile") or 0


def _status(name: str) -> int | None:
    """A number of bytes that Linux knows of this process."""
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        pass
    return None
