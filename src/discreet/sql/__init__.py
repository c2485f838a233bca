"""SQL text to nodes, and nodes to the SQL of an engine."""
