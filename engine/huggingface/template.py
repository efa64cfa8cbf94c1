"""The chat template in a folder: a file of its own since 2025, an entry of another before."""

from pathlib import Path

from engine.huggingface.documents import broken, read_optional, unreadable

TEMPLATE_KEY = "tokenizer.chat_template"

_FILE = "chat_template.jinja"
_KEY = "chat_template"
_MOST_CHARACTERS = 1 << 20


def chat_template(folder: Path) -> str | None:
    """The template's source; None where the folder has none.

    Raises:
        ModelFileError: a file that may hold it is damaged or unreadable.
    """
    path = folder / _FILE
    if path.is_file():
        try:
            with path.open(encoding="utf-8") as file:
                return file.read(_MOST_CHARACTERS)
        except OSError as error:
            raise unreadable(path, error) from error
        except UnicodeDecodeError as error:
            raise broken(path, "it is not text") from error
    for document in ("tokenizer_config.json", "chat_template.json"):
        template = _default(read_optional(folder / document).get(_KEY))
        if template is not None:
            return template
    return None


def _default(entry: object) -> str | None:
    """The template itself, or of several with names that which is called `default`."""
    if isinstance(entry, list):
        named = {str(each.get("name")): each for each in entry if isinstance(each, dict)}
        entry = named.get("default", {}).get("template")
    return entry if isinstance(entry, str) else None
