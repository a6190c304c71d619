"""`ouro lsp`: a language server for editors."""

from __future__ import annotations

import click

from ouroboros.errors import UsageError


@click.command(short_help="Serve an editor: errors, names and properties of models.")
def lsp() -> int:
    """Speak the language server protocol on standard input and output; an editor starts this.

    Errors while typing, symbols, definitions, types, completion, and a lens above each property that checks it. The
    folder `editors` of the sources has settings for some editors.
    """
    try:
        from ouroboros.editor.server import make_server
    except ImportError:
        raise UsageError("the language server needs the extra `editor`: pip install 'ouroboros-mc[editor]'") from None
    make_server().start_io()
    return 0
