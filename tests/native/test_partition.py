"""Large choice trees are cut into functions of bounded size, and stay the same trees."""

from __future__ import annotations

import pytest

from ouroboros.native.partition import Call, partition
from ouroboros.system.choices import All, Choice, Do, First, Switch, When, most_successors
from ouroboros.system.expressions import TRUE
from ouroboros.system.layout import Field
from tests.native.builder import action

LIMIT = 10
ACTIONS = [action() for _ in range(1000)]
PC = Field("pc", "P", 10)
LEAVES = tuple(Do(index) for index in range(1000))


def sizes(choice: Choice | Call) -> tuple[int, list[int]]:
    """How many actions and calls a function has, and the same for all functions that it calls."""
    match choice:
        case Do():
            return 1, []
        case Call(child):
            own, others = sizes(child)
            return 1, [own, *others]
        case When(_, child):
            return sizes(child)
        case All(children) | First(children):
            parts = [sizes(child) for child in children]
        case Switch(_, cases):
            # Labels with the same child share its code.
            parts = [sizes(child) for child in {id(child): child for _, child in cases}.values()]
    return sum(own for own, _ in parts), [size for _, others in parts for size in others]


@pytest.mark.parametrize(
    "tree",
    [
        All(LEAVES),
        First(LEAVES),
        Switch(PC, tuple(enumerate(LEAVES))),
        When(TRUE, All((First(LEAVES[:500]), Switch(PC, tuple(enumerate(LEAVES[500:])))))),
        Switch(PC, tuple((label, All(LEAVES[label * 25 : label * 25 + 25])) for label in range(40))),
    ],
)
def test_no_function_is_larger_than_the_limit(tree: Choice) -> None:
    own, others = sizes(partition(tree, ACTIONS, LIMIT))
    assert max(own, *others) <= LIMIT
    # Not one function for each action, either.
    assert len(others) < 300


def test_a_small_tree_stays_as_it_is() -> None:
    tree = All((First(LEAVES[:3]), Switch(PC, tuple(enumerate(LEAVES[3:6])))))
    assert partition(tree, ACTIONS, LIMIT) == tree
    assert most_successors(partition(tree, ACTIONS, LIMIT)) == 2
