import numpy as np
import pytest

from engine.base.errors import ModelFileError, UnsupportedModelError
from engine.gguf.metadata import Metadata

METADATA = Metadata(
    {
        "flag": True,
        "count": 7,
        "ratio": 0.5,
        "name": "llama",
        "tokens": ["a", "b"],
        "empty": [],
        "sizes": np.array([1, 2, 3]),
        "nested": [["a"], ["b"]],
    }
)


@pytest.mark.parametrize(
    ("key", "type_"),
    [
        ("flag", bool),
        ("count", int),
        ("ratio", float),
        ("name", str),
        ("tokens", list[str]),
        ("empty", list[str]),
        ("sizes", np.ndarray),
    ],
)
def test_a_value_is_read_as_the_type_it_has(key, type_):
    assert METADATA.read(key, type_) is METADATA[key]


def test_a_whole_number_is_read_as_a_float_where_one_is_asked_for():
    value = METADATA.read("count", float)
    assert (value, type(value)) == (7.0, float)


@pytest.mark.parametrize(
    ("key", "type_", "mismatch"),
    [
        ("name", int, '"name" is the text "llama" where a whole number should be'),
        ("ratio", int, '"ratio" is the number 0.5 where a whole number should be'),
        ("flag", int, '"flag" is yes where a whole number should be'),
        ("flag", float, '"flag" is yes where a number should be'),
        ("count", bool, '"count" is the number 7 where yes or no should be'),
        ("count", str, '"count" is the number 7 where a text should be'),
        ("sizes", int, '"sizes" is a list of 3 numbers where a whole number should be'),
        ("sizes", list[str], '"sizes" is a list of 3 numbers where a list of texts should be'),
        ("tokens", np.ndarray, '"tokens" is a list of length 2 where a list of numbers should'),
        ("nested", list[str], '"nested" is a list of length 2 where a list of texts should be'),
    ],
)
def test_a_value_of_another_type_is_refused_also_where_a_default_stands(key, type_, mismatch):
    for options in ({}, {"default": None}):
        with pytest.raises(ModelFileError) as caught:
            METADATA.read(key, type_, **options)
        assert str(caught.value).startswith(f"This file's {mismatch}")


def test_a_missing_key_gives_the_default():
    assert METADATA.read("absent", int, 3) == 3
    assert METADATA.read("absent", str, None) is None


def test_a_missing_key_without_default_is_refused():
    with pytest.raises(ModelFileError) as caught:
        METADATA.read("llama.block_count", int)
    assert str(caught.value).startswith(
        'This file does not say "llama.block_count", which should be a whole number.'
    )


def test_an_expected_value_or_its_absence_passes():
    METADATA.expect("name", "llama")
    METADATA.expect("absent", "anything")


@pytest.mark.parametrize("key", ["name", "tokens", "sizes"])
def test_another_value_than_the_expected_one_is_not_supported(key):
    with pytest.raises(UnsupportedModelError, match=f'This model\'s "{key}" is .* only 3 is'):
        METADATA.expect(key, 3)
