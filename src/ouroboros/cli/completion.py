"""`ouro completion`: what a shell needs to complete commands, options, their values and the names of files."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from ouroboros.cli.output import printed

_VARIABLE = "_OURO_COMPLETE"


@click.command(short_help="Have the shell complete commands.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print what a shell needs to complete `ouro`: commands, options, values and files.

    For bash, put into ~/.bashrc: eval "$(ouro completion bash)"; for zsh the same into ~/.zshrc; for fish, save it as
    ~/.config/fish/completions/ouro.fish.
    """
    from ouroboros.cli import ouro

    kind = get_completion_class(shell)
    assert kind is not None
    with printed():
        click.echo(kind(ouro, {}, "ouro", _VARIABLE).source())
