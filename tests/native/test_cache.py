"""Object code on disk: used when it is there and whole, never needed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ouroboros import cache
from ouroboros.native import compile_system, objects
from ouroboros.system.blocks import Assign
from ouroboros.system.expressions import Constant
from ouroboros.system.layout import Field
from ouroboros.system.model import System
from tests.native.builder import action, system
from tests.native.machine import Machine

X = Field("x", "globals", 8)


def sets_x(value: int) -> System:
    return system((X,), [action(Assign(X, None, Constant(value)))])


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OUROBOROS_CACHE", str(tmp_path))
    return tmp_path / "objects"


def test_the_second_time_the_code_comes_from_the_cache(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not compile_system(sets_x(1)).cached
    assert len(list(directory.iterdir())) == 1

    def compiles(text: str) -> bytes:
        pytest.fail("compiled again")

    monkeypatch.setattr(objects, "compiled", compiles)
    machine = Machine(sets_x(1))
    assert machine.program.cached
    (step,) = machine.assert_agrees((0,))
    assert step.state == (1,)


def test_another_system_is_not_mistaken_for_a_cached_one(directory: Path) -> None:
    assert not compile_system(sets_x(1)).cached
    assert not compile_system(sets_x(2)).cached
    assert len(list(directory.iterdir())) == 2


@pytest.mark.parametrize("damage", ["empty", "short", "cut", "flipped", "directory"])
def test_a_damaged_file_is_compiled_again(directory: Path, damage: str) -> None:
    compile_system(sets_x(1))
    (path,) = directory.iterdir()
    content = path.read_bytes()
    match damage:
        case "empty":
            path.write_bytes(b"")
        case "short":
            path.write_bytes(content[:10])
        case "cut":
            path.write_bytes(content[:-1])
        case "flipped":
            path.write_bytes(content[:500] + bytes([content[500] ^ 1]) + content[501:])
        case _:
            path.unlink()
            path.mkdir()
    machine = Machine(sets_x(1))
    assert not machine.program.cached
    machine.assert_agrees((0,))
    if damage != "directory":
        assert compile_system(sets_x(1)).cached
    assert len(list(directory.iterdir())) == 1


def test_without_a_writable_directory_everything_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    obstacle = tmp_path / "file"
    obstacle.write_text("no directory")
    monkeypatch.setenv("OUROBOROS_CACHE", str(obstacle))
    assert cache.directory("objects") is None
    for _ in range(2):
        machine = Machine(sets_x(1))
        assert not machine.program.cached
        machine.assert_agrees((0,))


def test_a_full_disk_does_no_harm(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    Machine(sets_x(1)).assert_agrees((0,))
    assert list(directory.iterdir()) == []


def test_what_was_not_used_for_longest_is_dropped(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_system(sets_x(1))
    (first,) = directory.iterdir()
    compile_system(sets_x(2))
    (second,) = set(directory.iterdir()) - {first}
    os.utime(first, (1000, 1000))
    os.utime(second, (2000, 2000))
    assert compile_system(sets_x(1)).cached
    monkeypatch.setattr(objects, "CACHE_BYTES", int(2.5 * first.stat().st_size))
    compile_system(sets_x(3))
    assert first.exists()
    assert not second.exists()
    assert len(list(directory.iterdir())) == 2


def test_the_cache_lives_where_the_user_wants_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.delenv("OUROBOROS_CACHE", raising=False)
    assert cache.directory("things") == tmp_path / "xdg" / "ouroboros" / "things"
    monkeypatch.setenv("OUROBOROS_CACHE", str(tmp_path / "own"))
    assert cache.directory("things") == tmp_path / "own" / "things"
