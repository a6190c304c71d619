"""Partial order reduction: where a process only minds its own business, the others can wait.

At some places all that a process can do next reads and writes nothing but its own variables. No other process can
enable, disable or change that, and it does not matter to the others when it is done: it is an ample set, and enough to
be explored (Peled, 1994). So the choice tree tries one process after the other at such places first.

The same goes for a channel that a process alone receives from (`xr`) while it is not empty, and for one that it alone
sends to (`xs`) while it is not full: what others do there changes nothing of that. A process that does not keep to
such a claim is met by the search, which then fails.

The death of the youngest process changes how many there are, and who is the youngest. So it comes first where no other
process can make one more, or ask for that number, any more. And it comes first where pids do not matter at all: what
others do afterwards they do in the same way, with another pid.

What is put off must not be put off for ever: every cycle of states needs one in which all processes are explored. A
process that moves along a cycle comes back to the place where it was. So it is enough if on every cycle of places there
is one at which its steps do not come first (Kurshan, Levin, Minea, Peled and Yenigün, 1998). Being a matter of the
text alone, this is right for any order of search, and for any number of workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal

from ouroboros.languages.promela.flow.elements import Death, Element
from ouroboros.languages.promela.flow.flow import Flow, Step, steps_at
from ouroboros.languages.promela.flow.references import References, path_of
from ouroboros.languages.promela.lower.fields import Instance
from ouroboros.languages.promela.read import ast, terms
from ouroboros.languages.promela.read.trees import bodies, nodes

_SHARED = (
    ast.Send,
    ast.Receive,
    ast.Event,
    terms.Run,
    ast.SetPriority,
    terms.AskChannel,
    terms.Poll,
    terms.AskProcess,
    terms.RemoteLabel,
    terms.RemoteVariable,
    ast.ForChannel,
)


class Claims:
    """The channels that processes claim for themselves, and that nobody looks at but by sending and receiving."""

    def __init__(self, model: ast.Model, references: References) -> None:
        self._references = references
        self._disturbed = {
            made
            for _, tree in bodies(model)
            for node in nodes(tree)
            for access in _lookers(node)
            for made in references.of(path_of(access))
        }
        self.claimed: dict[str, list[ast.Exclusive]] = {
            process.name: [node for node in nodes(process.body) if isinstance(node, ast.Exclusive)]
            for process in model.processes
        }
        if model.events:
            self.claimed = {}

    @property
    def any(self) -> bool:
        return any(self.claimed.values())

    def holds(self, process: ast.Process, operation: Literal["xr", "xs"], channel: terms.Access) -> bool:
        """Whether a process has claimed what it does with a channel."""
        return any(
            claim.operation == operation
            and path_of(each) == path_of(channel)
            and each.at is None
            and channel.at is None
            for claim in self.claimed.get(process.name, ())
            for each in claim.channels
        ) and self._disturbed.isdisjoint(self._references.of(path_of(channel)))


def _lookers(node: Any) -> Iterator[terms.Access]:
    """Channels that are looked at, or not used first in, first out."""
    match node:
        case terms.AskChannel(_, _, channel) | terms.Poll(_, channel):
            yield channel
        case ast.Send(_, channel, True) | ast.Receive(_, channel, True):
            yield channel


class Business:
    """What processes do that concerns nobody else."""

    def __init__(self, model: ast.Model, references: References) -> None:
        self.claims = Claims(model, references)
        found = [node for process in model.processes for node in nodes((process.body, process.provided))]
        self._watched = {node.process for node in found if isinstance(node, terms.RemoteLabel | terms.RemoteVariable)}
        self._all_watched = any(isinstance(node, terms.AskProcess) for node in found)
        self.knows_no_pids = not any(map(_tells_pids, found)) and _runs(found) == sum(
            isinstance(node, ast.Condition) and isinstance(node.expression, terms.Run) for node in found
        )
        """Whether it does not matter to any process which pids there are: only that processes differ."""
        self._references = references

    def is_watched(self, name: str) -> bool:
        """Whether another process can look into those of a proctype."""
        return self._all_watched or name in self._watched

    def may_be_reset(self, variable: terms.Variable) -> bool:
        """Whether a dead variable is no longer of any use. A channel that was claimed is claimed for ever."""
        return not (self.claims.any and is_channel(variable))

    def places(self, instance: Instance, is_seen: Callable[[Step], bool]) -> list[Element]:
        """The places of a process whose steps can come first. Steps that are seen cannot."""
        process, flow = instance.process, instance.flow
        if process.provided is not None or self.is_watched(process.name):
            return []
        candidates = [
            place
            for place in flow.at
            if all(self._is_own(step, instance) and not is_seen(step) for step in steps_at(flow, place))
        ]
        return _without_cycles(candidates, flow)

    def _is_own(self, step: Step, instance: Instance) -> bool:
        process, claims = instance.process, self.claims
        match step.statement:
            case Death():
                # Who is older than the youngest does not know the channels that go with it, unless they were told.
                return all(map(self._references.goes_to_children_only, instance.banks))
            case ast.Send(_, channel, _, arguments) as send:
                parts: tuple[Any, ...] = arguments
                return not step.keeps and claims.holds(process, "xs", channel) and _are_local(parts) and not send.sorted
            case ast.Receive(_, channel, random, _, parts):
                return not step.keeps and claims.holds(process, "xr", channel) and _are_local(parts) and not random
        return _is_local(step)


def _runs(found: list[Any]) -> int:
    return sum(isinstance(node, terms.Run) for node in found)


def _tells_pids(node: Any) -> bool:
    """Whether something depends on the pids of processes, or on the numbers of channels, which are made of them."""
    match node:
        case terms.Predefined(_, name):
            return name in ("_pid", "_nr_pr", "_last")
        case terms.AskProcess() | terms.RemoteLabel() | terms.RemoteVariable() | ast.SetPriority():
            return True
        case terms.Binary(_, _, left, right):
            return any(isinstance(each, terms.Access) and is_channel(each.last) for each in (left, right))
        case ast.Send(_, _, True) | ast.Printf():
            return any(isinstance(each, terms.Access) and is_channel(each.last) for each in node.arguments)
    return False


def counting_places(flow: Flow) -> set[Element]:
    """Where a process can go on to a step that makes another one, or asks how many there are."""
    found: set[Element] = set()
    before = -1
    while before != (before := len(found)):
        for place in flow.at:
            if any(step.target in found or _counts(step) for step in steps_at(flow, place)):
                found.add(place)
    return found


def _counts(step: Step) -> bool:
    tree = step.statement.body if isinstance(step.statement, ast.DStep) else step.statement
    return any(
        isinstance(node, terms.Run) or (isinstance(node, terms.Predefined) and node.name == "_nr_pr")
        for node in nodes(tree)
    )


def _are_local(trees: tuple[Any, ...]) -> bool:
    return all(_is_local_node(node) for tree in trees for node in nodes(tree))


def _is_local(step: Step) -> bool:
    """Whether a step has to do with nothing but variables of its own process."""
    statement = step.statement
    if step.keeps:
        return False
    if isinstance(statement, ast.DStep):
        return all(_is_local_node(node) for node in nodes(statement.body))
    if isinstance(statement, ast.Printf | ast.Printm):
        # What is printed is not part of any state.
        return True
    return all(_is_local_node(node) for node in nodes(statement))


def _is_local_node(node: Any) -> bool:
    match node:
        case terms.Access(_, variable):
            return variable.process is not None and not is_channel(variable)
        case terms.Predefined(_, name):
            return name == "_pid"
    return not isinstance(node, _SHARED)


def is_channel(variable: terms.Variable) -> bool:
    return isinstance(variable.type, terms.Basic) and variable.type.name == "chan"


def _without_cycles(candidates: list[Element], flow: Flow) -> list[Element]:
    """Leave out places until no cycle consists of candidates alone: the targets of back edges, depth first."""
    open_: set[Element] = set()
    done: set[Element] = set()
    left_out: set[Element] = set()
    chosen = set(candidates)
    for start in candidates:
        if start in done:
            continue
        open_.add(start)
        stack = [(start, steps_at(flow, start))]
        while stack:
            place, steps = stack[-1]
            step = next(steps, None)
            if step is None:
                stack.pop()
                open_.discard(place)
                done.add(place)
            elif step.target in open_:
                left_out.add(step.target)
            elif step.target in chosen and step.target not in done:
                open_.add(step.target)
                stack.append((step.target, steps_at(flow, step.target)))
    return [place for place in candidates if place not in left_out]
