"""Models in several files: any of them stands for the whole, and what does not fit is named."""

import shutil
import threading
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from gguf import GGUFValueType
from gguf.gguf_writer import GGUFValue
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.api.loading import load_model
from engine.base.errors import ModelFileError
from engine.base.types import LoadOptions
from engine.gguf.reader import open_gguf
from engine.gguf.summary import summarise
from engine.weights.opening import stamp
from tests.helpers.tiny_gguf import write_gguf
from tests.helpers.tiny_model import TinyModel

MODEL = TinyModel()


def part_path(folder, number, count=3):
    return folder / f"tiny-{number + 1:05}-of-{count:05}.gguf"


def word(value):
    return GGUFValue(value, GGUFValueType.UINT16)


def split_keys(number, count, tensors):
    return {
        "split.no": word(number),
        "split.count": word(count),
        "split.tensors.count": GGUFValue(tensors, GGUFValueType.INT32),
    }


def write_parts(folder, count=3):
    """The model in parts: all metadata in the first, tensors in turns."""
    tensors = MODEL.tensors()
    metadata = {key: value for key, value in MODEL.metadata().items() if key != "general.name"}
    for number in range(count):
        own = dict(list(tensors.items())[number::count])
        keys = split_keys(number, count, len(tensors))
        write_gguf(part_path(folder, number, count), keys | (metadata if number == 0 else {}), own)
    return [part_path(folder, number, count) for number in range(count)]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    return write_parts(tmp_path_factory.mktemp("parts"))


@pytest.fixture
def parts(written, tmp_path):
    return [Path(shutil.copy(part, tmp_path)) for part in written]


def refusal(path):
    with pytest.raises(ModelFileError) as refused:
        open_gguf(path)
    return str(refused.value)


@pytest.mark.parametrize("number", range(3))
def test_any_part_opens_the_whole_model(written, tmp_path, number):
    with (
        open_gguf(MODEL.write(tmp_path / "whole.gguf")) as whole,
        open_gguf(written[number]) as split,
    ):
        assert split.path == written[0]
        assert split.file_bytes == sum(part.stat().st_size for part in written)
        assert set(split.tensors) == set(whole.tensors)
        for name in whole.tensors:
            np.testing.assert_array_equal(split.data(name), whole.data(name))
            split.release(name)
        assert split.metadata["tokenizer.ggml.tokens"] == whole.metadata["tokenizer.ggml.tokens"]


def test_the_summary_is_that_of_the_whole_and_its_name_bears_no_number(written, tmp_path):
    with (
        open_gguf(MODEL.write(tmp_path / "whole.gguf")) as whole,
        open_gguf(written[1]) as split,
    ):
        assert summarise(split).parameters == summarise(whole).parameters
        assert summarise(split).layers == MODEL.layers
        assert summarise(split).name == "tiny"


def test_a_model_loads_from_a_later_part(written):
    options = LoadOptions(device="cpu", context=32)
    model = load_model(written[2], options, lambda _: None, threading.Event())
    assert model.loaded.summary.path == written[0]
    model.close()


def test_any_part_that_changes_makes_another_model(parts):
    before = stamp(parts[0])
    parts[2].write_bytes(parts[2].read_bytes() + b"more")
    assert stamp(parts[0]) != before


def test_a_missing_part_is_named(parts):
    parts[1].unlink()
    assert "“tiny-00002-of-00003.gguf” is not beside the others" in refusal(parts[0])
    parts[0].unlink()
    assert "“tiny-00001-of-00003.gguf” and 1 more are not" in refusal(parts[2])


def test_a_part_under_another_name_says_which_it_had(parts):
    renamed = parts[1].rename(parts[1].with_name("mine.gguf"))
    assert "part 2 of a model in 3 files" in refusal(renamed)
    assert "-00002-of-00003.gguf" in refusal(renamed)


def test_parts_in_each_others_place_are_refused(parts):
    shutil.copy(parts[1], parts[2])
    assert "part 3 of 3 says that it is part 2 of 3" in refusal(parts[0])


def test_a_part_that_is_cut_short_is_named(parts):
    parts[2].write_bytes(parts[2].read_bytes()[:-40])
    assert "“tiny-00003-of-00003.gguf”" in refusal(parts[0])
    assert "cut short" in refusal(parts[0])


def test_tensors_that_are_missing_or_there_twice_are_noticed(parts):
    tensors = list(MODEL.tensors().items())
    write_gguf(parts[2], split_keys(2, 3, len(tensors)), dict(tensors[2:-3:3]))
    assert f"its parts hold {len(tensors) - 1} tensors, and it has {len(tensors)}" in refusal(
        parts[0]
    )
    write_gguf(parts[2], split_keys(2, 3, len(tensors)), dict(tensors[:1]))
    assert f'two of its parts have a tensor called "{tensors[0][0]}"' in refusal(parts[0])


NUMBERS = st.one_of(st.integers(0, 5), st.sampled_from([2**16 - 1, 2**31, 2**63, 2**64 - 1]))


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(count=NUMBERS, number=NUMBERS, tensors=NUMBERS, part=st.integers(0, 2))
def test_whatever_a_part_says_of_itself_it_opens_or_is_refused(
    written, tmp_path, count, number, tensors, part
):
    paths = [Path(shutil.copy(path, tmp_path)) for path in written]
    keys = {"split.count": count, "split.no": number, "split.tensors.count": tensors}
    wide = {key: GGUFValue(value, GGUFValueType.UINT64) for key, value in keys.items()}
    write_gguf(paths[part], wide, {"extra": (np.ones(3, np.float32), None)})
    for path in paths:
        with suppress(ModelFileError):
            open_gguf(path).close()
