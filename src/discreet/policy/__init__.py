"""The custodian's TOML: a table's declarations, written once."""

from discreet.policy.reader import read_policy

__all__ = ["read_policy"]
