"""Pieces of Markdown that are easily read wrong, and texts made of them."""

import codecs
import random

from hypothesis import strategies as st

LINES = (
    "plain words here",
    "two  \nlines",
    "back\\\nslash",
    "**bold *both* bold** ~~gone~~ `code` <b>html</b>",
    "**open *and never closed",
    "closing** stars* here_",
    "5 * 3 and a_b_c and &amp; &copy; &nosuch; \\* \\# \\\\",
    "a `code span\nover lines` and ``a ` tick``",
    "an unfinished `tick",
    'see [one], [two][one], [three][] and [text](https://a.example/x_y "title")',
    "![picture *of* it](https://a.example/p.png) <https://auto.example> <me@mail.example>",
    "bare https://a.example/b_c(d)e, (https://a.example/f).",
    "[bad](javascript:alert(1)) [file](file:///etc/passwd) [rel](docs/a.md)",
    "[one]: https://one.example",
    "[two]:\n  <https://two.example>\n  'a title\n  over lines'",
    "[three]: https://three.example 'open title",
    "[one]: https://late.example/ignored",
    "setext\n===",
    "setext of\ntwo lines\n---",
    "# heading #",
    "####### not a heading",
    "## *em* heading ##  ",
    "---",
    "* * *",
    "- item",
    "- item\n\n  second paragraph",
    "-\n\n  not in it",
    "- a | b\n|---|---|",
    "  - nested\n    - deeper\n\n      text",
    "+ other marker",
    "1. one\n2. two",
    "7) seven",
    "- [x] done\n- [ ] open\n- [x]no",
    "lazy\n> quote\nlazy again",
    "> quote\n> - list\n>\n> - loose\n>   `co\n> de`",
    ">no space\n>> deeper",
    "    indented code\n\n    more",
    "\tcode by tab\n \tand more",
    "-\ttab item\n\n\t  code in it?",
    "```python\nx = 1\n\n  y = '```'\n```",
    "~~~\ntilde ``` fence",
    "  ```\n  indented\n dedented\n  ```",
    "````\n```\nnested\n```\n````",
    "```not `a` fence```",
    "| a | b |\n|---|:-:|\n| 1 \\| 2 | *x* | extra |\n| short",
    "a | b\n-|-\n`x|y` | $a|b$",
    "text before\n| a |\n|---|\n| b |",
    "$5 and $6, US$7, $x^2$ and \\(y_1\\) and \\[z\\]",
    "cost $5 `a$b` end $",
    "$$\nx = 1\n- y\n$$",
    "$$\nnever closed",
    "\\[ a\n+ b \\]",
    "text\n$$ y $$\ntext",
    "$$ w $$ in a line",
    "<div>\n\n*text*\n\n</div>",
    "日本語の文章。次の文、$x$です！👩‍👩‍👧 é ﬀ",
    "👍🏽 **fat 👨‍👩‍👧** text",
    "nul \0 here and nbsp\u00a0end\u00a0",
    "trailing space \nand tab\t\nend",
    "word " * 150,
    "*emph " * 40 + "long`" + " word" * 120,
)
JOINTS = ("\n", "\n\n", "\n\n\n", "\n  ", "\n    ", "\n> ", "\n\n   ", " ", "", "\n- ", "\n1. ")
REASONING = (
    "",
    "",
    "<think>\n",
    "\n <think>a\n\n[one]</think>\n",
    "<thi",
    "<think></think>",
    "[THINK]x[/THINK]",
)
REPEATED = ("- item *x*", "| c1 | c2 |", "code line", "1. point\n   more", "> quote", "words " * 30)
FIRST_LINES = ("", "```\n", "| a | b |\n|---|---|\n", "~~~ py\n", "text\n", "- x\n\n")


@st.composite
def texts(draw: st.DrawFn) -> str:
    """A text of such pieces, joined in ways that let them run into each other."""
    parts = draw(st.lists(st.tuples(st.sampled_from(LINES), st.sampled_from(JOINTS)), max_size=9))
    text = draw(st.sampled_from(REASONING)) + "".join(line + joint for line, joint in parts)
    return text.replace("\n", draw(st.sampled_from(("\n", "\n", "\r\n", "\r"))))


@st.composite
def long_texts(draw: st.DrawFn) -> str:
    """One kind of line many times, so that a block grows long, with others thrown in."""
    lines = [draw(st.sampled_from(REPEATED))] * draw(st.integers(40, 140))
    for _ in range(draw(st.integers(0, 4))):
        line = draw(st.sampled_from((*LINES, "")))
        lines.insert(draw(st.integers(0, len(lines))), line)
    ending = draw(st.sampled_from(("\n", "\n", "\r\n", "\n\n")))
    return draw(st.sampled_from(FIRST_LINES)) + ending.join(lines)


def split_bytes(text: str, chance: random.Random) -> list[str]:
    """`text` as it arrives: in pieces of 1 to 40 bytes, each given on as far as it is whole."""
    data = text.encode()
    decoder = codecs.getincrementaldecoder("utf-8")()
    pieces = []
    place = 0
    while place < len(data):
        size = chance.randint(1, 40)
        pieces.append(decoder.decode(data[place : place + size]))
        place += size
    return pieces
