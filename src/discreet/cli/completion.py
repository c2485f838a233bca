"""``discreet completion``: what a shell has to read, so that Tab completes commands and options."""

from typing import Final

import click
from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete

_SHELLS: Final[dict[str, type[ShellComplete]]] = {
    "bash": BashComplete,
    "zsh": ZshComplete,
    "fish": FishComplete,
}
_VARIABLE: Final = "_DISCREET_COMPLETE"


@click.command()
@click.argument("shell", type=click.Choice(list(_SHELLS)))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print what makes a shell complete commands and options.

    \b
    discreet completion bash >> ~/.bashrc
    discreet completion zsh >> ~/.zshrc
    discreet completion fish > ~/.config/fish/completions/discreet.fish
    """
    script = _SHELLS[shell](context.find_root().command, {}, "discreet", _VARIABLE)
    # Made from names alone: bash's own way asks the bash that is installed how old it is, and this
    # may not be the machine on which the text will be read.
    click.echo(script.source_template % script.source_vars())
