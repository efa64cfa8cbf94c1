import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.text.blocks import CodeBlock, ListBlock, Paragraph, Reasoning, Table
from app.text.stream import MarkdownStream, parse
from engine.api import ReplyReader
from tests.helpers.awkward_markdown import long_texts, split_bytes, texts
from tests.helpers.runs import runs_of

CALL = '<tool_call>\n{"name": "look", "arguments": {"at": "é"}}\n</tool_call>'
HARMONY = (
    "<|channel|>analysis<|message|>First.<|end|><|start|>assistant<|channel|>commentary<|message|>"
    "Wait.<|end|><|start|>assistant<|channel|>analysis<|message|>Then.<|end|>"
    "<|start|>assistant<|channel|>final<|message|>Yes."
)
THOROUGH = settings(max_examples=60, deadline=None)


def stream_of(text, chance):
    stream = MarkdownStream()
    documents = []
    for piece in split_bytes(text, chance):
        stream.feed(piece)
        documents.append(stream.document())
    stream.finish()
    return stream.document(), documents


@THOROUGH
@given(st.one_of(texts(), long_texts()), st.randoms(use_true_random=False))
def test_a_reply_in_any_pieces_ends_as_the_whole_text_at_once(text, chance):
    document, _ = stream_of(text, chance)

    assert document == parse(text)


@THOROUGH
@given(st.one_of(texts(), long_texts()), st.randoms(use_true_random=False))
def test_final_blocks_stay_the_same_objects_unless_a_link_is_defined_later(text, chance):
    last, documents = stream_of(text, chance)

    for before, after in pairwise([*documents, last]):
        assert before.num_final <= after.num_final
        for old, new in zip(before.blocks[: before.num_final], after.blocks, strict=False):
            assert old is new or "[" in text[new.start : new.end]


def test_a_link_defined_at_the_end_reaches_the_blocks_before_it():
    document, _ = stream_of("see [it][x]\n\nmore\n\n[x]: https://a.example\n", random.Random(0))

    assert next(runs_of(document.blocks[:1])).href == ""
    assert [run.href for run in runs_of(document.blocks[:1])][1] == "https://a.example"


def test_a_half_written_definition_changes_nothing_that_is_final():
    stream = MarkdownStream()
    stream.feed("see [x]\n\nmore\n\n[x]: https://a.ex")
    stream.document()
    stream.feed("ample\n")
    stream.finish()

    assert [run.href for run in runs_of(stream.document().blocks)][1] == "https://a.example"


@pytest.mark.parametrize(
    ("opening", "line", "children"),
    [
        ("", "- item *x*\n", lambda block: block.items),
        ("| a | b |\n|---|---|\n", "| c | d |\n", lambda block: block.rows),
        ("```\n", "code\n", lambda block: block.runs),
    ],
    ids=["list", "table", "code"],
)
def test_a_long_open_block_keeps_the_parts_that_are_finished(opening, line, children):
    stream = MarkdownStream()
    stream.feed(opening + line * 200)
    before = children(stream.document().blocks[0])
    stream.feed(line)
    after = children(stream.document().blocks[0])

    assert len(after) == len(before) + 1
    assert all(old is new for old, new in zip(before[:-1], after, strict=False))


def test_line_breaks_of_two_characters_change_nothing_in_a_long_list():
    text = "\r\n".join(["1. point\n   more"] * 60)
    stream = MarkdownStream()
    for start in range(0, len(text), 40):
        stream.feed(text[start : start + 40])
        stream.document()
    stream.finish()

    assert stream.document() == parse(text)


def test_a_list_becomes_loose_by_a_blank_line_at_its_end():
    stream = MarkdownStream()
    stream.feed("- item with a few words\n" * 100)
    assert stream.document().blocks[0].is_tight
    stream.feed("\n- last\n")

    assert not stream.document().blocks[0].is_tight


def test_reasoning_is_a_block_of_its_own_while_it_streams():
    stream = MarkdownStream(ReplyReader())
    stream.feed("<thi")
    assert stream.document().blocks == ()
    stream.feed("nk>\nFirst *this*.\n</thi")
    (reasoning,) = stream.document().blocks
    assert isinstance(reasoning, Reasoning)
    assert not reasoning.is_closed
    assert "".join(run.text for run in runs_of([reasoning])) == "First this."
    stream.feed("nk>\n\nThe answer.")
    reasoning, answer = stream.document().blocks

    assert reasoning.is_closed
    assert isinstance(answer, Paragraph)


def test_reasoning_left_empty_is_not_shown():
    document = parse("<think>\n\n</think>\n\nYes.", ReplyReader())
    assert [type(block) for block in document.blocks] == [Paragraph]


def test_a_model_may_reason_and_answer_in_turns():
    document = parse(HARMONY, ReplyReader())
    kinds = [type(block) for block in document.blocks]
    assert kinds == [Reasoning, Paragraph, Reasoning, Paragraph]
    assert [run.text for run in runs_of(document.blocks)] == ["First.", "Wait.", "Then.", "Yes."]
    for block in document.blocks:
        for run in runs_of([block]):
            assert HARMONY[run.start : run.end] == run.text


def test_a_call_of_a_tool_is_a_block_with_its_arguments():
    said, call, done = parse(f"Let me see.\n{CALL}\nDone.", ReplyReader()).blocks
    assert isinstance(call, CodeBlock)
    assert (call.tool, call.language, call.is_closed) == ("look", "json", True)
    assert "".join(run.text for run in call.runs) == '{\n  "at": "é"\n}'
    assert [run.text for run in runs_of([said, done])] == ["Let me see.", "Done."]


def test_a_call_that_is_being_written_is_a_block_already():
    stream = MarkdownStream(ReplyReader())
    stream.feed("So *this*: " + CALL[:20])
    _, call = stream.document().blocks
    assert isinstance(call, CodeBlock)
    assert (call.tool, call.is_closed) == ("", False)


def test_a_call_that_makes_no_sense_becomes_a_part_of_the_text_around_it():
    text = "- one <tool_call>oh no</tool_call>\n- two"
    pieces = MarkdownStream(ReplyReader())
    for character in text:
        pieces.feed(character)
        pieces.document()
    pieces.finish()
    assert pieces.document() == parse(text, ReplyReader()) == parse(text)
    assert [type(block) for block in pieces.document().blocks] == [ListBlock]


@pytest.mark.parametrize("text", [HARMONY, f"<think>*a*</think>b {CALL} c"])
def test_parts_in_any_pieces_end_as_the_whole_text_at_once(text):
    whole = parse(text, ReplyReader())
    for cut in range(len(text)):
        stream = MarkdownStream(ReplyReader())
        stream.feed(text[:cut])
        before = stream.document()
        stream.feed(text[cut:])
        stream.finish()
        after = stream.document()
        assert after == whole
        assert before.blocks[: before.num_final] == after.blocks[: before.num_final]


def test_a_mark_of_reasoning_later_in_the_text_is_text():
    (block,) = parse("Use the <think> mark.", ReplyReader()).blocks

    assert "".join(run.text for run in block.runs) == "Use the <think> mark."


def test_code_tells_when_its_fence_is_closed():
    stream = MarkdownStream()
    stream.feed("```Python title\nx = 1\n")
    (code,) = stream.document().blocks
    assert (code.language, code.is_closed) == ("python", False)
    stream.feed("```\n")
    (code,) = stream.document().blocks

    assert isinstance(code, CodeBlock)
    assert code.is_closed


def test_a_hundred_nested_quotes_and_lists_lose_no_text():
    document = parse("> " * 100 + "deep\n\n" + "- " * 100 + "item\n\nafter")
    text = "".join(run.text for run in runs_of(document.blocks))

    assert "deep" in text
    assert "item" in text
    assert text.endswith("after")


def test_the_parts_of_a_message_have_their_kinds():
    blocks = parse("- [x] done\n- [ ] open\n\n| a |\n|--:|\n| b | more |").blocks

    tasks, table = blocks
    assert isinstance(tasks, ListBlock)
    assert [item.is_checked for item in tasks.items] == [True, False]
    assert isinstance(table, Table)
    assert len(table.rows[0].cells) == 2
