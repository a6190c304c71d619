"""What is on the disk: torn, cut, altered and foreign files are noticed, and the checkpoint before is used."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ouroboros.checkpoint import directory as directories
from ouroboros.checkpoint import keeper as keepers
from ouroboros.checkpoint.choosing import choose
from ouroboros.checkpoint.directory import FORMAT, Directory
from ouroboros.checkpoint.keeper import Keeper
from ouroboros.checkpoint.shares import Damaged, Seal, Section, Share, section, verify, write_share
from ouroboros.engine.exchange.base import Exchange
from ouroboros.engine.exchange.solo import SoloExchange
from ouroboros.errors import UsageError
from tests.threads import run_threads

ALONE = SoloExchange()


@given(
    st.lists(st.lists(st.integers(0, 255), max_size=20), max_size=4),
    st.sampled_from([np.uint8, np.uint16, np.uint32, np.uint64, np.int64]),
    st.integers(1, 5),
)
@settings(deadline=None, max_examples=50)
def test_a_share_reads_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, values: list[list[int]], dtype: type[np.generic], part: int
) -> None:
    path = tmp_path_factory.mktemp("share") / "share"
    arrays = [np.array(each, dtype) for each in values]
    sections = [
        Section(str(at), array.dtype.str, array.size, lambda array=array: np.array_split(array, part))
        for at, array in enumerate(arrays)
    ]
    seal = write_share(path, {"a number": 7}, sections)
    verify(path, seal)
    share = Share(path)
    assert share.numbers == {"a number": 7}
    for at, array in enumerate(arrays):
        assert share.count(str(at)) == array.size
        assert share.read(str(at)).tolist() == array.tolist()
        assert share.read(str(at), array.size // 2).tolist() == array[array.size // 2 :].tolist()
    assert [entry.name for entry in path.parent.iterdir()] == ["share"]


def test_any_altered_byte_and_any_cut_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "share"
    seal = write_share(path, {}, [section("array", np.arange(5, dtype=np.uint64))])
    whole = path.read_bytes()
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        with pytest.raises(Damaged, match="checksum"):
            verify(path, seal)
        path.write_bytes(whole[:at])
        with pytest.raises(Damaged, match=f"{at} bytes instead of {len(whole)}"):
            verify(path, seal)
    path.unlink()
    with pytest.raises(Damaged, match="cannot be read"):
        verify(path, seal)


def saved(path: Path, generations: int, workers: int = 1) -> Keeper:
    """A run with checkpoints of one search, in which the state of each worker is a number."""
    directory = Directory(path)
    directory.begin({"model": "some"})
    keeper = Keeper(directory, 0)
    keeper.begin("search", None, "identity")
    for number in range(generations):
        save(keeper, number, workers)
    return keeper


def save(keeper: Keeper, number: int, workers: int = 1) -> None:
    def work(exchange: Exchange) -> None:
        numbers = np.array([number, exchange.rank], np.int64)
        keeper.save(exchange, {"number": number}, {"rank": exchange.rank}, [section("numbers", numbers)])

    if workers == 1:
        work(ALONE)
    else:
        run_threads(workers, work)


def resumed(path: Path) -> Keeper:
    directory = Directory(path)
    directory.read_run()
    keeper = Keeper(directory, 0)
    keeper.resume(choose(directory, ALONE).generation)
    keeper.begin("search", None, "identity")
    return keeper


def remembered(path: Path) -> Any:
    found = resumed(path).saved()
    return None if found is None else found.progress["number"]


@pytest.mark.parametrize("workers", [1, 3])
def test_every_share_is_read_by_one_worker(tmp_path: Path, workers: int) -> None:
    saved(tmp_path, 2, workers)
    found = resumed(tmp_path).saved()
    assert found
    assert found.progress == {"number": 1}

    def work(exchange: Exchange) -> list[tuple[int, list[int]]]:
        return [(at, share.read("numbers").tolist()) for at, share in found.shares(exchange).items()]

    for readers in (1, 2, 5):
        read = [pair for pairs in run_threads(readers, work) for pair in pairs]
        assert sorted(read) == [(rank, [1, rank]) for rank in range(workers)]


def test_two_generations_are_kept(tmp_path: Path) -> None:
    keeper = saved(tmp_path, 5)
    assert keeper.written == 5
    assert Directory(tmp_path).generations() == [5, 4]
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["000004", "000005", "run.json"]


def alter(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 4
    path.write_bytes(content)


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


@pytest.mark.parametrize("harm", [alter, cut, Path.unlink])
@pytest.mark.parametrize("file", ["worker-1", "manifest.json"])
def test_the_one_before_is_used_where_the_newest_is_damaged(
    tmp_path: Path, harm: Callable[[Path], None], file: str
) -> None:
    saved(tmp_path, 3, workers=2)
    harm(tmp_path / "000003" / file)
    choice = choose(Directory(tmp_path), ALONE)
    assert choice.generation == 2
    # A generation without a manifest was never finished: nobody has to know of it.
    assert len(choice.wrong) == (0 if harm is Path.unlink and file == "manifest.json" else 1)
    assert remembered(tmp_path) == 1
    # It goes on from there, and does not count on what is damaged.
    keeper = resumed(tmp_path)
    save(keeper, 7)
    assert remembered(tmp_path) == 7
    assert Directory(tmp_path).generations() == [4, 2]


def test_where_all_are_damaged_nothing_is_chosen(tmp_path: Path) -> None:
    saved(tmp_path, 2, workers=3)
    for number in (1, 2):
        alter(tmp_path / f"00000{number}" / "worker-2")
    found = run_threads(2, lambda exchange: choose(Directory(tmp_path), exchange))
    assert [choice.generation for choice in found] == [None, None]
    assert all(len(choice.wrong) == 2 for choice in found)


def test_a_run_that_was_ended_before_its_first_checkpoint_begins_again(tmp_path: Path) -> None:
    saved(tmp_path, 0)
    assert choose(Directory(tmp_path), ALONE) == (None, ())
    assert remembered(tmp_path) is None


def test_a_checkpoint_of_another_search_is_refused(tmp_path: Path) -> None:
    saved(tmp_path, 1)
    keeper = Keeper(Directory(tmp_path), 0)
    keeper.resume(1)
    with pytest.raises(UsageError, match="another search"):
        keeper.begin("search", None, "another identity")


def test_finished_searches_are_not_made_again(tmp_path: Path) -> None:
    keeper = saved(tmp_path, 1)
    keeper.finish({"result": 42}, leads=True)
    assert keeper.begin("second", None, "second identity") is None
    save(keeper, 5)
    again = Keeper(Directory(tmp_path), 0)
    again.resume(choose(Directory(tmp_path), ALONE).generation)
    assert again.algorithm() == "search"
    first = again.begin("search", None, "identity")
    assert first
    assert first["result"] == 42
    assert again.algorithm() == "second"
    assert again.begin("second", None, "second identity") is None
    found = again.saved()
    assert found
    assert found.progress == {"number": 5}


def test_what_follows_a_search_that_met_a_limit_is_not_saved(tmp_path: Path) -> None:
    keeper = saved(tmp_path, 1)
    keeper.begin("second", None, "second identity")
    save(keeper, 5)
    keeper.finish({"result": 42}, leads=True)
    assert not keeper.due(ALONE)
    assert remembered(tmp_path) == 0


def test_a_model_that_had_to_grow_grows_again(tmp_path: Path) -> None:
    keeper = saved(tmp_path, 1)
    keeper.grow(17)
    keeper.begin("search", None, "identity of the larger")
    save(keeper, 3)
    again = Keeper(Directory(tmp_path), 0)
    again.resume(choose(Directory(tmp_path), ALONE).generation)
    assert again.growth() == 17
    again.grow(17)
    assert again.growth() is None
    again.begin("search", None, "identity of the larger")
    assert again.saved()
    again.grow(18)
    again.begin("search", None, "identity of the largest")
    assert again.saved() is None


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [("format", FORMAT + 1, "format"), ("ouroboros", "0.0.1", "written by Ouroboros 0.0.1")],
)
def test_another_format_or_version_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str, value: object, said: str
) -> None:
    directory = Directory(tmp_path)
    name = {"format": "FORMAT", "ouroboros": "__version__"}[key]
    with monkeypatch.context() as patch:
        patch.setattr(directories, name, value)
        directory.begin({})
    with pytest.raises(UsageError, match=said):
        directory.read_run()


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no such directory"):
        Directory(tmp_path / "nowhere").read_run()
    with pytest.raises(UsageError, match="there are no checkpoints in it"):
        Directory(tmp_path).read_run()
    Directory(tmp_path).begin({})
    content = json.loads((tmp_path / "run.json").read_text())
    content["content"]["format"] = "none"
    (tmp_path / "run.json").write_text(json.dumps(content))
    with pytest.raises(UsageError, match=r"run\.json is damaged"):
        Directory(tmp_path).read_run()


def test_a_directory_holds_one_run(tmp_path: Path) -> None:
    Directory(tmp_path).begin({})
    with pytest.raises(UsageError, match="there is a run in it already"):
        Directory(tmp_path).begin({})
    one, other = Directory(tmp_path), Directory(tmp_path)
    one.lock()
    with pytest.raises(UsageError, match="going on already"):
        other.lock()
    other.unlock()
    one.unlock()
    other.lock()
    other.unlock()


@pytest.mark.parametrize("workers", [1, 3])
def test_a_full_disk_costs_one_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int) -> None:
    warnings: list[str] = []
    keeper = saved(tmp_path, 2, workers)
    monkeypatch.setattr(keeper, "_warn", warnings.append)

    def full(path: Path, numbers: dict[str, Any], sections: list[Section]) -> Seal:
        if path.name == f"worker-{workers - 1}":
            raise OSError(errno.ENOSPC, "full")
        return write_share(path, numbers, sections)

    with monkeypatch.context() as patch:
        patch.setattr(keepers, "write_share", full)
        save(keeper, 2, workers)
    assert keeper.failure == os.strerror(errno.ENOSPC)
    assert len(warnings) == 1
    assert "No space left on device" in warnings[0]
    assert remembered(tmp_path) == 1
    assert Directory(tmp_path).generations() == [2, 1]
    save(keeper, 3, workers)
    assert keeper.failure is None
    assert remembered(tmp_path) == 3


def test_a_directory_that_vanishes_costs_what_was_in_it(tmp_path: Path) -> None:
    path = tmp_path / "checkpoints"
    keeper = saved(path, 1)
    shutil.rmtree(path)
    save(keeper, 1)
    assert keeper.failure == os.strerror(errno.ENOENT)
    assert not path.exists()
