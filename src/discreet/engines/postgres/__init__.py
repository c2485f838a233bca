"""PostgreSQL, where the data live."""
