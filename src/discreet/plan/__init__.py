"""Declarations and row expressions, their kinds and public bounds.  No data are seen here."""
