"""Which functions are put where they are called."""

from __future__ import annotations

from ouroboros.languages.c.prepare.accesses import Sharing
from ouroboros.languages.c.read.instructions import Alloca, Call, Invoke, Return
from ouroboros.languages.c.read.module import Function, Module
from ouroboros.languages.c.read.types import Pointer
from ouroboros.languages.c.read.values import Global, Value

MOST_INSTRUCTIONS = 30_000
"""Of a function with all that is inlined in it; what is larger is called."""


def chosen(module: Module) -> set[str]:
    """All functions that do not call themselves, not even by way of others, as long as they are not too large.

    One that may give back the address of a variable of its own keeps its frame: that the variable is gone would not be
    noticed otherwise.
    """
    callees = {name: _callees(function, module) for name, function in module.functions.items() if function.blocks}
    kept = _recursive(callees)
    kept |= {name for name in callees if _gives_back_variables(module.functions[name], module)}
    size: dict[str, int] = {}
    inlined: set[str] = set()

    def measure(name: str) -> int:
        waiting = [name]
        while waiting:
            current = waiting[-1]
            missing = [each for each in callees[current] if each not in size and each not in kept]
            if missing and current not in kept:
                waiting.extend(missing)
                continue
            waiting.pop()
            if current not in size:
                own = sum(len(block.instructions) for block in module.functions[current].blocks)
                size[current] = own + sum(size[each] for each in callees[current] if each in inlined)
                if current not in kept and size[current] <= MOST_INSTRUCTIONS:
                    inlined.add(current)
        return size[name]

    for name in callees:
        measure(name)
    return inlined


def _gives_back_variables(function: Function, module: Module) -> bool:
    """Whether a pointer to a variable of the function, or made of such a pointer by another one, may be its result."""
    if function.signature.result != Pointer():
        return False
    sharing = Sharing(function, module)
    made = {each.result: each for block in function.blocks for each in block.instructions}

    waiting: list[Value] = []
    for block in function.blocks:
        last = block.instructions[-1]
        if isinstance(last, Return) and last.value is not None:
            waiting.append(last.value)
    met: set[str] = set()
    while waiting:
        for root in sharing.roots(waiting.pop()) - met:
            met.add(root)
            maker = made.get(root)
            if isinstance(maker, Alloca):
                return True
            if isinstance(maker, Call):
                waiting += maker.arguments
    return False


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
