"""Serves the built site on this machine, and builds it again when one of its sources has changed.

python docs/_extensions/serve.py FOLDER COMMAND… serves FOLDER, which COMMAND builds.
"""

import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from time import sleep

ROOT = Path(__file__).parents[2]
_PORT = 8000
_SOURCES = ("*.md", "docs/**/*.*", "src/discreet/**/*.py", "src/discreet/web/style.css")
_PAUSE = 1.0  # seconds between two looks at the sources


class Quiet(SimpleHTTPRequestHandler):
    """Serves files, and tells nothing of it; a page that was built again is loaded again."""

    def log_message(self, *_: object) -> None:
        """Nothing."""

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        super().end_headers()


def server(folder: Path) -> ThreadingHTTPServer:
    """A server on this machine alone, on the usual port, or on any that is free."""
    handler = partial(Quiet, directory=str(folder))
    for port in (_PORT, 0):
        try:
            return ThreadingHTTPServer(("127.0.0.1", port), handler)
        except OSError:
            pass
    raise OSError("no port is free")


def state(root: Path, folder: Path) -> dict[Path, int]:
    """When each source was last changed."""
    found = {path for pattern in _SOURCES for path in root.glob(pattern) if path.is_file()}
    own = [path for path in found if not path.is_relative_to(folder)]
    return {path: path.stat().st_mtime_ns for path in own if "__pycache__" not in path.parts}


def serve(folder: Path, build: Sequence[str], root: Path = ROOT) -> None:
    """Serve until the process is ended."""
    known = state(root, folder)
    site = server(folder)
    Thread(target=site.serve_forever, daemon=True).start()
    sys.stdout.write(f"http://127.0.0.1:{site.server_port}/ until Ctrl-C\n")
    sys.stdout.flush()
    while True:
        sleep(_PAUSE)
        if (now := state(root, folder)) != known:
            known = now
            ended = subprocess.run(build, check=False)
            sys.stdout.write("built again\n" if ended.returncode == 0 else "not built: see above\n")
            sys.stdout.flush()


if __name__ == "__main__":
    try:
        serve(Path(sys.argv[1]).resolve(), sys.argv[2:])
    except KeyboardInterrupt:
        sys.stdout.write("\n")
