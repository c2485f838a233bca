"""The command line: ``discreet``."""
