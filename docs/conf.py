"""How Sphinx builds the documentation: offline, and without scripts or fonts from elsewhere."""

import sys
from pathlib import Path

import discreet

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

project = "discreet"
author = "The discreet contributors"
version = release = discreet.__version__

extensions = ["mathml", "myst_parser", "navigation", "root_pages"]
exclude_patterns = ["_build"]
myst_enable_extensions = ["deflist", "dollarmath"]
myst_heading_anchors = 3
html_math_renderer = "mathml"

html_theme = "furo"
html_title = f"discreet {version}"
html_show_sphinx = False
html_copy_source = False
