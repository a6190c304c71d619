"""The report as JSON; `docs/report.schema.json` describes it."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from ouroboros import __version__
from ouroboros.trace.itf import trace_itf
from ouroboros.verdict.report import Answer, Coverage, Report, Search
from ouroboros.verdict.trace import Trace


def report_data(report: Report) -> dict[str, Any]:
    setting = report.setting
    data: dict[str, Any] = {
        "verdict": report.verdict.value,
        "reason": report.reason,
        "property": report.property_name,
        "properties": [_answer(report, answer) for answer in report.answers],
        **_search(report.search),
        "searches": [_search(search) for search in report.searches],
        "seconds": round(report.seconds, 6),
        "peak_bytes": report.peak_bytes,
        "workers": setting.workers,
        "exchange": setting.exchange,
        "store": setting.store,
        "symmetry": setting.symmetry,
        "reductions": list(setting.reductions),
        "seed": setting.seed,
        "omission_probability": report.omission,
        "model": {"path": report.model.name, "sha256": report.model.sha256},
        "warnings": [*report.warnings, *report.remarks],
        "unreached": _unreached(report.coverage),
        "checkpoint": asdict(report.saving) if report.saving else None,
        "assurance": list(report.assurance),
        "version": __version__,
    }
    if report.trace:
        data["trace"] = _trace(report, report.decisive, report.trace)
    if report.certificate:
        certified = report.certificate
        data["certificate"] = {
            "path": None if certified.lacking else certified.path,
            "properties": list(certified.shown),
            "reason": certified.lacking,
        }
    return data


def _answer(report: Report, answer: Answer) -> dict[str, Any]:
    data: dict[str, Any] = {
        "name": answer.property,
        "verdict": answer.verdict.value,
        "reason": answer.reason,
        "search": report.searches.index(answer.search),
        "warnings": list(answer.warnings),
    }
    if answer.formula:
        data["formula"] = answer.formula
    if answer.runs:
        data["runs"] = answer.runs
    if answer.automaton:
        data["automaton"] = {
            "states": answer.automaton.states,
            "edges": sum(map(len, answer.automaton.edges)),
            "class": answer.automaton.strength,
        }
    if answer.trace:
        data["trace"] = _trace(report, answer, answer.trace)
    if answer.further:
        data["further"] = [_trace(report, answer, trace) for trace in answer.further]
    if answer.witness:
        data["witness"] = _trace(report, answer, answer.witness)
    return data


def _unreached(coverage: Coverage) -> list[dict[str, Any]] | None:
    if coverage.unreached is None:
        return None
    return [
        {
            "process": part.process,
            "file": part.span.source.name if part.span else None,
            "line": part.span.line if part.span else None,
            "column": part.span.column if part.span else None,
            "number": part.number,
            "statement": part.text,
            "tried": tried,
        }
        for part, tried in coverage.unreached
    ]


def _search(search: Search) -> dict[str, Any]:
    statistics = search.statistics
    return {
        "algorithm": search.algorithm,
        "algorithm_reason": search.choice,
        "complete": search.complete,
        "limit": search.limit,
        "meanwhile": search.meanwhile,
        "states": statistics.states,
        "transitions": statistics.transitions,
        "deadlocks": statistics.deadlocks,
        "failures": statistics.failures,
        "overflows": statistics.overflows,
        "depth": statistics.depth,
        "iterations": statistics.iterations,
        "phases": [
            {"name": phase.name, "seconds": round(phase.seconds, 6), "bytes": phase.bytes, "states": phase.states}
            for phase in statistics.phases
        ],
        "search_seconds": round(statistics.seconds, 6),
        "search_cpu_seconds": round(statistics.cpu_seconds, 6),
        "bytes": statistics.bytes,
        "buffer_bytes": statistics.buffers,
        "bytes_per_state": round(search.bytes_per_state, 3),
        "fair": asdict(statistics.fair) if statistics.fair else None,
        "identity_bits": statistics.identity_bits,
        "coverage": statistics.coverage,
        "other_stores": [asdict(one) for one in search.forecasts],
        "omission_probability": search.omission,
        "moved_states": statistics.moved,
        "balance_gain": round(statistics.balance_gain, 3),
    }


def _trace(report: Report, answer: Answer, trace: Trace) -> dict[str, Any]:
    origin = {
        "source": report.model.name,
        "source-sha256": report.model.sha256,
        "description": f"Created by Ouroboros {__version__}",
        "property": answer.property,
        "formula": answer.formula,
        "algorithm": answer.search.algorithm,
        "seed": report.setting.seed,
    }
    return trace_itf(trace, origin)


def report_json(report: Report) -> str:
    return json.dumps(report_data(report), indent=2, ensure_ascii=False) + "\n"
