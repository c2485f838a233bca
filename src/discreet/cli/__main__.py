"""``python -m discreet.cli`` is the command ``discreet``."""

from discreet.cli.main import main

main()
