"""How pictures look: colors that color-blind readers tell apart, quiet axes."""

from decimal import ROUND_CEILING, Context, Decimal
from typing import Any

from discreet.plots.picture import Picture, missing

BLUE = "#0072B2"
LIGHT_BLUE = "#CFE3F0"
MIDDLE_BLUE = "#8DBBDD"
VERMILION = "#D55E00"
GREEN = "#009E73"
PURPLE = "#CC79A7"
GRAY = "#767676"
DARK = "#333333"

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


def rounded_up(number: float) -> str:
    """Four significant digits, not below the number (but for the error of a float)."""
    context = Context(prec=4, rounding=ROUND_CEILING)
    return f"{float(context.create_decimal(Decimal(number * (1 - 1e-12)))):g}"


def altair() -> Any:
    """The drawing library."""
    try:
        import altair
    except ImportError:
        raise missing("altair") from None
    return altair


def finished(chart: Any, title: str, subtitle: list[str]) -> Picture:
    """The chart with its title, in the common style, as a picture."""
    heading = {"text": title, **({"subtitle": subtitle} if subtitle else {})}
    spec = chart.properties(title=heading).to_dict()
    # A menu would offer to send the data to an editor on the network.
    spec["usermeta"] = {"embedOptions": {"actions": False}}
    spec["config"] = _CONFIG
    return Picture(spec)
