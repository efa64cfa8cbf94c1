"""What reading a reply costs while it streams: the text part of each of the window's updates.

    python -m tests.benchmarks.text_stream

Feeds replies of 10,000 tokens in pieces of 1 to 40 bytes, one update for each piece, and prints
the processor time that feeding and reading took, which other work on the machine changes little.
"""

import codecs
import random
import statistics
from time import thread_time

from app.text.stream import MarkdownStream, parse
from tests.benchmarks.replies import KINDS, make_reply

LIMIT_MS = 2.0  # at the 95th percentile


def main() -> None:
    """Print one line for each kind of reply."""
    print(f"{'reply':26}{'updates':>9}{'p50 ms':>9}{'p95 ms':>9}{'longest':>9}{'at once':>9}")
    for kind in KINDS:
        text = make_reply(kind)
        times = sorted(stream_ms(text))
        p50, p95 = statistics.median(times), times[int(len(times) * 0.95)]
        started = thread_time()
        parse(text)
        whole = (thread_time() - started) * 1000
        mark = "" if p95 <= LIMIT_MS else f"  over {LIMIT_MS:g} ms"
        print(f"{kind:26}{len(times):9}{p50:9.2f}{p95:9.2f}{times[-1]:9.2f}{whole:9.1f}{mark}")


def stream_ms(text: str) -> list[float]:
    """The time of each update, in milliseconds."""
    chance = random.Random(1)
    data = text.encode()
    decoder = codecs.getincrementaldecoder("utf-8")()
    stream = MarkdownStream()
    times = []
    place = 0
    while place < len(data):
        size = chance.randint(1, 40)
        piece = decoder.decode(data[place : place + size])
        place += size
        started = thread_time()
        stream.feed(piece)
        stream.document()
        times.append((thread_time() - started) * 1000)
    return times


if __name__ == "__main__":
    main()
