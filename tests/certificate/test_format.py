"""The file of a certificate: what is written is read, and nothing else is."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ouroboros.certificate.format import CertificateWriter, decoded, encoded, read_certificate
from ouroboros.errors import InputError

words = st.integers(0, (1 << 64) - 1)


@given(st.integers(1, 4).flatmap(lambda width: st.lists(st.lists(words, min_size=width, max_size=width), min_size=1)))
@settings(deadline=None)
def test_blocks_keep_their_rows_sorted(rows: list[list[int]]) -> None:
    array = np.array(rows, np.uint64)
    assert decoded(encoded(array), array.shape[1]).tolist() == sorted(rows)


def test_neighbouring_states_take_little_room() -> None:
    random = Random(1)
    rows = np.array([[random.randrange(1000), number, 7] for number in range(10_000)], np.uint64)
    assert len(encoded(rows)) < 4 * len(rows)


@pytest.mark.parametrize("width", [1, 3])
def test_a_block_of_another_width_is_refused(width: int) -> None:
    with pytest.raises(InputError, match=f"has not 5 rows of {width} words"):
        decoded(encoded(np.arange(10, dtype=np.uint64).reshape(5, 2)), width)


@pytest.mark.parametrize("content", [b"", b"\1\0\0", b"\0\0\0\0", b"\xff\xff\xff\xff", b"\1\0\0\0nothing"])
def test_what_is_no_block_is_refused(content: bytes) -> None:
    with pytest.raises(InputError, match="a block of states"):
        decoded(content, 1)


def write(path: Path) -> None:
    writer = CertificateWriter(path)
    writer.terms({"a": "ä"})
    for number in range(2):
        writer.section({"number": number})
        for block in range(number + 1):
            writer.block(np.full((3, 2), block, np.uint64))
    assert not path.exists()
    writer.finish()


def test_a_file_keeps_its_records(tmp_path: Path) -> None:
    path = tmp_path / "some.cert"
    write(path)
    certificate = read_certificate(path)
    assert certificate.terms == {"a": "ä"}
    assert [section.content for section in certificate.sections] == [{"number": 0}, {"number": 1}]
    blocks = [[decoded(block, 2).tolist() for block in section.blocks] for section in certificate.sections]
    assert blocks == [[[[0, 0]] * 3], [[[0, 0]] * 3, [[1, 1]] * 3]]
    assert list(tmp_path.iterdir()) == [path]


def test_what_is_given_up_leaves_nothing(tmp_path: Path) -> None:
    writer = CertificateWriter(tmp_path / "some.cert")
    writer.terms({})
    writer.give_up()
    assert list(tmp_path.iterdir()) == []


def test_every_truncation_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "some.cert"
    write(path)
    data = path.read_bytes()
    for size in range(len(data)):
        path.write_bytes(data[:size])
        with pytest.raises(InputError, match=r"cut short|no certificate|another format|checksum"):
            read_certificate(path)


def test_every_altered_byte_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "some.cert"
    write(path)
    data = path.read_bytes()
    for at in range(len(data)):
        path.write_bytes(data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :])
        with pytest.raises(InputError):
            read_certificate(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "this is no certificate"),
        (b"byte x;\n", "this is no certificate"),
        (b"ouroboros certificate 2\n", "another format"),
        (b"ouroboros certificate 1\n" + bytes(40), "cut short|checksum"),
    ],
)
def test_other_files_are_refused(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "other"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_certificate(path)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        read_certificate(tmp_path / "nothing")
    with pytest.raises(InputError, match="this is a directory"):
        read_certificate(tmp_path)
