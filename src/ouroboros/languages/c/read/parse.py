"""A module of LLVM IR from its text."""

from __future__ import annotations

from ouroboros.languages.c.read.instructions import DebugRecord, Instruction
from ouroboros.languages.c.read.layout import Layout
from ouroboros.languages.c.read.module import Block, Function, Module, Variable
from ouroboros.languages.c.read.parse_instructions import CALL_ATTRIBUTES, CONVENTIONS
from ouroboros.languages.c.read.parse_metadata import MetadataParser
from ouroboros.languages.c.read.tokens import name_of, tokens, unescaped, words
from ouroboros.languages.c.read.types import FunctionType, Metadata, Pointer, Type
from ouroboros.languages.c.read.values import Local, Value, Zero

_LINKAGES = words(
    """private internal available_externally linkonce weak common appending extern_weak linkonce_odr weak_odr
    external"""
)
_MODIFIERS = words(
    """dso_local dso_preemptable default hidden protected dllimport dllexport unnamed_addr local_unnamed_addr
    externally_initialized"""
)
_BEFORE_THE_TYPE = _LINKAGES | _MODIFIERS | CONVENTIONS | {"cc"}
_TERMINATORS = words("br switch indirectbr ret unreachable resume invoke")


def read(text: str) -> Module:
    """All of a module."""
    return _ModuleParser(text).module()


def read_code(text: str) -> Module:
    """A module without its metadata, which is at the end of the text and longer than all else."""
    end = text.find("\n!")
    return _ModuleParser(text if end < 0 else text[: end + 1]).module()


class _ModuleParser(MetadataParser):
    def __init__(self, text: str) -> None:
        super().__init__(tokens(text))
        self._module = Module(text, Layout(""))
        self._groups: dict[str, frozenset[str]] = {}
        self._function_groups: dict[str, str] = {}

    def module(self) -> Module:
        cursor = self.cursor
        while cursor.kind != "end":
            self._entity()
        self._module.types = self.named
        for name, group in self._function_groups.items():
            function = self._module.functions[name]
            attributes = function.attributes | self._groups.get(group, frozenset())
            self._module.functions[name] = Function(
                function.name,
                function.signature,
                function.parameters,
                function.blocks,
                function.linkage,
                function.debug,
                function.line,
                function.end,
                attributes,
            )
        return self._module

    def _entity(self) -> None:
        cursor = self.cursor
        match cursor.kind:
            case "local":
                name = name_of(cursor.take())
                cursor.expect("=")
                cursor.expect("type")
                self.define(name)
                return
            case "global":
                self._variable_or_alias()
                return
            case "comdat":
                cursor.at += 4
                return
            case "node":
                number = int(cursor.take()[1:])
                cursor.expect("=")
                self._module.metadata[number] = self.node()
                return
            case "metadata":
                cursor.take()
                cursor.expect("=")
                self.node()
                return
        match cursor.take():
            case "source_filename":
                cursor.at += 2
            case "target":
                self._target()
            case "module":
                cursor.at += 2
            case "attributes":
                self._attribute_group()
            case "declare" | "define" as word:
                self._function(defined=word == "define")
            case "uselistorder" | "uselistorder_bb":
                line = cursor.line
                while cursor.line == line and cursor.kind != "end":
                    cursor.take()
            case _:
                cursor.at -= 1
                raise cursor.wrong("a definition")

    def _target(self) -> None:
        what = self.cursor.take()
        self.cursor.expect("=")
        text = unescaped(self.cursor.expect_kind("string")).decode()
        if what == "datalayout":
            self._module.layout_text = text
            self._module.layout = Layout(text)
        else:
            self._module.triple = text

    def _attribute_group(self) -> None:
        name = self.cursor.take()
        self.cursor.expect("=")
        self.cursor.expect("{")
        words = set()
        while not self.cursor.taken("}"):
            if self.cursor.kind == "word":
                words.add(self.cursor.text)
            self.cursor.take()
            self.cursor.skip_parentheses()
        self._groups[name] = frozenset(words)

    def _variable_or_alias(self) -> None:
        cursor = self.cursor
        name = name_of(cursor.take())
        cursor.expect("=")
        linkage, thread_local = "external", False
        declared = False
        while cursor.text not in ("global", "constant", "alias", "ifunc"):
            word = cursor.take()
            if word in _LINKAGES:
                linkage = word
                declared |= word in ("external", "extern_weak")
            elif word == "thread_local":
                thread_local = True
            elif word not in _MODIFIERS and word != "addrspace":
                cursor.at -= 1
                raise cursor.wrong("a variable")
            cursor.skip_parentheses()
        kind_of_global = cursor.take()
        kind = self.type()
        if kind_of_global in ("alias", "ifunc"):
            cursor.expect(",")
            self._module.aliases[name] = self.typed_value()
            self._variable_details()
            return
        initialiser: Value | None = None
        if not declared:
            initialiser = self.value(kind)
        alignment, debug = self._variable_details()
        alignment = alignment or self._module.layout.alignment(kind)
        self._module.variables[name] = Variable(
            name, kind, initialiser, kind_of_global == "constant", thread_local, alignment, linkage, debug
        )

    def _variable_details(self) -> tuple[int, int | None]:
        """Alignment and number of the description, among all that is said after the value."""
        cursor = self.cursor
        alignment, debug = 0, None
        while cursor.taken(","):
            word = cursor.take()
            if word == "align":
                alignment = cursor.integer()
            elif word == "!dbg":
                debug = int(cursor.take()[1:])
            elif word in ("section", "partition", "code_model") or word.startswith("!"):
                cursor.take()
            else:
                cursor.skip_parentheses()
        while cursor.kind == "group":
            cursor.take()
        return alignment, debug

    def _function(self, *, defined: bool) -> None:
        cursor = self.cursor
        start = cursor.line
        debug = self._attached()
        linkage = "external"
        while (
            cursor.text in _LINKAGES or cursor.text in _MODIFIERS or cursor.text in CONVENTIONS or cursor.text == "cc"
        ):
            word = cursor.take()
            if word in _LINKAGES:
                linkage = word
            elif word == "cc":
                cursor.integer()
        self.skip_attributes()
        result = self.type()
        name = name_of(cursor.expect_kind("global"))
        parameters, types, variadic = self._parameters()
        attributes, later = self._function_details(name)
        debug = later if debug is None else debug
        blocks: tuple[Block, ...] = ()
        if defined:
            cursor.expect("{")
            blocks = self._blocks(sum(parameter.name.isdigit() for parameter in parameters))
        end = cursor.line
        if defined:
            cursor.expect("}")
        signature = FunctionType(result, types, variadic)
        self._module.functions[name] = Function(
            name, signature, parameters, blocks, linkage, debug, start, end, attributes
        )

    def _attached(self) -> int | None:
        """What is attached to a declaration, before its type."""
        debug = None
        while self.cursor.kind == "metadata":
            name, number = self.cursor.take(), self.cursor.take()
            debug = int(number[1:]) if name == "!dbg" else debug
        return debug

    def _parameters(self) -> tuple[tuple[Local, ...], tuple[Type, ...], bool]:
        cursor = self.cursor
        cursor.expect("(")
        found: list[Local] = []
        variadic = False
        while not cursor.taken(")"):
            if found:
                cursor.expect(",")
            if cursor.taken("..."):
                variadic = True
                continue
            kind = self.type()
            self.skip_attributes()
            name = name_of(cursor.take()) if cursor.kind == "local" else str(len(found))
            found.append(Local(name, kind))
        return tuple(found), tuple(local.type for local in found), variadic

    def _function_details(self, name: str) -> tuple[frozenset[str], int | None]:
        """All that is said of a function between its parameters and its body."""
        cursor = self.cursor
        words, debug = set(), None
        while True:
            if cursor.kind == "group":
                self._function_groups[name] = cursor.take()
            elif cursor.kind == "metadata":
                kind, number = cursor.take(), cursor.take()
                debug = int(number[1:]) if kind == "!dbg" else debug
            elif cursor.text in ("personality", "prefix", "prologue"):
                cursor.take()
                self.typed_value()
            elif cursor.text in ("section", "gc", "partition"):
                cursor.at += 2
            elif cursor.text == "align":
                cursor.take()
                cursor.integer()
            elif cursor.text in _MODIFIERS or cursor.text in CALL_ATTRIBUTES or cursor.text == "comdat":
                words.add(cursor.take())
                cursor.skip_parentheses()
            elif cursor.kind == "string":
                cursor.take()
                if cursor.taken("="):
                    cursor.take()
            else:
                return frozenset(words), debug

    def _blocks(self, entry: int) -> tuple[Block, ...]:
        cursor = self.cursor
        blocks: list[Block] = []
        label = str(entry)
        while cursor.text != "}":
            line = cursor.line
            if cursor.kind == "label":
                text = cursor.take()[:-1]
                label = name_of("%" + text)
            blocks.append(Block(label, tuple(self._instructions()), line))
        return tuple(blocks)

    def _instructions(self) -> list[Instruction]:
        found: list[Instruction] = []
        records: list[DebugRecord] = []
        while True:
            while self.cursor.kind == "record":
                record = self._record()
                if record:
                    records.append(record)
            last = self.cursor.text in _TERMINATORS
            if self.cursor.kind == "local":
                last = self.cursor.texts[self.cursor.at + 2] in _TERMINATORS
            instruction = self.instruction()
            instruction.records = tuple(records)
            records = []
            found.append(instruction)
            if last:
                return found

    def _record(self) -> DebugRecord | None:
        cursor = self.cursor
        kind = cursor.take().removeprefix("#dbg_")
        if kind == "label":
            cursor.expect("(")
            label = int(cursor.expect_kind("node")[1:])
            cursor.expect(",")
            location = int(cursor.expect_kind("node")[1:])
            cursor.expect(")")
            return DebugRecord(kind, Zero(Pointer()), label, "", location)
        if kind not in ("declare", "value", "assign"):
            cursor.skip_parentheses()
            return None
        cursor.expect("(")
        value = self._record_value()
        cursor.expect(",")
        variable = int(cursor.expect_kind("node")[1:])
        cursor.expect(",")
        expression = self.expression()
        while cursor.texts[cursor.at + 2] != ")":
            # Of an assignment: which one it is, and the address.
            cursor.expect(",")
            if cursor.kind == "node":
                cursor.take()
            elif cursor.kind == "metadata":
                self.expression()
            else:
                self._record_value()
        cursor.expect(",")
        location = int(cursor.expect_kind("node")[1:])
        cursor.expect(")")
        return DebugRecord(kind, value, variable, expression, location)

    def _record_value(self) -> Value:
        if self.cursor.kind in ("metadata", "node"):
            return self.value(Metadata())
        return self.typed_value()
