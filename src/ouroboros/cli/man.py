"""`ouro man`: the help of all commands as pages for man(1)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from ouroboros import __version__
from ouroboros.errors import UsageError


@click.command(short_help="Write manual pages.")
@click.argument("directory")
def man(directory: str) -> None:
    """Write a manual page for each command into DIRECTORY/man1, which is made if need be.

    `ouro man ~/.local/share/man` is enough for `man ouro` and `man ouro-check` on most systems.
    """
    from ouroboros.cli import ouro

    place = Path(directory) / "man1"
    context = click.Context(ouro, info_name="ouro")
    pages = {"ouro": page("ouro", ouro, context)}
    for name, command in ouro.commands.items():
        pages[f"ouro-{name}"] = page(f"ouro-{name}", command, click.Context(command, context, name))
    try:
        place.mkdir(parents=True, exist_ok=True)
        for name, text in pages.items():
            (place / f"{name}.1").write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{place}: the pages cannot be written: {error.strerror}") from None
    click.echo(f"{len(pages)} pages in {place}")


def page(name: str, command: click.Command, context: click.Context) -> str:
    """In the language of man(7)."""
    return "\n".join(_lines(name, command, context)) + "\n"


def _lines(name: str, command: click.Command, context: click.Context) -> Iterator[str]:
    yield f'.TH "{name.upper()}" "1" "" "Ouroboros {__version__}" "Ouroboros"'
    yield from (".SH NAME", f"{_text(name)} \\- {_text(command.get_short_help_str(200))}")
    usage = " ".join(command.collect_usage_pieces(context))
    yield from (".SH SYNOPSIS", f".B {_text(context.command_path)}", _text(usage))
    yield ".SH DESCRIPTION"
    for number, paragraph in enumerate((command.help or "").split("\n\n")):
        yield from ([".PP"] if number else [])
        yield _text(" ".join(paragraph.split()))
    if isinstance(command, click.Group):
        yield ".SH COMMANDS"
        for each, other in sorted(command.commands.items()):
            yield from (".TP", f"\\fB{_text(f'ouro-{each}')}\\fR(1)", _text(other.get_short_help_str(200)))
    yield ".SH OPTIONS"
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record:
            yield from (".TP", f"\\fB{_text(record[0])}\\fR", _text(" ".join(record[1].split())))
    if command.epilog:
        yield from (".SH EXIT STATUS", _text(" ".join(command.epilog.split())))
    yield from (".SH SEE ALSO", "ouro(1), the guide in docs/guide.md")


def _text(text: str) -> str:
    """Nothing in it is a request, or an escape."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped
