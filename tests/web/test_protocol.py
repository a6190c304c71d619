"""What the server answers, and whom it does not answer."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ouroboros.web.picture import sanitised
from ouroboros.web.server import endpoints
from ouroboros.web.shelf import Shelf
from ouroboros.web.workbench import Ceiling, Workbench

MODEL = "philosophers.dve"


def post(address: str, name: str, /, **body: Any) -> tuple[int, dict[str, Any]]:
    answer = httpx.post(f"{address}api/{name}", json=body, timeout=60)
    return answer.status_code, answer.json()


def test_a_search_and_its_trace(address: str) -> None:
    status, data = post(address, "start", model=MODEL, title="deadlock", properties=["deadlock"])
    assert status == 200
    number = data["run"]["number"]
    for _ in range(300):
        run = post(address, "run", run=number)[1]
        if run["status"] != "running":
            break
        time.sleep(0.1)
    assert (run["status"], run["verdict"], run["traces"]) == ("done", "violated", ["deadlock"])
    trace = post(address, "trace", run=number, property="deadlock")[1]
    assert len(trace["steps"]) == 5
    end = post(address, "state", model=MODEL, path=trace["path"], watches=["fork[0]"])[1]
    assert end["ending"] == "no step is possible"
    assert end["watches"] == [{"value": 1, "error": None}]
    values = post(address, "trace-values", run=number, property="deadlock", text="fork[0]")[1]
    assert values["values"][0] == 0
    assert values["values"][-1] == 1
    assert post(address, "trace-state", run=number, property="deadlock", at=5)[1]["state"] == end["state"]


def test_who_is_turned_away(address: str) -> None:
    host = address.split("/")[2]
    token = address.rstrip("/").rpartition("/")[2]
    ask = f"http://{host}/{token}/api/about"
    assert httpx.post(ask, json={}).status_code == 200
    assert httpx.post(f"http://{host}/wrong/api/about", json={}).status_code == 403
    assert httpx.get(f"http://{host}/").status_code == 403
    assert httpx.post(ask, json={}, headers={"Host": "evil.example"}).status_code == 403
    assert httpx.post(ask, json={}, headers={"Origin": "http://evil.example"}).status_code == 403
    assert httpx.post(ask, json={}, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403


@pytest.mark.parametrize("name", ["../secret.dve", "/etc/passwd", "..%2fsecret.dve", "link.dve", "a\0.dve", ""])
def test_nothing_outside_of_the_folder_is_read(tmp_path: Path, name: str) -> None:
    (tmp_path / "secret.dve").write_text("process P { state a; init a; }\nsystem async;\n")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "link.dve").symlink_to(tmp_path / "secret.dve")
    workbench = Workbench(Shelf(inside), Ceiling(None, 10.0))
    with pytest.raises(Exception, match="no such model"):
        workbench.model(name, {})
    assert workbench.models() == {"models": []}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=8,
)
names = ["models", "model", "definitions", "text", "stamp", "path", "watches", "trail", "most", "group", "title"]
names += ["keep", "run", "property", "at", "properties", "sought", "workers", "memory", "seconds", "store"]


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    data=st.dictionaries(st.sampled_from(names), json_values, max_size=6), at=st.integers(0, 18), named=st.booleans()
)
def test_no_request_is_an_error_of_the_server(address: str, data: dict[str, Any], at: int, named: bool) -> None:
    request = sorted(set(endpoints_of()) - {"start", "save"})[at % (len(endpoints_of()) - 2)]
    body = {**data, "model": MODEL} if named else data
    try:
        status, _ = post(address, request, **body)
    except ValueError:
        return  # no JSON: a number that is none
    assert status in (200, 400, 422)


def endpoints_of() -> list[str]:
    return list(endpoints(None))  # type: ignore[arg-type]


def test_a_picture_cannot_run_anything() -> None:
    text = (
        '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script>'
        '<a href="javascript:alert(1)"><text>x</text></a><image href="http://evil.example/x"/>'
        '<rect style="fill:url(http://evil.example)" width="3"/><circle r="2" onclick="alert(1)"/></svg>'
    )
    clean = sanitised(text, "picture.svg")
    for bad in ("alert", "script", "evil", "image"):
        assert bad not in clean
    assert 'width="3"' in clean
