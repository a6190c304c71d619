"""From the command to a page in the browser, and back to the terminal."""

from __future__ import annotations

import socket
import sys
import threading
import webbrowser

import uvicorn

from ouroboros.errors import UsageError
from ouroboros.web.server import application, new_token
from ouroboros.web.shelf import Shelf
from ouroboros.web.workbench import Ceiling, Workbench

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def serve_workbench(shelf: Shelf, ceiling: Ceiling, host: str, port: int, *, browser: bool) -> int:
    """Serve until Ctrl-C; returns the exit code."""
    try:
        listening = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise UsageError(f"{host}:{port}: this address cannot be served: {error.strerror or error}") from None
    port = listening.getsockname()[1]
    token = new_token()
    if host not in _LOOPBACK:
        print(
            f"warning: {host} can be reached by other machines, and whoever knows the address below can read these"
            " models and start searches; nothing is encrypted",
            file=sys.stderr,
        )
    shown = "localhost" if host in ("::1", "0.0.0.0", "::") else host
    names = {shown, host, "localhost", "127.0.0.1"}
    hosts = frozenset(f"[{name}]:{port}" if ":" in name else f"{name}:{port}" for name in names)
    workbench = Workbench(shelf, ceiling)
    config = uvicorn.Config(
        application(workbench, token, hosts), log_level="error", access_log=False, timeout_graceful_shutdown=1
    )
    address = f"http://{shown}:{port}/{token}/"
    print(f"serving {address}\nCtrl-C ends it", flush=True)
    if browser:
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    try:
        uvicorn.Server(config).run(sockets=[listening])
    except KeyboardInterrupt:
        pass
    finally:
        workbench.runs.close()
    return 0
