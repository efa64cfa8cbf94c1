"""The window's style sheet. Colours and shapes only: type is set by `fonts`, space by layouts.

Widgets say what they are through the dynamic property `look`.
"""

from dataclasses import asdict
from string import Template

from app.theme.tokens import Tokens

SHEET = Template("""
#mainWindow, #chatPane, #compareView, #benchView, #enginePage, #whereModels, #transcript, #topRow {
    background: $ground; color: $text; border: none;
}
#tableScroll, #tableScroll > QWidget { background: transparent; }
#chatPanel, #chatPanelScroll, #chatPanelInner { background: $sidebar; color: $text; border: none; }
#sidebar, #sidebar QListView { background: $sidebar; color: $text; border: none; }
QDialog { background: $ground; color: $text; }
QLabel { color: $text; background: transparent; }
QLabel[look="dim"] { color: $dim; }
QLabel[look="bad"] { color: $bad; }
QLabel[look="good"] { color: $good; }
QLabel[look="warn"] { color: $warn; }
QCheckBox { color: $text; spacing: 8px; }
QCheckBox::indicator {
    width: 14px; height: 14px; background: $ground; border: 1px solid $control_border;
    border-radius: 4px;
}
QCheckBox::indicator:checked { background: $button; border-color: $button; }
QCheckBox::indicator:focus { border: 2px solid $text; }
QFrame[look="hairline"] { background: $hairline; border: none; }
#findField, #findField:focus { border: none; background: transparent; }
#findBar { border: 1px solid $control_border; }
#hitBar { background: $control_border; border: none; }

QPushButton {
    color: $text; background: $ground; border: 1px solid $control_border;
    border-radius: 8px; padding: 0 16px; min-height: 34px;
}
QPushButton:hover { background: $tint; }
QPushButton:pressed { background: $selected; }
QPushButton:focus { border: 2px solid $text; }
QPushButton:checked { background: $selected; }
QPushButton[look="main"] { color: $button_text; background: $button; border: 1px solid $button; }
QPushButton[look="main"]:hover { background: $button; }
QPushButton[look="main"]:focus { border: 2px solid $control_border; }
QPushButton[look="main"]:disabled { color: $faint; background: $tint; border: 1px solid $tint; }
QPushButton[look="option"] { border: 1px solid $hairline; min-height: 28px; padding: 0 12px; }
QPushButton[look="option"]:checked { background: $selected; border: 1px solid $control_border; }
QPushButton[look="option"]:focus { border: 2px solid $text; }
QPushButton[look="soft"] { border: 1px solid $hairline; }
QPushButton[look="draft"] { background: $accent_ground; border: 1px solid $accent_ground; }
QPushButton[look="draft"]:focus { border: 2px solid $accent; }
QPushButton[look="suggestion"] {
    background: $tint; border: 1px solid $tint; border-radius: 16px; padding: 0 14px;
    min-height: 30px;
}
QPushButton[look="suggestion"]:hover { background: $selected; }
QPushButton[look="suggestion"]:focus { border: 2px solid $text; }
QPushButton[look="quiet"] {
    color: $dim; background: transparent; border: 1px solid transparent;
    padding: 0 6px; min-height: 26px; border-radius: 6px;
}
QPushButton[look="quiet"]:hover { color: $text; background: $tint; }
QPushButton[look="quiet"]:focus { border: 1px solid $control_border; color: $text; }
QPushButton[look="small"] { min-height: 26px; padding: 0 12px; border-radius: 6px; }
QPushButton[look="plain"] {
    color: $dim; background: transparent; border: none; padding: 0; min-height: 24px;
    text-align: left;
}
QPushButton[look="plain"]:hover { color: $text; }
QPushButton[look="plain"]:focus { color: $text; text-decoration: underline; }
QPushButton[look="heading"] {
    background: transparent; border: none; padding: 0; min-height: 26px;
    text-align: right;  /* that is left: the icon stands behind the text */
}
QPushButton[look="heading"]:focus { text-decoration: underline; }
QPushButton[look="round"] {
    background: $button; border: 2px solid $button; border-radius: 17px; padding: 0;
    min-width: 30px; max-width: 30px; min-height: 30px; max-height: 30px;
}
QPushButton[look="round"]:focus { border: 2px solid $control_border; }
QPushButton[look="round"]:disabled { background: $tint; border-color: $tint; }
QPushButton[look="float"] {
    background: $ground; border: 1px solid $control_border; border-radius: 17px; padding: 0;
    min-width: 32px; max-width: 32px; min-height: 32px; max-height: 32px;
}
QPushButton[look="float"]:hover { background: $tint; }

#composerFrame { background: $ground; border: 1px solid $hairline; border-radius: 14px; }
#composerFrame[active="true"] { border: 1px solid $control_border; }
QPlainTextEdit, QTextEdit {
    background: transparent; color: $text; border: none;
    selection-background-color: $selection; selection-color: $text;
    placeholder-text-color: $faint;
}
QLineEdit {
    background: $ground; color: $text; border: 1px solid $hairline; border-radius: 8px;
    padding: 0 8px; min-height: 34px; placeholder-text-color: $faint;
    selection-background-color: $selection; selection-color: $text;
}
QLineEdit:focus { border: 1px solid $control_border; }
QAbstractSpinBox, #systemPrompt {
    background: $ground; color: $text; border: 1px solid $hairline; border-radius: 8px;
    padding: 0 8px; selection-background-color: $selection; selection-color: $text;
}
#systemPrompt { padding: 4px; }
QAbstractSpinBox, #seed { min-height: 28px; max-height: 28px; }
/* Without buttons by their symbols, Qt leaves a styled field one pixel of room for its text. */
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { width: 0; border: none; }
QAbstractSpinBox QLineEdit { border: none; padding: 0; min-height: 0; background: transparent; }
QAbstractSpinBox:focus, #systemPrompt:focus { border: 1px solid $control_border; }
QFrame[look="editor"] {
    background: $ground; border: 1px solid $control_border; border-radius: 14px;
}
QFrame[look="editor"] QFrame[look="file"] { background: $tint; }
QFrame[look="file"] { background: $ground; border: none; border-radius: 8px; }
QFrame[look="chip"] { background: $tint; border: none; border-radius: 8px; }
QFrame[look="chip"] QPushButton { min-height: 22px; padding: 0 4px; }
QPushButton[look="switch"] {
    color: $dim; background: transparent; border: 1px solid transparent;
    padding: 0 10px; min-height: 26px; border-radius: 14px;
}
QPushButton[look="switch"]:hover { background: $tint; }
QPushButton[look="switch"]:checked {
    color: $text; background: $tint; border-color: $control_border;
}
QPushButton[look="switch"]:focus { border: 1px solid $text; }
#draftToggle:checked {
    color: $accent; background: $accent_ground; border-color: $accent_ground;
}
#draftToggle:checked:focus { border-color: $accent; }
#acceptanceGauge { border: 1px solid transparent; border-radius: 6px; }
#acceptanceGauge:focus { border: 1px solid $control_border; }
QFrame[look="own"] { background: $tint; border-radius: 14px; }
QFrame[look="code"] {
    background: $code_ground; border: 1px solid $hairline; border-radius: 10px;
}
QFrame[look="card"] { background: $ground; border: 1px solid $hairline; border-radius: 18px; }
QFrame[look="strip"] { background: $ground; border: 1px solid $hairline; border-radius: 10px; }
QFrame[look="gain"] { background: $good_ground; border-radius: 14px; }
QFrame[look="level"] { background: $tint; border-radius: 14px; }
QFrame[look="composer"] { background: $ground; border: 1px solid $hairline; border-radius: 14px; }
QScrollArea[look="clear"], QScrollArea[look="clear"] > QWidget,
QScrollArea[look="clear"] > QWidget > QWidget { background: transparent; }
QFrame[look="alarm"] { background: $ground; border: 1px solid $bad; border-radius: 10px; }
QSlider::groove:horizontal { height: 4px; background: $selected; border-radius: 2px; }
QSlider::sub-page:horizontal { background: $control_border; border-radius: 2px; }
QSlider::handle:horizontal {
    width: 16px; margin: -6px 0; background: $button; border: none; border-radius: 8px;
}
QSlider:focus { border: 2px solid $text; border-radius: 8px; }
QFrame[look="popup"] { background: $ground; border: 1px solid $control_border; border-radius: 8px; }
#errorDetailsText { background: $code_ground; border-radius: 8px; padding: 8px; }
QFrame[look="popup"] QListView { background: $ground; border: none; }

QProgressBar { background: $tint; border: none; border-radius: 3px; max-height: 6px; }
QProgressBar::chunk { background: $text; border-radius: 3px; }
QProgressBar[look="plain"]::chunk { background: $dim; }
QProgressBar[look="accent"]::chunk { background: $accent; }

QScrollBar:vertical { background: transparent; width: 12px; margin: 0; }
QScrollBar::handle:vertical {
    background: $control_border; border: 3px solid $ground; border-radius: 6px; min-height: 32px;
}
QScrollBar:horizontal { background: transparent; height: 12px; margin: 0; }
QScrollBar::handle:horizontal {
    background: $control_border; border: 3px solid $ground; border-radius: 6px; min-width: 32px;
}
#codeText QScrollBar::handle:horizontal { border-color: $code_ground; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QToolTip { color: $text; background: $ground; border: 1px solid $control_border; padding: 4px; }
QMenu { color: $text; background: $ground; border: 1px solid $control_border; padding: 4px; }
QMenu::item { padding: 6px 16px; border-radius: 6px; }
QMenu::separator { height: 1px; background: $hairline; margin: 4px 8px; }
QMenu::item:selected { background: $selected; }
QMenu::item:disabled { color: $faint; }
""")


def style_sheet(tokens: Tokens) -> str:
    """The sheet in one set of colours."""
    return SHEET.substitute(asdict(tokens))
