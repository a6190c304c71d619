"""A workbench on this machine, as `ouro serve` starts it, and a page of it in a real browser."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"

PATIENCE = 60_000
"""Milliseconds until a page is taken to be hanging, also on a machine that has much else to do."""

LONG = """
int x;
process P { state a; init a; trans a -> a { guard x < 20000; effect x = x + 1; }; }
system async;
"""

ENDLESS = """
int x, y, z;
process P { state a; init a; trans a -> a { guard x < 30000; effect x = x + 1; }; }
process Q { state a; init a; trans a -> a { guard y < 30000; effect y = y + 1; }; }
process R { state a; init a; trans a -> a { guard z < 30000; effect z = z + 1; }; }
system async;
"""

HOSTILE = """
var x : 0..3;
startstate "<img src=x onerror='window.hacked=1'>" begin x := 0; end;
rule "<script>window.hacked=1</script>" x < 3 ==> begin x := x + 1; end;
invariant "<b onclick=window.hacked=1>small</b>" x < 3;
"""

PICTURE = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 20" onload="window.hacked=1">
<script>window.hacked=1</script><text x="2" y="15">{{fork[0]}}</text><image href="http://127.0.0.1:9/x"/></svg>"""

DRAWN = """
from ouroboros.python import Int, Model, action, invariant


class Glass(Model):
    litres: Int[0, 2] = 0

    @action
    def pour(self):
        if self.litres < 2:
            self.litres += 1

    @invariant
    def not_full(self):
        return self.litres < 2

    def as_svg(self):
        return f'<svg xmlns="http://www.w3.org/2000/svg"><rect width="9" height="{self.litres}" onclick="x()"/></svg>'
"""

RUN_BY_PYTHON = """
from ouroboros.python import Step, invariant


class Grid:
    def initial(self):
        return [(0, 0)]

    def successors(self, state):
        x, y = state
        if x < 3:
            yield Step("right", (x + 1, y))
        if y < 3:
            yield Step("down", (x, y + 1))

    @invariant
    def not_far(self, state):
        return sum(state) < 4
"""


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Models that a test may change, if it changes them back."""
    place = tmp_path_factory.mktemp("models")
    for name in ("dve/philosophers.dve", "dve/philosophers_fixed.dve", "promela/barber.pml"):
        shutil.copy(EXAMPLES / name, place)
    shutil.copy(EXAMPLES / "promela" / "alternating_bit.pml", place / "channels.pml")
    (place / "philosophers.svg").write_text(PICTURE)
    (place / "long.dve").write_text(LONG)
    (place / "endless.dve").write_text(ENDLESS)
    (place / "hostile.m").write_text(HOSTILE)
    (place / "glass.py").write_text(DRAWN)
    (place / "grid.py").write_text(RUN_BY_PYTHON)
    (place / "edited.dve").write_text((place / "philosophers.dve").read_text())
    return place


@pytest.fixture(scope="session")
def serve() -> Iterator[Callable[..., tuple[str, subprocess.Popen[str]]]]:
    """Starts servers; they end by Ctrl-C."""
    running: list[subprocess.Popen[str]] = []

    def start(*arguments: str) -> tuple[str, subprocess.Popen[str]]:
        server = subprocess.Popen(
            [sys.executable, "-m", "ouroboros", "serve", *arguments, "--no-browser"],
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        running.append(server)
        assert server.stdout
        found = re.search(r"http://\S+", server.stdout.readline())
        assert found
        return found[0], server

    yield start
    for server in running:
        if server.poll() is None:
            server.send_signal(signal.SIGINT)
            assert server.wait(60) == 0


@pytest.fixture(scope="session")
def address(folder: Path, serve: Callable[..., tuple[str, Any]]) -> str:
    return serve(str(folder))[0]


class Client:
    """The protocol, without a page."""

    def __init__(self, address: str) -> None:
        self.address = address

    def post(self, request: str, /, **body: Any) -> tuple[int, dict[str, Any]]:
        answer = httpx.post(f"{self.address}api/{request}", json=body, timeout=120)
        return answer.status_code, answer.json()

    def ask(self, request: str, /, **body: Any) -> dict[str, Any]:
        """What must be answered."""
        status, data = self.post(request, **body)
        assert status == 200, data
        return data

    def search(self, model: str, /, **body: Any) -> dict[str, Any]:
        """A run that is done."""
        number = self.ask("start", model=model, title="test", **body)["run"]["number"]
        end = time.monotonic() + 120
        while time.monotonic() < end:
            run = self.ask("run", run=number)
            if run["status"] != "running":
                return run
            time.sleep(0.05)
        raise AssertionError("the search does not end")


@pytest.fixture(scope="session")
def client(address: str) -> Client:
    return Client(address)


@pytest.fixture(scope="session")
def deadlocked(client: Client) -> dict[str, Any]:
    """The run that finds the philosophers' deadlock."""
    return client.search("philosophers.dve", properties=["deadlock"])


@pytest.fixture(scope="session")
def starving(client: Client) -> dict[str, Any]:
    """A run that ends with a lasso."""
    return client.search("philosophers.dve", ltl=["[](Hypatia.waiting -> <> Hypatia.eating)"])


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    from playwright.sync_api import expect, sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        if os.environ.get("OUROBOROS_BROWSER") == "required":
            pytest.fail("there is no chromium")
        pytest.skip("there is no chromium")
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield running
        running.close()


class Bench:
    """A page of the workbench."""

    def __init__(self, page: Any, address: str) -> None:
        self.page = page
        self.address = address

    def visit(self, model: str, tab: str, path: str = "0", **more: Any) -> Any:
        words = "".join(f"&{name}={value}" for name, value in more.items())
        self.page.goto(f"{self.address}#model={model}&tab={tab}&path={path}{words}")
        return self.page


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A new page, which must not meet an error of its own."""
    opened = browser.new_page(viewport={"width": 1280, "height": 800})
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(f"{error} {error.stack}"))
    opened.set_default_timeout(PATIENCE)
    yield opened
    opened.close()
    assert errors == []


@pytest.fixture
def bench(page: Any, address: str) -> Bench:
    return Bench(page, address)
