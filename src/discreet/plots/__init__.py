"""Pictures, from plain data: drawn by Altair, rendered on this machine, nothing sent anywhere."""

from discreet.plots.estimates import estimates_picture
from discreet.plots.picture import Picture
from discreet.plots.tradeoff import tradeoff_picture

__all__ = ["Picture", "estimates_picture", "tradeoff_picture"]
