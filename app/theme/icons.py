"""Lucide's outline icons, coloured by token when they are drawn."""

from pathlib import Path

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

SIZE = 16
VIEW_BOX = 24  # Lucide's own unit square
STROKE = 1.5 * VIEW_BOX / SIZE  # 1.5 px at 16 px
SCALES = (1, 2, 3)


def render_icon(file: Path, colour: str, *, filled: bool = False) -> QIcon:
    """The icon in `file` at 16 logical pixels, sharp on any screen."""
    source = file.read_text(encoding="utf-8").replace("currentColor", colour)
    source = source.replace('stroke-width="2"', f'stroke-width="{STROKE}"')
    if filled:
        source = source.replace('fill="none"', f'fill="{colour}"')
    renderer = QSvgRenderer(QByteArray(source.encode()))
    icon = QIcon()
    for scale in SCALES:
        pixmap = QPixmap(SIZE * scale, SIZE * scale)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        renderer.render(painter)
        painter.end()
        pixmap.setDevicePixelRatio(scale)
        icon.addPixmap(pixmap)
    return icon
