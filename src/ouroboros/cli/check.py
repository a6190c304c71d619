"""`ouro check`: do the properties hold?"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ouroboros.cli.options import RunOptions, confirm_writable, run_options, symmetry_option, trace_option
from ouroboros.cli.questions import AskingCommand, names_of_files, names_of_questions
from ouroboros.errors import UsageError
from ouroboros.languages import grouped
from ouroboros.system.model import REDUCTIONS, ReductionKind

_MEANS = (
    "deadlock",
    "fairness",
    "weak",
    "strong",
    "symmetry",
    "algorithm",
    "order",
    "edges",
    "safety",
    "first",
    "violations",
    "non_zeno",
)
_FILES = ("trail", "html", "certificate")

if TYPE_CHECKING:
    from ouroboros.cli.saving import Recipe, SavedRun
    from ouroboros.languages import Model
    from ouroboros.report.page import Page
    from ouroboros.verdict.report import Report


@click.command(cls=AskingCommand, short_help="Check the properties of a model.")
@click.argument("models", metavar="MODEL…", nargs=-1, required=True, type=click.Path())
@click.option(
    "--deadlock",
    type=click.Choice(["stuck", "stuttering", "off"]),
    help="What a deadlock is: a state without any step; or also one that every step leads back to; or nothing at all."
    " Default: stuttering for Murphi, stuck for all others.",
)
@symmetry_option
@click.option(
    "--fairness",
    type=click.Choice(["weak", "strong"]),
    help="Only runs count that are fair: to every process, or where there are none to every instance of a rule.",
)
@click.option(
    "--weak",
    metavar="PATTERN",
    multiple=True,
    help="The processes, rules or statements with such a name are weakly fair: if possible from some time on, they"
    " happen. `*` and `?` stand for any characters. Repeatable.",
)
@click.option(
    "--strong",
    metavar="PATTERN",
    multiple=True,
    help="They are strongly fair: if possible again and again, they happen. Repeatable.",
)
@click.option(
    "--stutter",
    type=click.Choice(["on", "off"]),
    help="Whether a run may stay in a state for ever. Default: on for --response, as only fairness makes a run go on;"
    " off for formulas and automata.",
)
@click.option(
    "--non-zeno",
    is_flag=True,
    help="Of timed automata, in A<>, E[] and -->: only runs count on which time goes on without end.",
)
@click.option(
    "--algorithm",
    type=click.Choice(["auto", "ndfs", "owcty", "map"]),
    default="auto",
    show_default=True,
    help="How to look for accepting cycles: nested depth-first search, one way catch them young, or maximal accepting"
    " predecessors.",
)
@click.option(
    "--order",
    type=click.Choice(["discovery", "reverse", "hash"]),
    help="The order of states that `map` takes the maximum in.",
)
@click.option(
    "--edges",
    type=click.Choice(["auto", "keep", "regenerate"]),
    help="Keep the edges of the product in memory, or generate them again when they are needed. Default: keep them"
    " where memory allows.",
)
@click.option(
    "--reduction/--no-reduction",
    default=True,
    show_default=True,
    help="Leave out states where that is sound: by partial order, by merging, and by dead and unread variables.",
)
@click.option(
    "--no-partial-order", is_flag=True, help="Also explore states that differ in the order of independent steps."
)
@click.option("--no-merging", is_flag=True, help="Also keep the states between local statements of a process.")
@click.option("--no-dead-variables", is_flag=True, help="Keep the values of variables that are not read any more.")
@click.option("--no-unread-variables", is_flag=True, help="Keep the values of variables that are never read.")
@click.option(
    "--inclusion/--no-inclusion",
    default=None,
    help="Of timed automata: leave out zones inside of others, or keep them. Default: leave them out where a question"
    " about states allows that.",
)
@click.option(
    "--check-reductions",
    is_flag=True,
    help="First have the interpreter try, in up to 20,000 states, what reductions take for granted; that takes long.",
)
@click.option("--safety", is_flag=True, help="Only assertions and the ends of runs, no formulas and no cycles.")
@click.option(
    "--first",
    is_flag=True,
    help="End the search of the states at the first violation. Default: go on until each property has its answer.",
)
@click.option(
    "--all",
    "violations",
    metavar="N",
    type=click.IntRange(1),
    default=1,
    help="Collect up to N violations of each property of states. They end in different states, and none comes through"
    " the end of another; steps that fail otherwise come first.",
)
@click.option(
    "--trail",
    is_flag=True,
    help="Write the run that violates a property of a Promela model to MODEL.trail, for `spin -t` to replay.",
)
@click.option(
    "--certificate",
    metavar="FILE",
    help="Where all holds, write down the states, and ranks that show that there is no accepting cycle:"
    " `ouro verify-certificate` confirms them. Without partial order reduction.",
)
@click.option(
    "--html",
    metavar="FILE",
    help="Write a page with the report, a viewer of the counterexamples and the model's text: one file, to be sent.",
)
@trace_option
@run_options
def check(models: tuple[str, ...], **options: Any) -> int:
    """Check the properties of a model, or of several, one after the other. The files of a C program are one model.

    Without --property, --invariant, --ltl or --response, the model's assertions are checked, and that nothing goes
    wrong: no index out of range, no division by zero. Then its own property automata are, or, where it has none, that
    there is no deadlock; and the responses that it states.

    A violation is shown as a run that leads to it, or, for a formula, that repeats a cycle for ever.
    """
    run, arguments = asked(options)
    found = grouped(models)
    if len(found) == 1:
        (first, *others), *_ = found
        return check_model(first, run.of_files(others), arguments)

    from ouroboros.cli.several import check_several

    return check_several(found, run, arguments)


def asked(options: dict[str, Any]) -> tuple[RunOptions, dict[str, Any]]:
    """From the command's options: how to run, and what `check_model` is to ask."""
    options = dict(options)
    arguments = {name: options.pop(name) for name in (*names_of_questions(), *_MEANS, *_FILES)}
    stutter, inclusion = options.pop("stutter"), options.pop("inclusion")
    arguments |= {
        "stutter": None if stutter is None else stutter == "on",
        "inclusion": bool(inclusion),
        "reductions": _reductions(options, inclusion),
        "check_reductions": options.pop("check_reductions"),
    }
    return RunOptions(**options), arguments


class CheckRun:
    """One check of one model, in the parts that a search needs."""

    def __init__(self, model: str, run: RunOptions, arguments: dict[str, Any]) -> None:
        self._model = model
        self._run = run
        self._question = dict(arguments)
        self._trail = self._question.pop("trail")
        self._html = self._question.pop("html", None)
        self._loaded: Model | None = None
        self._certificate = self._question.pop("certificate")
        self._arguments = arguments

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(name for option in names_of_files() for name in self._question[option])

    def recipe(self) -> Recipe:
        from ouroboros.cli.saving import Recipe, absolute

        files = {option: absolute(self._question[option]) for option in names_of_files()}
        written = {"certificate": self._certificate, "html": self._html}
        for option, file in written.items():
            if file:
                confirm_writable(f"--{option}", file)
                [written[option]] = absolute([file])
        return Recipe("check", {**self._arguments, **files, **written})

    def search(self, loaded: Model, /, **resources: Any) -> Report:
        from ouroboros import checking
        from ouroboros.cli.trail import confirm_has_trails
        from ouroboros.driver.certifying import CertificateFile

        self._loaded = loaded
        if self._trail:
            confirm_has_trails(loaded)
        run = self._run
        file = (
            CertificateFile(self._certificate, run.overflow, run.definitions, run.settings)
            if self._certificate
            else None
        )
        return checking.check(loaded, certificate=file, **self._question, **resources)

    def show(self, report: Report, page: Page) -> None:
        from ouroboros.report.terminal import write_check
        from ouroboros.report.trace import TraceView

        write_check(report, page, TraceView(self._run.trace, shlex.join(["ouro", *sys.argv[1:]])))

    def afterwards(self, report: Report) -> None:
        from ouroboros.cli.certificate import confirm_certified
        from ouroboros.cli.trail import write_trail

        if self._trail:
            write_trail(report, self._model)
        if self._html and self._loaded:
            _write_page(self._html, report, self._loaded)
        confirm_certified(report)


def _write_page(file: str, report: Report, model: Model) -> None:
    from ouroboros.cli.stages import told
    from ouroboros.web.page_file import page_file

    try:
        with told(f"writing {file}"):
            Path(file).write_text(page_file(report, model), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"--html {file}: the page cannot be written: {error.strerror}") from None


def check_model(model: str, run: RunOptions, arguments: dict[str, Any], saved: SavedRun | None = None) -> int:
    """Returns the exit code. With a `saved` run, go on with that."""
    from ouroboros.cli.running import run_and_report

    check_run = CheckRun(model, run, arguments)
    return run_and_report(
        model,
        run,
        check_run.recipe(),
        check_run.search,
        check_run.show,
        other_files=check_run.files,
        afterwards=check_run.afterwards,
        saved=saved,
    )


def _reductions(options: dict[str, Any], inclusion: bool | None) -> list[ReductionKind]:
    """Those that are not switched off."""
    switched: set[ReductionKind] = {kind for kind in REDUCTIONS if kind != "inclusion"}
    left_out = {kind for kind in switched if options.pop(f"no_{kind.replace(' ', '_')}")}
    wanted = REDUCTIONS - left_out if options.pop("reduction") else frozenset()
    if inclusion is None:
        return sorted(wanted)
    return sorted(wanted | {"inclusion"} if inclusion else wanted - {"inclusion"})
