"""Files that are not sound: each defect has its sentence."""

import errno
import io
import os
import struct
import sys
from pathlib import Path

import numpy as np
import pytest
from gguf import GGMLQuantizationType, GGUFEndian, GGUFValueType, GGUFWriter

from engine.base.errors import ModelFileError
from engine.gguf.header import read_header
from engine.gguf.reader import open_gguf
from tests.helpers.raw_gguf import array, entry, number, raw_gguf, string, tensor
from tests.helpers.tiny_gguf import write_gguf

ARRAY, BOOL, STRING = GGUFValueType.ARRAY, GGUFValueType.BOOL, GGUFValueType.STRING
HUGE = 1 << 60
FOUR = bytes(16)  # the data of four F32 elements

EMPTY_LIST = array(GGUFValueType.UINT8, [])


def sentence(content: bytes) -> str:
    """What opening a file of this content fails with."""
    with pytest.raises(ModelFileError) as caught:
        read_header(io.BytesIO(content), len(content))
    return str(caught.value)


def claiming(num_tensors: int, num_entries: int) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", 3, num_tensors, num_entries) + bytes(100)


def claimed_string(num_bytes: int) -> bytes:
    return raw_gguf([entry("key", STRING, struct.pack("<Q", num_bytes) + b"short")])


def claimed_array(type_: int, count: int) -> bytes:
    return raw_gguf([entry("key", ARRAY, struct.pack("<IQ", type_, count) + bytes(64))])


def nested(depth: int) -> bytes:
    value = array(GGUFValueType.UINT8, [b"\1"])
    for _ in range(depth - 1):
        value = array(ARRAY, [value])
    return raw_gguf([entry("key", ARRAY, value)])


DEFECTS = {
    "too many tensors": (claiming(HUGE, 0), "the header claims 1,152,921,504,606,846,976 tensors"),
    "too many entries": (claiming(0, 70_000), "the header claims 70,000 metadata entries"),
    "string too long": (
        claimed_string(HUGE),
        'metadata "key" claims more than the 64 MiB that a header can take',
    ),
    "array of strings too long": (
        claimed_array(STRING, HUGE),
        'metadata "key" claims more than the 64 MiB that a header can take',
    ),
    "array of numbers too long": (
        claimed_array(GGUFValueType.FLOAT64, 2**64 - 1),
        'metadata "key" claims more than the 64 MiB that a header can take',
    ),
    "too many lists in a list": (
        claimed_array(ARRAY, HUGE),
        'metadata "key" claims 1,152,921,504,606,846,976 lists',
    ),
    "too many lists in lists": (
        raw_gguf([entry(key, ARRAY, array(ARRAY, [EMPTY_LIST] * 40_000)) for key in "ab"]),
        'metadata "b" claims 40,000 lists',
    ),
    "nested too deep": (nested(5), 'metadata "key" nests lists more than 4 deep'),
    "key twice": (raw_gguf([number("a", 1)] * 2), 'it has the metadata key "a" twice'),
    "key not UTF-8": (
        raw_gguf([entry(b"\xff\xfe", STRING, string("x"))]),
        "the name of metadata entry 1 of 1 is not valid text",
    ),
    "key not printable": (
        raw_gguf([number("a\nb" + 80 * "c", 1)] * 2),
        f'it has the metadata key "a\N{REPLACEMENT CHARACTER}b{56 * "c"}…" twice',
    ),
    "bool of two": (
        raw_gguf([entry("key", BOOL, b"\2")]),
        'metadata "key" has a yes-or-no value that is neither',
    ),
    "alignment of no power of two": (
        raw_gguf([number("general.alignment", 48)]),
        "its alignment is 48, not a power of two from 8 to 65,536",
    ),
    "alignment of zero": (
        raw_gguf([number("general.alignment", 0)]),
        "its alignment is 0, not a power of two from 8 to 65,536",
    ),
    "alignment too large": (
        raw_gguf([number("general.alignment", 1 << 31)]),
        "its alignment is 2147483648, not a power of two from 8 to 65,536",
    ),
    "tensor twice": (
        raw_gguf(tensors=[tensor("w", [4], 0), tensor("w", [4], 32)], data=bytes(48)),
        'it has two tensors called "w"',
    ),
    "too many dimensions": (
        raw_gguf(tensors=[tensor("w", [1] * 5, 0)], data=FOUR),
        'tensor "w" has 5 dimensions',
    ),
    "dimension of zero": (
        raw_gguf(tensors=[tensor("w", [4, 0], 0)], data=FOUR),
        'tensor "w" has the impossible dimensions [4, 0]',
    ),
    "dimensions that overflow 64 bits": (
        raw_gguf(tensors=[tensor("w", [1 << 32, 1 << 32], 0)], data=FOUR),
        'tensor "w" has the impossible dimensions [4294967296, 4294967296]',
    ),
    "row that is no whole number of blocks": (
        raw_gguf(tensors=[tensor("w", [16, 2], 0, GGMLQuantizationType.Q4_0)], data=FOUR),
        'tensor "w" has rows of 16 elements, and Q4_0 stores them in blocks of 32',
    ),
    "tensor not aligned": (
        raw_gguf(tensors=[tensor("w", [4], 4)], data=bytes(32)),
        'tensor "w" does not begin at a multiple of 32',
    ),
    "tensors that overlap": (
        raw_gguf(tensors=[tensor("b", [4], 32), tensor("a", [9], 0)], data=bytes(64)),
        'tensors "a" and "b" overlap',
    ),
    "tensor far outside": (
        raw_gguf(tensors=[tensor("a", [4], 0), tensor("b", [4], HUGE)], data=bytes(64)),
        'tensor "b" lies outside the file',
    ),
    "offset that overflows 64 bits": (
        raw_gguf(tensors=[tensor("w", [4], 2**64 - 32)], data=bytes(64)),
        'tensor "w" lies outside the file',
    ),
}


@pytest.mark.parametrize(("content", "defect"), DEFECTS.values(), ids=DEFECTS)
def test_a_damaged_file_is_refused_with_its_defect_named(content, defect):
    help_ = "Download it again or choose another file."
    assert sentence(content) == f"This file is damaged: {defect}. {help_}"


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (raw_gguf([entry("key", 99, b"")]), 'metadata "key" is of the unknown type 99'),
        (claimed_array(13, 1), 'metadata "key" is of the unknown type 13'),
        (raw_gguf(tensors=[tensor("w", [4], 0, 99)]), 'tensor "w" is of the unknown type 99'),
    ],
)
def test_an_unknown_type_may_also_mean_a_newer_file(content, place):
    assert sentence(content) == (
        f"In this file {place}. It is damaged, or newer than this version of Paceline; "
        "update, or choose another file."
    )


@pytest.mark.parametrize(
    ("version", "cause"),
    [
        (1, "This file is in version 1 of GGUF, which is no longer read."),
        (4, "This file claims version 4 of GGUF, and only versions 2 and 3 are known."),
    ],
)
def test_other_versions_are_refused(version, cause):
    assert sentence(raw_gguf(version=version)).startswith(cause)


def test_a_big_endian_file_is_refused_as_such(tmp_path):
    writer = GGUFWriter(tmp_path / "a.gguf", "llama", endianess=GGUFEndian.BIG)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    assert "big-endian byte order" in sentence((tmp_path / "a.gguf").read_bytes())


def test_an_alignment_that_is_no_number_is_refused():
    said = sentence(raw_gguf([entry("general.alignment", STRING, string("32"))]))
    assert said.startswith(
        'This file\'s "general.alignment" is the text "32" where a whole number should be.'
    )


def test_values_that_are_not_utf_8_do_not_fail_the_file():
    tokens = array(STRING, [string(b"\xff"), string("ok")])
    content = raw_gguf([entry("tokens", ARRAY, tokens), entry("text", STRING, string(b"a\xc3"))])
    metadata = read_header(io.BytesIO(content), len(content)).metadata
    assert metadata["tokens"] == ["\N{REPLACEMENT CHARACTER}", "ok"]
    assert metadata["text"] == "a\N{REPLACEMENT CHARACTER}"


def test_nesting_within_the_bound_is_read():
    content = nested(4)
    value = read_header(io.BytesIO(content), len(content)).metadata["key"]
    assert value == [[[np.array([1])]]]


def test_a_scalar_tensor_is_read():
    content = raw_gguf(tensors=[tensor("w", [], 0)], data=FOUR)
    assert read_header(io.BytesIO(content), len(content)).tensors["w"].shape == ()


def test_a_download_that_stopped_in_the_data_says_how_much_is_there(tmp_path):
    weights = np.zeros(600_000, np.float32)
    path = write_gguf(tmp_path / "a.gguf", {}, {"a": (weights, None), "b": (weights, None)})
    content = path.read_bytes()
    assert sentence(content[:1_234_567]) == (
        "This file is cut short: 1.2 MB of 4.8 MB are there. Download it again."
    )
    assert sentence(content[:-100]) == (
        f"This file is cut short: {len(content) - 100:,} of {len(content):,} bytes are there. "
        "Download it again."
    )


def test_a_download_that_stopped_in_the_header_says_so():
    content = raw_gguf([number("a", 1), number("b", 2)])
    assert sentence(content[:50]) == (
        "This file is cut short: it ends inside its header, after 50 bytes. Download it again."
    )


def test_a_file_that_shrinks_while_it_is_read_is_refused():
    key = entry("key", ARRAY, array(STRING, [string("a"), string("b")]))
    weights = tensor("w", [4], 0)
    content = raw_gguf([key], [weights], FOUR)
    for end in range(24 + len(key) + len(weights)):
        with pytest.raises(ModelFileError):
            read_header(io.BytesIO(content[:end]), len(content))


@pytest.mark.parametrize(
    ("start", "likeness"),
    [
        (b"", "empty. Download it again."),
        (b"PK\x03\x04\x14\0", "a zip archive, perhaps a PyTorch checkpoint."),
        (b"\x80\x02}q\0", "a Python pickle, perhaps an old PyTorch checkpoint."),
        (struct.pack("<Q", 25_211) + b'{"__metadata__":{', "in the safetensors format."),
        (b"\xef\xbb\xbf\n<!DOCTYPE HTML>\n<html>", "a web page, perhaps the answer to a failed"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:", "a Git LFS pointer"),
        (b'{"error": "Repository not found"}', "JSON text"),
        (b"tjgg\3\0\0\0", "a GGML file, the format before GGUF."),
        (b"\x1f\x8b\x08", "compressed with gzip. Unpack it first."),
        (bytes(4096), "still being downloaded, or its download stopped"),
        (b"GGU", "not a GGUF model."),
        (b"\xfe" + b"\xff" * 600, "not a GGUF model."),
    ],
)
def test_a_file_of_another_kind_is_told_by_its_first_bytes(start, likeness):
    assert sentence(start).startswith(f"This file is {likeness}")


def failure(path: Path) -> str:
    with pytest.raises(ModelFileError) as caught:
        open_gguf(path)
    return str(caught.value)


def test_a_missing_file_or_a_folder_is_answered_with_a_sentence(tmp_path):
    missing = tmp_path / "gone.gguf"
    assert failure(missing) == (f"There is no file “{missing}”. It may have been moved or deleted.")
    assert failure(tmp_path).startswith(f"“{tmp_path}” is a folder. Choose a GGUF file inside it")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes in folders")
@pytest.mark.timeout(20)
def test_a_pipe_is_refused_rather_than_waited_for(tmp_path):
    pipe = tmp_path / "pipe.gguf"
    os.mkfifo(pipe)
    assert failure(pipe) == f"“{pipe}” is not a regular file. Choose a GGUF file."


@pytest.mark.parametrize(
    ("code", "cause"),
    [(errno.EACCES, "may not be read. Check the permissions"), (errno.EIO, "cannot be read (")],
)
def test_an_error_of_the_system_is_answered_with_a_sentence(tmp_path, monkeypatch, code, cause):
    path = write_gguf(tmp_path / "a.gguf", {})

    def refuse(*_args, **_options):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(Path, "open", refuse)
    assert failure(path).startswith(f"“{path}” {cause}")
