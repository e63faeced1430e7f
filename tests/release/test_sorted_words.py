"""Words of rows, held or on disk: all come back, sorted, and no unit is in two parts."""

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import leastnoise as ln
from leastnoise.errors import BackendError
from leastnoise.release.measure import sorted_words
from leastnoise.release.measure.sorted_words import sorting_of_runs, word_store
from tests.examples import examples
from tests.release.test_by_words import by_statements, found_in, questions

UNITS = st.sampled_from([0, 1, 2, 3, 4, 9, 2**20, 2**44 - 1])


@pytest.fixture
def small() -> Iterator[pytest.MonkeyPatch]:
    """What is large elsewhere is small here."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sorted_words, "HELD", 0)
        patched.setattr(sorted_words, "PART", 3)
        patched.setattr(sorted_words, "_PIECE", 5)
        patched.setattr(sorted_words, "_TOGETHER", 4)
        patched.setattr(sorted_words, "_SAMPLED", 6)
        yield patched


def given_back(batches: list[list[int]], low: int, folder: Path) -> list[list[list[int]]]:
    """The parts, each as its arrays."""
    with word_store(sum(map(len, batches)), low, folder) as store:
        for batch in batches:
            store.take(np.array(batch, np.uint64))
        return [[words.tolist() for words in part] for part in store.parts()]


@pytest.mark.parametrize("held", [0, 99], ids=["on disk", "held"])
def test_all_come_back_and_no_unit_is_in_two_parts(
    held: int, small: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    small.setattr(sorted_words, "HELD", held)
    shapes = Counter[str]()

    @examples(120, 2000)
    @given(
        st.lists(st.lists(UNITS, max_size=9), max_size=8),
        st.sampled_from([0, 1, 7, 20]),
        st.sampled_from([1, 2, 64]),
        st.data(),
    )
    def check(batches: list[list[int]], low: int, ends: int, data: st.DataObject) -> None:
        small.setattr(sorted_words, "_MOST_ENDS", ends)
        below = st.integers(0, 2**low - 1)
        words = [[(unit << low) + data.draw(below) for unit in batch] for batch in batches]
        parts = given_back(words, low, tmp_path)
        assert all(arrays and all(arrays) for arrays in parts)
        found = [word for arrays in parts for words in arrays for word in words]
        assert Counter(found) == Counter(word for batch in words for word in batch)
        owners = [{word >> low for words in arrays for word in words} for arrays in parts]
        assert sum(map(len, owners)) == len({word >> low for word in found})
        for arrays, own in zip(parts, owners, strict=True):
            assert all(words == sorted(words) and len(words) <= 3 for words in arrays)
            assert len(arrays) == 1 or len(own) == 1
        shapes["several arrays"] += any(len(arrays) > 1 for arrays in parts)
        shapes["several parts"] += len(parts) > 1

    check()
    assert all(count > 5 for count in shapes.values()), shapes


def test_a_table_sorted_by_unit_is_divided_again(small: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The first words tell nothing of those that come later."""
    small.setattr(sorted_words, "_MOST_ENDS", 3)
    divided, smaller = [], sorted_words._OnDisk._smaller

    def noted(self: Any, whole: Any) -> Any:
        divided.append(whole.words)
        return smaller(self, whole)

    small.setattr(sorted_words._OnDisk, "_smaller", noted)
    batches = [[8 * unit + row for row in range(3)] for unit in range(100)]
    parts = given_back(batches, 3, tmp_path)
    found = sorted(word for part in parts for words in part for word in words)
    assert found == [word for batch in batches for word in batch]
    assert len(parts) == 100
    assert len(divided) > 2
    assert divided[0] > 200


def test_however_often_a_range_is_divided_it_comes_to_an_end(
    small: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Every look at it finds one unit, the least that is left."""
    small.setattr(sorted_words, "_SAMPLED", 1)
    batches = [[8 * unit + row for unit in range(300)] for row in range(3)]
    parts = given_back(batches, 3, tmp_path)
    assert sorted(word for part in parts for words in part for word in words) == sorted(
        word for batch in batches for word in batch
    )


def test_the_greatest_words_have_a_place(small: pytest.MonkeyPatch, tmp_path: Path) -> None:
    words = [[2**64 - 1, 0, 2**64 - 2, 2**63, 1, 2**64 - 1, 5]]
    for low in (0, 1, 62, 63):
        small.setattr(sorted_words, "_PIECE", 2)
        parts = given_back(words, low, tmp_path)
        assert sorted(word for part in parts for array in part for word in array) == sorted(
            words[0]
        )


@pytest.mark.parametrize("held", [0, 99])
def test_more_than_were_said_are_refused(
    held: int, small: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    small.setattr(sorted_words, "HELD", held)
    with word_store(3, 0, tmp_path) as store:
        store.take(np.arange(2, dtype=np.uint64))
        with pytest.raises(BackendError, match="more rows than before"):
            store.take(np.arange(2, dtype=np.uint64))


@pytest.mark.usefixtures("small")
def test_files_are_the_owners_alone_and_are_gone_afterwards(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), word_store(50, 2, tmp_path) as store:  # noqa: PT012
        store.take(np.arange(40, dtype=np.uint64))
        (folder,) = tmp_path.iterdir()
        assert folder.stat().st_mode & 0o077 == 0
        assert any(file.stat().st_size for file in folder.iterdir())
        raise ZeroDivisionError
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("spoil", ["shorter", "gone"])
def test_files_that_changed_are_refused(spoil: str, tmp_path: Path) -> None:
    with word_store(50, 2, tmp_path) as store:
        store.take(np.arange(40, dtype=np.uint64))
        (folder,) = tmp_path.iterdir()
        for file in folder.iterdir():
            if spoil == "gone":
                file.unlink()
            else:
                with file.open("r+b") as opened:
                    opened.truncate(8)
        with pytest.raises(BackendError, match="temporary files must stay what they are"):
            [list(part) for part in store.parts()]


def rows(path: Path) -> Any:
    random = np.random.default_rng(3)
    columns = {
        "who": random.integers(0, 30, 900),
        "city": pa.array([f"c{n}" for n in random.integers(0, 45, 900)]),
        "year": random.integers(0, 9, 900),
        "cost": random.normal(20, 60, 900),
    }
    pq.write_table(pa.table(columns), path)
    return ln.read(path, unit="who")


@pytest.mark.parametrize("room", [0, 16 * 900 - 1, 16 * 900])
def test_where_the_disk_has_no_room_a_statement_is_asked(
    room: int, small: pytest.MonkeyPatch, taken: list[int], tmp_path: Path
) -> None:
    table = rows(tmp_path / "a.parquet")
    wanted = by_statements(table, questions())

    class Usage:
        free = room

    small.setattr(sorted_words, "disk_usage", lambda _: Usage)
    assert found_in(table, questions()) == wanted
    assert bool(taken) == (room >= 16 * 900)


def test_a_disk_that_is_full_after_all_is_told_as_such(
    small: pytest.MonkeyPatch, taken: list[int], tmp_path: Path
) -> None:
    table = rows(tmp_path / "a.parquet")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device: 900 words")

    small.setattr(sorted_words._Range, "add", full)
    with pytest.raises(BackendError, match="Make room for temporary files") as error:
        found_in(table, questions())
    assert "900" not in str(error.value)
    assert taken


STAGES = ["folder", "files", "last words", "divided again", "removed"]


def refuse_at(stage: str, patched: pytest.MonkeyPatch) -> None:
    """From a stage on the disk is full."""
    kept, store = sorted_words._OnDisk._smaller, sorted_words._OnDisk

    def full(*_: object, **__: object) -> Any:
        raise OSError(28, "No space left on device: 900 words")

    def full_from_now_on(self: Any, whole: Any) -> Any:
        patched.setattr(sorted_words._Range, "add", full)
        return kept(self, whole)

    match stage:
        case "folder":
            patched.setattr(sorted_words, "OwnFolder", full)
        case "files":
            patched.setattr(sorted_words._Range, "__init__", full)
        case "last words":
            patched.setattr(sorted_words, "_TOGETHER", 10**6)
            patched.setattr(sorted_words._Range, "add", full)
        case "divided again":
            patched.setattr(store, "_smaller", full_from_now_on)
        case _:
            patched.setattr(sorted_words._Range, "remove", full)


@pytest.mark.parametrize("stage", STAGES)
def test_whenever_the_disk_is_full_it_is_told_as_such(
    stage: str, small: pytest.MonkeyPatch, taken: list[int], tmp_path: Path
) -> None:
    table = rows(tmp_path / "a.parquet")
    refuse_at(stage, small)
    with pytest.raises(BackendError, match="Make room for temporary files") as error:
        found_in(table, questions())
    assert "900" not in str(error.value)
    assert taken


@pytest.mark.usefixtures("small")
def test_what_is_raised_meanwhile_and_is_of_no_file_is_not_taken_for_a_full_disk(
    tmp_path: Path,
) -> None:
    with pytest.raises(TimeoutError), word_store(50, 2, tmp_path):
        raise TimeoutError
    assert not list(tmp_path.iterdir())


def test_a_folder_that_was_cleared_away_has_no_room(
    small: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    gone = tmp_path / "gone"
    assert not sorted_words.has_room(1, gone)
    small.setattr(sorted_words, "HELD", 1)
    assert sorted_words.has_room(1, gone)


def test_no_file_stays_open(small: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A process may open few of them, and how many rows there are must not decide if it can."""
    small.setattr(sorted_words, "_MOST_ENDS", 64)

    def opened() -> int:
        return len(os.listdir("/dev/fd"))

    before = opened()
    with word_store(9999, 2, tmp_path) as store:
        for start in range(0, 900, 9):
            store.take(np.arange(start, start + 9, dtype=np.uint64))
            assert opened() == before
        assert len(list(tmp_path.glob("*/*"))) > 2
        for part in store.parts():
            assert opened() <= before + 1
            list(part)


@pytest.mark.parametrize("fast", [True, False])
def test_runs_are_merged_where_other_sorting_is_slow(
    fast: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def seconds(_: object, sorting: str | None) -> float:
        return 1 if sorting == "stable" or not fast else 0.1

    monkeypatch.setattr(sorted_words, "_seconds", seconds)
    assert sorting_of_runs.__wrapped__() == (None if fast else "stable")


def test_sorting_is_tried_on_words_in_no_order() -> None:
    assert sorting_of_runs() in (None, "stable")
    assert sorted_words._seconds(np.arange(9, dtype=np.uint64), None) >= 0
