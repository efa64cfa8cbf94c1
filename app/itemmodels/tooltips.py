"""Tooltips that show names and titles as they are."""

from html import escape


def plain_tooltip(text: str) -> str:
    """Markup that shows `text` as it is, line by line.

    Qt takes a tooltip that looks like markup for markup, and would open what its images name.
    """
    return f"<p style='white-space: pre-wrap'>{escape(text)}</p>"
