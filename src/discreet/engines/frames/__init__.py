"""Frames in memory: pandas, Polars and Arrow columns, read cell by cell by one rule."""
