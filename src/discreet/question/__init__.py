"""The question: what users ask of a table, and whether it can be answered."""
