"""Mechanisms: frozen values that know their guarantee, their exact law and their accuracy."""

from discreet.mechanisms.laplace import Laplace

__all__ = ["Laplace"]
