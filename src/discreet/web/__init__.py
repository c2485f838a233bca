"""What every page shares: templates, headers, limits, refusals, and the server."""
