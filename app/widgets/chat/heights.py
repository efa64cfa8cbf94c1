"""How high the messages of a chat are: measured where they were shown, estimated elsewhere."""

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate

from app.domain.message import Message, Role

GAP_PX = 24
TOP_PX = 8
BOTTOM_PX = 24
LINE_PX = 25
LINE_CHARACTERS = {Role.ASSISTANT: 95, Role.USER: 75, Role.SYSTEM: 75}  # at 720 px
FRAME_PX = {Role.ASSISTANT: 60, Role.USER: 20, Role.SYSTEM: 20}  # besides the text


def estimate(message: Message, width: int) -> int:
    """About how high a message will be in a column of `width`."""
    text = message.text
    line = max(1, LINE_CHARACTERS[message.role] * width // 720)
    num_lines = len(text) // line + text.count("\n") + 1
    return num_lines * LINE_PX + FRAME_PX[message.role]


@dataclass(frozen=True, slots=True)
class Place:
    """What stands at the top of the view: a message, and how many of its pixels are above."""

    index: int
    above: int


class Heights:
    """Heights of messages, and where each begins."""

    def __init__(self) -> None:
        self._heights: list[int] = []
        self._tops: list[int] | None = None

    def __len__(self) -> int:
        return len(self._heights)

    def replace(self, heights: list[int]) -> None:
        """Forget all, and begin with these."""
        self._heights = heights
        self._tops = None

    def append(self, height: int) -> None:
        """Add one at the end."""
        self._heights.append(height)
        self._tops = None

    def pop(self) -> None:
        """Take the last one away."""
        self._heights.pop()
        self._tops = None

    def set(self, index: int, height: int) -> bool:
        """Correct one; returns whether it was another."""
        if self._heights[index] == height:
            return False
        self._heights[index] = height
        self._tops = None
        return True

    def height(self, index: int) -> int:
        """How high a message is."""
        return self._heights[index]

    def top(self, index: int) -> int:
        """Where a message begins; of the one after the last, where it would."""
        return self._begins()[index]

    def total(self) -> int:
        """Height of the whole chat."""
        return self.top(len(self)) - GAP_PX + BOTTOM_PX if self._heights else 0

    def at(self, place: int) -> int:
        """The message that stands at a place, or the gap's before it."""
        return max(0, min(bisect_right(self._begins(), place) - 1, len(self) - 1))

    def _begins(self) -> list[int]:
        if self._tops is None:
            self._tops = list(accumulate((h + GAP_PX for h in self._heights), initial=TOP_PX))
        return self._tops
