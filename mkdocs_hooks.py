"""What the pages need to become a site."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

_FILE = re.compile(r"^(```\w+) file=\S+$", re.MULTILINE)
_REFERENCE = re.compile(r"^::: (\S+)$", re.MULTILINE)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Blocks of the pages may say into which file a reader should put them: for tests, and not for the site. A line
    `::: MODULE` stands for all that the module exports, as its docstrings tell.
    """
    without = _FILE.sub(r"\1", markdown)
    return _REFERENCE.sub(lambda found: "\n".join(reference(found[1])), without)


def reference(module: str) -> Iterator[str]:
    home = import_module(module)
    for name in home.__all__:
        if not name.startswith("_"):
            yield from _told(name, getattr(home, name), "##")


def _told(name: str, what: Any, heading: str) -> Iterator[str]:
    yield f"{heading} `{name}`\n"
    if not isinstance(what, type):
        yield f"```py\n{name}{_signature(what)}\n```\n"
    yield from _text(inspect.getdoc(what) if "__doc__" in vars(what) and what.__doc__ else "")
    if not isinstance(what, type) or issubclass(what, Exception):
        return
    for attribute, found in vars(what).items():
        member = getattr(found, "func", found)
        member = member.fget if isinstance(found, property) else member
        if attribute.startswith("_") or not inspect.isfunction(member):
            continue
        arguments = _signature(member).partition(" ->")[0] if inspect.isfunction(found) else ""
        line = " ".join((inspect.getdoc(member) or "").partition("\n\n")[0].split())
        yield f"* `{attribute}{arguments}`{': ' + line if line else ''}"
    yield ""


def _signature(what: Any) -> str:
    """Without what is internal: types by their last names."""
    try:
        text = str(inspect.signature(what))
    except (TypeError, ValueError):
        return "(…)"
    return re.sub(r"['\"]|\b(?:\w+\.)+(?=[A-Z])", "", text).replace("(self, ", "(").replace("(self)", "()")


def _text(documentation: str | None) -> Iterator[str]:
    """A docstring; its examples become code."""
    for paragraph in (documentation or "").split("\n\n"):
        yield f"```pycon\n{paragraph}\n```\n" if paragraph.startswith(">>>") else f"{paragraph}\n"
