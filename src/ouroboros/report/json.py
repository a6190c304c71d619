"""The report as JSON; `docs/report.schema.json` describes it."""

from __future__ import annotations

import json
from typing import Any

from ouroboros import __version__
from ouroboros.report.report import Report
from ouroboros.trace.data import trace_data


def report_data(report: Report) -> dict[str, Any]:
    statistics, setting = report.statistics, report.setting
    data: dict[str, Any] = {
        "verdict": report.verdict.value,
        "reason": report.reason,
        "property": report.property_name,
        "properties": [
            {"name": answer.property, "verdict": answer.verdict.value, "reason": answer.reason}
            for answer in report.answers
        ],
        "complete": report.complete,
        "states": statistics.states,
        "transitions": statistics.transitions,
        "deadlocks": statistics.deadlocks,
        "failures": statistics.failures,
        "depth": statistics.depth,
        "seconds": round(report.seconds, 6),
        "search_seconds": round(statistics.seconds, 6),
        "search_cpu_seconds": round(statistics.cpu_seconds, 6),
        "peak_bytes": report.peak_bytes,
        "bytes_per_state": round(report.bytes_per_state, 3),
        "workers": setting.workers,
        "exchange": setting.exchange,
        "store": setting.store,
        "algorithm": setting.algorithm,
        "model": {"path": report.model.name, "sha256": report.model.sha256},
        "assurance": list(report.assurance),
        "version": __version__,
    }
    if report.trace:
        data["trace"] = trace_data(report.trace)
    return data


def report_json(report: Report) -> str:
    return json.dumps(report_data(report), indent=2, ensure_ascii=False) + "\n"
