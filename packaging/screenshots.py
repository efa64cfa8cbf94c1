"""Takes pictures of the window in every state, without a screen.

`screenshots.py FOLDER [NAME…]` saves each state, or those that are named; `screenshots.py --sheet`
puts the main ones on one sheet for each theme, in `resources/screenshots`. The engine is the tests'
double, so that the pictures are the same each time.
"""

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"
ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from PySide6.QtCore import QLocale, QPoint, Qt  # noqa: E402
from PySide6.QtGui import QColor, QPainter, QPixmap  # noqa: E402
from PySide6.QtWidgets import QApplication  # noqa: E402
from qasync import QEventLoop  # noqa: E402

from app.bootstrap import build_window  # noqa: E402
from app.settings.schema import THEME, ThemeChoice  # noqa: E402
from app.settings.store import Settings  # noqa: E402
from app.theme.fonts import Size, interface_font  # noqa: E402
from app.theme.tokens import DARK, LIGHT  # noqa: E402
from app.widgets.chat.workshop import Workshop  # noqa: E402
from tests.helpers.fake_engine import FakeEngine  # noqa: E402
from tests.helpers.stage import MODEL, OTHER, Stage, put_models_there  # noqa: E402
from tests.helpers.window_states import SHEET, STATES  # noqa: E402

Work = Callable[[Stage], Awaitable[None]]
WIDE, NARROW = (1280, 820), (900, 600)
SHEET_FOLDER = ROOT / "resources" / "screenshots"
COLUMNS = 3
TILE_PX = 640  # width of a picture on the sheet
GAP_PX, CAPTION_PX = 32, 32


async def take(state: Work, theme: ThemeChoice, size: tuple[int, int]) -> QPixmap:
    """Bring a fresh window into a state, and take what it shows."""
    with tempfile.TemporaryDirectory() as data:
        Settings(Path(data) / "settings.json").set(THEME, theme)
        engine = FakeEngine(names={MODEL: "Qwen3 4B", OTHER: "Gemma 3 1B Instruct"})
        stage = Stage(build_window(Path(data), engine), engine)
        stage.window.resize(*size)
        stage.window.show()
        await stage.settle()
        await state(stage)
        workshop = stage.window.findChild(Workshop)
        await stage.until(lambda: workshop is None or workshop.is_idle)  # formulas are drawn
        await stage.settle()
        picture = stage.window.grab()
        for popup in QApplication.topLevelWidgets():
            if popup.isVisible() and popup is not stage.window:
                popup.render(picture, stage.window.mapFromGlobal(popup.geometry().topLeft()))
                popup.close()
        stage.window.close()
        while not engine.closed:
            await asyncio.sleep(0.01)
        stage.window.deleteLater()
    return picture


async def take_all(folder: Path, names: Sequence[str]) -> None:
    """Save pictures of states in both themes and sizes."""
    folder.mkdir(parents=True, exist_ok=True)
    for state in STATES:
        if names and state.__name__ not in names:
            continue
        for theme in (ThemeChoice.LIGHT, ThemeChoice.DARK):
            for width, height in (WIDE, NARROW):
                picture = await take(state, theme, (width, height))
                picture.save(str(folder / f"{state.__name__}-{theme}-{width}x{height}.png"))
        print(state.__name__)


async def make_sheet(theme: ThemeChoice) -> Path:
    """Put the main states on one picture, each with what it shows."""
    rows = -(-len(SHEET) // COLUMNS)
    tile_height = TILE_PX * WIDE[1] // WIDE[0]
    step_x, step_y = TILE_PX + GAP_PX, tile_height + CAPTION_PX + GAP_PX
    tokens = DARK if theme is ThemeChoice.DARK else LIGHT
    sheet = QPixmap(COLUMNS * step_x + GAP_PX, rows * step_y + GAP_PX)
    sheet.fill(QColor(tokens.selected))
    painter = QPainter(sheet)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    painter.setFont(interface_font(Size.BODY))
    painter.setPen(QColor(tokens.text))
    for number, (state, is_wide) in enumerate(SHEET):
        row, column = divmod(number, COLUMNS)
        corner = QPoint(GAP_PX + column * step_x, GAP_PX + row * step_y)
        picture = await take(state, theme, WIDE if is_wide else NARROW)
        shown = picture.scaledToWidth(TILE_PX, Qt.TransformationMode.SmoothTransformation)
        painter.drawText(corner + QPoint(0, CAPTION_PX - 12), (state.__doc__ or "").split("\n")[0])
        painter.drawPixmap(corner + QPoint(0, CAPTION_PX), shown)
    painter.end()
    out = SHEET_FOLDER / f"contact-sheet-{theme}.png"
    sheet.save(str(out))
    return out


async def work(options: argparse.Namespace) -> None:
    put_models_there()
    if options.sheet:
        for theme in (ThemeChoice.LIGHT, ThemeChoice.DARK):
            print(await make_sheet(theme))
    else:
        await take_all(options.folder, options.names)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sheet", action="store_true", help="make the contact sheets")
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    if not options.sheet and options.folder is None:
        parser.error("say a folder, or --sheet")
    QLocale.setDefault(QLocale(QLocale.Language.English))
    application = QApplication(sys.argv[:1])
    application.setQuitOnLastWindowClosed(False)
    with QEventLoop(application) as loop:
        loop.run_until_complete(work(options))
    return 0


if __name__ == "__main__":
    sys.exit(main())
