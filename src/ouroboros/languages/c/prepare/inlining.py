"""Which functions are put where they are called."""

from __future__ import annotations

from ouroboros.languages.c.read.instructions import Call, Invoke
from ouroboros.languages.c.read.module import Function, Module
from ouroboros.languages.c.read.values import Global

MOST_INSTRUCTIONS = 30_000
"""Of a function with all that is inlined in it; what is larger is called."""


def chosen(module: Module) -> set[str]:
    """All functions that do not call themselves, not even by way of others, as long as they are not too large."""
    callees = {name: _callees(function, module) for name, function in module.functions.items() if function.blocks}
    recursive = _recursive(callees)
    size: dict[str, int] = {}
    inlined: set[str] = set()

    def measure(name: str) -> int:
        waiting = [name]
        while waiting:
            current = waiting[-1]
            missing = [each for each in callees[current] if each not in size and each not in recursive]
            if missing and current not in recursive:
                waiting.extend(missing)
                continue
            waiting.pop()
            if current not in size:
                own = sum(len(block.instructions) for block in module.functions[current].blocks)
                size[current] = own + sum(size[each] for each in callees[current] if each in inlined)
                if current not in recursive and size[current] <= MOST_INSTRUCTIONS:
                    inlined.add(current)
        return size[name]

    for name in callees:
        measure(name)
    return inlined


def _callees(function: Function, module: Module) -> list[str]:
    """Each as often as it is called."""
    found = []
    for block in function.blocks:
        for instruction in block.instructions:
            match instruction:
                case Call(Global(name)) | Invoke(Global(name)) if name in module.functions:
                    if module.functions[name].blocks:
                        found.append(name)
    return found


def _recursive(callees: dict[str, list[str]]) -> set[str]:
    """Functions from which a chain of calls leads back to them (Tarjan's strongly connected components)."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found = {name for name, called in callees.items() if name in called}
    for root in callees:
        if root in number:
            continue
        work = [(root, iter(callees[root]))]
        number[root] = low[root] = len(number)
        stack.append(root)
        while work:
            name, rest = work[-1]
            following = next(rest, None)
            if following is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[name])
                if low[name] == number[name]:
                    component = stack[stack.index(name) :]
                    del stack[stack.index(name) :]
                    if len(component) > 1:
                        found.update(component)
            elif following not in number:
                number[following] = low[following] = len(number)
                stack.append(following)
                work.append((following, iter(callees[following])))
            elif following in stack:
                low[name] = min(low[name], number[following])
    return found
