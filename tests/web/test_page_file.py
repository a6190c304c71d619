"""`ouro check --html`: a page that needs no server."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from ouroboros.web.page_file import script


def written(model: Path, file: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "ouroboros", "check", str(model), *arguments, "--html", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode in (0, 1), done.stderr
    return file.read_text(encoding="utf-8")


def test_a_counterexample_opens_from_a_file(page: Any, folder: Path, tmp_path: Path) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    file = tmp_path / "report.html"
    written(folder / "philosophers.dve", file, "--ltl", "[](Hypatia.waiting -> <> Hypatia.eating)")
    page.goto(file.as_uri())
    expect(page.locator("#why")).to_contain_text("Hypatia.eating is false on the whole cycle")
    page.keyboard.press("End")
    expect(page.locator("#trace-state h2")).to_contain_text("after step")
    expect(page.locator("#trace-state img.picture")).to_be_visible()
    expect(page.locator("#source .row.lit")).to_have_count(1)
    page.fill("#trace-watch", "fork[1]")
    page.press("#trace-watch", "Enter")
    expect(page.locator("#trace-values")).to_contain_text("fork[1]")
    page.click("#tab-report")
    expect(page.locator("#report")).to_contain_text("violated")
    page.keyboard.press("Alt+3")
    expect(page.locator("#source .k").first).to_be_visible()
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []


def test_what_a_model_says_is_not_html_in_the_file(page: Any, folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    text = written(folder / "hostile.m", file)
    assert "<script>window.hacked" not in text
    page.goto(file.as_uri())
    expect(page.locator(".line.here")).to_be_visible()
    page.keyboard.press("End")
    expect(page.locator(".line.here")).to_contain_text("<script>window.hacked=1</script>")
    assert page.evaluate("window.hacked") is None


def test_a_model_that_holds_has_a_page_without_a_counterexample(page: Any, folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    text = written(folder / "philosophers_fixed.dve", file)
    data = json.loads(re.findall(r'id="data">(.*?)</script>', text, re.DOTALL)[0])
    assert data["traces"] == {}
    page.goto(file.as_uri())
    expect(page.locator("#verdict")).to_have_text("holds")
    expect(page.locator("#tabs button")).to_have_count(2)


def test_every_module_is_put_in_whole() -> None:
    assert not re.search(r"^\s*(import|export)\b", script(), re.MULTILINE)


def test_the_page_is_for_one_model_and_for_a_folder_that_is_there(folder: Path, tmp_path: Path) -> None:
    model = str(folder / "philosophers.dve")
    for arguments, told in (
        ([model, model, "--html", "x.html"], "--html is for one model"),
        ([model, "--html", str(tmp_path / "none" / "x.html")], "there is no directory"),
    ):
        command = [sys.executable, "-m", "ouroboros", "check", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
        assert done.returncode == 2
        assert told in done.stderr
