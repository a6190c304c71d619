"""Whether reductions change verdicts, on random models: they must not.

    python bench/reductions.py promela --count 20000 --seed 0 [--spin 3000] [--jobs 2]
    python bench/reductions.py dve|murphi|ltl --count 5000

For each model the verdict on each kind of question is that of the interpreter, which visits the whole system. The
engine must give the same without reductions, with each of them alone and with all together, and so must the interpreter
in the system that each of them leaves; for formulas, so must every algorithm. The engine takes partial order with each
model, the others alone by turns, unless that is to be `--thorough`. With `--spin` that many of the models are judged by
Spin, too. What differs is saved with its seed. Exits with 1 if anything differs.
"""

from __future__ import annotations

import argparse
import gc
import multiprocessing
import os
import re
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ouroboros import cache
from ouroboros.native import objects
from tests.peers.counting import TooLarge
from tests.peers.spin import judged_by_spin
from tests.reduce import sharing
from tests.reduce.choices import Seeded
from tests.reduce.judging import SUFFIXES, Comparison, compare, explore, load
from tests.reduce.judging_runs import compare_formula
from tests.reduce.random_dve import random_model as random_dve
from tests.reduce.random_enabledness import RandomModel
from tests.reduce.random_enabledness import random_model as random_promela
from tests.reduce.random_formulas import random_formula
from tests.reduce.random_rules import random_model as random_murphi

MODELS = {"promela": random_promela, "dve": random_dve, "murphi": random_murphi}
AT_ONCE = 20
"""Models that a process is given at a time."""
BEFORE_RENEWAL = 25
"""After so many times for each, processes are replaced: machine code is not given back."""
SECONDS = 120
"""For one model."""


@dataclass(frozen=True)
class Campaign:
    """What is asked of models."""

    name: str
    spin: frozenset[int]
    """The seeds of the models that Spin judges, too."""
    thorough: bool


@dataclass(frozen=True)
class Outcome:
    """What became of a seed."""

    seed: int
    language: str
    model: RandomModel
    comparison: Comparison
    by_spin: str | None = None
    """`same`, `different`, why Spin could not be asked, or why it may differ."""


def prepare() -> None:
    """Compile each model once, in haste, and keep nothing of it."""
    kept = cache.directory
    cache.directory = lambda kind: None if kind in ("objects", "reductions") else kept(kind)
    objects.THOROUGH_LINES = objects.QUICK_LINES = 0
    now_and_then = Seeded("coverage")
    sharing.share(lambda: now_and_then.chance(8))
    # What is there now stays: there is no use in looking for garbage in it again and again.
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()


def _end_with(parent: int) -> None:
    """A process whose parent was killed would wait for work for ever."""
    while os.getppid() == parent:
        time.sleep(2)
    os._exit(1)


def made(campaign: str, seed: int) -> tuple[str, RandomModel]:
    """The language and the model of a seed; formulas are asked of every language, of Promela most."""
    language = ("promela", "promela", "dve", "promela", "murphi")[seed % 5] if campaign == "ltl" else campaign
    return language, MODELS[language](Seeded(seed))


def outcome(campaign: str, seed: int, by_spin: bool, thorough: bool = False) -> Outcome:
    language, model = made(campaign, seed)
    ways = Seeded(f"ways {seed}")
    sharing.begin()
    signal.signal(signal.SIGALRM, _too_slow)
    signal.alarm(SECONDS)
    try:
        if campaign == "ltl" and model.atoms:
            formula = random_formula(ways, model.atoms)
            comparison = compare_formula(model, language, formula, ways.chance)
        else:
            comparison = compare(model, language, ways.chance, thorough)
    except TimeoutError:
        comparison = Comparison(differences=[f"no answer in {SECONDS} seconds"])
    except Exception as error:  # whatever it is, the other seeds are to be tried
        comparison = Comparison(differences=[f"{type(error).__name__}: {error}"])
    finally:
        signal.alarm(0)
    judgement = spin_says(model) if by_spin and comparison.whole else None
    return Outcome(seed, language, model, comparison, judgement)


def _too_slow(*_: object) -> None:
    raise TimeoutError


def spin_says(model: RandomModel) -> str:
    """Whether Spin without reductions finds the same states and the same verdict.

    Spin refuses claims beside `else` and some labels. Neither means anything to the rest of the model: both of us judge
    it without them. And without printing, for in a `d_step` that makes Spin count fewer transitions.
    """
    text = re.sub(r"\{ (end|accept|progress)\d+: ", "{ ", re.sub(r"\bx[rs] \w+; ", "", model.text))
    text = text.replace('printf("x")', "skip")
    try:
        whole = explore(load(text, "promela"))
    except TooLarge:
        return "too large"
    if whole.failures - {"assertion"}:
        # Here a run is cut off; Spin goes on somehow.
        return "not comparable"
    with tempfile.TemporaryDirectory() as directory:
        judged = judged_by_spin(text, Path(directory), optimise="-O0")
    if isinstance(judged, str):
        return "refused by Spin"
    ours = whole.states, whole.transitions, whole.verdict("ends") == "violated"
    if ours == (judged.states, judged.transitions, judged.error is not None):
        return "same"
    return "other numbers of channels" if model.numbers else f"different: {ours}, Spin {judged}"


def outcomes(campaign: Campaign, seeds: list[int]) -> list[Outcome]:
    return [outcome(campaign.name, seed, seed in campaign.spin, campaign.thorough) for seed in seeds]


def all_outcomes(campaign: Campaign, seeds: range, jobs: int) -> Iterator[list[Outcome]]:
    """Of every seed; where a process dies, until it is known of which seed."""
    waiting = [list(seeds[first : first + AT_ONCE]) for first in range(0, len(seeds), AT_ONCE)]
    for first in range(0, len(waiting), jobs * BEFORE_RENEWAL):
        suspects: list[list[int]] = []
        yield from _together(campaign, waiting[first : first + jobs * BEFORE_RENEWAL], jobs, suspects)
        while suspects:
            # A pool dies with all that it was given, so that nobody says whose fault it was.
            part = suspects.pop()
            died: list[list[int]] = []
            yield from _together(campaign, [part], 1, died)
            if died and len(part) == 1:
                yield [Outcome(part[0], *made(campaign.name, part[0]), Comparison(differences=["the process died"]))]
            elif died:
                suspects += [part[: len(part) // 2], part[len(part) // 2 :]]


def _together(campaign: Campaign, parts: list[list[int]], jobs: int, died: list[list[int]]) -> Iterator[list[Outcome]]:
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"), initializer=prepare) as pool:
        running = {pool.submit(outcomes, campaign, part): part for part in parts}
        for future in as_completed(running):
            try:
                yield future.result()
            except BrokenProcessPool:
                died.append(running[future])


def save(found: Outcome, directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    suffix = SUFFIXES[found.language]
    begins = "--" if suffix == "m" else "//"
    told = [f"seed {found.seed}: {found.model.kind}", *found.comparison.differences]
    told += [f"Spin: {found.by_spin}"] if found.by_spin else []
    comment = "\n".join(f"{begins} {line}" for text in told for line in text.splitlines())
    path = directory / f"{found.language}_{found.seed}.{suffix}"
    path.write_text(f"{comment}\n{found.model.text}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("campaign", choices=[*MODELS, "ltl"])
    parser.add_argument("--count", type=int, default=1000, help="how many models")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--spin", type=int, default=0, help="how many of them Spin judges, too")
    parser.add_argument("--thorough", action="store_true", help="the engine takes each reduction alone with each model")
    parser.add_argument("--jobs", type=int, default=1, help="processes at work")
    parser.add_argument("--save", type=Path, default=Path("differences"), help="where models that differ go")
    options = parser.parse_args()
    if options.spin and options.campaign != "promela":
        parser.error("Spin reads Promela")
    seeds = range(options.seed, options.seed + options.count)
    counts: Counter[str] = Counter()
    differing: Counter[str] = Counter()
    begun = told = time.monotonic()
    campaign = Campaign(options.campaign, frozenset(seeds[: options.spin]), options.thorough)
    for part in all_outcomes(campaign, seeds, options.jobs):
        for each in part:
            counts.update(_counted(each))
            if each.comparison.differences or (each.by_spin or "").startswith("different"):
                differing[each.model.kind] += 1
                save(each, options.save)
                first = (each.comparison.differences or [f"Spin: {each.by_spin}"])[0].splitlines()[0]
                print(f"seed {each.seed}, {each.model.kind}: {first}", flush=True)
        now = time.monotonic()
        if now - told > 30:
            told = now
            rate = counts["models"] / (now - begun)
            print(f"{counts['models']} models, {rate:.1f} a second, {sum(differing.values())} differ", flush=True)
    seconds = time.monotonic() - begun
    print(f"{options.campaign}, seeds {seeds.start} to {seeds.stop - 1}, {seconds:.0f} seconds")
    for name, number in sorted(counts.items()):
        print(f"  {number:8} {name}")
    print(f"  {sum(differing.values()):8} differ")
    for kind, number in differing.most_common():
        print(f"  {number:8}   {kind}")
    sys.exit(1 if differing else 0)


def _counted(each: Outcome) -> Iterator[str]:
    yield "models"
    comparison = each.comparison
    if comparison.skipped:
        yield f"skipped, {comparison.skipped.partition(':')[0]}"
        return
    for question, verdict in comparison.verdicts.items():
        yield f"{question}: {verdict}"
    if comparison.used:
        yield "reduced"
    for kind in comparison.used:
        yield f"reduced by {kind}"
    if each.by_spin:
        yield f"Spin: {each.by_spin.partition(':')[0]}"


if __name__ == "__main__":
    main()
