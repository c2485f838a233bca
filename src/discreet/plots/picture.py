"""A picture as a value: how it looks, and how it is shown or saved as SVG, PNG or HTML."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from functools import cached_property
from pathlib import Path
from textwrap import wrap
from typing import Any

from discreet.dependencies import install_extra
from discreet.errors import DataError, DiscreetError

BLUE = "#0072B2"
LIGHT_BLUE = "#CFE3F0"
MIDDLE_BLUE = "#8DBBDD"
VERMILION = "#D55E00"
GREEN = "#009E73"
PURPLE = "#CC79A7"
GRAY = "#767676"
DARK = "#333333"
COLORS = (BLUE, VERMILION, GREEN, PURPLE, "#B8860B", "#5F5F5F")
"""Of so many things, each has a color of its own."""
MOST_PANELS = 12
_TITLE = 54
_SUBTITLE = 76
"""Letters of a line above a picture."""
_CONFIG: dict[str, Any] = {
    "font": "Liberation Sans, Helvetica, Arial, sans-serif",
    "background": "white",
    "padding": 14,
    "view": {"stroke": None},
    "title": {
        "anchor": "start",
        "color": DARK,
        "fontSize": 16,
        "fontWeight": 600,
        "offset": 14,
        "subtitleColor": "#555555",
        "subtitleFontSize": 12.5,
        "subtitlePadding": 6,
        "subtitleLineHeight": 17,
    },
    "axis": {
        "domainColor": "#BBBBBB",
        "gridColor": "#EEEEEE",
        "labelColor": "#555555",
        "labelFontSize": 12,
        "tickColor": "#BBBBBB",
        "titleColor": DARK,
        "titleFontSize": 13,
        "titleFontWeight": 500,
        "titlePadding": 10,
    },
    "legend": {
        "columnPadding": 24,
        "labelColor": DARK,
        "labelFontSize": 12.5,
        "labelLimit": 400,
        "symbolSize": 160,
        "symbolStrokeWidth": 2.5,
        "title": None,
    },
}


@dataclass(frozen=True, eq=False)
class Picture:
    """A Vega-Lite specification that holds its data, rendered without a network.

    ``svg``, ``png`` and ``html`` are the rendered forms; ``spec`` is plain data that Altair
    takes back: ``altair.Chart.from_dict(picture.spec)``.
    """

    spec: dict[str, Any]

    def __repr__(self) -> str:
        return f"Picture({self.title!r})"

    @property
    def title(self) -> str:
        """What stands first above the picture, on one line."""
        text = self.spec["title"]["text"]
        return text if isinstance(text, str) else " ".join(text)

    @cached_property
    def svg(self) -> str:
        """The picture as SVG text."""
        converter = _converter()
        return str(
            converter.vegalite_to_svg(self.spec, vl_version=self._version, allowed_base_urls=[])
        )

    @cached_property
    def png(self) -> bytes:
        """The picture as PNG data, at twice the size for sharp screens."""
        return bytes(_converter().svg_to_png(self.svg, scale=2))

    @cached_property
    def html(self) -> str:
        """The picture as a page of its own, with tooltips: all that it needs is inside it."""
        from discreet.templates import package_text, rendered

        return rendered(
            "plots/picture.html",
            style=package_text("plots/picture.css"),
            title=self.title,
            svg=self.svg,
            library=_converter().javascript_bundle(vl_version=self._version),
            spec=self.spec,
        )

    def save(self, path: "str | Path") -> Path:
        """Write the picture to a file whose name ends in .svg, .png or .html."""
        target = Path(path)
        match target.suffix.lower():
            case ".svg":
                target.write_text(self.svg, "utf-8")
            case ".png":
                target.write_bytes(self.png)
            case ".html":
                target.write_text(self.html, "utf-8")
            case other:
                raise DataError(
                    f"the file's name ends in {other!r}. The ending says how the picture is "
                    'written. Use .svg, .png or .html, for example "picture.svg".'
                )
        return target

    def _repr_html_(self) -> str:
        return self.svg

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"image/svg+xml": self.svg, "text/plain": repr(self)}

    @property
    def _version(self) -> str | None:
        """The version of Vega-Lite that the specification was written for, if it is at hand."""
        wanted = re.search(r"/v(\d+\.\d+)", str(self.spec.get("$schema")))
        known = wanted is not None and wanted[1] in _converter().get_vegalite_versions()
        return wanted[1] if wanted is not None and known else None


def _converter() -> Any:
    try:
        import vl_convert
    except ImportError:
        raise missing_library_error("vl-convert-python") from None
    return vl_convert


def missing_library_error(library: str) -> DiscreetError:
    """The error for a library of the extra ``plot`` that is not installed."""
    return DiscreetError(
        f"{library} is not installed. Pictures are drawn by it, and discreet does not need it "
        f"otherwise. Run: {install_extra('plot')}"
    )


def rounded_up(number: float) -> str:
    """Four significant digits, not below the number (but for the error of a float)."""
    context = Context(prec=4, rounding=ROUND_CEILING)
    return f"{float(context.create_decimal(Decimal(number * (1 - 1e-12)))):g}"


def altair() -> Any:
    """The drawing library."""
    try:
        import altair
    except ImportError:
        raise missing_library_error("altair") from None
    return altair


def colored_names(
    alt: Any, names: Sequence[str], symbol: str = "stroke", strength: float = 1.0
) -> Any:
    """A color for each of a few names, which the legend below explains."""
    color = alt.Color("name:N").scale(domain=list(names), range=list(COLORS[: len(names)]))
    longest = max(map(len, names))
    columns = 1 if longest > 38 else 2 if longest > 20 else 3
    return color.legend(
        orient="bottom",
        direction="horizontal",
        symbolType=symbol,
        columns=columns,
        title=None,
        symbolOpacity=strength,
        symbolStrokeWidth=2.5,
    )


def in_panels(alt: Any, chart: Any, names: Sequence[str], data: Any, width: int) -> Any:
    """The chart once for each name, three beside each other, all on one scale."""
    header = alt.Header(labelFontSize=12, labelColor=DARK, labelLimit=width, labelAnchor="start")
    facet = alt.Facet("name:N", sort=list(names), title=None, header=header)
    return chart.facet(facet=facet, columns=3, data=data, spacing={"row": 14, "column": 22})


def check_drawing() -> None:
    """Refuse where what draws is not installed."""
    altair()
    _converter()


def stacked(pictures: Sequence[Picture], title: str) -> Picture:
    """Several pictures below each other, as one; a single one is as it is."""
    if len(pictures) == 1:
        return pictures[0]
    parts = []
    for picture in pictures:
        outer = ("$schema", "config", "usermeta", "datasets")
        parts.append({name: part for name, part in picture.spec.items() if name not in outer})
    spec = {
        **{name: pictures[0].spec[name] for name in ("$schema", "usermeta", "config")},
        "title": {"text": _lines(title, _TITLE)},
        "vconcat": parts,
        "spacing": 36,
        "resolve": {"scale": {"color": "independent"}},
    }
    named: dict[str, Any] = {}
    for picture in pictures:
        named |= picture.spec.get("datasets", {})
    return Picture({**spec, "datasets": named} if named else spec)


def message_picture(title: str, message: str) -> Picture:
    """A picture in which there is nothing but what is said below its title."""
    alt = altair()
    blank = alt.Chart(alt.Data(values=[{}])).mark_point(opacity=0, color=GRAY)
    return finished(blank.properties(width=320, height=20), title, [message])


def _lines(text: str, width: int) -> list[str]:
    """A text on as many lines as it needs."""
    return wrap(text, width, break_long_words=False, break_on_hyphens=False) or [text]


def finished(chart: Any, title: str, subtitle: list[str]) -> Picture:
    """The chart with its title, in the common style, as a picture."""
    lines = _lines(title, _TITLE)
    heading: dict[str, Any] = {"text": lines if len(lines) > 1 else title}
    if subtitle:
        heading["subtitle"] = [line for text in subtitle for line in _lines(text, _SUBTITLE)]
    spec = chart.properties(title=heading).to_dict()
    # A menu would offer to send the data to an editor on the network.
    spec["usermeta"] = {"embedOptions": {"actions": False}}
    spec["config"] = _CONFIG
    return Picture(spec)
