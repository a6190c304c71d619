"""An outcome as plain data, and back: for a checkpoint of a run that has more searches to make."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ouroboros.verdict.outcome import FairNumbers, Finding, Outcome, Phase, Statistics

Json = dict[str, Any]


def outcome_data(outcome: Outcome) -> Json:
    """Of a search that is finished: no limit has ended it."""
    fired = outcome.statistics.fired
    return {
        "statistics": asdict(outcome.statistics) | {"fired": None if fired is None else sorted(fired)},
        "finding": _finding_data(outcome.finding),
        "findings": [_finding_data(finding) for finding in outcome.findings],
        "exhausted": outcome.exhausted,
    }


def outcome_from(data: Json) -> Outcome:
    statistics: Json = dict(data["statistics"])
    statistics["phases"] = tuple(Phase(**phase) for phase in statistics["phases"])
    statistics["fired"] = None if statistics["fired"] is None else frozenset(statistics["fired"])
    statistics["fair"] = FairNumbers(**statistics["fair"]) if statistics["fair"] else None
    return Outcome(
        Statistics(**statistics),
        _finding_from(data["finding"]),
        findings=tuple(_finding_from(finding) for finding in data["findings"]),
        exhausted=data["exhausted"],
    )


def _finding_data(finding: Finding | None) -> Json | None:
    if finding is None:
        return None
    return {
        "kind": finding.kind,
        "path": finding.path,
        "cycle": finding.cycle,
        "taken": None if finding.taken is None else [sorted(actions) for actions in finding.taken],
        "site": finding.site,
        "group": finding.group,
    }


def _finding_from(data: Json | None) -> Finding | None:
    if data is None:
        return None
    return Finding(
        data["kind"],
        [tuple(vector) for vector in data["path"]],
        None if data["cycle"] is None else [tuple(vector) for vector in data["cycle"]],
        None if data["taken"] is None else [frozenset(actions) for actions in data["taken"]],
        data["site"],
        data["group"],
    )
