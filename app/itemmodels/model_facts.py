"""A model's facts in short, as people compare them."""

from PySide6.QtCore import QCoreApplication, QLocale

from app.bridge.types import Fit, FitVerdict, ModelSummary

FIT_TOKENS = {Fit.FITS: "good", Fit.TIGHT: "warn", Fit.TOO_LARGE: "bad"}
"""Colours of what a verdict says; the words say the same."""


def facts(summary: ModelSummary) -> str:
    """Quantisation and size, such as `Q4_K_M · 2.7 GB`."""
    return f"{summary.quantisation} · {size_text(summary.file_bytes)}"


def size_text(file_bytes: int) -> str:
    """Such as `2.7 GB`."""
    return QLocale().formattedDataSize(file_bytes, 1, QLocale.DataSizeFormat.DataSizeSIFormat)


def fit_text(verdict: FitVerdict) -> str:
    """Such as `Fits: needs 3.1 GB of 11.0 GB free`."""
    translate = QCoreApplication.translate
    match verdict.fit:
        case Fit.FITS:
            text = translate("ModelFacts", "Fits: needs {needed} of {free} free")
        case Fit.TIGHT:
            text = translate("ModelFacts", "Tight: needs {needed} of {free} free")
        case _:
            text = translate("ModelFacts", "Too large: needs {needed} of {free} free")
    needed, free = size_text(verdict.needed_bytes), size_text(verdict.free_bytes)
    return text.format(needed=needed, free=free)
