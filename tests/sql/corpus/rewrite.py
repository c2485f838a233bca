"""Write the corpus anew from what the code says now, to be read line by line before it is kept.

.venv/bin/python -m tests.sql.corpus.rewrite
"""

import json
import tomllib
from collections.abc import Iterator
from typing import Any

from discreet.plan.schema import Schema
from tests.sql.corpus.facts import FOLDER, accepted_facts, refused_facts
from tests.sql.corpus.schemas import SCHEMAS


def rewritten(data: dict[str, Any], schema: Schema) -> str:
    """A file with the same questions, and what is true of them now."""
    parts = [data["about"]]
    for kind, facts in (("accepted", accepted_facts), ("refused", refused_facts)):
        for one in data[kind]:
            sql = one["sql"].strip("\n")
            found = facts(sql, schema)
            if "instead" in one:
                found["instead"] = one["instead"]
            parts.append("\n".join(_lines(kind, one["asks"], sql, found)))
    head = f"about = {_text(parts[0])}"
    return "\n\n".join([head, *parts[1:]]) + "\n"


def _lines(kind: str, asks: str, sql: str, facts: dict[str, Any]) -> Iterator[str]:
    yield f"[[{kind}]]"
    yield f"asks = {_text(asks)}"
    yield f"sql = '''\n{sql}\n'''"
    for name, value in facts.items():
        if not isinstance(value, list):
            yield f"{name} = {_text(value)}"
            continue
        yield f"{name} = ["
        for line in value:
            pairs = ", ".join(f"{key} = {_text(part)}" for key, part in line.items())
            yield f"    {{ {pairs} }},"
        yield "]"


def _text(value: str | int) -> str:
    return json.dumps(value, ensure_ascii=False)


def main() -> None:
    """Rewrite every file."""
    for name, schema in SCHEMAS.items():
        path = FOLDER / f"{name}.toml"
        path.write_text(rewritten(tomllib.loads(path.read_text()), schema))


if __name__ == "__main__":
    main()
