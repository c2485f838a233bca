"""The colors and fonts of the site: those of the pages that discreet writes, from their style."""

import re
from pathlib import Path

STYLE = Path(__file__).parents[2] / "src" / "discreet" / "web" / "style.css"
_ROOT = re.compile(r":root \{(.*?)\}", re.DOTALL)
_VARIABLE = re.compile(r"--([\w-]+): (#\w+);")
_FONT = re.compile(r"font: [\d.]+rem/[\d.]+ (.+);")


def colors() -> tuple[dict[str, str], dict[str, str]]:
    """What the theme calls its colors, by day and by night."""
    day, night = (dict(_VARIABLE.findall(one)) for one in _ROOT.findall(STYLE.read_text("utf-8")))
    return _named(day), _named(day | night)


def fonts() -> dict[str, str]:
    """The fonts of text and of code."""
    (text,) = _FONT.findall(STYLE.read_text("utf-8"))
    return {
        "font-stack": text,
        "font-stack--monospace": "ui-monospace, Menlo, Consolas, 'Liberation Mono', monospace",
    }


def _named(own: dict[str, str]) -> dict[str, str]:
    return {
        "color-background-primary": own["paper"],
        "color-background-secondary": own["soft"],
        "color-background-hover": own["soft"],
        "color-background-border": own["line"],
        "color-foreground-primary": own["ink"],
        "color-foreground-secondary": own["quiet"],
        "color-foreground-muted": own["quiet"],
        "color-foreground-border": own["line"],
        "color-brand-primary": own["accent"],
        "color-brand-content": own["accent"],
        "color-brand-visited": own["accent"],
        "color-code-background": own["soft"],
        "color-code-foreground": own["ink"],
        "color-table-border": own["line"],
    }
