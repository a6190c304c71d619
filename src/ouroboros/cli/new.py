"""`ouro new`: begin a model."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import click

from ouroboros.errors import UsageError
from ouroboros.languages import LANGUAGES, empty_model


@click.command(short_help="Begin a model: a copy of an example, or an empty one.")
@click.argument("name")
@click.argument("file", required=False)
@click.option(
    "--language",
    type=click.Choice(sorted(LANGUAGES)),
    help="Begin an empty model in this language; the only argument is then the file.",
)
@click.option("--force", is_flag=True, help="Replace files that are there.")
def new(name: str, file: str | None, language: str | None, force: bool) -> int:
    """Copy the example NAME to FILE, or to a file of its own name here; `ouro examples` lists them.

    With --language, write an empty model of that language to the file NAME instead.
    """
    if language:
        if file is not None:
            raise UsageError("--language begins an empty model: name one file, and no example")
        _confirm_free([Path(name)], force)
        _write(Path(name), empty_model(language))
        print(f"{name}: ouro check {name} checks it")
        return 0

    from ouroboros.examples import find_example

    example = find_example(name)
    target = Path(file or example.path.name)
    if target.is_dir():
        target = target / example.path.name
    copies = {example.path: target, **{path: target.with_name(path.name) for path in example.companions}}
    _confirm_free(list(copies.values()), force)
    for path, copy in copies.items():
        try:
            shutil.copyfile(path, copy)
        except OSError as error:
            raise UsageError(f"{copy} cannot be written: {error.strerror}") from None
    print(f"{', '.join(map(str, copies.values()))}: its first lines say what to ask of it")
    sys.stdout.flush()
    return 0


def _confirm_free(paths: list[Path], force: bool) -> None:
    for path in paths:
        if path.exists() and not force:
            raise UsageError(f"{path} exists already: name another file, or replace it with --force")


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None
