"""What expressions and statements are made of: named tuples, with types that are told apart by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Self, dataclass_transform

if TYPE_CHECKING:
    # mypy compares named tuples part by part. For types that contain each other that takes minutes.
    @dataclass_transform(frozen_default=True)
    class Node(tuple[Any, ...]):
        _fields: tuple[str, ...]

        def _replace(self, **changes: Any) -> Self: ...
else:
    Node = NamedTuple
