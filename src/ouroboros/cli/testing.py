"""The work of `ouro test`: find models with expectations, ask, compare, and write down what was found."""

from __future__ import annotations

import json
import os
import shlex
import time
from collections.abc import Iterator, Sequence
from functools import cache as remember
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import click

from ouroboros import cache as user_cache
from ouroboros import checking
from ouroboros.cli.check import CheckRun, asked
from ouroboros.cli.check import check as check_command
from ouroboros.cli.options import RunOptions, with_settings
from ouroboros.cli.output import printed
from ouroboros.cli.questions import names_of_files
from ouroboros.cli.running import searched
from ouroboros.cli.saving import Recipe
from ouroboros.cli.states import states as states_command
from ouroboros.engine.team import Team
from ouroboros.errors import OuroborosError, SelfCheckError, UsageError
from ouroboros.expectations.header import Check, Count, Header, read_header
from ouroboros.expectations.judgement import counted_instead, found_instead
from ouroboros.expectations.outcome import Outcome
from ouroboros.languages import Model, read_model, suffixes
from ouroboros.properties.formulas.ltl_file import read_text
from ouroboros.report.tests import junit_xml, model_lines, sarif_json, summary_line
from ouroboros.source import Source
from ouroboros.verdict.report import Report

_MOST_BYTES = 16 << 20
"""Of the cache of results."""


class Subject(NamedTuple):
    path: Path
    source: Source
    header: Header


def run_tests(paths: Sequence[str], *, junit: str | None, sarif: str | None, cache: bool) -> int:
    """Returns the exit code."""
    started = time.monotonic()
    subjects = [subject for path in paths for subject in _subjects(Path(path))]
    if not subjects:
        raise UsageError(f"no model in {', '.join(paths)} says what to expect: `// check:` and `// expect:` do")
    width = max(len(str(subject.path)) for subject in subjects)
    leads = Team().leads
    outcomes: list[Outcome] = []
    for subject in subjects:
        found = list(_outcomes(subject, cache))
        outcomes += found
        if leads:
            with printed():
                print(*model_lines(found, width), sep="\n", flush=True)
    if leads:
        with printed():
            print(summary_line(outcomes, time.monotonic() - started))
        for option, file, content in (("--junit", junit, junit_xml), ("--sarif", sarif, sarif_json)):
            if file is not None:
                _write(option, file, content(outcomes))
    return int(any(outcome.found is not None for outcome in outcomes))


def _subjects(path: Path) -> Iterator[Subject]:
    """The models that say what to expect; raises InputError where a header makes no sense."""
    if not path.is_dir():
        subject = _subject(path)
        if not subject.header.expects:
            raise UsageError(f"{path} does not say what to expect: `// check:` and `// expect:` lines at its top do")
        yield subject
        return
    for folder, inside, files in os.walk(path):
        inside[:] = sorted(name for name in inside if not name.startswith("."))
        for name in sorted(files):
            if name.lower().endswith(suffixes()):
                subject = _subject(Path(folder) / name)
                if subject.header.expects:
                    yield subject


def _subject(path: Path) -> Subject:
    source = read_model(path)
    return Subject(path, source, read_header(source))


def _outcomes(subject: Subject, cache: bool) -> Iterator[Outcome]:
    for check in subject.header.checks:
        yield from _check_outcomes(subject, check, cache)
    for count in subject.header.counts:
        yield _count_outcome(subject, count, cache)


def _check_outcomes(subject: Subject, check: Check, cache: bool) -> Iterator[Outcome]:
    command = shlex.join(["check", *check.options])
    texts = [expected.text for expected in check.expected]
    entry = _entry(subject, command, texts) if cache else None
    known = entry is not None and user_cache.load(entry) is not None
    started = time.monotonic()
    report: Report | None = None
    refused: str | None = None
    if not known:
        try:
            report = _checked(subject.path, check.options)
        except (OuroborosError, click.ClickException) as error:
            refused = _message(error)
    seconds = time.monotonic() - started
    met = True
    for number, expected in enumerate(check.expected):
        found = None
        if refused is not None:
            as_expected = expected.verdict == "error" and (expected.reason or "") in refused
            found = None if as_expected else f"error: {refused}"
        elif report:
            found = found_instead(report, expected)
        met = met and found is None
        spent = seconds if number == 0 else 0.0
        yield Outcome(str(subject.path), expected.line, command, expected.text, found, spent, known)
    if entry and met and not known:
        user_cache.save(entry, b"met", _MOST_BYTES)


def _count_outcome(subject: Subject, count: Count, cache: bool) -> Outcome:
    command = shlex.join(["states", *count.options])
    text = "  ".join(f"{name}: {number}" for name, number in count.numbers.items())
    entry = _entry(subject, command, [text]) if cache else None
    known = entry is not None and user_cache.load(entry) is not None
    started = time.monotonic()
    found = None
    if not known:
        try:
            found = counted_instead(_counted(subject.path, count.options), count)
        except (OuroborosError, click.ClickException) as error:
            found = f"error: {_message(error)}"
    if entry and found is None and not known:
        user_cache.save(entry, b"met", _MOST_BYTES)
    return Outcome(str(subject.path), count.line, command, text, found, time.monotonic() - started, known)


def _message(error: OuroborosError | click.ClickException) -> str:
    """In one line; what contradicts itself is nothing that a model can expect."""
    if isinstance(error, SelfCheckError):
        raise error
    told = error.format_message() if isinstance(error, click.ClickException) else str(error)
    return told.splitlines()[0]


def _checked(path: Path, options: Sequence[str]) -> Report:
    run, arguments = asked(_parameters(check_command, path, options))
    _confirm_writes_nothing(run, arguments)
    arguments |= {option: tuple(_beside(path, arguments[option])) for option in names_of_files()}
    check_run = CheckRun(str(path), run, arguments)
    return searched(str(path), run, check_run.recipe(), check_run.search, check_run.files)


def _counted(path: Path, options: Sequence[str]) -> Report:
    parameters = _parameters(states_command, path, options)
    arguments = {name: parameters.pop(name) for name in ("symmetry", "inclusion")}
    run = RunOptions(**parameters)
    _confirm_writes_nothing(run, {})

    def search(loaded: Model, /, **resources: Any) -> Report:
        return checking.explore(loaded, **arguments, **resources)

    return searched(str(path), run, Recipe("states", arguments), search)


def _parameters(command: click.Command, path: Path, options: Sequence[str]) -> dict[str, Any]:
    """What the command is asked, without its model."""
    context = command.make_context(command.name, [*options, "--", str(path)])
    parameters = dict(context.params)
    named = parameters.pop("models", None) or parameters.pop("files")
    if len(named) > 1:
        raise UsageError(f"`{named[0]}` in a header is no option, and the model is this one")
    return with_settings(parameters)


def _confirm_writes_nothing(run: RunOptions, arguments: dict[str, Any]) -> None:
    writing = {"--json": run.json, "--checkpoint": run.checkpoint}
    writing |= {f"--{name}": arguments.get(name) for name in ("certificate", "trail", "html")}
    for option, given in writing.items():
        if given:
            raise UsageError(f"{option} has no place in a header: a test writes no files")


def _beside(path: Path, files: Sequence[str]) -> list[str]:
    """Where a model names a file, it is next to it."""
    return [str(path.parent / file) for file in files]


def _entry(subject: Subject, command: str, expected: Sequence[str]) -> Path | None:
    """Where a result is kept; None where it cannot be told whether something has changed."""
    directory = user_cache.directory("tests")
    if directory is None or "#include" in subject.source.text:
        return None
    files = [subject.path.parent / word for word in shlex.split(command)]
    texts = [read_text(file) for file in files if file.is_file()]
    identity = [_program(), subject.source.sha256, command, *expected, *texts]
    return directory / sha256(json.dumps(identity).encode()).hexdigest()


@remember
def _program() -> str:
    """Another one has other answers, maybe."""
    digest = sha256()
    root = Path(__file__).parents[1]
    for path in sorted(root.rglob("*.py")):
        digest.update(str(path.relative_to(root)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _write(option: str, file: str, content: str) -> None:
    try:
        Path(file).write_text(content, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{option} {file}: the results cannot be written: {error.strerror}") from None
