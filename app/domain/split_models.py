"""Models in several files, which go by the first of them."""

import re
from pathlib import Path

_PART = re.compile(r"-\d{5}(-of-\d{5})$")


def first_part(path: Path) -> Path:
    """The file that stands for a model of which `path` is any part, told by its name alone."""
    return path.with_stem(_PART.sub(r"-00001\1", path.stem)) if path.stem else path
