"""The model view in a real browser: the text, what is wrong with it, and what is known of it."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from .conftest import Bench, Client

BROKEN = "process P {\nstate a\ninit a;\n}\nsystem async;\n"


def test_the_source_with_what_is_in_it(bench: Bench) -> None:
    page = bench.visit("philosophers.dve", "model")
    expect(page.locator("#source .k").first).to_have_text("byte")
    expect(page.locator("#view")).to_contain_text("deadlock")
    expect(page.locator("#view")).to_contain_text("process Hypatia")
    page.click("#control")
    expect(page.locator("details[open] svg.graph g[data-node]")).to_have_count(4)


def test_an_error_is_marked_at_its_line_while_typing(bench: Bench) -> None:
    page = bench.visit("edited.dve", "model")
    expect(page.locator("#edit")).to_be_visible()
    page.keyboard.press("e")
    expect(page.locator("textarea.editor")).to_be_focused()
    page.fill("textarea.editor", BROKEN)
    expect(page.locator("#problem")).to_contain_text("line 3")
    expect(page.locator(".editing .row.error")).to_have_attribute("data-line", "3")
    page.fill("textarea.editor", BROKEN.replace("state a\n", "state a;\n"))
    expect(page.locator(".editing .row.error")).to_have_count(0)
    expect(page.locator("#problem")).to_have_text("")
    page.click("#cancel")
    expect(page.locator("#source")).to_contain_text("Hypatia")


def test_what_is_saved_is_in_the_file(bench: Bench, folder: Path) -> None:
    file = folder / "edited.dve"
    before = file.read_text()
    page = bench.visit("edited.dve", "model")
    page.click("#edit")
    page.fill("textarea.editor", f"// mended\n{before}")
    page.keyboard.press("Control+s")
    expect(page.locator("textarea.editor")).to_have_count(0)
    expect(page.locator(".row[data-line='1']")).to_have_text("// mended")
    assert file.read_text() == f"// mended\n{before}"
    file.write_text(before)


def test_a_change_of_the_file_is_noticed_also_one_that_breaks_it(bench: Bench, folder: Path) -> None:
    file = folder / "philosophers_fixed.dve"
    before = file.read_text()
    page = bench.visit("philosophers_fixed.dve", "model")
    expect(page.locator("#source .row").first).to_be_visible()
    file.write_text("process P { state a; init a; nonsense }\nsystem async;\n")
    expect(page.locator("#notice")).to_contain_text("changed on disk")
    expect(page.locator(".row.error")).to_have_attribute("data-line", "1")
    page.click("#tab-explore")
    expect(page.locator("#view")).to_contain_text("cannot be read")
    file.write_text(before)
    expect(page.locator("#steps button[data-step]").first).to_be_visible()


def test_what_is_written_is_not_lost_when_the_file_changes(bench: Bench, folder: Path) -> None:
    file = folder / "edited.dve"
    before = file.read_text()
    page = bench.visit("edited.dve", "model")
    page.click("#edit")
    page.fill("textarea.editor", "// mine\n")
    file.write_text(f"{before}\n")
    expect(page.locator("#notice")).to_contain_text("while it is edited here")
    assert page.input_value("textarea.editor") == "// mine\n"
    page.locator("#notice button").first.click()
    expect(page.locator("textarea.editor")).to_have_count(0)
    expect(page.locator("#source")).to_contain_text("Hypatia")
    file.write_text(before)


def test_statements_that_no_run_executes_are_marked(bench: Bench, client: Client, folder: Path) -> None:
    (folder / "dead.dve").write_text(
        "byte x;\nprocess P { state a, b; init a;\ntrans a -> b { guard x == 0; },\na -> b { guard x == 1; }; }\n"
        "system async;\n"
    )
    run = client.search("dead.dve", properties=["assertions"])
    assert run["verdict"] == "holds"
    page = bench.visit("dead.dve", "model")
    expect(page.locator(".row.unreached")).to_have_count(1)
    expect(page.locator(".row.unreached")).to_have_attribute("data-line", "4")
    client.search("dead.dve", counted=True)
    expect(page.locator(".counts")).to_have_text("\n\n1\u00d7\n0\u00d7\n\n", use_inner_text=True)
    expect(page.locator("#counted")).to_contain_text("all states")
