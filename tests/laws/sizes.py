"""Reports on the proportions of the source: nothing here fails.

./dev check --sizes prints the files that exactly one other file imports, which may be the seam of a
file that was torn in two, and the largest files, which may be two ideas.
"""

from collections import defaultdict

from tests.support.package_source import import_graph, package_files

_MOST = 15


def report() -> str:
    """The text that is printed."""
    files = package_files()
    importers: dict[str, set[str]] = defaultdict(set)
    for path, imported in import_graph(files).items():
        for other in imported:
            importers[other].add(path)
    lines = {str(file.path): len(file.text.splitlines()) for file in files}
    total = sum(lines.values())
    single = {path: next(iter(found)) for path, found in importers.items() if len(found) == 1}
    largest = sorted(lines, key=lambda path: -lines[path])[:_MOST]
    return "\n".join(
        [
            f"{len(lines)} files, {total:,} lines, {total // len(lines)} a file",
            "",
            f"imported by exactly one file ({len(single)}):",
            *(f"{lines[path]:>6}  {path}  by {single[path]}" for path in sorted(single)),
            "",
            "largest:",
            *(f"{lines[path]:>6}  {path}" for path in largest),
        ]
    )


if __name__ == "__main__":
    print(report())
