"""Asking the model something, in a real browser."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import expect

from .conftest import Bench, Client


def test_a_formula_is_looked_at_while_it_is_written(bench: Bench) -> None:
    page = bench.visit("philosophers.dve", "check")
    page.fill("#ltl", "[]<> Hypatia.nowhere")
    expect(page.locator("#syntax")).to_contain_text("column")
    page.fill("#ltl", "[](Hypatia.waiting -> <> Hypatia.eating)")
    expect(page.locator("#automaton g[data-node]")).to_have_count(2)
    expect(page.locator("#syntax")).to_have_text("")
    page.fill("#response", "Hypatia.waiting")
    expect(page.locator("#syntax")).to_contain_text("response")
    page.fill("#response", "Hypatia.waiting ~> Hypatia.eating")
    expect(page.locator("#syntax")).to_have_text("")
    page.fill("#invariant", "fork[0")
    expect(page.locator("#syntax")).to_contain_text("invariant: column")


def test_names_are_completed(bench: Bench) -> None:
    page = bench.visit("philosophers.dve", "check")
    page.locator("#invariant").press_sequentially("not Hyp")
    expect(page.locator("ul.words li").first).to_have_text("Hypatia")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    expect(page.locator("#invariant")).to_have_value("not Hypatia.eating")


def test_a_check_from_the_question_to_the_report(bench: Bench) -> None:
    page = bench.visit("philosophers.dve", "check")
    page.fill("#invariant", "not (Hypatia.eating and Averroes.eating)")
    page.click("#start")
    expect(page.locator("#verdict")).to_have_text("violated")
    expect(page.locator("#report")).to_contain_text("replayed by the interpreter")
    page.reload()
    expect(page.locator("#runs button.entry").first).to_contain_text("violated")
    expect(page.locator("#report")).to_contain_text("states")
    page.locator("button[data-trace]").first.click()
    expect(page.locator("#trace-values")).to_contain_text("true")


def test_a_search_is_watched_and_stopped(bench: Bench, client: Client) -> None:
    page = bench.visit("endless.dve", "check")
    page.locator("summary", has_text="options").click()
    page.fill("#option-memory", "1 apple")
    page.click("#start")
    expect(page.locator("#notice")).to_contain_text("512M")
    page.fill("#option-memory", "1G")
    page.uncheck("#option-reduction")
    page.click("#start")
    expect(page.locator("#chart-over-time polyline")).to_have_count(5)
    expect(page.locator("#progress")).to_contain_text("states")
    page.reload()
    expect(page.locator("#chart-over-time")).to_be_visible()
    stopped = page.locator("#runs [aria-pressed=true]").get_attribute("data-run")
    page.click("#stop")
    expect(page.locator("#verdict")).to_have_text("stopped")
    page.click("#forget")
    expect(page.locator(f"[data-run='{stopped}']")).to_have_count(0)
    assert all(run["number"] != int(stopped) for run in client.ask("pulse")["runs"])


def test_a_limit_is_told(bench: Bench) -> None:
    page = bench.visit("endless.dve", "check")
    page.locator("summary", has_text="options").click()
    page.fill("#option-states", "50")
    page.uncheck("#option-reduction")
    page.click("#start")
    expect(page.locator("#verdict")).to_have_text("unknown")
    expect(page.locator("#report")).to_contain_text("states limit")


def test_actions_are_counted(bench: Bench) -> None:
    page = bench.visit("barber.pml", "check")
    page.click("#count")
    expect(page.locator("#result")).to_contain_text("over all")
    assert page.locator("#counts tr").count() > 5


def test_a_run_that_another_page_has_started_is_listed(bench: Bench, deadlocked: dict[str, Any]) -> None:
    page = bench.visit("philosophers.dve", "check")
    expect(page.locator(f"[data-run='{deadlocked['number']}']")).to_contain_text("violated")
