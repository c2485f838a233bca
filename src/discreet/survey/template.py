"""The poll file that ``discreet survey new`` writes, to be filled in."""

from pathlib import Path

from discreet.errors import PolicyError

_TEXT = """# A survey in which answers are randomized in the browser of each respondent.
# Serve it:    discreet survey serve {name}
# Rehearse it: discreet survey simulate {name} --respondents 1000

title = "Lessons"
question = "Did you skip a lesson in the last month?"
answers = ["No", "Yes"]

# For a number, such as hours a week, give its bounds instead of answers:
# low = 0
# high = 40

# No report is more than e^epsilon times as likely for one answer as for another. A smaller
# epsilon protects more, and needs more respondents for the same accuracy. It cannot be changed
# once there are reports.
epsilon = 1

# How an answer is randomized: "randomized-response", "unary", "subset", "hadamard" or "projective",
# a number: "duchi", "piecewise" or "hybrid". "choose" takes the one with the narrowest interval.
scheme = "choose"

# Where reports are kept: a SQLite file beside this one, or "postgresql://host/database".
database = "{stem}.db"

# How many reports one address may send in a minute. A class behind one router shares an address.
rate_limit = 60

# The last day on which reports are taken, in UTC; without it the survey stays open.
# closes = 2030-12-31

# "none": everyone may answer. "one-time": whoever has a token, once; make tokens with
# discreet survey tokens {name} --number 200
tokens = "none"
"""


def write_template(place: Path) -> None:
    """Write a commented poll; an existing file is never overwritten."""
    if place.suffix != ".toml":
        raise PolicyError(
            f"the poll's name {place.name!r} does not end in .toml. It is a TOML file. Name it "
            f"{place.stem or 'poll'}.toml."
        )
    try:
        with open(place, "x", encoding="utf-8") as file:
            file.write(_TEXT.format(name=place.name, stem=place.stem))
    except FileExistsError:
        raise PolicyError(
            f"{place.name!r} is already there. A poll is never overwritten, since its reports "
            "belong to it. Name another file, or move it away."
        ) from None
    except OSError:
        raise PolicyError(
            f"{place.name!r} cannot be written there. A poll is written into a folder that exists "
            "and that you may write to. Make the folder, or name another."
        ) from None
