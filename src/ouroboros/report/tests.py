"""What became of expectations, for people and for other programs: JUnit's XML, and SARIF for reviews of code."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import PurePath
from typing import Any
from xml.etree import ElementTree

from ouroboros import __version__
from ouroboros.expectations.outcome import Outcome
from ouroboros.units import duration, plural

_RULE = "unexpected-answer"


def model_lines(outcomes: Sequence[Outcome], width: int) -> Iterable[str]:
    """Of one model: whether all is as expected, and what is not. Names of models are padded to a width."""
    wrong = [outcome for outcome in outcomes if outcome.found is not None]
    seconds = sum(outcome.seconds for outcome in outcomes)
    took = "not changed" if all(outcome.cached for outcome in outcomes) else duration(seconds)
    number = plural(len(outcomes), "expectation")
    yield f"{'FAILED' if wrong else 'ok':<6}  {outcomes[0].model:<{width}}  {number:<15}  {took}"
    for outcome in wrong:
        yield f"  {outcome.model}:{outcome.line}: ouro {outcome.asked}"
        yield f"    expected  {outcome.expected}"
        yield f"    found     {outcome.found}"


def summary_line(outcomes: Sequence[Outcome], seconds: float) -> str:
    models = plural(len({outcome.model for outcome in outcomes}), "model")
    wrong = sum(outcome.found is not None for outcome in outcomes)
    result = f"{wrong} not met" if wrong else "all met"
    return f"{models}, {plural(len(outcomes), 'expectation')}: {result}, in {duration(seconds)}"


def junit_xml(outcomes: Sequence[Outcome]) -> str:
    root = ElementTree.Element("testsuites", name="ouro test")
    for model, group in groupby(outcomes, key=lambda outcome: outcome.model):
        cases = list(group)
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=model,
            tests=str(len(cases)),
            failures=str(sum(case.found is not None for case in cases)),
            errors="0",
            time=f"{sum(case.seconds for case in cases):.3f}",
        )
        for case in cases:
            element = ElementTree.SubElement(
                suite,
                "testcase",
                classname=model,
                name=f"{case.asked}: {case.expected}",
                file=model,
                line=str(case.line),
                time=f"{case.seconds:.3f}",
            )
            if case.found is not None:
                failure = ElementTree.SubElement(element, "failure", message=f"found {case.found}")
                failure.text = f"{model}:{case.line}: expected {case.expected}, found {case.found}"
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def sarif_json(outcomes: Sequence[Outcome]) -> str:
    results = [_sarif_result(outcome) for outcome in outcomes if outcome.found is not None]
    rule = {"id": _RULE, "shortDescription": {"text": "A model does not do what its header says."}}
    driver = {"name": "Ouroboros", "version": __version__, "rules": [rule]}
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def _sarif_result(outcome: Outcome) -> dict[str, Any]:
    place = {
        "artifactLocation": {"uri": PurePath(outcome.model).as_posix()},
        "region": {"startLine": outcome.line},
    }
    text = f"ouro {outcome.asked}: expected {outcome.expected}, found {outcome.found}"
    return {
        "ruleId": _RULE,
        "level": "error",
        "message": {"text": text},
        "locations": [{"physicalLocation": place}],
    }
