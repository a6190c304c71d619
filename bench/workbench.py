"""How quick the workbench is: the round trip of a step in a model with 20 processes, and opening a run of 20,000 steps.

python bench/workbench.py [--steps N]
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

PROCESSES = 20
RUN = 20_000

RING = "byte fork[{count}];\n{processes}\nsystem async;\n"
PHILOSOPHER = """process P{at} {{
  state thinking, waiting, eating, leaving;
  init thinking;
  trans
    thinking -> waiting {{ guard fork[{at}] == 0; effect fork[{at}] = 1; }},
    waiting -> eating {{ guard fork[{next}] == 0; effect fork[{next}] = 1; }},
    eating -> leaving {{ effect fork[{at}] = 0; }},
    leaving -> thinking {{ effect fork[{next}] = 0; }};
}}"""
COUNTER = (
    f"int x;\nprocess P {{ state a; init a; trans a -> a {{ guard x < {RUN}; effect x = x + 1; }}; }}\nsystem async;\n"
)


def ring(count: int) -> str:
    processes = [PHILOSOPHER.format(at=at, next=(at + 1) % count) for at in range(count)]
    return RING.format(count=count, processes="\n".join(processes))


@contextmanager
def served(folder: Path) -> Iterator[str]:
    command = [sys.executable, "-m", "ouroboros", "serve", str(folder), "--no-browser"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout
    found = re.search(r"http://\S+", server.stdout.readline())
    assert found
    try:
        yield found[0]
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(30)


def step_times(client: httpx.Client, address: str, steps: int) -> list[float]:
    """Of so many random steps in a row, in milliseconds."""
    rng = random.Random(1)
    path, possible, found = [0], 1, []
    for _ in range(steps):
        body = {"model": "ring.dve", "path": path, "watches": ["fork[0] + fork[1]"]}
        start = time.perf_counter()
        answer = client.post(f"{address}api/state", json=body).json()
        found.append((time.perf_counter() - start) * 1000)
        possible = len(answer["steps"])
        path = [*path, rng.randrange(possible)] if possible else [0]
    return found


def opening(client: httpx.Client, address: str) -> tuple[float, float]:
    """Seconds until the server has told a run of 20,000 steps, and until a browser shows it."""
    body = {"model": "counter.dve", "title": "x", "invariants": [f"x < {RUN}"]}
    number = client.post(f"{address}api/start", json=body).json()["run"]["number"]
    while client.post(f"{address}api/run", json={"run": number}).json()["status"] == "running":
        time.sleep(0.2)
    which = {"run": number, "property": f"x < {RUN}"}
    start = time.perf_counter()
    assert len(client.post(f"{address}api/trace", json=which).json()["steps"]) == RUN
    told = time.perf_counter() - start
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser: Any = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(f"{address}#model=counter.dve&tab=model")
        page.locator("#source .row").first.wait_for()
        start = time.perf_counter()
        page.goto(f"{address}#model=counter.dve&tab=trace&run={number}&property=x < {RUN}")
        page.locator(".line").first.wait_for()
        shown = time.perf_counter() - start
        browser.close()
    return told, shown


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=300)
    steps = parser.parse_args().steps
    with tempfile.TemporaryDirectory() as place, httpx.Client(timeout=300) as client:
        (Path(place) / "ring.dve").write_text(ring(PROCESSES))
        (Path(place) / "counter.dve").write_text(COUNTER)
        with served(Path(place)) as address:
            times = sorted(step_times(client, address, steps)[1:])
            median, high = statistics.median(times), times[int(len(times) * 0.95)]
            print(f"a step among {PROCESSES} processes: median {median:.1f} ms, 95th percentile {high:.1f} ms")
            told, shown = opening(client, address)
            print(f"a run of {RUN:,} steps: told in {told:.2f} s, shown in {shown:.2f} s")


if __name__ == "__main__":
    main()
