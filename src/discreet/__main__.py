"""``python -m discreet`` is the command ``discreet``."""

from discreet.cli.main import main

main()
