"""Counterexamples in a real browser."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from .conftest import Bench, Client

FORMULA = "[](Hypatia.waiting -> <> Hypatia.eating)"


def test_a_lasso_step_by_step(bench: Bench, starving: dict[str, Any]) -> None:
    page = bench.visit("philosophers.dve", "trace", run=starving["number"], property=starving["traces"][0])
    expect(page.locator(".line.cycle").first).to_be_visible()
    expect(page.locator("#timeline canvas")).to_be_visible()
    expect(page.locator("#why")).to_contain_text("Hypatia.eating is false on the whole cycle")
    expect(page.locator("#why")).to_contain_text("accepting state")
    expect(page.locator("#trace-state circle.here")).to_have_count(1)
    page.keyboard.press("ArrowDown")
    expect(page.locator("#trace-state h2")).to_contain_text("after step 1")
    expect(page.locator("#trace-state .changed").first).to_be_visible()
    page.keyboard.press("End")
    last = page.locator(".line.here").get_attribute("data-at")
    page.keyboard.press("f")
    expect(page.locator(".line.cycle")).to_have_count(0)
    page.locator("#why button").last.click()
    expect(page.locator(".line.here.cycle")).to_have_count(1)
    assert int(last) >= int(page.locator(".line.here").get_attribute("data-at"))


def test_why_a_cycle_is_fair(bench: Bench, client: Client) -> None:
    run = client.search("philosophers.dve", ltl=["[]<> Hypatia.eating"], fairness="weak")
    [name] = run["traces"]
    page = bench.visit("philosophers.dve", "trace", run=run["number"], property=name)
    page.locator("#fair summary").click()
    expect(page.locator("#fair tr")).to_have_count(5)
    expect(page.locator("#fair td").first).to_contain_text("Socrates")
    expect(page.locator("#fair td").nth(1)).to_contain_text("step")


def test_values_along_the_run(bench: Bench, starving: dict[str, Any]) -> None:
    page = bench.visit("philosophers.dve", "trace", run=starving["number"], property=starving["traces"][0])
    page.fill("#trace-watch", "fork[1]")
    page.press("#trace-watch", "Enter")
    expect(page.locator("#trace-values tr", has_text="fork[1]")).to_contain_text("0")
    page.fill("#trace-watch", "fork[1] + 40")
    page.press("#trace-watch", "Enter")
    expect(page.locator("#trace-values tr", has_text="fork[1] + 40")).to_contain_text("40")
    page.fill("#trace-watch", "nonsense")
    page.press("#trace-watch", "Enter")
    expect(page.locator("#notice")).to_contain_text("nonsense")
    page.locator("#trace-values button").first.click()
    expect(page.locator("#trace-values tr", has_text="fork[1] + 40")).to_have_count(1)
    expect(page.locator("#trace-values button")).to_have_count(1)


def test_search_filter_and_hide(bench: Bench, deadlocked: dict[str, Any]) -> None:
    page = bench.visit("philosophers.dve", "trace", run=deadlocked["number"], property="deadlock")
    expect(page.locator(".line")).to_have_count(6)
    page.keyboard.press("/")
    page.keyboard.type("averroes")
    expect(page.locator(".line.found")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator(".line.here")).to_contain_text("Averroes")
    page.check("#only-matches")
    expect(page.locator(".line")).to_have_count(2)
    page.uncheck("#only-matches")
    expect(page.locator(".line")).to_have_count(6)
    page.click("#only-changes")
    expect(page.locator("#trace-state section")).to_have_count(2)
    page.click("#only-changes")
    expect(page.locator("#trace-state section")).to_have_count(6)
    page.locator("summary", has_text="hide").click()
    page.locator("#hide input").first.check()
    expect(page.locator("#trace-state section")).to_have_count(5)


def test_the_states_are_those_of_the_explorer(bench: Bench, deadlocked: dict[str, Any]) -> None:
    page = bench.visit("philosophers.dve", "trace", run=deadlocked["number"], property="deadlock")
    page.locator(".line[data-at='3']").click()
    expect(page.locator("#trace-state h2")).to_contain_text("after step 3")
    shown = page.locator("#trace-state .state").inner_text().split()
    page.click("#explore-trace")
    expect(page.locator("#state h2")).to_have_text("after 3 steps")
    assert page.locator("#state .state").inner_text().split() == shown
    page.click("#tab-trace")
    expect(page.locator("#trace-state img.picture")).to_be_visible()


def test_a_run_is_played(bench: Bench, deadlocked: dict[str, Any]) -> None:
    page = bench.visit("philosophers.dve", "trace", run=deadlocked["number"], property="deadlock")
    expect(page.locator(".line.here")).to_have_attribute("data-at", "0")
    page.click("#play")
    expect(page.locator(".line.here")).to_have_attribute("data-at", "5")
    expect(page.locator("#play")).to_contain_text("play")


def test_messages_of_a_run(bench: Bench, client: Client) -> None:
    run = client.search("channels.pml", properties=["arrives"], reduction=False)
    page = bench.visit("channels.pml", "trace", run=run["number"], property="arrives")
    page.click("#trace-chart")
    expect(page.locator("#chart img.picture")).to_be_visible()


@pytest.fixture(scope="session")
def long_run(client: Client) -> dict[str, Any]:
    run = client.search("long.dve", invariants=["x < 20000"])
    assert run["verdict"] == "violated"
    return run


def test_twenty_thousand_steps_open_and_scroll(bench: Bench, long_run: dict[str, Any]) -> None:
    page = bench.visit("long.dve", "trace", run=long_run["number"], property="x < 20000")
    expect(page.locator("#trace h2")).to_contain_text("20,000 steps")
    assert page.locator(".line").count() < 100
    page.keyboard.press("End")
    expect(page.locator(".line.here")).to_have_attribute("data-at", "20000")
    expect(page.locator(".line.here")).to_contain_text("x: 19999 → 20000")
    expect(page.locator("#trace-state dd")).to_contain_text("20000")
    page.fill("#trace-watch", "x")
    page.press("#trace-watch", "Enter")
    expect(page.locator("#trace-values")).to_contain_text("20000")
    page.fill("#trace-search", "x: 12345 ")
    page.press("#trace-search", "Enter")
    expect(page.locator(".line.here")).to_have_attribute("data-at", "12346")
