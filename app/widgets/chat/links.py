"""Links of a message: opened only once somebody has seen where they lead and agreed."""

from PySide6.QtCore import QCoreApplication, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QMessageBox, QWidget


def ask_to_open(parent: QWidget, address: str) -> None:
    """Show an address and ask whether the browser is to open it."""
    translate = QCoreApplication.translate
    box = QMessageBox(parent)
    box.setObjectName("linkQuestion")
    box.setWindowTitle(translate("Links", "Open link"))
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(translate("Links", "Open this address in your browser?"))
    box.setInformativeText(address)
    open_button = box.addButton(translate("Links", "Open"), QMessageBox.ButtonRole.AcceptRole)
    copy_button = box.addButton(
        translate("Links", "Copy address"), QMessageBox.ButtonRole.ActionRole
    )
    cancel = box.addButton(QMessageBox.StandardButton.Cancel)
    box.setDefaultButton(cancel)
    open_button.clicked.connect(lambda: QDesktopServices.openUrl(QUrl(address)))
    copy_button.clicked.connect(lambda: QGuiApplication.clipboard().setText(address))
    box.finished.connect(box.deleteLater)
    box.open()
