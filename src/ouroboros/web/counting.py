"""How often each action is taken, over all reachable states: by the interpreter, so within bounds."""

from __future__ import annotations

from collections import Counter, deque

from ouroboros.engine.limits import Limits, Observer, Progress
from ouroboros.languages import Model
from ouroboros.system.choices import Part
from ouroboros.system.layout import Vector
from ouroboros.web.told import Data, spans_of
from ouroboros.web.walks import Walks

MOST_STATES = 500_000
_BETWEEN_REPORTS = 1_000  # states


def counted(model: Model, limits: Limits, observe: Observer) -> Data:
    """For each action the number of steps that take it; `complete` says whether these are all that there are."""
    walks = Walks(model)
    return walks.again(lambda: _counted(walks, limits, observe))


def _counted(walks: Walks, limits: Limits, observe: Observer) -> Data:
    most = min(limits.states or MOST_STATES, MOST_STATES)
    system = walks.model.system
    taken: Counter[tuple[Part, ...]] = Counter({action.parts: 0 for action in system.actions})
    known: set[Vector] = set(walks.model.system.initial)
    waiting = deque(known)
    expanded = transitions = 0
    while waiting and expanded < most and not limits.out_of_time:
        for step in walks.steps(waiting.popleft()):
            transitions += 1
            taken[step.parts or system.parts(step.action)] += 1
            if step.state is not None and step.state not in known:
                known.add(step.state)
                waiting.append(step.state)
        expanded += 1
        if expanded % _BETWEEN_REPORTS == 0:
            observe(Progress("counting", len(known), transitions, len(waiting), 0, 0))
    lines: Counter[int] = Counter()
    actions: Counter[tuple[str, str]] = Counter()
    for parts, count in taken.items():
        for line in {span.line for span in spans_of(system, parts)}:
            lines[line] += count
        name = " | ".join(" ".join(part.text.split()) for part in parts)
        actions[" → ".join(dict.fromkeys(part.process for part in parts)), name] += count
    return {
        "states": len(known),
        "transitions": transitions,
        "complete": not waiting,
        "lines": sorted(lines.items()),
        "actions": [[process, name, count] for (process, name), count in actions.items()],
    }
