"""Pictures, from plain data: drawn by Altair, rendered on this machine, nothing sent anywhere."""

from discreet.plots.estimates import estimates_picture
from discreet.plots.heat_map import HeatCell, heat_map_picture
from discreet.plots.laws import chances_picture, comparison_picture, noise_picture
from discreet.plots.picture import (
    COLORS,
    MOST_PANELS,
    Picture,
    check_drawing,
    message_picture,
    stacked,
)
from discreet.plots.series import Places, places_of, series_picture
from discreet.plots.tradeoff import region_picture, tradeoff_picture

__all__ = [
    "COLORS",
    "MOST_PANELS",
    "HeatCell",
    "Picture",
    "Places",
    "chances_picture",
    "check_drawing",
    "comparison_picture",
    "estimates_picture",
    "heat_map_picture",
    "message_picture",
    "noise_picture",
    "places_of",
    "region_picture",
    "series_picture",
    "stacked",
    "tradeoff_picture",
]
