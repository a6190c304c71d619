"""The workbench in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import expect


def go(page: Any, address: str, model: str, tab: str, path: str = "0") -> None:
    page.goto(f"{address}#model={model}&tab={tab}&path={path}")
    page.reload()


def test_the_source_with_what_is_in_it(page: Any, address: str) -> None:
    go(page, address, "philosophers.dve", "model")
    expect(page.locator("#source .k").first).to_be_visible()
    expect(page.locator("#view")).to_contain_text("deadlock")
    expect(page.locator("#view")).to_contain_text("process Hypatia")
    page.click("#control")
    expect(page.locator("svg.graph").first).to_be_visible()


def test_errors_are_shown_at_their_place_while_typing_and_the_file_is_noticed(
    page: Any, address: str, folder: Path
) -> None:
    go(page, address, "philosophers_fixed.dve", "model")
    page.click("#edit")
    page.fill("textarea.editor", "process P {\nstate a\ninit a;\n}\nsystem async;\n")
    expect(page.locator("#problem")).to_contain_text("line 3")
    page.locator("button", has_text="cancel").click()
    original = (folder / "philosophers_fixed.dve").read_text()
    (folder / "philosophers_fixed.dve").write_text("process P { state a; init a; nonsense }\nsystem async;\n")
    expect(page.locator("#notice")).to_contain_text("changed on disk")
    expect(page.locator(".row.error")).to_have_count(1)
    (folder / "philosophers_fixed.dve").write_text(original)
    expect(page.locator(".row.error")).to_have_count(0)


def test_step_by_step(page: Any, address: str) -> None:
    go(page, address, "philosophers.dve", "explore")
    expect(page.locator("#steps button[data-step]")).to_have_count(5)
    page.click("#steps button[data-step='1']")
    expect(page.locator("#state")).to_contain_text("after 1 steps")
    expect(page.locator("#state .changed").first).to_be_visible()
    assert "path=0.1" in page.url
    page.fill("#watch", "fork[1]")
    page.press("#watch", "Enter")
    expect(page.locator("#watches")).to_contain_text("1")
    page.click("#steps button[data-step='0']")
    page.click("#undo")
    page.click("#steps button[data-step='2']")
    # The initial state, a step, and two branches, each inside of an item.
    expect(page.locator("ul.tree li")).to_have_count(6)
    page.click("#bookmark")
    expect(page.locator("ul.tree").first).to_contain_text("★")
    page.locator("body").press("u")
    expect(page.locator("#state")).to_contain_text("after 1 steps")


def test_a_link_leads_to_a_state(page: Any, address: str) -> None:
    go(page, address, "philosophers.dve", "explore", "0.0.0")
    expect(page.locator("#state")).to_contain_text("after 2 steps")
    expect(page.locator("#state")).to_contain_text("eating")


def test_the_nearest_state(page: Any, address: str) -> None:
    go(page, address, "philosophers.dve", "explore")
    page.fill("#condition", "Hypatia.eating and Averroes.waiting")
    page.click("#nearest")
    expect(page.locator("#state")).to_contain_text("after 3 steps")
    page.fill("#condition", "fork[0] == 7")
    page.click("#nearest")
    expect(page.locator("#notice")).to_contain_text("no state")


def test_check_and_counterexample(page: Any, address: str) -> None:
    go(page, address, "philosophers.dve", "check")
    page.fill("#ltl", "[]<> Hypatia.nowhere")
    expect(page.locator("#syntax")).to_contain_text("column")
    page.fill("#ltl", "[](Hypatia.waiting -> <> Hypatia.eating)")
    expect(page.locator("#automaton svg")).to_be_visible()
    page.click("#start")
    expect(page.locator("#verdict")).to_have_text("violated")
    expect(page.locator("#report")).to_contain_text("states")
    page.locator("button[data-trace]").first.click()
    expect(page.locator(".line.cycle").first).to_be_visible()
    expect(page.locator("#timeline canvas")).to_be_visible()
    page.locator(".virtual").press("ArrowDown")
    expect(page.locator("#trace-state")).to_contain_text("after step 1")
    page.fill("#trace-watch", "fork[0]")
    page.press("#trace-watch", "Enter")
    expect(page.locator("#trace-state")).not_to_contain_text("unknown")
    page.click("#explore-trace")
    expect(page.locator("#state")).to_contain_text("after")
    page.reload()
    page.click("#tab-check")
    expect(page.locator("#runs button.entry").first).to_contain_text("violated")


def test_the_state_graph(page: Any, address: str) -> None:
    go(page, address, "barber.pml", "graph")
    expect(page.locator("#graph-note")).to_contain_text("84 states")
    page.fill("#group", "customer_waits")
    page.press("#group", "Enter")
    expect(page.locator(".legend span")).to_have_count(2)
    page.locator("g[data-node='3']").click()
    expect(page.locator("#described")).to_contain_text("state 3")


def test_a_narrow_page_has_everything(page: Any, address: str) -> None:
    page.set_viewport_size({"width": 800, "height": 700})
    go(page, address, "philosophers.dve", "explore")
    expect(page.locator("#steps button[data-step]").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= 800")
