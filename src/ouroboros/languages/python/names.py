"""Names, attributes, and what a class has for all of its objects."""

from __future__ import annotations

import ast
import builtins
import inspect
from abc import abstractmethod
from collections.abc import Sequence
from enum import Enum
from typing import Any

from ouroboros.languages.python.sets import Sets
from ouroboros.languages.python.storage import Leaf, OptionNode, Place, RecordNode, SequenceNode
from ouroboros.languages.python.types import TRUTH, Named, type_of
from ouroboros.languages.python.values import Bound, Gone, Known, Listed, Made, Processes, Scalar, Value
from ouroboros.python.declare import Process
from ouroboros.system.expressions import Binary, Check, Constant


class Names(Sets):
    @abstractmethod
    def run(self, function: Any, arguments: Sequence[Value], node: ast.AST) -> Value: ...

    @abstractmethod
    def process_variable(self, process: Processes, name: str, node: ast.AST) -> Value: ...

    def name(self, name: str, node: ast.AST) -> Value:
        frame = self.frame
        for variables in (frame.variables, frame.kept, frame.fixed):
            if name in variables:
                found = variables[name]
                if isinstance(found, Gone):
                    raise frame.places.refusal(
                        node, f"where the object of `{name}` is now is not known: {found.reason}", "take a copy before"
                    )
                return found
        if frame.model is not None:
            assert isinstance(frame.model.node, RecordNode)
            if name in frame.model.node.members or hasattr(frame.model.node.type.cls, name):
                return self._named_in_formula(frame.model, name, node)
        if name in frame.slots or name in frame.local_names:
            raise frame.places.refusal(node, f"`{name}` may have no value here", "give it one before")
        if name in frame.namespace:
            return Known(frame.namespace[name])
        if hasattr(builtins, name):
            return Known(getattr(builtins, name))
        raise frame.places.refusal(node, f"there is no `{name}` here")

    def _named_in_formula(self, model: Place, name: str, node: ast.AST) -> Value:
        value = self.attribute(model, name, node)
        match value:
            case Bound(_, _, function) if function and len(inspect.signature(function).parameters) == 1:
                return self.run(function, [model], node)
        return value

    def attribute(self, owner: Value, name: str, node: ast.AST) -> Value:
        match owner:
            case Place(OptionNode()):
                return self.attribute(self.present(owner, node), name, node)
            case Place(RecordNode(kind, members)):
                if name in members:
                    return owner.member(name)
                return self._of_class(owner, kind.cls, name, node)
            case Made(kind, parts):
                return parts[name] if name in parts else self._of_class(owner, kind.cls, name, node)
            case Place(SequenceNode(kind)) if kind.channel and name in ("full", "empty"):
                length = owner.length().read()
                bound = Constant(kind.capacity if name == "full" else 0)
                return Scalar(TRUTH, Binary("==", length, bound))
            case Place(node=Leaf()):
                pass
            case Place() | Listed():
                return Bound(owner, name)
            case Processes() if name == "at":
                return Bound(owner, "at")
            case Processes():
                return self.process_variable(owner, name, node)
            case Scalar(Named(values)) if name in ("value", "name"):
                return self._of_member(owner, values, name, node)
            case Scalar(Named((Enum() as first, *rest))) if all(type(each) is type(first) for each in rest):
                return self._of_class(owner, type(first), name, node)
            case Known(Enum() as member) if inspect.isfunction(inspect.getattr_static(type(member), name, None)):
                return self._of_class(owner, type(member), name, node)
            case Known(known):
                if hasattr(known, name):
                    return Known(getattr(known, name))
        raise self.refusal(node, f"this has no `{name}`")

    def _of_member(self, owner: Scalar, values: Sequence[Any], name: str, node: ast.AST) -> Value:
        """The name or value of a member of an enumeration; what is no member has none."""
        there = [at for at, value in enumerate(values) if isinstance(value, Enum)]
        found = tuple(dict.fromkeys(getattr(values[at], name) for at in there))
        if not found or any(type_of(value) is None for value in found):
            raise self.refusal(node, f"`{name}` of {owner.type} cannot be compiled")
        kind = Named(found)
        none = Check(Constant(-1), 0, 0, self.site("error", f"this has no `{name}`", node))
        parts = [
            Constant(kind.index(getattr(value, name)) or 0) if isinstance(value, Enum) else none for value in values
        ]
        return Scalar(kind, self.table(owner.number, parts))

    def _of_class(self, owner: Value, cls: type, name: str, node: ast.AST) -> Value:
        """What is no part of the state: a method, a constant, a property."""
        try:
            found = inspect.getattr_static(cls, name)
        except AttributeError:
            raise self.refusal(
                node,
                f"`{cls.__name__}` has no `{name}`",
                f"a part of the state is annotated in the class: {name}: TYPE",
            ) from None
        match found:
            case Process():
                assert isinstance(owner, Place)
                return Processes(owner, name, chosen=found.members is None)
            case property():
                return self.run(found.fget, [owner], node)
            case staticmethod():
                return Known(found.__func__)
            case classmethod():
                return Bound(Known(cls), name, found.__func__)
        if inspect.isfunction(found):
            return Bound(owner, name, found)
        if hasattr(type(found), "__get__"):
            raise self.refusal(
                node, f"what `{name}` of `{cls.__name__}` is decides Python", "write a method or a property"
            )
        return Known(getattr(cls, name))

    def _member(self, processes: Processes, at: Value, node: ast.AST) -> Value:
        if not isinstance(at, Known):
            raise self.refusal(node, "which process this is must be known", "write one expression for each")
        return Processes(processes.owner, processes.name, at.value, True)
