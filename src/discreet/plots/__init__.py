"""Pictures, from plain data: drawn by Altair, rendered on this machine, nothing sent anywhere."""

from discreet.plots.estimates import estimates_picture
from discreet.plots.laws import chances_picture, comparison_picture, noise_picture
from discreet.plots.picture import Picture
from discreet.plots.tradeoff import region_picture, tradeoff_picture

__all__ = [
    "Picture",
    "chances_picture",
    "comparison_picture",
    "estimates_picture",
    "noise_picture",
    "region_picture",
    "tradeoff_picture",
]
