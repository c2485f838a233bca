"""What the code writes is what is kept; ./dev golden writes it anew, where a change is meant."""

from pathlib import Path

import pytest

from tests.golden.comparing import FOLDER, differences, keep, parted
from tests.golden.subjects import SUBJECTS
from tests.support.trials import all_but

MOST_BYTES = 2_800_000
QUICK = ["ledger", "local", "surveys"]


@pytest.mark.parametrize("name", all_but(QUICK, SUBJECTS, pytest.mark.slow))
def test_what_is_written_is_what_is_kept(name: str, tmp_path: Path) -> None:
    found = differences(FOLDER / name, SUBJECTS[name](tmp_path))
    assert not found, f"{len(found)} golden files differ. {found[0]}"


def test_every_folder_has_a_subject() -> None:
    assert {path.name for path in FOLDER.iterdir()} == set(SUBJECTS)


def test_the_files_are_small() -> None:
    assert sum(one.stat().st_size for one in FOLDER.rglob("*") if one.is_file()) < MOST_BYTES


class TestNoticing:
    """What is not as it was kept is seen, and named."""

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        assert keep(tmp_path / "sql", WRITTEN) == ["sql/inner/two.txt", "sql/one.sql"]
        assert differences(tmp_path / "sql", WRITTEN) == []
        return tmp_path / "sql"

    def test_the_first_question_that_differs_is_named(self, folder: Path) -> None:
        parts = {"how many": "SELECT a", "mean": "SELECT c", "last": "SELECT x"}
        (said,) = differences(folder, WRITTEN | {"one.sql": parted(parts)})
        assert said.startswith("sql/one.sql differs, first in the part 'mean'")
        assert "-SELECT b" in said
        assert "+SELECT c" in said
        assert "SELECT x" not in said

    def test_one_byte_is_enough(self, folder: Path) -> None:
        for text in ("a\n\n", "a", "a \n", "a\r\n", "A\n"):
            (said,) = differences(folder, WRITTEN | {"inner/two.txt": text})
            assert said.startswith("sql/inner/two.txt differs")

    def test_a_changed_order_is_seen(self, folder: Path) -> None:
        parts = {"last": "SELECT z", "mean": "SELECT b", "how many": "SELECT a"}
        assert differences(folder, WRITTEN | {"one.sql": parted(parts)})

    def test_a_missing_and_a_left_over_file_are_seen(self, folder: Path) -> None:
        (folder / "inner" / "two.txt").rename(folder / "three.txt")
        assert differences(folder, WRITTEN) == [
            "sql/inner/two.txt is not kept",
            "sql/three.txt is left over",
        ]
        assert keep(folder, WRITTEN) == ["sql/inner/two.txt", "sql/three.txt"]
        assert differences(folder, WRITTEN) == []


WRITTEN = {
    "one.sql": parted({"how many": "SELECT a", "mean": "SELECT b", "last": "SELECT z"}),
    "inner/two.txt": "a\n",
}
