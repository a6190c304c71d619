"""A report as a page that can be sent: one file with the counterexample viewer and the model's text, for no server.

The page's modules go into one script, each as a function that gives what it exports; so they need not be fetched, which
a browser refuses where a page was opened as a file.
"""

from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import Any

from ouroboros.errors import InputError
from ouroboros.languages import Model
from ouroboros.verdict.report import Answer, Report
from ouroboros.verdict.trace import Trace
from ouroboros.web.told import Data, report_text
from ouroboros.web.trace_states import TraceStates
from ouroboros.web.traces import FOR_THE_SERVER, told_trace
from ouroboros.web.walks import Walks
from ouroboros.web.ways import way_along

_ENTRY = "file.js"
_MOST_PICTURES = 500
"""States of a run that are drawn; further ones show none."""

_IMPORT = re.compile(r'^import \{ ([\w, ]+) \} from "\./([\w.]+)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)


def page_file(report: Report, model: Model) -> str:
    """The text of the page."""
    unreached = report.coverage.unreached or ()
    data = {
        "model": report.model.name,
        "language": model.system.language,
        "verdict": report.verdict.value,
        "text": report_text(report),
        "source": report.model.text,
        "unreached": [{"line": one.part.span.line if one.part.span else None} for one in unreached],
        "traces": {
            _title(answer, number): _trace(trace, model)
            for answer in report.answers
            for number, trace in enumerate(answer.traces, 1)
        },
    }
    # The template is gone through once: what is put in is not looked at for more.
    content = {"style": _static("style.css"), "data": _in_html(data), "script": script()}
    return re.sub(r"\{\{(\w+)\}\}", lambda found: content[found[1]], _static("file.html"))


def _title(answer: Answer, number: int) -> str:
    return f"{answer.property}, {number} of {len(answer.traces)}" if answer.further else answer.property


def _trace(trace: Trace, model: Model) -> Data:
    told = told_trace(trace)
    told["path"] = way_along(trace, Walks(model), None)
    states = TraceStates(model, told)
    drawn: dict[str, int] = {}
    numbers: list[int | None] = []
    for at in range(min(len(trace.steps) + 1, _MOST_PICTURES)):
        try:
            picture = states.picture(at)
        except InputError:
            break
        if picture is None:
            break
        numbers.append(drawn.setdefault(picture, len(drawn)))
    told["pictures"], told["picture"] = list(drawn), numbers
    told["chart"] = states.chart() if told["path"] is not None else None
    return {key: value for key, value in told.items() if key not in FOR_THE_SERVER}


def script() -> str:
    """All modules that the page needs, those first that others need."""
    made: dict[str, str] = {}

    def add(name: str) -> None:
        if name in made:
            return
        text = _static(name)
        for _, other in _IMPORT.findall(text):
            add(other)
        inside = _IMPORT.sub(lambda found: f"const {{ {found[1]} }} = {_variable(found[2])};", text)
        exported = _EXPORT.findall(text)
        inside = _EXPORT.sub("", inside)
        made[name] = f"const {_variable(name)} = (() => {{\n{inside}\nreturn {{ {', '.join(exported)} }};\n}})();"

    add(_ENTRY)
    return "\n".join(made.values())


def _variable(name: str) -> str:
    return f"module_{name.removesuffix('.js')}"


def _in_html(data: Any) -> str:
    """JSON in which nothing ends the element that it stands in."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _static(name: str) -> str:
    return files("ouroboros.web.static").joinpath(name).read_text(encoding="utf-8")
