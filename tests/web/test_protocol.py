"""What the server answers, and whom it does not answer."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ouroboros.errors import InputError
from ouroboros.web.picture import sanitised
from ouroboros.web.runs import Runs
from ouroboros.web.searching import Inquiry
from ouroboros.web.server import PROTOCOL, endpoints
from ouroboros.web.shelf import Shelf
from ouroboros.web.workbench import Ceiling, Workbench

from .conftest import ENDLESS, Client

MODEL = "philosophers.dve"


def endpoint_names() -> list[str]:
    return list(endpoints(None))  # type: ignore[arg-type]  # nothing is called


def test_every_request_is_described() -> None:
    page = (Path(__file__).parents[2] / "docs" / "workbench.md").read_text(encoding="utf-8")
    assert f"Version {PROTOCOL}" in page
    assert [name for name in endpoint_names() if f"`{name}`" not in page] == []


def test_every_answer_says_its_version(client: Client) -> None:
    assert client.ask("about")["protocol"] == PROTOCOL
    assert client.post("about")[1].keys() == {"protocol", "version", "models"}


def test_a_search_and_its_trace(client: Client, deadlocked: dict[str, Any]) -> None:
    assert (deadlocked["status"], deadlocked["verdict"], deadlocked["traces"]) == ("done", "violated", ["deadlock"])
    which = {"run": deadlocked["number"], "property": "deadlock"}
    trace = client.ask("trace", **which)
    assert len(trace["steps"]) == 5
    assert "values" not in trace
    end = client.ask("state", model=MODEL, path=trace["path"], watches=["fork[0]", "nonsense"])
    assert end["ending"] == "no step is possible"
    assert end["watches"][0] == {"value": 1, "error": None}
    assert "nonsense" in end["watches"][1]["error"]
    values = client.ask("trace-values", **which, text="fork[0]")["values"]
    assert (values[0], values[-1]) == (0, 1)


def test_the_states_of_a_trace_are_those_of_the_path(client: Client, starving: dict[str, Any]) -> None:
    """What each step changes adds up to what the explorer shows, also of what is lit."""
    trace = client.ask("trace", run=starving["number"], property=starving["traces"][0])
    state = {component["name"]: component for component in trace["initial"]}
    for at, step in enumerate(trace["steps"], 1):
        for name, component in step["touched"].items():
            state[name] = component
        shown = client.ask("state", model=MODEL, path=trace["path"][: at + 1])["state"]
        assert [state[name] for name in trace["components"] if state.get(name)] == shown
    assert {len(atom["values"]) for atom in trace["atoms"]} == {len(trace["steps"]) + 1}


def test_a_model_that_is_run_and_not_compiled(client: Client) -> None:
    """Its states have no fields: they are told by what Python says of them."""
    run = client.search("grid.py")
    # The invariant is false four steps away, and in the last corner, six away, nothing can be done.
    lengths = {"assertions": 4, "deadlock": 6}
    assert set(run["traces"]) == set(lengths)
    for name, length in lengths.items():
        trace = client.ask("trace", run=run["number"], property=name)
        assert len(trace["steps"]) == length
        assert [trace["heads"][step["head"]]["statement"] for step in trace["steps"]].count("right") >= 1
        state = client.ask("state", model="grid.py", path=trace["path"])["state"]
        assert state == [trace["steps"][-1]["touched"]["values"]]
    assert client.ask("states", model="grid.py")["complete"]
    counts = client.search("grid.py", counted=True)["counts"]
    assert (counts["states"], counts["transitions"]) == (16, 24)


def test_a_random_run_ends_where_something_holds(client: Client) -> None:
    asked = {"model": MODEL, "path": [0], "most": 500, "until": "Hypatia.eating", "seed": 3}
    answer = client.ask("wander", **asked)
    assert answer == client.ask("wander", **asked)
    if answer["found"]:
        assert client.ask("state", model=MODEL, path=answer["path"], watches=["Hypatia.eating"])["watches"][0]["value"]
    assert len(answer["trail"]) == len(answer["path"]) - 1


def test_a_path_as_a_trace_and_back(client: Client) -> None:
    path = client.ask("wander", model="channels.pml", path=[0], most=40, seed=1)["path"]
    trace = client.ask("recorded", model="channels.pml", path=path)["trace"]
    again = client.ask("along", model="channels.pml", trace=trace)["path"]
    keys = [client.ask("keys", model="channels.pml", path=each)["keys"] for each in (path, again)]
    assert keys[0] == keys[1]
    assert client.post("along", model=MODEL, trace=trace)[0] == 422


def test_how_often_actions_are_taken(client: Client) -> None:
    counts = client.search(MODEL, counted=True)["counts"]
    assert (counts["states"], counts["transitions"], counts["complete"]) == (392, 1415, True)
    assert sum(taken for _, _, taken in counts["actions"]) == 1415


def test_a_search_that_runs_out_of_memory_says_so(client: Client) -> None:
    run = client.search("endless.dve", memory=8 << 20, reduction=False)
    assert run["verdict"] == "unknown" or run["error"]
    assert "memory" in run.get("text", "") + json.dumps(run["error"])


def test_who_is_turned_away(address: str) -> None:
    host = address.split("/")[2]
    token = address.rstrip("/").rpartition("/")[2]
    ask = f"http://{host}/{token}/api/about"
    assert httpx.post(ask, json={}).status_code == 200
    assert httpx.post(f"http://{host}/wrong/api/about", json={}).status_code == 403
    assert httpx.post(f"http://{host}/{token}x/api/about", json={}).status_code == 403
    assert httpx.get(f"http://{host}/").status_code == 403
    assert httpx.post(ask, json={}, headers={"Host": "evil.example"}).status_code == 403
    assert httpx.post(ask, json={}, headers={"Host": f"evil.example:{host.split(':')[1]}"}).status_code == 403
    assert httpx.post(ask, json={}, headers={"Origin": "http://evil.example"}).status_code == 403
    assert httpx.post(ask, json={}, headers={"Origin": "null"}).status_code == 403
    assert httpx.post(ask, json={}, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert httpx.get(ask).status_code in (404, 405)


@pytest.mark.parametrize("name", ["../conftest.py", "..%2f..%2fetc%2fpasswd", "%2e%2e/secret", "no.js", "a\\b"])
def test_no_other_file_is_served(address: str, name: str) -> None:
    answer = httpx.get(f"{address}{name}")
    assert answer.status_code in (403, 404)
    assert "import" not in answer.text


def test_files_come_with_a_policy(address: str) -> None:
    answer = httpx.get(address)
    assert answer.status_code == 200
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert "unsafe" not in answer.headers["Content-Security-Policy"].split("script-src")[1].split(";")[0]


@pytest.mark.parametrize("name", ["../secret.dve", "/etc/passwd", "..%2fsecret.dve", "link.dve", "a\0.dve", ""])
def test_nothing_outside_of_the_folder_is_read(tmp_path: Path, name: str) -> None:
    (tmp_path / "secret.dve").write_text("process P { state a; init a; }\nsystem async;\n")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "link.dve").symlink_to(tmp_path / "secret.dve")
    workbench = Workbench(Shelf(inside), Ceiling(None, 10.0))
    with pytest.raises(InputError, match="no such model"):
        workbench.model(name, {})
    with pytest.raises(InputError, match="no such model"):
        workbench.save(name, "", [0, 0])
    assert workbench.models() == {"models": []}


def test_a_program_is_not_run_while_it_is_written(client: Client, folder: Path) -> None:
    text = f"open({str(folder / 'ran')!r}, 'w')\n"
    assert client.ask("draft", model="glass.py", text=text) == {"protocol": PROTOCOL, "error": None, "looked": False}
    assert not (folder / "ran").exists()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=8,
)
fields = st.fixed_dictionaries(
    {},
    optional={
        "path": json_values | st.lists(st.integers(0, 4), min_size=1, max_size=4),
        "text": json_values | st.sampled_from(["fork[0]", "fork[9]", "1/0", "[](fork[0]", "p ~> q", "((((("]),
        "model": json_values | st.sampled_from(["channels.pml", "hostile.m", "../x.dve"]),
        "run": json_values | st.integers(0, 3),
        "trace": json_values | st.fixed_dictionaries({"states": json_values, "#meta": json_values}),
        "watches": json_values | st.lists(st.text(max_size=9), max_size=3),
        **dict.fromkeys(
            ("models", "definitions", "stamp", "trail", "most", "group", "process", "until", "seed"), json_values
        ),
        **dict.fromkeys(("property", "at", "title", "keep"), json_values),
    },
)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=fields, request_name=st.sampled_from(sorted(set(endpoint_names()) - {"start", "save", "remove", "stop"})))
def test_no_request_is_an_error_of_the_server(client: Client, data: dict[str, Any], request_name: str) -> None:
    try:
        status, _ = client.post(request_name, **{"model": MODEL, "path": [0], **data})
    except (ValueError, UnicodeEncodeError):
        return  # no JSON
    assert status in (200, 400, 422)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.dictionaries(st.sampled_from(["workers", "memory", "store", "sought", "start", "ltl"]), json_values))
def test_no_question_is_an_error_of_the_server(client: Client, data: dict[str, Any]) -> None:
    """What is asked for is looked at before a process is started: none is, for there is no such model."""
    try:
        status, _ = client.post("start", **{"title": "x", **data, "model": "none.dve"})
    except (ValueError, UnicodeEncodeError):
        return
    assert status == 422


@pytest.mark.parametrize("body", [b"", b"[]", b"nonsense", b"\xff", b"[" * 100_000, b'{"a":' * 5_000])
def test_what_is_no_request(address: str, body: bytes) -> None:
    answer = httpx.post(f"{address}api/model", content=body, timeout=60)
    assert answer.status_code in (400, 422)
    assert answer.json()["error"]["message"]


def processes_of(group: int) -> list[int]:
    """The children of a process, whichever of its threads has started them."""
    threads = Path(f"/proc/{group}/task").iterdir()
    return [int(child) for thread in threads for child in (thread / "children").read_text().split()]


def ended(process: int) -> bool:
    try:
        return "State:\tZ" in Path(f"/proc/{process}/status").read_text()
    except OSError:
        return True


@pytest.mark.parametrize(("host", "warned"), [("0.0.0.0", True), ("127.0.0.1", False)])
def test_an_address_that_others_can_reach_is_warned_of(folder: Path, host: str, warned: bool) -> None:
    command = [sys.executable, "-m", "ouroboros", "serve", str(folder), "--no-browser", "--port", "0", "--host", host]
    server = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert server.stdout
    assert server.stdout.readline().startswith("serving http://")
    server.send_signal(signal.SIGINT)
    _, said = server.communicate(timeout=60)
    assert ("can be reached by other machines" in said) == warned, said


@pytest.mark.parametrize("way", [signal.SIGINT, signal.SIGKILL])
def test_searches_end_with_the_server(
    serve: Callable[..., tuple[str, subprocess.Popen[str]]], tmp_path: Path, way: int
) -> None:
    (tmp_path / "endless.dve").write_text(ENDLESS)
    address, server = serve(str(tmp_path / "endless.dve"))
    client = Client(address)
    run = client.ask("start", model="endless.dve", title="x", reduction=False)["run"]["number"]
    end = time.monotonic() + 120
    while not client.ask("run", run=run)["moments"] and time.monotonic() < end:
        time.sleep(0.05)
    searching = processes_of(server.pid)
    assert searching
    os.kill(server.pid, way)
    assert server.wait(60) == (0 if way == signal.SIGINT else -way)
    while not all(map(ended, searching)) and time.monotonic() < end:
        time.sleep(0.05)
    assert all(map(ended, searching))


def test_a_search_that_is_killed_says_so(
    serve: Callable[..., tuple[str, subprocess.Popen[str]]], tmp_path: Path
) -> None:
    (tmp_path / "endless.dve").write_text(ENDLESS)
    address, server = serve(str(tmp_path))
    client = Client(address)
    run = client.ask("start", model="endless.dve", title="x", reduction=False)["run"]["number"]
    end = time.monotonic() + 60
    while not client.ask("run", run=run)["moments"] and time.monotonic() < end:
        time.sleep(0.05)
    for process in processes_of(server.pid):
        os.kill(process, signal.SIGKILL)
    while client.ask("run", run=run)["status"] == "running" and time.monotonic() < end:
        time.sleep(0.05)
    told = client.ask("run", run=run)
    assert told["status"] == "failed"
    assert "run out of memory" in told["error"]["message"]


def test_a_search_that_nobody_watches_ends_unless_it_was_asked_to_go_on(tmp_path: Path) -> None:
    model = tmp_path / "endless.dve"
    model.write_text(ENDLESS)
    runs = Runs(unwatched=0.5)
    try:
        inquiry = Inquiry(str(model), question={"reductions": ()})
        left, kept = (runs.start("endless.dve", "x", inquiry, keep, (0, 0)) for keep in (False, True))
        end = time.monotonic() + 60
        while left.status == "running" and time.monotonic() < end:
            time.sleep(0.05)
        assert (left.status, kept.status) == ("stopped", "running")
    finally:
        runs.close()
    assert kept.status == "stopped"


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
    with pytest.raises(InputError, match="entities"):
        sanitised('<!DOCTYPE svg [<!ENTITY a "b">]><svg/>', "picture.svg")
