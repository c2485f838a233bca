"""Only noise/entropy.py makes randomness."""

import ast

from tests.support.cases import each
from tests.support.package_source import SourceFile, imported_names, made_up, package_files

ENTROPY = "noise/entropy.py"
SOURCES = (
    "cryptography.fernet",
    "numpy.random",
    "os.getrandom",
    "os.urandom",
    "random",
    "secrets",
    "ssl.RAND_bytes",
    "uuid",
)


def modules(file: SourceFile) -> dict[str, str]:
    """What each module is called in the file: {"np": "numpy"}."""
    known = {}
    for node in ast.walk(file.tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                known[alias.asname or top] = alias.name if alias.asname else top
    return known


def attribute_name(node: ast.AST, known: dict[str, str]) -> str:
    """The absolute name of `np.random.default_rng`, where np is known to be numpy."""
    first, _, rest = ast.unparse(node).partition(".")
    return f"{known.get(first, '')}.{rest}"


def randomness(file: SourceFile) -> list[str]:
    known = modules(file)
    found = []
    for node in ast.walk(file.tree):
        names = list(imported_names(node, file))
        if isinstance(node, ast.Attribute):
            names.append(attribute_name(node, known))
        found += [
            f"{file.path}:{node.lineno} uses {name}"
            for name in names
            if any(f"{name}.".startswith(f"{source}.") for source in SOURCES)
        ]
    return found


def test_only_entropy_makes_randomness() -> None:
    files = [file for file in package_files() if str(file.path) != ENTROPY]
    assert files
    assert [use for file in files for use in randomness(file)] == []


@each(
    "text",
    [
        "import random",
        "import random as r",
        "from random import gauss",
        "from random import *",
        "import numpy.random",
        "import numpy.random as npr",
        "from numpy import random",
        "from numpy.random import default_rng",
        "import numpy as np\nnp.random.default_rng()",
        "import numpy\nnumpy.random.default_rng().normal()",
        "def draw():\n    import numpy as n\n    return n.random",
        "import os\nos.urandom(8)",
        "import os as system\nsystem.getrandom(8)",
        "from os import urandom",
        "import secrets",
        "from uuid import uuid4",
        "import uuid",
        "from ssl import RAND_bytes",
    ],
)
def test_another_source_of_randomness_is_seen(text: str) -> None:
    assert randomness(made_up("statistics/count.py", text))


def test_words_that_only_sound_random_are_let_through() -> None:
    text = "from .randomized import random_sign\nimport os\nos.path.join(random)\nself.random"
    assert randomness(made_up("mechanisms/response.py", text)) == []
