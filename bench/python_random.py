"""Random Python models: CPython's own execution, the interpreter and machine code agree on every state and label.

    python bench/python_random.py [MODELS] [--seed N] [--states MOST]

Prints how many models were compiled and compared, how many were refused and why, and the smallest text that differs.
Exits with 1 if one does.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, Phase, given, seed, settings

sys.path.append(str(Path(__file__).resolve().parents[1]))
from ouroboros.errors import InputError
from tests.languages.python.oracle import assert_agrees, model_of
from tests.languages.python.random_models import models

BATCH = 250


class Tally:
    def __init__(self) -> None:
        self.compared = self.states = 0
        self.refused: Counter[str] = Counter()

    def take(self, text: str, most: int) -> None:
        with TemporaryDirectory() as folder:
            try:
                model = model_of(text, Path(folder), "M")
            except InputError as refusal:
                assert refusal.span is not None, refusal  # noqa: PT017 - no test, and told with what is wrong
                self.refused[re.sub("`[^`]*`", "`…`", refusal.message)] += 1
                return
            self.states += assert_agrees(model, most)
            self.compared += 1


def batch(tally: Tally, number: int, size: int, most: int) -> None:
    @seed(number)
    @settings(
        max_examples=size,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink],
        print_blob=False,
        report_multiple_bugs=False,
    )
    @given(models())
    def agrees(text: str) -> None:
        tally.take(text, most)

    agrees()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="?", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--states", type=int, default=30, help="of each model, the first so many")
    options = parser.parse_args()
    tally, differing, start = Tally(), 0, time.monotonic()
    for number in range(options.models // BATCH or 1):
        try:
            batch(tally, options.seed + number, min(BATCH, options.models), options.states)
        except Exception as error:
            differing += 1
            print(f"seed {options.seed + number}: {type(error).__name__}: {error}")
            print("\n".join(getattr(error, "__notes__", ())), flush=True)
        print(
            f"{time.monotonic() - start:6.0f} s: {tally.compared:,} models compared in {tally.states:,} states, "
            f"{tally.refused.total():,} refused, {differing} seeds with a difference",
            flush=True,
        )
    for reason, count in tally.refused.most_common():
        print(f"{count:6,} refused: {reason}")
    return int(differing > 0)


if __name__ == "__main__":
    raise SystemExit(main())
