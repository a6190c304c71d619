"""The messages of a run: who sends what to whom.

A handshake is an action of two processes. What a buffered channel holds is known from the state, so that a message is
followed from the step that puts it into the channel to the step that takes it out, also where it is not the first one
there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ouroboros.simulation.simulation import Simulation, Taken
from ouroboros.system.model import System
from ouroboros.verdict.channels import Buffer, buffers_of


@dataclass
class Message:
    """A message, from the step that sends it to the step that receives it; steps count from 1."""

    channel: str
    text: str
    sender: str | None
    """None for a message that was there from the beginning."""
    sent: int
    receiver: str | None = None
    received: int | None = None
    """None while the message is in its channel."""


def messages(simulation: Simulation) -> list[Message]:
    """All messages of the run, in the order in which they are sent."""
    system = simulation.system
    buffers = list(buffers_of(system))
    inside: dict[str, list[Message]] = {
        buffer.name: [
            Message(buffer.name, _text(values), None, 0) for values in buffer.messages(system, simulation.initial)
        ]
        for buffer in buffers
    }
    found = [message for waiting in inside.values() for message in waiting]
    for number, taken in enumerate(simulation.taken, 1):
        found += _handshake(system, taken, number)
        if taken.step.state is not None and taken.step.state != taken.before:
            for buffer in buffers:
                found += _moved(system, buffer, taken, number, inside[buffer.name])
    return found


def _handshake(system: System, taken: Taken, number: int) -> Iterator[Message]:
    parts = taken.step.parts or system.parts(taken.step.action)
    if len(parts) == 2:
        sender, receiver = parts
        text = " ".join(sender.text.split())
        yield Message("", text, sender.process, number, receiver.process, number)


def _moved(system: System, buffer: Buffer, taken: Taken, number: int, inside: list[Message]) -> Iterator[Message]:
    """What a step put into a channel, or took out of it."""
    assert taken.step.state is not None
    before, after = buffer.messages(system, taken.before), buffer.messages(system, taken.step.state)
    process = _process(system, taken)
    common = 0
    while common < min(len(before), len(after)) and before[common] == after[common]:
        common += 1
    if len(after) == len(before) + 1:
        # A message that equals its neighbours stands behind them.
        message = Message(buffer.name, f"{buffer.name}!{_text(after[common])}", process, number)
        inside.insert(common, message)
        yield message
    elif len(after) == len(before) - 1:
        # Of equal messages the first one is received.
        at = before.index(before[common])
        message = inside.pop(at)
        message.receiver, message.received = process, number


def _process(system: System, taken: Taken) -> str | None:
    action = taken.step.action
    return None if action is None or not system.actions[action].parts else system.actions[action].parts[0].process


def _text(values: tuple[str, ...]) -> str:
    return ",".join(values)
