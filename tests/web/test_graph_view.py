"""State graphs in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from .conftest import Bench


def test_a_small_system_is_drawn_as_a_whole(bench: Bench) -> None:
    page = bench.visit("barber.pml", "graph")
    expect(page.locator("#graph-note")).to_contain_text("84 states")
    expect(page.locator("#graph-note")).to_contain_text("all there are")
    page.fill("#group", "customer_waits")
    page.press("#group", "Enter")
    expect(page.locator("#legend span")).to_have_count(2)
    page.fill("#group", "nobody_knows")
    page.press("#group", "Enter")
    expect(page.locator("#notice")).to_contain_text("nobody_knows")
    page.select_option("#by-process", index=1)
    expect(page.locator("#legend span").nth(2)).to_be_visible()


def test_a_large_system_is_explored_on_demand(bench: Bench) -> None:
    page = bench.visit("endless.dve", "graph")
    expect(page.locator("#graph-note")).to_contain_text("100 states")
    page.fill("#most", "5")
    page.click("#draw")
    expect(page.locator("#graph-note")).to_contain_text("5 states")
    page.locator("g[data-node='4']").click()
    expect(page.locator("#described")).to_contain_text("state 4")
    page.click("#expand")
    expect(page.locator("#graph-note")).not_to_contain_text("5 states,")
    assert page.locator("g[data-node]").count() in range(26, 30)
    page.click("#to-explorer")
    expect(page.locator("#state h2")).to_have_text("after 2 steps")
    assert "path=0.0.0" in page.url


def test_the_path_and_the_counterexample_are_highlighted(bench: Bench, deadlocked: dict[str, Any]) -> None:
    page = bench.visit("philosophers.dve", "graph", "0.1.0")
    expect(page.locator("path.edge.path")).to_have_count(2)
    page = bench.visit("philosophers.dve", "trace", run=deadlocked["number"], property="deadlock")
    page.click("#graph-trace")
    page.fill("#most", "300")
    page.click("#draw")
    expect(page.locator("path.edge.path")).to_have_count(5)


def test_pictures_are_saved(bench: Bench, tmp_path: Path) -> None:
    page = bench.visit("channels.pml", "graph")
    page.fill("#most", "12")
    page.click("#draw")
    expect(page.locator("g[data-node]")).to_have_count(12)
    with page.expect_download() as download:
        page.click("#svg")
    download.value.save_as(tmp_path / "states.svg")
    drawn = (tmp_path / "states.svg").read_text()
    assert drawn.startswith("<svg")
    assert ".graph .node {" in drawn
    with page.expect_download() as download:
        page.click("#dot")
    download.value.save_as(tmp_path / "states.dot")
    text = (tmp_path / "states.dot").read_text()
    assert text.startswith("digraph")
    assert text.count("label=") >= 12 + 11
