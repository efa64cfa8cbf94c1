"""What a model's folder looks like from outside, by the names in it alone."""

from pathlib import Path

CONFIG = "config.json"
WEIGHTS_SUFFIX = ".safetensors"
PICKLE_SUFFIX = ".bin"


def is_model_folder(path: Path) -> bool:
    """Whether a folder holds a model in Hugging Face's layout; its weights may be of no use."""
    try:
        return (path / CONFIG).is_file() and any(
            child.suffix in (WEIGHTS_SUFFIX, PICKLE_SUFFIX) for child in path.iterdir()
        )
    except OSError:
        return False
