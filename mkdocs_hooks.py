"""What the pages need to become a site."""

from __future__ import annotations

import re
from typing import Any

_FILE = re.compile(r"^(```\w+) file=\S+$", re.MULTILINE)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Blocks of the pages may say into which file a reader should put them: for tests, and not for the site."""
    return _FILE.sub(r"\1", markdown)
