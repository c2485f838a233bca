"""The question: declarations, expressions, checks and sensitivity.  No data are seen here."""
