"""`ouro serve`: a model in the browser."""

from __future__ import annotations

from pathlib import Path

import click

from ouroboros.cli.options import duration, size
from ouroboros.errors import UsageError


@click.command(short_help="Open a model in the browser.")
@click.argument("model", default=".")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Default: any that is free.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Another address than this machine's own.")
@click.option("--no-browser", is_flag=True, help="Only say the address.")
@click.option(
    "--memory", type=size, metavar="SIZE", help="What a search may use at most. Default: most of what is free."
)
@click.option(
    "--time", "seconds", type=duration, metavar="DURATION", default="1h", show_default=True, help="And for how long."
)
def serve(model: str, port: int, host: str, no_browser: bool, memory: int | None, seconds: float) -> int:
    """Explore and check a model, or the models of a folder, on a page in the browser.

    The page is served to this machine alone, at an address that has a secret in it. Ctrl-C ends the server and its
    searches.
    """
    try:
        import starlette  # noqa: F401 - only whether it is there
        import uvicorn  # noqa: F401 - likewise
    except ImportError:
        raise UsageError("the workbench needs the extra `web`: pip install 'ouroboros-mc[web]'") from None
    from ouroboros.web.serving import serve_workbench
    from ouroboros.web.shelf import Shelf
    from ouroboros.web.workbench import Ceiling

    return serve_workbench(Shelf(Path(model)), Ceiling(memory, seconds), host, port, browser=not no_browser)
