"""The answer as a page that can be kept and sent: no script, no address, one file."""

import re
from collections.abc import Sequence
from html import escape

from discreet.errors import DiscreetError
from discreet.exact import decimal_text, rational
from discreet.privacy.estimate import Estimate, error_text, value_text
from discreet.release.answer import Release
from discreet.release.drawing import Scale
from discreet.release.shown import label_text
from discreet.release.style import STYLE
from discreet.release.words import asked_in_words, price_in_words, protected

_MOST_ROWS = 1000
_MOST_IN_NOTEBOOK = 60

# The browser itself refuses every request that the page might make.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def page(release: Release) -> str:
    """The whole page."""
    certificate = release.certificate
    by = f" by {', '.join(release.keys)}" if release.keys else ""
    title = _text(f"{certificate.table}{by}")
    asked = asked_in_words(certificate, release.asked, release.keys, release.condition)
    parts = [
        f'<header><p class="kicker">Private statistics</p><h1>{title}</h1>'
        f'<p class="lead">{_text(asked)}</p>'
        f'<p class="asked"><span>As asked</span> <code>{_text(certificate.question)}</code></p>'
        f"{_facts(release)}</header>",
        f'<section aria-labelledby="answer"><h2 id="answer">The answer</h2>{_table(release)}'
        f"{_more(release, _MOST_ROWS)}</section>",
        _figure(release),
        f'<section aria-labelledby="notes"><h2 id="notes">What the ranges cover</h2>'
        f"{_list(_coverage(release))}</section>",
        f'<section aria-labelledby="reading"><h2 id="reading">How to read this</h2>'
        f"{_reading(release)}</section>",
        f'<section aria-labelledby="price"><h2 id="price">What was paid, and for what</h2>'
        f"{_price(release)}</section>",
        _certificate(release),
    ]
    body = "\n".join(part for part in parts if part)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{title}: private statistics</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def notebook(release: Release) -> str:
    """The table with its price and notes, in the colors of whatever shows it."""
    right = 'style="text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums"'
    head = "".join(f'<th scope="col">{_text(name)}</th>' for name in release.keys)
    head += "".join(f'<th scope="col" {right}>{_text(name)}</th>' for name in release.columns)
    rows = "".join(
        f"<tr>{_labels(release, place)}"
        + "".join(
            f'<td {right}>{_text(value_text(found[place]))} <span style="opacity:.7">'
            f"{_text(error_text(found[place]))}</span></td>"
            for found in release.columns.values()
        )
        + "</tr>"
        for place in range(min(len(release), _MOST_IN_NOTEBOOK))
    )
    notes = "".join(f"<li>{_text(note)}</li>" for note in release.notes)
    return (
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        f"{_more(release, _MOST_IN_NOTEBOOK)}<p>{_text(release.price)}, errors at 95%</p>"
        f'<ul style="opacity:.8">{notes}</ul>'
    )


def _facts(release: Release) -> str:
    groups = f"{len(release):,}" if release.keys else "none"
    facts = [
        ("Privacy price", release.price),
        ("Protects", f"each {release.certificate.unit}"),
        ("Groups", groups),
        ("Released", release.certificate.time[:10]),
    ]
    cells = "".join(f"<div><dt>{name}</dt><dd>{_text(fact)}</dd></div>" for name, fact in facts)
    return f'<dl class="facts">{cells}</dl>'


def _table(release: Release) -> str:
    scales = {
        name: Scale(found, release.adds_up(name), alone=not release.keys)
        for name, found in release.columns.items()
    }
    if release.keys:
        head = "".join(f'<th scope="col">{_text(name)}</th>' for name in release.keys)
        head += "".join(f'<th scope="col" class="n">{_text(name)}</th>' for name in release.columns)
        rows = [
            _labels(release, place)
            + "".join(_cell(found[place], scales[name]) for name, found in release.columns.items())
            for place in range(min(len(release), _MOST_ROWS))
        ]
    else:  # one answer for each output reads better downward
        head = '<th scope="col">Statistic</th><th scope="col" class="n">Answer</th>'
        rows = [
            f'<th scope="row">{_text(name)}</th>{_cell(found[0], scales[name])}'
            for name, found in release.columns.items()
        ]
    drawn = "The thin line below is that range" if any(one.drawn for one in scales.values()) else ""
    scaled = f" {drawn}, on one scale per {'column' if release.keys else 'row'}." if drawn else ""
    return _scrolled("answer", head, rows, f"Each number stands with its error at 95%.{scaled}")


def _scrolled(name: str, head: str, rows: Sequence[str], note: str) -> str:
    """A table that scrolls by itself where the screen is narrow; its note does not."""
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return (
        f'<div class="scroll" role="region" aria-labelledby="{name}" tabindex="0">'
        f'<table aria-describedby="{name}-note"><thead><tr>{head}</tr></thead>'
        f'<tbody>{body}</tbody></table></div><p class="note" id="{name}-note">{note}</p>'
    )


def _labels(release: Release, place: int) -> str:
    return "".join(
        f'<th scope="row"><bdi>{_text(label_text(label))}</bdi></th>'
        for label in release.groups[place]
    )


def _more(release: Release, shown: int) -> str:
    if not release.groups:
        return "<p>No group was found.</p>"
    hidden = len(release) - shown
    return f"<p>… {hidden:,} more groups, which .csv and .json hold.</p>" if hidden > 0 else ""


def _cell(estimate: Estimate, scale: Scale) -> str:
    return (
        f'<td class="n"><span class="v">{_text(value_text(estimate))}</span> '
        f'<span class="e">{_text(error_text(estimate))}</span>{scale.drawing(estimate)}</td>'
    )


def _figure(release: Release) -> str:
    """The picture, if the extra that draws it is installed and there is something to draw."""
    if not release.keys:
        return ""
    try:
        picture = release.plot()
        svg = re.sub(r' xmlns(?::\w+)?="[^"]*"', "", picture.svg)  # in a page, names need none
    except DiscreetError:
        return ""
    return f'<figure role="img" aria-label="{_text(picture.title)}">{svg}</figure>'


def _coverage(release: Release) -> list[str]:
    ranges = sum(one.rank_error is None for found in release.columns.values() for one in found)
    several = (
        f"Each range holds for itself. Of the {ranges:,} on this page, up to about "
        f"{ranges / 20:,.0f} can be expected to miss; for ranges that hold all at "
        "once, ask for simultaneous bounds."
    )
    return [
        "A range holds what the table says without noise, in at least 95 of 100 such answers. It "
        "knows nothing of errors in the table itself.",
        *([several] if ranges >= 20 else []),
        *release.notes,
    ]


def _reading(release: Release) -> str:
    certificate = release.certificate
    terms = [
        (
            "Why is it exact?",
            "Whom the table protects can be replaced by another, never added or removed. So the "
            "number of rows is public.",
        )
        if all(one.exact for found in release.columns.values() for one in found)
        else (
            "Why are the numbers not exact?",
            "Random noise was added on purpose, so that nobody can work backward from a number to "
            "a person. How much is public: it is the ± beside each number.",
        ),
        (
            "What does the price mean?",
            " ".join(price_in_words(certificate))
            + " A smaller ε protects more, and makes ranges wider.",
        ),
        (
            "Do prices add up?",
            "Yes. Every answer from this table counts against its budget, which the ledger keeps.",
        ),
    ]
    if any(found and found[0].rank_error is not None for found in release.columns.values()):
        terms.insert(
            1,
            (
                "What is “rank ±”?",
                "A median or another quantile has no ±. Put all rows in order: the number lies at "
                "most so many places away from the exact one, with 95% probability.",
            ),
        )
    return f'<dl class="reading">{"".join(_term(*term) for term in terms)}</dl>'


def _price(release: Release) -> str:
    certificate = release.certificate
    rows = [
        f'<th scope="row">{_text(one["output"])}</th><td><code>{_text(one["asks"])}</code></td>'
        f'<td>{_text(one["mechanism"])}</td><td class="n">{_text(_short(one["epsilon"]))}</td>'
        for one in certificate.mechanisms
    ]
    heads = "".join(f'<th scope="col">{name}</th>' for name in ("Output", "Asks", "Noise"))
    note = "Outputs that share one measurement share its ε."
    return (
        f"<p>The whole answer cost <strong>{_text(release.price)}</strong>. It protects "
        f"{_text(protected(certificate))}. Neighbors: {_text(certificate.neighbors)}.</p>"
        + _scrolled("price", f'{heads}<th scope="col" class="n">ε</th>', rows, note)
    )


def _certificate(release: Release) -> str:
    certificate = release.certificate
    rows = "".join(
        f"<div><dt>{_text(topic)}</dt><dd>{_text(line)}</dd></div>"
        for topic, line in certificate.lines
        if topic not in ("question", "noise", "")
    )
    return (
        '<section class="certificate" aria-labelledby="certificate">'
        f'<h2 id="certificate">Certificate</h2><dl>{rows}</dl>'
        "<p>Whoever has the ledger can check this: save what follows as certificate.json and run "
        "<code>discreet ledger verify LEDGER --certificate certificate.json</code></p>"
        f"<details><summary>As data</summary><pre>{escape(certificate.to_json())}</pre></details>"
        "</section>"
    )


def _list(lines: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{_text(line)}</li>' for line in lines)}</ul>"


def _term(question: str, answer: str) -> str:
    return f"<dt>{_text(question)}</dt><dd>{_text(answer)}</dd>"


def _short(epsilon: str) -> str:
    return decimal_text(rational(epsilon, "epsilon"))


def _text(text: str) -> str:
    """Text that is only text, whatever stands in it."""
    return escape(label_text(text))
