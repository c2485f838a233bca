"""Five private answers, a verified mechanism and its picture, on made-up ages."""

import csv
from pathlib import Path

import discreet as dp

HERE = Path(__file__).parent
PICTURE = HERE / "output" / "tradeoff.svg"


def read_ages() -> list[int]:
    with open(HERE / "data" / "ages.csv", newline="") as file:
        return [int(row["age"]) for row in csv.DictReader(file)]


def show(question: str, answer: object) -> None:
    """A question as it is typed, and the answer below it."""
    text = answer if isinstance(answer, str) else repr(answer)
    print(f"  {question}")
    print("".join(f"      {line}\n" for line in text.splitlines()))


def five_lines(ages: list[int]) -> None:
    print("Five lines to a private answer\n")
    show(
        "dp.count(ages, epsilon=1)",
        dp.count(ages, epsilon=1),
    )
    show(
        "dp.mean(ages, bounds=(0, 120), epsilon=1)",
        dp.mean(ages, bounds=(0, 120), epsilon=1),
    )
    show(
        "dp.quantile(ages, [.25, .5, .75], bounds=(0, 120), epsilon=1)",
        dp.quantile(ages, [0.25, 0.5, 0.75], bounds=(0, 120), epsilon=1),
    )
    show(
        "dp.histogram(ages, bins=[0, 18, 65, 120], epsilon=1)",
        dp.histogram(ages, bins=[0, 18, 65, 120], epsilon=1),
    )


def verified_mechanism() -> None:
    mechanism = dp.Laplace(scale=2)
    check = dp.verify(mechanism, 0, 1)
    print("A mechanism that is verified, not believed\n")
    show("dp.verify(dp.Laplace(scale=2), 0, 1).epsilon", str(check.epsilon))
    show(
        "dp.verify(dp.Laplace(scale=2), 0, 1).delta(epsilon=0.3)",
        f"{float(check.delta(epsilon=0.3)):.6f}",
    )

    PICTURE.parent.mkdir(exist_ok=True)
    dp.tradeoff(mechanism, 0, 1).plot().save(PICTURE)
    show(
        f"dp.tradeoff(dp.Laplace(scale=2), 0, 1).plot().save({PICTURE.name!r})",
        f"the best attack on it, in {PICTURE.relative_to(HERE.parent)}",
    )


if __name__ == "__main__":
    five_lines(read_ages())
    verified_mechanism()
