"""What every served page shares: its frame, style, headers, limits, connections, and the server."""
