"""What only some languages can be told about how a model is to be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

Settings: TypeAlias = Mapping[str, Sequence[str]]
"""Values by the names of settings, in the order in which they were given."""


class Setting(NamedTuple):
    """How one is given: by a key of `settings`, and by an option of the command line, any number of times."""

    name: str
    flag: str
    metavar: str | None
    """None: it is said, or not, and has no value."""
    help: str


BESIDE = "beside"
"""The setting that names the other files of a model that has several; its files are given like the first one."""

AS_MODULE = "cesmi"
"""The setting by which a program is not the model, but generates its states."""

SETTINGS = (
    Setting("includes", "-I", "DIR", "Of a C program: look for headers there as well. Repeatable."),
    Setting("flags", "--cflags", "TEXT", "Of a C program: more options for the compiler, such as '-std=c11 -O1'."),
    Setting(
        "ranges",
        "--range",
        "NAME=LO..HI",
        "Of a C program: what the function NAME chooses, such as __VERIFIER_nondet_int, is one of these. Repeatable.",
    ),
    Setting(
        "stubs",
        "--stub",
        "NAME",
        "Of a C program: the function NAME, which has no body, gives back anything; `all`: all of them. Repeatable.",
    ),
    Setting(
        "may",
        "--may",
        "WHAT",
        "Of a C program, what may happen besides: `malloc-fail`, `wake-spuriously` (from a condition). Repeatable.",
    ),
    Setting(
        AS_MODULE,
        "--cesmi",
        None,
        "A C or C++ program is a module with the interface CESMI, which generates the states of a model: compile and"
        " load it.",
    ),
)
