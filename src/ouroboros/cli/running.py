"""What every searching command does: load, search with a live line, report."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Protocol

from ouroboros.checkpoint.keeper import Keeper
from ouroboros.cli.failures import Interrupted
from ouroboros.cli.options import RunOptions
from ouroboros.cli.output import printed
from ouroboros.cli.saving import Recipe, SavedRun, begin_saving, go_on_saving, new_keeper, stopping_politely
from ouroboros.cli.stages import StagesOfRun, told
from ouroboros.cli.together import confirm_together, load_together
from ouroboros.cli.warning import warn
from ouroboros.driver.run import Kernels
from ouroboros.engine.limits import Clock, Interrupt, Limits, Observer
from ouroboros.engine.stores.choice import read_store
from ouroboros.engine.team import Team
from ouroboros.errors import UsageError
from ouroboros.languages import Model
from ouroboros.process import process_started
from ouroboros.report.json import report_json
from ouroboros.report.live import LiveLine
from ouroboros.report.page import Page
from ouroboros.verdict.report import Report


class Search(Protocol):
    def __call__(
        self,
        model: Model,
        /,
        *,
        store: str,
        seed: int,
        strict: bool,
        team: Team,
        limits: Limits,
        observer: Observer,
        before_search: Callable[[Kernels], None],
        keeper: Keeper | None,
    ) -> Report: ...


def run_and_report(
    path: str,
    options: RunOptions,
    recipe: Recipe,
    search: Search,
    view: Callable[[Report, Page], None],
    other_files: Sequence[str] = (),
    afterwards: Callable[[Report], None] | None = None,
    saved: SavedRun | None = None,
) -> int:
    """Returns the exit code. `afterwards` is done once, with the report; for all else see `searched`."""
    report = searched(path, options, recipe, search, other_files, saved)
    if Team(options.workers).leads:
        _publish(report, options.json, view)
        if afterwards:
            afterwards(report)
    return report.verdict.exit_code


def searched(
    path: str,
    options: RunOptions,
    recipe: Recipe,
    search: Search,
    other_files: Sequence[str] = (),
    saved: SavedRun | None = None,
) -> Report:
    """Load and search, with a live line. `other_files` are read by the search.

    With a `saved` run, go on with that; the `recipe` is how it can be gone on with.
    """
    team = Team(options.workers)
    interrupt = Interrupt() if options.checkpoint else None
    leads = team.leads
    line = LiveLine(sys.stderr, visible=leads, memory=options.memory)
    clock = Clock()
    stages = StagesOfRun(line, options.time, clock, alone=team.exchange != "mpi")
    limits = Limits(
        options.memory, options.time, options.states, options.scratch, process_started(), interrupt, clock, stages
    )
    try:
        with stages(f"reading {path}"):
            model = load_together(team, path, options.overflow, options.definitions, options.language, options.settings)
    finally:
        line.stop()
    others = [confirm_together(team, other) for other in other_files]
    files = [model.system.source, *model.system.included, *others]
    keeper: Keeper | None = None
    if saved:
        keeper = go_on_saving(team, options, saved, files)
    elif options.checkpoint:
        keeper = new_keeper(team, options)

    def before_search(kernels: Kernels) -> None:
        if keeper and not saved:
            begin_saving(team, keeper, path, options, recipe, files)
        if leads:
            line.stop()
            # Those about the question as well: it has been read by now.
            warn(model.system.warnings)
            _announce_compilation(kernels, options.store, model.system.layout.words)

    try:
        with stopping_politely(interrupt, leads) if interrupt else nullcontext():
            return search(
                model,
                store=options.store,
                seed=options.seed,
                strict=options.strict,
                team=team,
                limits=limits,
                observer=line,
                before_search=before_search,
                keeper=keeper,
            )
    except KeyboardInterrupt:
        states = f" after {line.last.states:,} states" if line.last else ""
        raise Interrupted(f"interrupted{states}: nothing is decided") from None
    finally:
        line.stop()
        if keeper:
            keeper.directory.unlock()


_SEARCHES: dict[Kernels, tuple[str, str]] = {
    "states": ("engine", "base"),
    "cycles": ("searches for cycles", "product"),
    "fair cycles": ("searches for fair cycles", "fair"),
}
"""What makes the steps of each kind of search, and its module of kernels by width."""


def _announce_compilation(kernels: Kernels, store: str, words: int) -> None:
    from ouroboros.jit import kernels_are_compiled

    # The kernels of a kind of search, or of a store, are compiled when it is first used with states of some length.
    missing = [
        part
        for part, module in (
            _SEARCHES[kernels],
            (f"{store} store", read_store(store).kernels),
        )
        if not kernels_are_compiled(module, words)
    ]
    if missing:
        print(
            f"compiling the {missing[0]}: once on this machine for models like this, less than a minute …",
            file=sys.stderr,
            flush=True,
        )


def _publish(report: Report, target: str | None, view: Callable[[Report, Page], None]) -> None:
    try:
        with printed():
            if target == "-":
                sys.stdout.write(report_json(report))
            else:
                view(report, Page(sys.stdout))
    finally:
        # Also where nobody could be shown the report.
        if target and target != "-":
            try:
                with told(f"writing {target}"):
                    Path(target).write_text(report_json(report), encoding="utf-8")
            except OSError as error:
                raise UsageError(f"--json {target}: the report cannot be written: {error.strerror}") from None
