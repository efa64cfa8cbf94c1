"""A model's facts in short, as people compare them."""

from PySide6.QtCore import QLocale

from app.bridge.types import ModelSummary


def facts(summary: ModelSummary) -> str:
    """Quantisation and size, such as `Q4_K_M · 2.7 GB`."""
    return f"{summary.quantisation} · {size_text(summary.file_bytes)}"


def size_text(file_bytes: int) -> str:
    """Such as `2.7 GB`."""
    return QLocale().formattedDataSize(file_bytes, 1, QLocale.DataSizeFormat.DataSizeSIFormat)
