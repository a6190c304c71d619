"""What the operating system knows of this process: since when it runs, and the most memory it had."""

from __future__ import annotations

import os
import resource
import sys
import time
from pathlib import Path


def process_started() -> float:
    """When this process began, on the clock of `time.monotonic`; now, where the system does not tell."""
    try:
        # The name of the program, in parentheses, may contain spaces; the start time is the 20th field after it.
        ticks = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, AttributeError, IndexError):
        age = 0.0
    return time.monotonic() - max(0.0, age)


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
