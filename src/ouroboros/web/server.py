"""The server: one page, its files, and the requests that it makes. It talks to this machine only, unless asked.

The address has a token in its path, which is checked on every request, as are Host and Origin: another site that is
open in the same browser can neither read nor start anything, even if its name is made to lead here.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Awaitable, Callable
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ouroboros import __version__
from ouroboros.errors import OuroborosError, SelfCheckError
from ouroboros.web.drawn import MOST_STATES
from ouroboros.web.requests import Fields, search_arguments
from ouroboros.web.told import Data, told_error
from ouroboros.web.walks import LONGEST_PATH
from ouroboros.web.workbench import Workbench

PROTOCOL = 1
_LONGEST_REQUEST = 4 << 20

_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}

_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self'"
    " data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def new_token() -> str:
    return secrets.token_urlsafe(18)


class Guard:
    """Turns away whoever does not know the token, or comes from elsewhere."""

    def __init__(self, app: Any, token: str, hosts: frozenset[str]) -> None:
        self._app = app
        self._token = token
        self._hosts = hosts

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        origin = headers.get("origin")
        token = scope["path"].split("/")[1] if scope["path"].count("/") >= 2 else ""
        allowed = (
            headers.get("host", "") in self._hosts
            and (origin is None or origin in {f"http://{host}" for host in self._hosts})
            and headers.get("sec-fetch-site", "none") in ("none", "same-origin")
            and secrets.compare_digest(token.encode(), self._token.encode())
        )
        if not allowed:
            denied = JSONResponse({"error": {"message": "this address is not allowed"}}, 403, _HEADERS)
            await denied(scope, receive, send)
            return
        await self._app(scope, receive, send)


def application(workbench: Workbench, token: str, hosts: frozenset[str]) -> Any:
    """An ASGI application; `hosts` are the names, with the port, that the server is known by."""

    async def page(request: Request) -> Response:
        name = request.path_params.get("file") or "index.html"
        known = {each.name for each in files("ouroboros.web.static").iterdir()}
        if name not in known:
            return JSONResponse({"error": {"message": f"there is no file {name}"}}, 404, _HEADERS)
        content = files("ouroboros.web.static").joinpath(name).read_bytes()
        return Response(content, media_type=_TYPES.get(name.rpartition(".")[2], "text/plain"), headers=_HEADERS)

    def answer(work: Callable[[Fields], Data]) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            workbench.runs.seen()
            body = b""
            async for part in request.stream():
                body += part
                if len(body) > _LONGEST_REQUEST:
                    return JSONResponse({"error": {"message": "the request is too long"}}, 413, _HEADERS)
            try:
                fields = Fields(json.loads(body or b"{}"))
            except (ValueError, RecursionError):
                return JSONResponse({"error": {"message": "the request is no JSON"}}, 400, _HEADERS)
            except OuroborosError as error:
                return JSONResponse({"error": told_error(error)}, 400, _HEADERS)
            try:
                data = await run_in_threadpool(work, fields)
            except SelfCheckError:
                raise
            except OuroborosError as error:
                return JSONResponse({"error": told_error(error)}, 422, _HEADERS)
            except RecursionError:
                return JSONResponse({"error": {"message": "this is nested too deeply"}}, 422, _HEADERS)
            return JSONResponse({"protocol": PROTOCOL, **data}, headers=_HEADERS)

        return endpoint

    routes = [
        Route(f"/{{token}}/api/{name}", answer(work), methods=["POST"]) for name, work in endpoints(workbench).items()
    ]
    routes += [Route("/{token}/", page), Route("/{token}/{file}", page)]
    return Guard(Starlette(routes=routes), token, hosts)


def endpoints(workbench: Workbench) -> dict[str, Callable[[Fields], Data]]:
    """Each request by its name; `docs/workbench.md` describes them."""

    def model(fields: Fields) -> tuple[str, dict[str, str]]:
        return fields.text("model"), fields.definitions()

    def number(fields: Fields) -> int:
        return fields.number("run", 0, 1, 2**31)

    def stop(fields: Fields) -> Data:
        workbench.runs.stop(number(fields))
        return {}

    def remove(fields: Fields) -> Data:
        workbench.runs.remove(number(fields))
        return {}

    def start(fields: Fields) -> Data:
        run = workbench.start(
            fields.text("model"), fields.text("title"), search_arguments(fields), fields.truth("keep")
        )
        return {"run": run.summary()}

    return {
        "about": lambda fields: {"version": __version__, **workbench.models()},
        "pulse": lambda fields: {
            "runs": [run.summary() for run in workbench.runs.all()],
            "stamps": workbench.stamps(fields.texts("models")),
        },
        "model": lambda fields: workbench.model(*model(fields)),
        "draft": lambda fields: workbench.draft(
            fields.text("model"), fields.text("text", 1 << 20), fields.definitions()
        ),
        "save": lambda fields: workbench.save(fields.text("model"), fields.text("text", 1 << 20), fields.stamp()),
        "state": lambda fields: workbench.look(
            *model(fields), fields.path("path"), fields.texts("watches"), fields.truth("trail")
        ),
        "messages": lambda fields: workbench.messages(*model(fields), fields.path("path")),
        "wander": lambda fields: workbench.wander(
            *model(fields),
            fields.path("path"),
            fields.number("most", 10, 1, LONGEST_PATH),
            fields.optional_text("until"),
            fields.number("seed", 0, 0, 2**31),
        ),
        "recorded": lambda fields: workbench.recorded(*model(fields), fields.path("path")),
        "along": lambda fields: workbench.along(*model(fields), fields.object("trace")),
        "states": lambda fields: workbench.states(
            *model(fields),
            fields.optional_path("path"),
            fields.number("most", MOST_STATES, 1, MOST_STATES),
            fields.optional_text("group"),
            fields.optional_text("process"),
        ),
        "keys": lambda fields: workbench.keys(*model(fields), fields.path("path")),
        "control": lambda fields: workbench.control(*model(fields)),
        "formula": lambda fields: workbench.formula(*model(fields), fields.text("text")),
        "response": lambda fields: workbench.response(*model(fields), fields.text("text")),
        "expression": lambda fields: workbench.expression(*model(fields), fields.text("text")),
        "start": start,
        "stop": stop,
        "remove": remove,
        "run": lambda fields: workbench.run(number(fields)),
        "trace": lambda fields: workbench.trace(number(fields), fields.text("property")),
        "trace-picture": lambda fields: workbench.trace_picture(
            number(fields), fields.text("property"), fields.number("at", 0, 0, 2**31)
        ),
        "trace-values": lambda fields: workbench.trace_values(
            number(fields), fields.text("property"), fields.text("text")
        ),
        "trace-messages": lambda fields: workbench.trace_messages(number(fields), fields.text("property")),
    }
