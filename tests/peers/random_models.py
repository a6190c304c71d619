"""Compare random models with Spin: `python -m tests.peers.random_models 1000 [SEED]`.

States, transitions and verdicts must be Spin's; and what goes wrong must be the same with each reduction. Models that
Spin refuses, that are too large, or on which a run is cut off are not counted. What differs is shrunk and printed.
"""

from __future__ import annotations

import sys

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.peers.random_promela import models
from tests.peers.test_promela import assert_reduction_is_sound, compare


def main(wanted: int, first_seed: int) -> None:
    compared = 0
    at_once = 50

    @given(text=models())
    @settings(
        max_examples=at_once,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    def agrees(text: str) -> None:
        nonlocal compared
        assert_reduction_is_sound(text)
        compared += compare(text)

    number = first_seed
    while compared < wanted:
        seed(number)(agrees)()
        number += 1
        print(f"{compared} models compared, seeds {first_seed} to {number - 1}: no difference", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
