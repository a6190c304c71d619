"""The language server, asked by a client over standard input and output as editors do."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

MODEL = """\
/* 😀 */ byte x; ltl small { [] (x < 3) }
active proctype P() { do :: x < 5 -> x++ :: else -> x = 0 od }
"""


class Client(LanguageClient):
    def __init__(self) -> None:
        super().__init__("tests", "1")
        self.diagnostics: asyncio.Queue[lsp.PublishDiagnosticsParams] = asyncio.Queue()
        self.messages: list[str] = []

        @self.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(told: lsp.PublishDiagnosticsParams) -> None:
            self.diagnostics.put_nowait(told)

        @self.feature(lsp.WINDOW_SHOW_MESSAGE)
        def shown(told: lsp.ShowMessageParams) -> None:
            self.messages.append(told.message)

        @self.feature(lsp.WINDOW_LOG_MESSAGE)
        def logged(told: lsp.LogMessageParams) -> None:
            pass

    async def told(self) -> list[lsp.Diagnostic]:
        return list((await asyncio.wait_for(self.diagnostics.get(), 60)).diagnostics)

    def open(self, path: Path, text: str) -> str:
        uri = path.as_uri()
        item = lsp.TextDocumentItem(uri, "promela", 1, text)
        self.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        return uri

    def change(self, uri: str, version: int, text: str) -> None:
        whole = lsp.TextDocumentContentChangeWholeDocument(text)
        named = lsp.VersionedTextDocumentIdentifier(version=version, uri=uri)
        self.text_document_did_change(lsp.DidChangeTextDocumentParams(named, [whole]))


@asynccontextmanager
async def connected() -> AsyncIterator[Client]:
    client = Client()
    await client.start_io(sys.executable, "-m", "ouroboros", "lsp")
    await client.initialize_async(lsp.InitializeParams(capabilities=lsp.ClientCapabilities()))
    client.initialized(lsp.InitializedParams())
    yield client
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()


def where(text: str, at: str) -> lsp.Position:
    before = text[: text.index(at)]
    line = before.rsplit("\n", 1)[-1]
    return lsp.Position(before.count("\n"), len(line.encode("utf-16-le")) // 2)


def test_an_hour_of_work(tmp_path: Path) -> None:
    path = tmp_path / "a model.pml"
    path.write_text(MODEL)

    async def work() -> None:
        async with connected() as client:
            uri = client.open(path, MODEL)
            document = lsp.TextDocumentIdentifier(uri)
            assert await client.told() == []

            symbols = await client.text_document_document_symbol_async(lsp.DocumentSymbolParams(document))
            assert symbols is not None
            assert [symbol.name for symbol in symbols] == ["x", "P", "small"]

            at = where(MODEL, "x < 5")
            places = await client.text_document_definition_async(lsp.DefinitionParams(document, at))
            assert isinstance(places, list)
            assert [place.range.start for place in places] == [where(MODEL, "x;")]

            hover = await client.text_document_hover_async(lsp.HoverParams(document, at))
            assert hover is not None
            assert "byte x" in hover.contents.value
            assert hover.range == lsp.Range(at, lsp.Position(at.line, at.character + 1))
            nothing = lsp.HoverParams(document, lsp.Position(99, 0))
            assert await client.text_document_hover_async(nothing) is None

            found = await client.text_document_completion_async(lsp.CompletionParams(document, at))
            assert isinstance(found, list)
            assert {"x", "P", "small"} <= {item.label for item in found}

            lenses = await client.text_document_code_lens_async(lsp.CodeLensParams(document))
            assert lenses is not None
            commands = [lens.command for lens in lenses if lens.command]
            assert [command.title for command in commands] == ["check all properties", "check small"]
            ran = await client.workspace_execute_command_async(
                lsp.ExecuteCommandParams(commands[1].command, commands[1].arguments)
            )
            assert ran["code"] == 1
            assert "violated" in ran["text"]
            assert client.messages == ["a model.pml: small: violated"]

            wrong = MODEL.replace("x = 0", "y = 0")
            client.change(uri, 2, wrong)
            (problem,) = await client.told()
            assert problem.severity == lsp.DiagnosticSeverity.Error
            assert problem.range.start == where(wrong, "y = 0")
            assert "y" in problem.message
            # Names are still known while the text is wrong.
            at = where(wrong, "x < 5")
            hover = await client.text_document_hover_async(lsp.HoverParams(document, at))
            assert hover is not None

            client.change(uri, 3, MODEL)
            assert await client.told() == []
            client.text_document_did_close(lsp.DidCloseTextDocumentParams(document))
            assert await client.told() == []

    asyncio.run(work())


def test_what_an_included_file_has_wrong_is_told(tmp_path: Path) -> None:
    (tmp_path / "part.h").write_text("byte x\nbyte = 3;\n")
    path = tmp_path / "whole.pml"
    text = '#include "part.h"\nactive proctype P() { x = 1 }\n'
    path.write_text(text)

    async def work() -> None:
        async with connected() as client:
            client.open(path, text)
            (problem,) = await client.told()
            assert "part.h:2" in problem.message
            assert problem.range.start == lsp.Position(0, 0)

    asyncio.run(work())
