"""A checked question ▶ the SQL of an engine: integers per group, nothing else."""
