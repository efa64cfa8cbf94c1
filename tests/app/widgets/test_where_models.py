"""The page that says where models come from opens nothing unasked."""

import pytest
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QAbstractButton, QMessageBox

from app.bridge.types import Fit, SizeFit

SIZES = (
    SizeFit(4_000_000_000, "Q4_K_M", 2_400_000_000, 4_400_000_000, 6_000_000_000, Fit.FITS),
    SizeFit(4_000_000_000, "Q8_0", 4_300_000_000, 6_500_000_000, 6_000_000_000, Fit.TOO_LARGE),
)


@pytest.fixture
def opened(monkeypatch):
    """Addresses that were opened in the browser."""
    addresses = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: addresses.append(url.toString()))
    return addresses


def test_it_opens_from_the_empty_state_and_tells_what_fits(person, engine, qtbot):
    engine.sizes = SIZES
    person.click("whereModelsOpen")
    table = person.find("whereFits")
    told = "4 billion: fits at Q4_K_M (2.4 GB) · too large at Q8_0 (4.3 GB)"
    qtbot.waitUntil(lambda: table.accessibleName() == told)
    person.click("whereModelsBack")
    assert person.sees("chatPane")


def test_it_opens_from_the_list_of_models(ready_person):
    ready_person.click("mainModelPicker")
    popup = ready_person.find("mainModelPopup")
    popup.findChild(QAbstractButton, "whereModelsLink").click()
    assert not popup.isVisible()
    assert ready_person.sees("whereModels")


def test_the_browser_opens_only_once_somebody_agrees(person, opened):
    person.click("whereModelsOpen")
    assert opened == []
    person.click("openHuggingFace")
    assert opened == []
    box = person.find("linkQuestion", QMessageBox)
    assert box.informativeText().startswith("https://huggingface.co/")
    next(button for button in box.buttons() if button.text() == "Open").click()
    assert [address.partition("?")[0] for address in opened] == ["https://huggingface.co/models"]
