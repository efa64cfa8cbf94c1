"""Says where models come from, and which sizes fit this computer. Opens nothing unasked."""

from collections.abc import Sequence
from itertools import groupby

from PySide6.QtCore import QLocale, Signal
from PySide6.QtGui import QShowEvent

from app.bridge.size_fits import SizeFits
from app.bridge.types import Fit, SizeFit
from app.itemmodels.model_facts import FIT_TOKENS, size_text
from app.theme.theme import Theme
from app.widgets.chat.links import ask_to_open
from app.widgets.common.buttons import ThemedButton
from app.widgets.common.flow_layout import FlowLayout
from app.widgets.pages.fact_table import Fact, FactTable
from app.widgets.pages.side_page import SidePage

MODELS = "https://huggingface.co/models?library=gguf&sort=trending"
"""Where people publish models as GGUF files; opened in the browser, once somebody has agreed."""


class WhereModelsPage(SidePage):
    """For those who have no model yet, or want another.

    Signals:
        browse_asked: the person has a file, and wants to pick it.
        find_asked: the person wants to know which models are on this computer already.
    """

    browse_asked = Signal()
    find_asked = Signal()

    def __init__(self, theme: Theme, fits: SizeFits) -> None:
        super().__init__(theme, "whereModels", self.tr("Where models come from"))
        self._fits = fits
        self.add_text(
            self.tr(
                "Paceline downloads nothing by itself. Get a model with your browser: Hugging Face "
                "has thousands. Search there for a model’s name and the word GGUF, take one file, "
                "and drop it on the window. It is used where it lies."
            )
        )
        self._add_buttons(theme)
        self.add_heading(self.tr("Which file"))
        self.add_text(
            self.tr(
                "Q4_K_M is a good middle: about 0.6 GB for each billion parameters. Q8_0 is nearer "
                "to the original and nearly twice as large. For a draft take the smallest model "
                "of the same family, so that both have the same tokens."
            ),
            "dim",
        )
        self.add_heading(self.tr("What fits this computer now"))
        self._table = FactTable("whereFits")
        self.column.addWidget(self._table)
        self._note = self.add_text(look="dim")
        self.column.addStretch()
        fits.changed.connect(self._refresh)

    def _add_buttons(self, theme: Theme) -> None:
        web = ThemedButton(
            theme, "openHuggingFace", look="main", text=self.tr("Search on Hugging Face…")
        )
        web.describe(self.tr("Open huggingface.co in your browser, after a question"))
        web.clicked.connect(lambda: ask_to_open(self, MODELS))
        browse = ThemedButton(theme, "whereBrowse", text=self.tr("Browse for a file…"))
        browse.clicked.connect(self.browse_asked)
        find = ThemedButton(theme, "whereFind", text=self.tr("Find on this computer"))
        find.clicked.connect(self.find_asked)
        row = FlowLayout(8)
        for button in (web, browse, find):
            row.addWidget(button)
        self.column.addSpacing(8)
        self.column.addLayout(row)

    def showEvent(self, event: QShowEvent) -> None:
        self._fits.ask()

    def _refresh(self) -> None:
        fits = self._fits.fits
        by_size = groupby(fits, key=lambda fit: fit.parameters)
        self._table.show_facts([self._fact(list(group)) for _, group in by_size])
        if fits:
            text = self.tr(
                "By parameters, with the size of the file. {free} are free; the bar shows how much "
                "of it the smaller file would take, with a context of 8,192 tokens."
            )
            self._note.setText(text.format(free=size_text(fits[0].free_bytes)))

    def _fact(self, fits: Sequence[SizeFit]) -> Fact:
        """One size in its quantisations, the smallest file first."""
        least = fits[0]
        count = QLocale().toString(least.parameters / 1e9, "f", 1).removesuffix(".0")
        name = self.tr("{count} billion").format(count=count)
        texts = {
            Fit.FITS: self.tr("fits at {quantisation} ({size})"),
            Fit.TIGHT: self.tr("tight at {quantisation} ({size})"),
            Fit.TOO_LARGE: self.tr("too large at {quantisation} ({size})"),
        }
        text = " · ".join(
            texts[fit.fit].format(quantisation=fit.quantisation, size=size_text(fit.file_bytes))
            for fit in fits
        )
        share = min(1.0, least.needed_bytes / max(1, least.free_bytes))
        is_one = len({fit.fit for fit in fits}) == 1
        return Fact(name, text, share, FIT_TOKENS[least.fit] if is_one else "text")
