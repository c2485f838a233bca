"""How Sphinx builds the documentation: offline, and without scripts or fonts from elsewhere."""

import sys
from pathlib import Path

import discreet

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

from site_colors import colors, fonts

project = "discreet"
author = "The discreet contributors"
version = release = discreet.__version__

extensions = ["mathml", "myst_parser", "navigation", "phone_tables", "root_pages"]
exclude_patterns = ["_build"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
html_math_renderer = "mathml"

html_theme = "furo"
html_title = f"discreet {version}"
html_show_copyright = False
html_show_sphinx = False
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["copy.js"]
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"

_day, _night = colors()
html_theme_options = {
    "light_css_variables": fonts() | _day,
    "dark_css_variables": _night,
    "top_of_page_buttons": [],
}
