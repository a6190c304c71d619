"""Automata as text: for people, for other tools (HOA), for Spin (never claims) and for Graphviz."""

from __future__ import annotations

from ouroboros.ltl.automaton import Automaton, Edge


def to_text(automaton: Automaton) -> str:
    """One line for each state and one for each edge."""
    lines = []
    for state, edges in enumerate(automaton.edges):
        remarks = [
            remark
            for remark, applies in (("initial", state == automaton.initial), ("accepting", automaton.accepting[state]))
            if applies
        ]
        lines.append(f"state {state}" + (f" ({', '.join(remarks)})" if remarks else ""))
        lines.extend(f"  -> {edge.target}  when {guard_text(automaton, edge)}" for edge in edges)
    return "\n".join(lines) + "\n"


def to_hoa(automaton: Automaton) -> str:
    """The Hanoi Omega-Automata format, version 1."""
    names = " ".join('"' + atom.replace("\\", "\\\\").replace('"', '\\"') + '"' for atom in automaton.atoms)
    lines = [
        "HOA: v1",
        'tool: "ouroboros"',
        f"States: {automaton.states}",
        f"Start: {automaton.initial}",
        f"AP: {len(automaton.atoms)} {names}".rstrip(),
        "acc-name: Buchi",
        "Acceptance: 1 Inf(0)",
        "properties: trans-labels explicit-labels state-acc",
        "--BODY--",
    ]
    for state, edges in enumerate(automaton.edges):
        lines.append(f"State: {state}" + (" {0}" if automaton.accepting[state] else ""))
        for edge in edges:
            literals = [f"{sign}{index}" for sign, index in _literals(edge)]
            lines.append(f"[{' & '.join(literals) or 't'}] {edge.target}")
    lines.append("--END--")
    return "\n".join(lines) + "\n"


def to_never_claim(automaton: Automaton) -> str:
    """A claim in Spin's syntax; an atom is printed as an expression in parentheses."""
    labels = [_claim_label(automaton, state) for state in range(automaton.states)]
    lines = ["never {"]
    # Spin starts a claim at its first statement.
    order = sorted(range(automaton.states), key=lambda state: (state != automaton.initial, state))
    for state in order:
        lines.append(f"{labels[state]}:")
        if not automaton.edges[state]:
            lines.append("  false;")
            continue
        lines.append("  do")
        lines.extend(
            f"  :: ({guard_text(automaton, edge, parenthesised=True)}) -> goto {labels[edge.target]}"
            for edge in automaton.edges[state]
        )
        lines.append("  od;")
    lines.append("}")
    return "\n".join(lines) + "\n"


def _claim_label(automaton: Automaton, state: int) -> str:
    if automaton.accepting[state]:
        return "accept_init" if state == automaton.initial else f"accept_S{state}"
    return "T0_init" if state == automaton.initial else f"T0_S{state}"


def to_dot(automaton: Automaton) -> str:
    """A graph for Graphviz; accepting states have a double border."""
    lines = ["digraph automaton {", "  rankdir=LR;", '  start [shape=point, label=""];']
    for state in range(automaton.states):
        shape = "doublecircle" if automaton.accepting[state] else "circle"
        lines.append(f'  {state} [shape={shape}, label="{state}"];')
    lines.append(f"  start -> {automaton.initial};")
    for state, edges in enumerate(automaton.edges):
        for edge in edges:
            label = guard_text(automaton, edge).replace("\\", "\\\\").replace('"', '\\"')
            lines.append(f'  {state} -> {edge.target} [label="{label}"];')
    lines.append("}")
    return "\n".join(lines) + "\n"


def _literals(edge: Edge) -> list[tuple[str, int]]:
    """The sign (`!` or nothing) and the index of each atom that the edge tests."""
    return [
        ("" if edge.value >> index & 1 else "!", index)
        for index in range(edge.mask.bit_length())
        if edge.mask >> index & 1
    ]


def guard_text(automaton: Automaton, edge: Edge, parenthesised: bool = False) -> str:
    def name(index: int) -> str:
        atom = automaton.atoms[index]
        return f"({atom})" if parenthesised or not atom.isidentifier() else atom

    return " && ".join(f"{sign}{name(index)}" for sign, index in _literals(edge)) or "true"
