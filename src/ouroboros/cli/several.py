"""`ouro check` with several models: each in turn, and what became of them all at the end."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ouroboros.cli.check import CheckRun
from ouroboros.cli.failures import Failed, explained, failure_data
from ouroboros.cli.options import RunOptions
from ouroboros.cli.output import printed
from ouroboros.engine.team import Team
from ouroboros.errors import UsageError

_WORDS = {0: "holds", 1: "violated", 2: "error", 3: "unknown", 4: "our bug", 130: "interrupted"}
_BY_SEVERITY = (4, 130, 2, 1, 3, 0)
"""A wrong command outweighs what other models say, a violation what is not known."""


def worst(codes: Sequence[int]) -> int:
    return min(codes, key=_BY_SEVERITY.index)


def check_several(groups: Sequence[tuple[str, ...]], run: RunOptions, arguments: dict[str, Any]) -> int:
    """Returns the most severe exit code."""
    for option, given in (
        ("--checkpoint", run.checkpoint),
        ("--certificate", arguments["certificate"]),
        ("--html", arguments["html"]),
    ):
        if given:
            raise UsageError(f"{option} is for one model: several would write over each other's files")
    models = [" ".join(files) for files in groups]
    if "-" in models:
        raise UsageError("standard input is one model: name files, or check it alone")
    leads = Team(run.workers).leads
    told: list[dict[str, Any]] = []
    codes: list[int] = []
    for (first, *others), model in zip(groups, models, strict=True):
        if leads and run.json != "-":
            with printed():
                print(f"{chr(10) if codes else ''}{model}")
        codes.append(_check_one(first, run.of_files(others), arguments, told))
        if codes[-1] == 130:
            break
    if leads:
        _publish(models, codes, told, run.json)
    return worst(codes)


def _check_one(model: str, run: RunOptions, arguments: dict[str, Any], told: list[dict[str, Any]]) -> int:
    """Returns the exit code; what there is to tell programs is added to `told`."""
    from ouroboros.cli.running import searched
    from ouroboros.report.json import report_data
    from ouroboros.report.page import Page

    def search() -> int:
        check_run = CheckRun(model, run, arguments)
        report = searched(model, run, check_run.recipe(), check_run.search, check_run.files)
        if Team(run.workers).leads:
            told.append(report_data(report))
            if run.json != "-":
                with printed():
                    check_run.show(report, Page(sys.stdout))
            check_run.afterwards(report)
        return report.verdict.exit_code

    def heard(failed: Failed) -> None:
        told.append(failure_data(failed, model))

    return explained(search, heard)


def _publish(models: Sequence[str], codes: Sequence[int], told: list[dict[str, Any]], target: str | None) -> None:
    if target == "-":
        with printed():
            sys.stdout.write(_json(told))
        return
    with printed():
        print()
        for model, code in zip(models, codes, strict=False):
            print(f"{_WORDS[code]:<11}  {model}")
    if target:
        try:
            Path(target).write_text(_json(told), encoding="utf-8")
        except OSError as error:
            raise UsageError(f"--json {target}: the reports cannot be written: {error.strerror}") from None


def _json(told: list[dict[str, Any]]) -> str:
    return json.dumps(told, indent=2, ensure_ascii=False) + "\n"
