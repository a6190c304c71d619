"""The language server protocol: positions are told in lines and UTF-16 units, everything else is the document's."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

from ouroboros import __version__
from ouroboros.editor.document import Document, Problem
from ouroboros.outline import Symbol, SymbolKind
from ouroboros.source import Source, Span

CHECK = "ouroboros.check"
"""The command behind a code lens: check a file, or one property of it."""

_QUIET_SECONDS = 0.15
"""A text is read when nobody has typed for so long."""
_VERDICTS = {0: "holds", 1: "violated", 2: "refused", 3: "unknown", 4: "a bug in Ouroboros"}

_KINDS: dict[SymbolKind, lsp.SymbolKind] = {
    "constant": lsp.SymbolKind.Constant,
    "type": lsp.SymbolKind.Struct,
    "variable": lsp.SymbolKind.Variable,
    "channel": lsp.SymbolKind.Interface,
    "process": lsp.SymbolKind.Class,
    "state": lsp.SymbolKind.EnumMember,
    "label": lsp.SymbolKind.Key,
    "function": lsp.SymbolKind.Function,
    "rule": lsp.SymbolKind.Method,
    "macro": lsp.SymbolKind.Constant,
    "property": lsp.SymbolKind.Property,
}
_COMPLETIONS: dict[SymbolKind, lsp.CompletionItemKind] = {
    "constant": lsp.CompletionItemKind.Constant,
    "type": lsp.CompletionItemKind.Struct,
    "variable": lsp.CompletionItemKind.Variable,
    "channel": lsp.CompletionItemKind.Interface,
    "process": lsp.CompletionItemKind.Class,
    "state": lsp.CompletionItemKind.EnumMember,
    "label": lsp.CompletionItemKind.Reference,
    "function": lsp.CompletionItemKind.Function,
    "rule": lsp.CompletionItemKind.Method,
    "macro": lsp.CompletionItemKind.Constant,
    "property": lsp.CompletionItemKind.Property,
}


class ModelServer(LanguageServer):
    def __init__(self) -> None:
        super().__init__("ouroboros", __version__)
        self.documents: dict[str, Document] = {}
        self._waiting: dict[str, asyncio.Task[None]] = {}
        self._checks: set[asyncio.subprocess.Process] = set()

    def later(self, uri: str) -> None:
        """Read a text soon, unless it changes before."""
        self.forget(uri)
        self._waiting[uri] = asyncio.get_running_loop().create_task(self._read_later(uri))

    def forget(self, uri: str) -> None:
        waiting = self._waiting.pop(uri, None)
        if waiting:
            waiting.cancel()

    async def _read_later(self, uri: str) -> None:
        await asyncio.sleep(_QUIET_SECONDS)
        text = self.workspace.get_text_document(uri)
        document = self.document(uri)
        version = text.version
        await asyncio.to_thread(document.read, text.source)
        if self.workspace.get_text_document(uri).version == version:
            diagnostics = [_diagnostic(problem, document.source) for problem in document.problems]
            self.text_document_publish_diagnostics(
                lsp.PublishDiagnosticsParams(uri=uri, version=version, diagnostics=diagnostics)
            )

    def document(self, uri: str) -> Document:
        if uri not in self.documents:
            self.documents[uri] = Document(Source(_path(uri), ""))
        return self.documents[uri]

    def current(self, uri: str) -> Document:
        """With the text of this moment, for positions; symbols may be those of one before."""
        document = self.document(uri)
        text = self.workspace.get_text_document(uri).source
        if text != document.source.text and not document.symbols:
            document.read(text)
        elif text != document.source.text:
            document.source = Source(document.source.name, text)
        return document

    async def check(self, uri: str, name: str | None) -> dict[str, Any]:
        """Check a file as it is saved, and say what came of it."""
        path = _path(uri)
        words = ["check", path, *(["--property", name] if name else [])]
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "ouroboros", *words,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        self._checks.add(process)
        try:
            output, errors = await process.communicate()
        finally:
            self._checks.discard(process)
        code = process.returncode or 0
        verdict = _VERDICTS.get(code, "stopped")
        text = (output + errors).decode("utf-8", "replace")
        self.window_log_message(lsp.LogMessageParams(type=lsp.MessageType.Info, message=text))
        kind = lsp.MessageType.Info if code == 0 else lsp.MessageType.Warning
        message = f"{Path(path).name}: {name or 'all properties'}: {verdict}"
        self.window_show_message(lsp.ShowMessageParams(type=kind, message=message))
        return {"verdict": verdict, "code": code, "text": text}

    def end_checks(self) -> None:
        for process in self._checks:
            process.terminate()


def make_server() -> ModelServer:
    """A server with all that it can do."""
    server = ModelServer()

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    async def opened(server: ModelServer, told: lsp.DidOpenTextDocumentParams) -> None:
        server.later(told.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(server: ModelServer, told: lsp.DidChangeTextDocumentParams) -> None:
        server.later(told.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    async def saved(server: ModelServer, told: lsp.DidSaveTextDocumentParams) -> None:
        server.later(told.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(server: ModelServer, told: lsp.DidCloseTextDocumentParams) -> None:
        uri = told.text_document.uri
        server.forget(uri)
        server.documents.pop(uri, None)
        server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri=uri, diagnostics=[]))

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def symbols(server: ModelServer, asked: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        return _tree(server.current(asked.text_document.uri).symbols)

    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def definition(server: ModelServer, asked: lsp.DefinitionParams) -> list[lsp.Location]:
        document = server.current(asked.text_document.uri)
        found = document.meaning(_offset(document.source, asked.position))
        return [lsp.Location(asked.text_document.uri, _range(symbol.span)) for symbol in found]

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(server: ModelServer, asked: lsp.HoverParams) -> lsp.Hover | None:
        document = server.current(asked.text_document.uri)
        offset = _offset(document.source, asked.position)
        found, word = document.meaning(offset), document.word_at(offset)
        if not found or word is None:
            return None
        told = "\n".join(dict.fromkeys(symbol.detail for symbol in found))
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, f"```\n{told}\n```"), _range(word))

    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=[".", "@"]))
    def completion(server: ModelServer, asked: lsp.CompletionParams) -> list[lsp.CompletionItem]:
        document = server.current(asked.text_document.uri)
        found = document.candidates(_offset(document.source, asked.position))
        items = {symbol.name: symbol for symbol in reversed(found)}
        return [
            lsp.CompletionItem(name, kind=_COMPLETIONS[symbol.kind], detail=symbol.detail)
            for name, symbol in sorted(items.items())
        ]

    @server.feature(lsp.TEXT_DOCUMENT_CODE_LENS)
    def lenses(server: ModelServer, asked: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        uri = asked.text_document.uri
        document = server.current(uri)
        top = lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))
        whole = lsp.CodeLens(top, lsp.Command("check all properties", CHECK, arguments=[uri, None]))
        return [whole] + [
            lsp.CodeLens(_range(symbol.span), lsp.Command(f"check {symbol.name}", CHECK, arguments=[uri, symbol.name]))
            for symbol in document.properties
        ]

    @server.command(CHECK)
    async def check(server: ModelServer, uri: str, name: str | None = None) -> dict[str, Any]:
        return await server.check(uri, name)

    @server.feature(lsp.SHUTDOWN)
    def shutdown(server: ModelServer, *_: object) -> None:
        server.end_checks()

    return server


def _path(uri: str) -> str:
    parts = urlparse(uri)
    return unquote(parts.path) if parts.scheme == "file" else uri


def _offset(source: Source, position: lsp.Position) -> int:
    """The place of a position in the text; behind the end of a line it is that end."""
    lines = source.text.split("\n")
    if position.line >= len(lines):
        return len(source.text)
    start = sum(len(line) + 1 for line in lines[: position.line])
    units = 0
    for number, character in enumerate(lines[position.line]):
        if units >= position.character:
            return start + number
        units += _units(character)
    return start + len(lines[position.line])


def _position(source: Source, offset: int) -> lsp.Position:
    line, column = source.position(offset)
    before = source.text[offset - column + 1 : offset]
    return lsp.Position(line - 1, sum(map(_units, before)))


def _units(character: str) -> int:
    return 2 if ord(character) > 0xFFFF else 1


def _range(span: Span) -> lsp.Range:
    return lsp.Range(_position(span.source, span.start), _position(span.source, span.end))


def _diagnostic(problem: Problem, source: Source) -> lsp.Diagnostic:
    message = f"{problem.message}\n{problem.hint}" if problem.hint else problem.message
    span = problem.span
    if span and span.source.name != source.name:
        # It stands in a file that this one includes.
        message, span = f"{span}: {message}", None
    place = _range(span) if span else lsp.Range(lsp.Position(0, 0), lsp.Position(0, 1))
    severity = lsp.DiagnosticSeverity.Warning if problem.warning else lsp.DiagnosticSeverity.Error
    return lsp.Diagnostic(place, message, severity=severity, source="ouroboros")


def _tree(symbols: list[Symbol]) -> list[lsp.DocumentSymbol]:
    """What belongs to a process or a function stands below it."""
    made = [
        lsp.DocumentSymbol(
            symbol.name, _KINDS[symbol.kind], _range(symbol.span), _range(symbol.span), symbol.detail, children=[]
        )
        for symbol in symbols
    ]
    owners = {symbol.name: item for symbol, item in zip(symbols, made, strict=True) if not symbol.container}
    top = []
    for symbol, item in zip(symbols, made, strict=True):
        owner = owners.get(symbol.container) if symbol.container else None
        if owner is None or owner is item or owner.children is None:
            top.append(item)
            continue
        owner.children = [*owner.children, item]
        # A range has those of the children inside.
        owner.range = lsp.Range(owner.range.start, max(owner.range.end, item.range.end))
    return top
