"""The explorer in a real browser."""

from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.sync_api import expect

from .conftest import Bench


def test_step_by_step_and_back(bench: Bench) -> None:
    page = bench.visit("philosophers.dve", "explore")
    expect(page.locator("#steps button[data-step]")).to_have_count(5)
    expect(page.locator("#steps button[data-step='1']")).to_contain_text("fork[1]: 0 → 1, Hypatia: thinking → waiting")
    page.click("#steps button[data-step='1']")
    expect(page.locator("#state h2")).to_have_text("after 1 step")
    expect(page.locator("#state .changed")).to_have_text(["1", "waiting"])
    expect(page.locator("#lines .row.lit")).to_have_attribute("data-line", "26")
    assert "path=0.1" in page.url
    page.click("#steps button[data-step='0']")
    expect(page.locator("#state h2")).to_have_text("after 2 steps")
    page.click("#undo")
    expect(page.locator("#state h2")).to_have_text("after 1 step")
    page.click("#steps button[data-step='2']")
    # The initial state, a step, and two branches.
    expect(page.locator("#path ul.tree button")).to_have_count(4)
    page.locator("#path ul.tree button").nth(2).click()
    expect(page.locator("#state")).to_contain_text("Socrates waiting")
    page.keyboard.press("u")
    page.keyboard.press("0")
    expect(page.locator("#state h2")).to_have_text("initial state")
    page.keyboard.press("5")
    expect(page.locator("#state")).to_contain_text("Arendt waiting")


def test_watches_and_bookmarks_outlive_a_reload(bench: Bench) -> None:
    page = bench.visit("philosophers.dve", "explore", "0.1")
    page.fill("#watch", "fork[1] + 4")
    page.press("#watch", "Enter")
    expect(page.locator("#watches td").nth(1)).to_have_text("5")
    page.fill("#watch", "nonsense")
    page.press("#watch", "Enter")
    expect(page.locator("#watches .bad")).to_contain_text("nonsense")
    page.locator("#watches button").nth(1).click()
    expect(page.locator("#watches tr")).to_have_count(1)
    page.click("#bookmark")
    page.fill("#bookmarks input", "one waits")
    page.press("#bookmarks input", "Tab")
    page.click("#restart")
    expect(page.locator("#watches td").nth(1)).to_have_text("4")
    page.reload()
    expect(page.locator("#bookmarks input")).to_have_value("one waits")
    page.click("#bookmarks button")
    expect(page.locator("#watches td").nth(1)).to_have_text("5")
    assert "path=0.1" in page.url


def test_a_link_leads_to_a_state_also_in_a_page_that_is_open(bench: Bench) -> None:
    page = bench.visit("philosophers.dve", "explore", "0.0.0")
    expect(page.locator("#state h2")).to_have_text("after 2 steps")
    expect(page.locator("#path ul.tree button")).to_have_count(3)
    bench.visit("philosophers.dve", "explore", "0.4")
    expect(page.locator("#state")).to_contain_text("Arendt waiting")
    bench.visit("philosophers.dve", "explore", "0.99")
    expect(page.locator("#notice")).to_contain_text("no such step")
    expect(page.locator("#state h2")).to_have_text("initial state")


def test_random_steps_and_a_run_until_something_holds(bench: Bench) -> None:
    bench.page.add_init_script("Math.random = () => 0.5;")
    page = bench.visit("channels.pml", "explore")
    page.fill("#count", "7")
    page.click("#random")
    expect(page.locator("#state h2")).to_have_text("after 7 steps")
    expect(page.locator("#path ul.tree button")).to_have_count(8)
    page.click("#restart")
    expect(page.locator("#state h2")).to_have_text("initial state")
    page.fill("#condition", "received == 1")
    page.click("#until")
    expect(page.locator("#state h2")).to_contain_text("after")
    expect(page.locator("#atoms")).to_contain_text("true")
    page.fill("#condition", "nobody_knows")
    page.click("#until")
    expect(page.locator("#notice")).to_contain_text("nobody_knows")


def test_the_nearest_state_is_searched_for(bench: Bench) -> None:
    page = bench.visit("philosophers.dve", "explore")
    page.fill("#condition", "Hypatia.eating and Averroes.waiting")
    page.click("#nearest")
    expect(page.locator("#state h2")).to_have_text("after 3 steps")
    page.fill("#condition", "Hypatia.thinking")
    page.click("#nearest")
    expect(page.locator("#state h2")).to_have_text("after 5 steps")
    page.fill("#condition", "fork[0] == 7")
    page.click("#nearest")
    expect(page.locator("#notice")).to_contain_text("no state")


def test_a_path_goes_out_as_a_trace_and_comes_back(bench: Bench, tmp_path: Path) -> None:
    page = bench.visit("channels.pml", "explore", "0.0.1")
    expect(page.locator("#state h2")).to_have_text("after 2 steps")
    with page.expect_download() as download:
        page.click("#save-path")
    file = tmp_path / "saved.json"
    download.value.save_as(file)
    trace = json.loads(file.read_text())
    assert len(trace["states"]) == 3
    assert trace["#meta"]["choices"] == [0, 0, 1]
    page.click("#restart")
    expect(page.locator("#state h2")).to_have_text("initial state")
    page.set_input_files("#upload", file)
    expect(page.locator("#state h2")).to_have_text("after 2 steps")
    assert "path=0.0.1" in page.url
    file.write_text("[1]")
    page.set_input_files("#upload", file)
    expect(page.locator("#notice")).to_contain_text("trace is an object")


def test_atoms_process_and_messages(bench: Bench) -> None:
    page = bench.visit("channels.pml", "explore", "0.0")
    expect(page.locator("#atoms")).to_contain_text("received == 1")
    expect(page.locator("#atoms")).to_contain_text("false")
    page.select_option("#process", "Sender[0]")
    expect(page.locator("#state svg.graph circle.here")).to_have_count(1)
    page.click("#chart")
    expect(page.locator("#path img.picture")).to_be_visible()


def test_the_picture_of_a_state_is_an_image_without_scripts(bench: Bench) -> None:
    page = bench.visit("philosophers.dve", "explore", "0.0")
    source = page.locator("#state img.picture").get_attribute("src")
    assert "%3E1%3C%2F" in source  # the value of fork[0]
    assert "script" not in source
    assert "onload" not in source
    assert page.evaluate("window.hacked") is None
    page = bench.visit("glass.py", "explore", "0.0")
    expect(page.locator("#state")).to_contain_text("litres")
    expect(page.locator("#state img.picture")).to_have_attribute("src", re.compile("height%3D%221%22"))
    source = page.locator("#state img.picture").get_attribute("src")
    assert "onclick" not in source


def test_what_a_model_says_is_never_html(bench: Bench) -> None:
    page = bench.visit("hostile.m", "explore")
    expect(page.locator("#steps button[data-step]")).to_contain_text("<script>window.hacked=1</script>")
    page.click("#steps button[data-step='0']")
    expect(page.locator("#atoms")).to_contain_text("<b onclick")
    for tab in ("model", "check", "graph"):
        page.click(f"#tab-{tab}")
        expect(page.locator("#view .panel").first).to_be_visible()
    assert page.evaluate("window.hacked") is None


def test_a_narrow_page_has_everything(bench: Bench, browser: object) -> None:
    bench.page.set_viewport_size({"width": 800, "height": 700})
    for tab in ("model", "explore", "check", "graph"):
        page = bench.visit("philosophers.dve", tab)
        expect(page.locator(f"#tab-{tab}[aria-selected=true]")).to_be_visible()
        expect(page.locator("#view .panel").first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= 800")


def test_an_address_that_was_just_entered_is_not_overwritten(bench: Bench) -> None:
    """What the page writes into the address waits where the browser has yet to tell of another one."""
    page = bench.visit("philosophers.dve", "explore")
    expect(page.locator("#steps button[data-step]").first).to_be_visible()
    page.evaluate(
        """() => {
            location.hash = "#model=philosophers.dve&tab=check&path=0";
            document.getElementById("tab-explore").click();
        }"""
    )
    expect(page.locator("#tab-check[aria-selected=true]")).to_be_visible(timeout=5000)


def test_the_keys_are_told(bench: Bench) -> None:
    page = bench.visit("philosophers.dve", "explore")
    expect(page.locator("#steps button[data-step]").first).to_be_visible()
    page.keyboard.press("?")
    expect(page.locator("dialog")).to_contain_text("undo")
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    page.keyboard.press("Alt+3")
    expect(page.locator("#tab-check[aria-selected=true]")).to_be_visible()
