"""The marks with which models structure their replies, family by family, as their templates do.

This is the one table of them. A reply is read by `reply_reader`.
"""

from dataclasses import dataclass

from engine.text.tool_calls import (
    CallReader,
    read_deepseek,
    read_function,
    read_functions,
    read_gemma,
    read_harmony,
    read_invokes,
    read_json,
    read_keyed,
    read_kimi,
    read_mistral,
    read_python,
    read_pythonic,
    read_tagged,
)


@dataclass(frozen=True, slots=True)
class Family:
    """How a family of models sets its reasoning apart from its answer.

    Attributes:
        opening: begins reasoning, at the start of a reply.
        closing: ends it.
        hidden: further marks that are no text. A reply that has them may reason more than once.
        sign: what such a reply begins with.
        is_split: earlier replies go into a template with reasoning and answer apart; otherwise
            templates know these marks in a reply's text.
        is_prose: the marks are words that any model may say, so they count as a pair alone.
    """

    opening: str
    closing: str
    hidden: tuple[str, ...] = ()
    sign: str = ""
    is_split: bool = False
    is_prose: bool = False


FAMILIES = (
    Family("<think>", "</think>"),  # DeepSeek R1, Qwen 3, GLM, SmolLM 3, MiniMax, Nemotron, …
    Family("<thinking>", "</thinking>"),
    Family("<thought>", "</thought>"),  # EXAONE Deep
    Family("<reasoning>", "</reasoning>"),
    Family("<seed:think>", "</seed:think>"),  # Seed-OSS
    Family("[THINK]", "[/THINK]"),  # Magistral
    Family("◁think▷", "◁/think▷"),  # Kimi VL
    Family("<|inner_prefix|>", "<|inner_suffix|>"),  # Apertus
    Family("Here is my thought process:", "Here is my response:", is_prose=True),  # Granite 3.2
    Family(  # OpenThinker, Sky-T1
        "<|begin_of_thought|>",
        "<|end_of_thought|>",
        hidden=("<|begin_of_solution|>", "<|end_of_solution|>"),
        sign="<|begin_of_",
    ),
    Family("<|channel>thought", "<channel|>", is_split=True),  # Gemma 4
    Family(  # Command R7B, Command A
        "<|START_THINKING|>",
        "<|END_THINKING|>",
        hidden=("<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|START_TEXT|>", "<|END_TEXT|>"),
        sign="<|START_",
        is_split=True,
    ),
    Family(  # gpt-oss, https://cookbook.openai.com/articles/openai-harmony
        "<|channel|>analysis<|message|>",
        "<|end|>",
        hidden=(
            "<|channel|>final<|message|>",
            "<|channel|>commentary<|message|>",
            "<|start|>assistant",
            "<|end|>",
        ),
        sign="<|channel|>",
        is_split=True,
    ),
)


@dataclass(frozen=True, slots=True)
class CallMarks:
    """What begins and ends calls of tools; without `closing` they go on to the reply's end."""

    opening: str
    closing: str
    read: CallReader


CALLS = (
    CallMarks("<tool_call>", "</tool_call>", read_tagged),  # Hermes, Qwen, GLM, Granite 4
    CallMarks("<function=", "</function>", read_function),  # Llama 3, Functionary, Qwen coder
    CallMarks("<|python_tag|>", "", read_python),  # Llama 3
    CallMarks("[TOOL_CALLS]", "", read_mistral),
    CallMarks("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", read_deepseek),
    CallMarks(
        "<｜DSML｜function_calls>", "</｜DSML｜function_calls>", read_invokes
    ),  # DeepSeek 3.2
    CallMarks("<minimax:tool_call>", "</minimax:tool_call>", read_invokes),
    CallMarks("<seed:tool_call>", "</seed:tool_call>", read_functions),
    CallMarks("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>", read_kimi),
    CallMarks("<|tool_call|>", "<|/tool_call|>", read_json),  # Granite 3, Phi 4 mini
    CallMarks("<|START_ACTION|>", "<|END_ACTION|>", read_json),  # Command R7B, Command A
    CallMarks("<|tool_call>", "<tool_call|>", read_gemma),  # Gemma 4
    CallMarks("<|tool_call_start|>", "<|tool_call_end|>", read_pythonic),  # LFM 2
    CallMarks("<|tools_prefix|>", "<|tools_suffix|>", read_keyed),  # Apertus
    CallMarks("<TOOLCALL>", "</TOOLCALL>", read_json),  # Nemotron
    CallMarks("<|channel|>commentary to=", "<|call|>", read_harmony),  # gpt-oss
    CallMarks("<|channel|>analysis to=", "<|call|>", read_harmony),
    CallMarks("<|start|>assistant to=", "<|call|>", read_harmony),
)

# The tokens of these marks that vocabularies have, which are printed for the reader to see.
PRINTED_TOKENS = frozenset(
    {
        *(mark for family in FAMILIES for mark in (family.opening, family.closing, *family.hidden)),
        *(mark for calls in CALLS for mark in (calls.opening, calls.closing)),
        *("[ARGS]", "[CALL_ID]", "<|channel>", '<|"|>'),
        *("<|channel|>", "<|message|>", "<|start|>", "<|constrain|>"),
        *("<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>"),
        *("<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>"),
        *("<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>"),
    }
)


def opening_at_end(prompt: str) -> str:
    """The mark with which a prompt itself begins the reasoning of its reply, or ""."""
    text = prompt.rstrip()
    return next((family.opening for family in FAMILIES if text.endswith(family.opening)), "")
