"""SQL in two directions: ``read``, from text to a question; ``write``, to queries of an engine."""
