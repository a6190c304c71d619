"""Pictures of every view of the workbench, for `docs/workbench.md` and for whoever changes a view.

    python bench/screenshots.py [--folder docs/workbench] [--all]

With `--all` there are pictures of more models, also of a narrow and dark page.
"""

from __future__ import annotations

import argparse
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

EXAMPLES = Path(__file__).parents[1] / "examples"
FEW = ["dve/philosophers.dve"]
ALL = [*FEW, "promela/alternating_bit.pml", "murphi/msi.m", "uppaal/fischer.xml", "python/peterson.py"]
FORMULA = {"dve/philosophers.dve": "[](Hypatia.waiting -> <> Hypatia.eating)"}
PAGES = {"": (1280, 800, "light"), "-narrow": (800, 900, "dark")}


def pictures(page: Any, address: str, model: str, name: str) -> None:
    """`name` makes the file of a view."""

    def shot(view: str) -> None:
        page.screenshot(path=name.format(view))

    def visit(tab: str, path: str = "0") -> None:
        page.goto(f"{address}#model={model}&tab={tab}&path={path}")
        page.locator(f"#tab-{tab}[aria-selected=true]").wait_for()
        page.locator("#view .panel").first.wait_for()

    visit("model")
    page.locator("#source .row").first.wait_for()
    shot("model")
    visit("explore")
    for _ in range(3):
        step = page.locator("#steps button[data-step]:enabled").last
        step.wait_for()
        step.click()
        page.locator("#state h2").wait_for()
    choices = page.locator("#process option")
    page.wait_for_timeout(500)
    if choices.count() > 1:
        page.select_option("#process", index=1)
        page.locator("#state svg.graph").wait_for()
    page.mouse.move(0, 0)
    shot("explore")
    visit("check")
    if model in FORMULA:
        page.fill("#ltl", FORMULA[model])
        page.locator("#automaton svg").wait_for()
    page.click("#start")
    page.locator("#report").or_(page.locator("#run-error")).wait_for()
    shot("check")
    found = page.locator("button[data-trace]")
    if found.count():
        found.first.click()
        page.locator(".line").nth(1).wait_for()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        page.wait_for_timeout(300)
        shot("counterexample")
        if page.locator("#graph-trace").count():
            page.click("#graph-trace")
    else:
        visit("graph")
    page.locator("g[data-node]").first.wait_for()
    if page.locator("#by-process option").count() > 1:
        page.select_option("#by-process", index=1)
        page.locator("#legend span").first.wait_for()
    shot("graph")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path(__file__).parents[1] / "docs" / "workbench")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "ouroboros", "serve", str(EXAMPLES), "--no-browser"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout
    found = re.search(r"http://\S+", server.stdout.readline())
    assert found
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            for suffix, (width, height, scheme) in PAGES.items():
                if suffix and not options.all:
                    continue
                for model in ALL if options.all else FEW:
                    page: Any = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
                    page.set_default_timeout(60_000)
                    prefix = f"{Path(model).stem}-" if options.all else ""
                    pictures(page, found[0], model, str(options.folder / f"{prefix}{{}}{suffix}.png"))
                    page.close()
            browser.close()
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(30)


if __name__ == "__main__":
    main()
