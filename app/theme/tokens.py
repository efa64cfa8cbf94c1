"""The colours of the window, by what they are for, and which text may stand on which ground."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tokens:
    """One set of colours, as `#RRGGBB`."""

    ground: str
    sidebar: str
    hairline: str
    control_border: str  # borders that carry meaning: 3:1 against ground and sidebar
    text: str
    dim: str
    faint: str
    tint: str
    selected: str
    selection: str  # selected text
    found: str  # what a search in the chat found
    code_ground: str
    code_keyword: str
    code_name: str
    code_string: str
    code_number: str
    code_comment: str
    code_added: str
    code_removed: str
    accent: str  # the draft, and nothing else
    accent_ground: str
    good: str
    good_ground: str
    warn: str
    bad: str
    button: str
    button_text: str


LIGHT = Tokens(
    ground="#FFFFFF",
    sidebar="#F6F6F4",
    hairline="#E4E3DF",
    control_border="#8A867D",
    text="#1C1B19",
    dim="#67645D",
    faint="#6B675F",
    tint="#EFEEEA",
    selected="#EAE8E2",
    selection="#D6D2C8",
    found="#F1DF9C",
    code_ground="#F7F7F5",
    code_keyword="#5B4B8A",
    code_name="#2A5F7F",
    code_string="#3F6B3A",
    code_number="#7A4468",
    code_comment="#6B675F",
    code_added="#1B7549",
    code_removed="#B3261E",
    accent="#A84D17",
    accent_ground="#FBEFE6",
    good="#1B7549",
    good_ground="#E3F3EA",
    warn="#946200",
    bad="#B3261E",
    button="#1C1B19",
    button_text="#FFFFFF",
)

DARK = Tokens(
    ground="#191817",
    sidebar="#121110",
    hairline="#302E2B",
    control_border="#757069",
    text="#ECEAE5",
    dim="#A5A198",
    faint="#959188",
    tint="#262422",
    selected="#2B2926",
    selection="#4B4741",
    found="#5C4E1F",
    code_ground="#131211",
    code_keyword="#B9A7E8",
    code_name="#8FBBD6",
    code_string="#A3C48F",
    code_number="#D9A0BE",
    code_comment="#959188",
    code_added="#5FCB92",
    code_removed="#F2867E",
    accent="#F0935B",
    accent_ground="#3A2519",
    good="#5FCB92",
    good_ground="#15301F",
    warn="#E0B252",
    bad="#F2867E",
    button="#ECEAE5",
    button_text="#191817",
)

# Which text stands on which ground; each pair keeps 4.5:1 in both sets.
TEXT_ON_GROUND: dict[str, tuple[str, ...]] = {
    "text": (
        "ground",
        "sidebar",
        "tint",
        "selected",
        "code_ground",
        "accent_ground",
        "selection",
        "found",
    ),
    "dim": ("ground", "sidebar", "tint", "selected", "code_ground"),
    "faint": ("ground", "sidebar", "tint"),
    "code_keyword": ("code_ground",),
    "code_name": ("code_ground",),
    "code_string": ("code_ground",),
    "code_number": ("code_ground",),
    "code_comment": ("code_ground",),
    "code_added": ("code_ground",),
    "code_removed": ("code_ground",),
    "accent": ("ground", "accent_ground"),
    "good": ("ground", "sidebar", "good_ground"),
    "warn": ("ground", "sidebar"),
    "bad": ("ground", "sidebar"),
    "button_text": ("button",),
    "ground": ("warn",),
}


def contrast(first: str, second: str) -> float:
    """Contrast ratio of two `#RRGGBB` colours, 1 to 21, as WCAG 2.2 defines it."""
    lighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    red, green, blue = (_linear(int(colour[i : i + 2], 16) / 255) for i in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(channel: float) -> float:
    if channel <= 0.04045:
        return channel / 12.92
    return float(((channel + 0.055) / 1.055) ** 2.4)
