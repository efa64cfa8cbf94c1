"""Five kinds of long replies, about 10,000 tokens each, all made here from words of our own."""

import random
from collections.abc import Callable, Iterator

NUM_TOKENS = 10_000
CHARACTERS_PER_TOKEN = 4.2  # of English prose, in tokenizers of the day
NUM_CHARACTERS = int(NUM_TOKENS * CHARACTERS_PER_TOKEN)

VOCABULARY = """
river stone early light market window paper quiet signal carries morning harbour letter
measures second garden answers bridge shadow turns slowly between several winter copper
station follows narrow idea weather engine travels because under silver field another the
and of to in a with from for on is as that it was by at
"""
WORDS = VOCABULARY.split()
ORNAMENTS = ("**{}**", "*{}*", "`{}`", "[{}](https://example.org/{})", "~~{}~~", "“{}”")
FORMULAS = (
    r"$a_{{{0}}}^2 + b^2 = c^2$",
    r"\(\frac{{{0}}}{{x+1}}\)",
    "\n\n$$\n\\sum_{{k=1}}^{{{0}}} k = \\frac{{n(n+1)}}{{2}}\n$$\n\n",
    "\n\n\\[\n\\int_0^{{{0}}} e^{{-x^2}}\\,dx\n\\]\n\n",
)


def sentence(chance: random.Random, num_words: int) -> str:
    """A sentence in which about every twelfth word is marked up."""
    words = chance.choices(WORDS, k=num_words)
    for place in range(num_words):
        if chance.random() < 1 / 12:
            word = words[place]
            words[place] = chance.choice(ORNAMENTS).format(word, word)
    return f"{' '.join(words).capitalize()}."


def paragraph(chance: random.Random, num_words: int) -> str:
    """Sentences of 8 to 20 words."""
    sentences = []
    while num_words > 0:
        count = min(num_words, chance.randint(8, 20))
        sentences.append(sentence(chance, count))
        num_words -= count
    return " ".join(sentences)


def prose(chance: random.Random) -> Iterator[str]:
    """Headings, paragraphs, short lists, quotes and pieces of code."""
    while True:
        yield f"## {sentence(chance, 4)}\n\n"
        for _ in range(chance.randint(1, 3)):
            yield paragraph(chance, chance.randint(40, 120)) + "\n\n"
        for number in range(1, chance.randint(3, 8)):
            yield f"{number}. {sentence(chance, 12)}\n"
        yield f"\n> {sentence(chance, 15)}\n\n"
        yield f"```python\n{code(chance, 12)}```\n\n"


def long_paragraph(chance: random.Random) -> Iterator[str]:
    """One paragraph of 3,000 words, then prose."""
    yield paragraph(chance, 3000) + "\n\n"
    yield from prose(chance)


def code(chance: random.Random, num_lines: int) -> str:
    """Lines that look like Python."""
    lines = []
    for number in range(num_lines):
        name, other = chance.choices(WORDS, k=2)
        lines.append(
            f"{'    ' * (number % 3)}{name}_{number} = {other}({number}, '{name}')  # {other}\n"
        )
    return "".join(lines)


def open_fence(chance: random.Random) -> Iterator[str]:
    """Code of 600 lines whose fence is never closed."""
    yield paragraph(chance, 60) + "\n\n```python\n"
    yield code(chance, 600)


def table(chance: random.Random) -> Iterator[str]:
    """A table of 100 rows, then prose."""
    yield "| Name | Kind | Amount | Remark |\n|:---|---|---:|---|\n"
    for number in range(100):
        kind = chance.choice(WORDS)
        yield f"| {sentence(chance, 3)} | `{kind}` | {number} | {sentence(chance, 8)} |\n"
    yield "\n"
    yield from prose(chance)


def formulas(chance: random.Random) -> Iterator[str]:
    """60 formulas, each within prose."""
    for number in range(60):
        yield paragraph(chance, 40) + " "
        yield FORMULAS[number % len(FORMULAS)].format(number + 2) + " "
        yield paragraph(chance, 20) + "\n\n"
    yield from prose(chance)


KINDS: dict[str, Callable[[random.Random], Iterator[str]]] = {
    "prose": prose,
    "paragraph of 3,000 words": long_paragraph,
    "open fence of 600 lines": open_fence,
    "table of 100 rows": table,
    "60 formulas": formulas,
}


def make_reply(kind: str, seed: int = 0) -> str:
    """A reply of one of `KINDS`; the same for the same seed."""
    text = ""
    for part in KINDS[kind](random.Random(seed)):
        text += part
        if len(text) >= NUM_CHARACTERS:
            break
    return text[:NUM_CHARACTERS]
