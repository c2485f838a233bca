"""Keys that nobody listed, chosen among on the cluster: those that pass a sieve come back.

Which pass is decided by a hash of the key and a secret, so that a task that is run again decides
the same.  Decision: docs/decisions/keys_on_a_cluster.md
"""

from discreet.engines.spark.texts import literal
from discreet.mechanisms.sieve import Sieve

SECRET = "secret"
"""The column that holds the secret, in a view of one row."""
_WEIGHT = "weight"


def sieved(query: str, keys: int, sieve: Sieve, secret: str) -> str:
    """The keys of a query that pass, and how many units hold each; ``secret`` is a view."""
    digits = sieve.bits // 4
    labels = [f"k{place}" for place in range(keys)]
    parts = ", ".join(f"CAST(LENGTH({name}) AS STRING), ':', {name}" for name in labels)
    number = f"SUBSTRING(SHA2(CONCAT({SECRET}, {parts}), 256), 1, {digits})"
    limits = " ".join(f"{limit:0{digits}x}" for limit in sieve.limits)
    limit = f"SPLIT({literal(limits)}, ' ')[CAST(({_WEIGHT} - 1) DIV {sieve.step} AS INT)]"
    passes = f"CASE WHEN {_WEIGHT} >= {sieve.sure} THEN TRUE ELSE {number} < {limit} END"
    found = ", ".join([*labels, _WEIGHT])
    return f"SELECT {found} FROM ({query}) AS found CROSS JOIN {secret} WHERE {passes}"
