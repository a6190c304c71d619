"""A workbench on this machine, as `ouro serve` starts it, and a page of it in a real browser."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Models that a test may change."""
    place = tmp_path_factory.mktemp("models")
    shutil.copy(EXAMPLES / "dve" / "philosophers.dve", place)
    shutil.copy(EXAMPLES / "dve" / "philosophers_fixed.dve", place)
    shutil.copy(EXAMPLES / "promela" / "barber.pml", place)
    return place


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    server = subprocess.Popen(
        [sys.executable, "-m", "ouroboros", "serve", str(folder), "--no-browser"],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert server.stdout
    found = re.search(r"http://\S+", server.stdout.readline())
    assert found
    yield found[0]
    server.send_signal(signal.SIGINT)
    assert server.wait(20) == 0


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        if os.environ.get("OUROBOROS_BROWSER") == "required":
            pytest.fail("there is no chromium")
        pytest.skip("there is no chromium")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture
def page(browser: Any, address: str) -> Iterator[Any]:
    """A new page, which must not meet an error of its own."""
    opened = browser.new_page(viewport={"width": 1280, "height": 800})
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.set_default_timeout(20_000)
    yield opened
    opened.close()
    assert errors == []
