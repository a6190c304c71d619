"""How many random models it takes until an older version is caught: its reductions against the same without them.

    git worktree add /tmp/older 88f2d19
    PYTHONPATH=/tmp/older/src python bench/reductions_before.py --count 500

Only what every version has is used: the generator of models, and `check`. Tells of each model on which they differ.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

import ouroboros
from ouroboros import cache
from ouroboros.checking import check
from ouroboros.errors import InputError, OuroborosError
from ouroboros.languages import promela
from ouroboros.native import objects
from ouroboros.source import Source
from tests.reduce.choices import Seeded
from tests.reduce.random_enabledness import random_model


def verdict(text: str, *reductions: frozenset[str]) -> str:
    """With all reductions, or with those that are given."""
    options = {"reductions": reductions[0]} if reductions else {}
    try:
        model = promela.load(Source("model.pml", text))
        report = check(model, properties=["assertions", "end-states"], **options)  # type: ignore[arg-type]  # the options of an older version
    except InputError:
        return "refused"
    except OuroborosError as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"
    return str(report.verdict.value)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=500, help="how many models")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--save", type=Path, help="where models that differ go")
    options = parser.parse_args()
    print(f"{os.path.dirname(ouroboros.__file__)}", flush=True)
    kept = cache.directory
    cache.directory = lambda kind: None if kind in ("objects", "reductions") else kept(kind)
    objects.THOROUGH_LINES = objects.QUICK_LINES = 0
    differing = refused = 0
    begun = time.monotonic()
    for number, seed in enumerate(range(options.seed, options.seed + options.count), 1):
        model = random_model(Seeded(seed))
        whole = verdict(model.text, frozenset())
        reduced = verdict(model.text)
        refused += whole == "refused"
        if whole != reduced:
            differing += 1
            told = f"model {number}, seed {seed}, {model.kind}: {whole}, with reductions {reduced}"
            print(told, flush=True)
            if options.save:
                options.save.mkdir(parents=True, exist_ok=True)
                (options.save / f"before_{seed}.pml").write_text(f"// {told}\n{model.text}")
    seconds = time.monotonic() - begun
    print(f"{options.count} models, {refused} refused, {differing} differ, {seconds:.0f} seconds")


if __name__ == "__main__":
    main()
