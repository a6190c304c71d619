"""`ouro cesmi`: what a module with this interface is compiled with."""

from __future__ import annotations

import click

from ouroboros.errors import UsageError


@click.command(short_help="Show the header for modules that generate states.")
@click.option("--header", is_flag=True, help="Write cesmi.h to standard output.")
def cesmi(header: bool) -> int:
    """Modules are shared libraries that generate the states of a model by the interface CESMI.

    `ouro check module.so` loads one; `ouro check module.c --cesmi` compiles it first, and knows where the header is.
    """
    from ouroboros.languages import module_header

    if not header:
        raise UsageError("--header writes the header: ouro cesmi --header > cesmi.h")
    click.echo(module_header(), nl=False)
    return 0
