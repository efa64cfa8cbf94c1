"""A model's facts in short, as people compare them."""

from PySide6.QtCore import QLocale

from app.bridge.types import ModelSummary


def facts(summary: ModelSummary) -> str:
    """Quantisation and size, such as `Q4_K_M · 2.7 GB`."""
    size = QLocale().formattedDataSize(
        summary.file_bytes, 1, QLocale.DataSizeFormat.DataSizeSIFormat
    )
    return f"{summary.quantisation} · {size}"
