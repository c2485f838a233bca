"""Composing losses."""

from discreet.accounting.spending import Spending, spend, spending

__all__ = ["Spending", "spend", "spending"]
