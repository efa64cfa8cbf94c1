"""Models split into several files: which files they are, and their headers as one.

The parts of a model lie side by side and are called `name-00001-of-00003.gguf`. Each has a header
of its own and the tensors that it lists; the first has the metadata of the model.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from engine.base.errors import ModelFileError
from engine.gguf.defects import damaged, quoted
from engine.gguf.header import Header
from engine.gguf.metadata import Metadata
from engine.gguf.tensors import TensorInfo

_NAME = re.compile(r"(?P<model>.*)-(?P<part>\d{5})-of-(?P<count>\d{5})")


def model_name(path: Path) -> str:
    """The name of a file without its ending and without the number of a part."""
    match = _NAME.fullmatch(path.stem)
    return match["model"] if match else path.stem


def named_parts(path: Path) -> list[Path]:
    """The files of a model in order, as far as the name of one tells."""
    match = _NAME.fullmatch(path.stem)
    if not match:
        return [path]
    count = int(match["count"])
    return [path.with_stem(match["model"] + _ending(i, count)) for i in range(count)]


def num_parts(metadata: Metadata) -> int:
    """How many files the model of a header has."""
    return max(metadata.read("split.count", int, 1), 1)


def parts_beside(path: Path, metadata: Metadata) -> list[Path]:
    """The files of a model in order, given any of them and what its header says.

    Raises:
        ModelFileError: the names do not tell which files they are, or one is missing.
    """
    count, number = num_parts(metadata), metadata.read("split.no", int, 0)
    match = _NAME.fullmatch(path.stem)
    if not match or (int(match["part"]), int(match["count"])) != (number + 1, count):
        raise ModelFileError(
            f"This file is part {number + 1} of a model in {count} files, and its name does not "
            "say so. Give the files the names they had; "
            f"that of this one ended in {_ending(number, count)}.gguf."
        )
    parts = named_parts(path)
    missing = [part.name for part in parts if not part.exists()]
    if missing:
        raise ModelFileError(
            f"This model is split into {count} files, and {_listed(missing)} not beside the "
            "others. Put all of them into one folder; download those that are missing."
        )
    return parts


def joined(headers: Sequence[Header]) -> Header:
    """The header of a model whose parts have these, in order.

    Raises:
        ModelFileError: the parts do not belong together.
    """
    first = headers[0]
    count = num_parts(first.metadata)
    tensors: dict[str, TensorInfo] = {}
    for part, header in enumerate(headers):
        number = header.metadata.read("split.no", int, 0)
        if (num_parts(header.metadata), number) != (count, part):
            raise damaged(
                f"part {part + 1} of {count} says that it is part {number + 1} of "
                f"{num_parts(header.metadata)}"
            )
        for name, tensor in header.tensors.items():
            if name in tensors:
                raise damaged(f"two of its parts have a tensor called {quoted(name)}")
            tensors[name] = replace(tensor, part=part)
    expected = first.metadata.read("split.tensors.count", int, len(tensors))
    if expected != len(tensors):
        raise damaged(f"its parts hold {len(tensors)} tensors, and it has {expected}")
    return Header(first.version, first.metadata, tensors)


def _ending(number: int, count: int) -> str:
    return f"-{number + 1:05}-of-{count:05}"


def _listed(names: Sequence[str]) -> str:
    """Such as `“a” is` or `“a” and 3 more are`."""
    if len(names) == 1:
        return f"“{names[0]}” is"
    return f"“{names[0]}” and {len(names) - 1} more are"
