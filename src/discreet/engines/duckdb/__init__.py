"""Tables in files and frames, measured by DuckDB."""
