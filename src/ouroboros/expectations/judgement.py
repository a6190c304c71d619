"""Is a report what was expected?"""

from __future__ import annotations

from ouroboros.expectations.header import Count, Expected
from ouroboros.verdict.report import Answer, Report, Search


def found_instead(report: Report, expected: Expected) -> str | None:
    """What the report says that was not expected, in the words of an expectation; None where all is as expected."""
    if expected.property is None:
        answer, search = report.decisive, report.search
    else:
        named = [answer for answer in report.answers if answer.property == expected.property]
        if not named:
            return f"no such property; there are {', '.join(answer.property for answer in report.answers)}"
        answer, search = named[0], named[0].search
    return None if _agrees(answer, search, expected) else _told(answer, search, expected)


def counted_instead(report: Report, expected: Count) -> str | None:
    """The numbers that are others than expected."""
    if not report.complete:
        return f"unknown: {report.reason}"
    statistics = report.statistics
    wrong = [
        f"{name}: {getattr(statistics, name)}"
        for name, number in expected.numbers.items()
        if getattr(statistics, name) != number
    ]
    return "  ".join(wrong) or None


def _agrees(answer: Answer, search: Search, expected: Expected) -> bool:
    trace = answer.trace
    return (
        answer.verdict == expected.verdict
        and (expected.steps is None or (trace is not None and len(trace.steps) == expected.steps))
        and (trace is None or expected.steps is not None or expected.cycle == (trace.loop_start is not None))
        and (expected.states is None or search.statistics.states == expected.states)
        and (expected.transitions is None or search.statistics.transitions == expected.transitions)
        and (expected.reason is None or expected.reason in (answer.reason or ""))
    )


def _told(answer: Answer, search: Search, expected: Expected) -> str:
    name = "" if answer.verdict == "holds" else f' "{answer.property}"'
    told = f"{answer.verdict.value}{name}"
    if answer.trace:
        steps = len(answer.trace.steps)
        told += f" in {steps} step{'s' * (steps != 1)}" if answer.trace.loop_start is None else " by a cycle"
    if expected.states is not None:
        told += f", {search.statistics.states} states"
    if expected.transitions is not None:
        told += f", {search.statistics.transitions} transitions"
    return f"{told}: {answer.reason}" if answer.reason else told
