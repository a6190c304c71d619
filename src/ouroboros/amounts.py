"""Amounts as people write them."""

from __future__ import annotations

import re

from ouroboros.errors import UsageError

_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_DECIMAL_UNITS = {"kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
_SECONDS = {"d": 86400, "h": 3600, "m": 60, "s": 1, "ms": 0.001}

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*(?:([kmgt]b)|([kmgt]?)(?:ib)?|b(?:ytes)?)", re.IGNORECASE)
_DURATION_PART = r"(\d+(?:\.\d+)?)\s*(ms|d|h|m|s)"
_DURATION = re.compile(rf"(?:{_DURATION_PART}\s*)+", re.IGNORECASE)


def read_size(text: str) -> int:
    """Bytes: `4G`, `512M`, `1.5GiB` in powers of 1024; `4GB` in powers of 1000. Raises UsageError."""
    found = _SIZE.fullmatch(text.strip())
    if not found:
        raise UsageError(f"{text!r} is no size: write 512M, 4G or 1.5GiB")
    number, decimal, binary = found.groups()
    unit = _DECIMAL_UNITS[decimal.lower()] if decimal else _UNITS[(binary or "").lower()]
    count = int(float(number) * unit)
    if count == 0:
        raise UsageError("nothing can be done in no memory: write 512M, 4G or 1.5GiB")
    return count


def read_duration(text: str) -> float:
    """Seconds: `60s`, `5m`, `1h30m`, or a plain number. Raises UsageError."""
    text = text.strip().lower()
    if re.fullmatch(r"\d+(\.\d+)?", text):
        seconds = float(text)
    elif _DURATION.fullmatch(text):
        seconds = sum(float(number) * _SECONDS[unit] for number, unit in re.findall(_DURATION_PART, text))
    else:
        raise UsageError(f"{text!r} is no duration: write 60s, 5m or 1h30m")
    if seconds == 0:
        raise UsageError("nothing can be done in no time: write 60s, 5m or 1h30m")
    return seconds
