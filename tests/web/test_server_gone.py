"""What a page says when its server is not there any more, and two pages on one server."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from .conftest import EXAMPLES, Bench


def test_a_killed_server_is_noticed(page: Any, serve: Callable[..., tuple[str, subprocess.Popen[str]]]) -> None:
    address, server = serve(str(EXAMPLES / "dve" / "philosophers.dve"))
    page.goto(f"{address}#model=philosophers.dve&tab=explore&path=0")
    expect(page.locator("#steps button[data-step]")).to_have_count(5)
    os.kill(server.pid, signal.SIGKILL)
    server.wait(60)
    expect(page.locator("#notice")).to_contain_text("does not answer")
    page.click("#steps button[data-step='0']")
    expect(page.locator("#steps button[data-step='0']")).to_be_enabled()
    expect(page.locator("#state h2")).to_have_text("initial state")


def test_two_pages_on_one_server(browser: Any, bench: Bench, folder: Path) -> None:
    other = browser.new_page()
    try:
        page = bench.visit("philosophers.dve", "explore", "0.1")
        other.goto(f"{bench.address}#model=philosophers.dve&tab=check")
        expect(page.locator("#state h2")).to_have_text("after 1 step")
        other.check("input[value=deadlock]")
        other.click("#start")
        expect(other.locator("#verdict")).to_have_text("violated")
        page.click("#tab-check")
        expect(page.locator("#runs")).to_contain_text("deadlock")
        expect(page.locator("#runs button.entry").first).to_contain_text("violated")
    finally:
        other.close()


def test_what_takes_long_is_told(bench: Bench) -> None:
    page = bench.page
    page.route("**/api/state", lambda route: None)  # never answered
    bench.visit("philosophers.dve", "explore")
    expect(page.locator("#busy")).to_have_text("stepping …")
