"""What every page shares: templates, style, headers, limits, connections, and the server."""
