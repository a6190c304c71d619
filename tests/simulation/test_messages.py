"""A message is followed from where it is sent to where it is received."""

from __future__ import annotations

from random import Random
from xml.etree import ElementTree

from ouroboros.report.chart import chart_svg
from ouroboros.simulation.messages import messages
from ouroboros.simulation.simulation import Simulation, at_random
from tests.simulation.models import HANDSHAKE, POST, dve_model, run, simulated


def told(simulation: Simulation) -> list[tuple[str, str | None, int, str | None, int | None]]:
    return [(one.text, one.sender, one.sent, one.receiver, one.received) for one in messages(simulation)]


def test_first_in_first_out_and_handshakes() -> None:
    simulation = simulated(POST)
    run(simulation, "box!letter", "box!parcel", "box?letter", "box?_", "desk!9")
    assert told(simulation) == [
        ("box!letter,7", "Sender[0]", 1, "Receiver[1]", 3),
        ("box!parcel,8", "Sender[0]", 2, "Receiver[1]", 4),
        ("desk!9", "Sender[0]", 5, "Receiver[1]", 5),
    ]


def test_messages_out_of_order() -> None:
    text = "chan q = [4] of { byte }; byte x; active proctype P() { q!3; q!!1; q!2; q?x; q??2; q?<x> }"
    simulation = simulated(text)
    run(simulation, "q!3", "q!!1", "q!2", "q?x", "q??2", "q?<x>")
    assert told(simulation) == [
        ("q!3", "P[0]", 1, None, None),
        ("q!1", "P[0]", 2, "P[0]", 4),
        ("q!2", "P[0]", 3, "P[0]", 5),
    ]


def test_channels_of_an_array_are_told_apart() -> None:
    simulation = simulated("chan q[2] = [1] of { byte }; byte x; active proctype P() { q[1]!4; q[0]!5; q[1]?x }")
    run(simulation, "q[1]!4", "q[0]!5", "q[1]?x")
    assert told(simulation) == [("q[1]!4", "P[0]", 1, "P[0]", 3), ("q[0]!5", "P[0]", 2, None, None)]


def test_messages_of_dve() -> None:
    simulation = Simulation(dve_model(HANDSHAKE))
    for _ in at_random(simulation, Random(0), 100):
        pass
    assert [(one.sender, one.sent, one.receiver, one.received) for one in messages(simulation)] == [
        ("P", 1, "Q", 1),
        ("P", 2, "Q", 3),
    ]


def test_the_chart_has_a_lifeline_for_each_process_and_an_arrow_for_each_message() -> None:
    simulation = simulated(POST + "active proctype Idle() { skip }")
    run(simulation, "box!letter", "box!parcel", "box?letter")
    svg = chart_svg(messages(simulation), simulation.system.processes)
    space = "{http://www.w3.org/2000/svg}"
    root = ElementTree.fromstring(svg)
    assert [text.text for text in root.iter(f"{space}text") if text.get("class") == "name"] == [
        "Sender[0]",
        "Receiver[1]",
    ]
    styles = [path.get("class") for path in root.iter(f"{space}path") if path.get("class")]
    assert styles == ["arrow", "waiting"]
    labels = [text.text for text in root.iter(f"{space}text") if text.get("class") == "label"]
    assert labels == ["box!letter,7", "box!parcel,8"]


def test_a_run_without_messages_has_an_empty_chart() -> None:
    simulation = simulated("init { skip }")
    ElementTree.fromstring(chart_svg(messages(simulation), simulation.system.processes))
