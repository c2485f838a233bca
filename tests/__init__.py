"""The tests; a package, so that the `tests` of an installed library stays behind it."""
