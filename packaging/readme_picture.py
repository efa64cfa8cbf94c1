"""Takes the README's picture, without a screen: `readme_picture.py [OUT.png]`.

The real window and the real engine, with a small model that somebody trained on stories; it lies in
the shared folder beside the project. It goes on with what it is told, so the picture shows a reply
as it came.
"""

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"
ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from PySide6.QtWidgets import QApplication  # noqa: E402
from qasync import QEventLoop  # noqa: E402

from app.actions import chat as chat_actions  # noqa: E402
from app.actions import models as model_actions  # noqa: E402
from app.bootstrap import build_application  # noqa: E402
from tests.helpers.stories import story_teller  # noqa: E402

OUT = ROOT / "resources" / "screenshots" / "first-chat.png"
BEGINNING = "I dreamed of a river"
SIZE = (1280, 820)
TURN_S = 0.02


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", nargs="?", type=Path, default=OUT)
    out = parser.parse_args().out
    application = QApplication(sys.argv[:1])
    application.setQuitOnLastWindowClosed(False)
    with QEventLoop(application) as loop, tempfile.TemporaryDirectory() as folder:
        loop.run_until_complete(take(Path(folder), out))
    print(out)


async def take(folder: Path, out: Path) -> None:
    """Load the model, have it answer once, and save what the window shows."""
    application = build_application(folder / "data")
    window, session = application.window, application.session
    window.resize(*SIZE)
    window.show()
    model = story_teller(folder / "stories-260k.gguf")
    model_actions.use_as_main_model(session, model, window.announced)
    await until(lambda: session.model.loaded is not None)
    chat_actions.send(session, BEGINNING)
    await until(lambda: session.chats.current.pending_reply is None)
    await asyncio.sleep(TURN_S)  # the stats line is laid out in the next turn of the loop
    out.parent.mkdir(parents=True, exist_ok=True)
    window.grab().save(str(out))
    window.close()
    await application.end()


async def until(holds: Callable[[], bool]) -> None:
    while not holds():
        await asyncio.sleep(TURN_S)


if __name__ == "__main__":
    main()
