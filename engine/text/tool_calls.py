"""Reads the calls of tools that models write into their replies, in the ways of the families.

Each reader takes what stands between the marks of a call. None: it makes no sense, so it is text.
"""

import ast
import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import NoReturn

from engine.base.types import ToolCall

Calls = tuple[ToolCall, ...]
CallReader = Callable[[str], Calls | None]

_NAME = re.compile(r"[\w.:/-]+")
_NAMES = ("name", "tool_name", "function")
_ARGUMENTS = ("arguments", "parameters", "args")
_FUNCTION = re.compile(r"<function=([^>\n]+)>(.*?)(?:</function>|\Z)", re.DOTALL)
_PARAMETER = re.compile(r"<parameter=([^>\n]+)>(.*?)(?:</parameter>|(?=<parameter=)|\Z)", re.DOTALL)
_INVOKE = re.compile(r'<(｜DSML｜)?invoke name="([^"]+)">(.*?)</\1?invoke>', re.DOTALL)
_INVOKED_WITH = re.compile(
    r'<(｜DSML｜)?parameter name="([^"]+)"([^>]*)>(.*?)</\1?parameter>', re.DOTALL
)
_GLM_ARGUMENT = re.compile(
    r"<arg_key>(.*?)</arg_key>\s*<arg_value>(.*?)(?:</arg_value>|\Z)", re.DOTALL
)
_DEEPSEEK_CALL = re.compile(
    r"<｜tool▁call▁begin｜>(.*?)<｜tool▁sep｜>(.*?)(?:<｜tool▁call▁end｜>|\Z)", re.DOTALL
)
_KIMI_CALL = re.compile(
    r"<\|tool_call_begin\|>(.*?)<\|tool_call_argument_begin\|>(.*?)(?:<\|tool_call_end\|>|\Z)",
    re.DOTALL,
)
_MISTRAL_CALL = re.compile(r"\s*([\w.-]+)(?:\[CALL_ID\][\w-]+)?(?:\[ARGS\])?\s*(\{.*)", re.DOTALL)
_GEMMA_TEXT = '<|"|>'
_GEMMA_BARE = re.compile(r"[^\s,:{}\[\]]+")


def read_json(body: str) -> Calls | None:
    """`{"name": …, "arguments": {…}}`, one or a list, whichever of the usual names the keys have.

    Several objects may follow each other, as Hermes and Llama write them.
    """
    values = _json_values(_unfenced(body))
    if values is None:
        return None
    items = [item for value in values for item in (value if isinstance(value, list) else [value])]
    return _all(map(_call_of, items))


def read_tagged(body: str) -> Calls | None:
    """What stands in `<tool_call>`: JSON (Hermes, Qwen), functions (Qwen coder) or pairs (GLM)."""
    if "<function=" in body:
        return read_functions(body)
    if "<arg_key>" in body or _NAME.fullmatch(body.strip()):
        name, _, rest = body.strip().partition("<arg_key>")
        arguments = _GLM_ARGUMENT.findall("<arg_key>" + rest)
        return _named(name, {key.strip(): _value(text) for key, text in arguments})
    return read_json(body)


def read_functions(body: str) -> Calls | None:
    """`<function=NAME>` with parameters in tags, as Qwen's coders write them, or with JSON."""
    return _all(_function(name, content) for name, content in _FUNCTION.findall(body))


def read_function(body: str) -> Calls | None:
    """What stands behind `<function=` (Llama 3, Functionary)."""
    return read_functions("<function=" + body)


def read_invokes(body: str) -> Calls | None:
    """`<invoke name="NAME">` with parameters in tags (MiniMax, DeepSeek 3.2)."""
    return _all(
        _named(
            name,
            {
                key: text if 'string="true"' in kind else _value(text)
                for _, key, kind, text in _INVOKED_WITH.findall(content)
            },
        )
        for _, name, content in _INVOKE.findall(body)
    )


def read_mistral(body: str) -> Calls | None:
    """Behind `[TOOL_CALLS]`: a list in JSON, or `NAME[ARGS]{…}` for each call."""
    if body.lstrip().startswith("["):
        return read_json(body)
    named = (_MISTRAL_CALL.fullmatch(part) for part in body.split("[TOOL_CALLS]"))
    return _all(_named(match[1], _object(match[2])) if match else None for match in named)


def read_deepseek(body: str) -> Calls | None:
    """`TYPE<｜tool▁sep｜>NAME` and JSON in a fence (V3, R1), or `NAME<｜tool▁sep｜>{…}` (V3.1)."""
    calls = []
    for before, after in _DEEPSEEK_CALL.findall(body):
        name, text = before, after
        if before.strip() == "function" and "\n" in after:
            name, text = after.split("\n", 1)
        calls.append(_named(name, _object(_unfenced(text))))
    return _all(calls)


def read_kimi(body: str) -> Calls | None:
    """`functions.NAME:NUMBER` and JSON, each call between marks of its own (Kimi K2)."""
    return _all(
        _named(re.sub(r":\d+\s*$", "", name), _object(text))
        for name, text in _KIMI_CALL.findall(body)
    )


def read_harmony(body: str) -> Calls | None:
    """`functions.NAME <|constrain|>json<|message|>{…}` (gpt-oss)."""
    header, mark, text = body.partition("<|message|>")
    name = _NAME.match(header.strip())
    if not mark or not name:
        return None
    if "code" in header.split():
        return _named(name[0], {"code": text})
    return _named(name[0], _object(text))


def read_python(body: str) -> Calls | None:
    """Behind `<|python_tag|>`: JSON, `tool.call(query="…")`, or code to run (Llama 3)."""
    calls = read_json(body) if body.lstrip().startswith(("{", "[")) else None
    return calls or read_pythonic(body) or (_named("python", {"code": body.strip()}))


def read_pythonic(body: str) -> Calls | None:
    """`[name(key="value"), …]` in Python's words, with constants alone (LFM 2, Llama 4)."""
    if body.lstrip().startswith(("{", "[{")):
        return read_json(body)
    try:
        tree = ast.parse(body.strip(), mode="eval").body
        calls = tree.elts if isinstance(tree, ast.List) else [tree]
        return _all(map(_python_call, calls))
    except (SyntaxError, TypeError, ValueError, RecursionError, MemoryError):
        return None


def read_gemma(body: str) -> Calls | None:
    """`call:NAME{key:<|"|>text<|"|>,number:3}` (Gemma 4)."""
    name, brace, rest = body.strip().removeprefix("call:").partition("{")
    try:
        value, end = _gemma_value(brace + rest, 0)
    except (ValueError, RecursionError):
        return None
    whole = end == len(brace + rest)
    return _named(name, value) if whole and isinstance(value, dict) else None


def read_keyed(body: str) -> Calls | None:
    """`[{"NAME": {…}}]` (Apertus)."""
    values = _json_values(body)
    if values is None or len(values) != 1 or not isinstance(values[0], list):
        return None
    pairs = [(item, list(item)) if isinstance(item, dict) else ({}, []) for item in values[0]]
    return _all(_named(keys[0], item[keys[0]]) if keys else None for item, keys in pairs)


def read_bare(text: str) -> Calls | None:
    """A whole answer that is nothing but a call in JSON, as Llama 3 writes it without a mark."""
    if not (text.startswith("{") and text.endswith("}")):
        return None
    value = _object(text)
    if value is None or not {"name", "parameters"} <= value.keys() <= {
        "name",
        "parameters",
        "type",
    }:
        return None
    return read_json(text)


def _call_of(item: object) -> Calls | None:
    """The call that a JSON object describes."""
    if not isinstance(item, dict):
        return None
    fields: dict[str, object] = item
    inner = fields.get("function")
    if isinstance(inner, dict):
        fields = inner
    name = next((fields[key] for key in _NAMES if key in fields), None)
    arguments = next((fields[key] for key in _ARGUMENTS if key in fields), {})
    if isinstance(arguments, str):
        arguments = _object(arguments)
    return _named(name, arguments)


def _named(name: object, arguments: object) -> Calls | None:
    if not isinstance(name, str) or not isinstance(arguments, Mapping):
        return None
    name = name.strip().removeprefix("functions.")
    return (ToolCall(name, arguments),) if _NAME.fullmatch(name) else None


def _all(found: Iterable[Calls | None]) -> Calls | None:
    """All of the calls, or None where one makes no sense or there is none."""
    calls = list(found)
    return tuple(call for one in calls if one for call in one) if calls and all(calls) else None


def _function(name: str, content: str) -> Calls | None:
    if content.lstrip().startswith("{"):
        return _named(name, _object(content))
    return _named(name, {key.strip(): _value(text) for key, text in _PARAMETER.findall(content)})


def _value(text: str) -> object:
    """A parameter between tags: what JSON it is, or else a text, without its line breaks."""
    text = text.removeprefix("\n").removesuffix("\n")
    values = _json_values(text)
    is_one = values is not None and len(values) == 1 and not isinstance(values[0], str)
    return values[0] if values and is_one else text


def _object(text: str) -> dict[str, object] | None:
    values = _json_values(text)
    return values[0] if values and len(values) == 1 and isinstance(values[0], dict) else None


def _unfenced(text: str) -> str:
    """The text without the fence of a Markdown code block around it."""
    text = text.strip()
    if not text.startswith("```"):
        return text
    return text.removeprefix("```").removeprefix("json").removesuffix("```")


def _json_values(text: str) -> list[object] | None:
    """The JSON values that a text consists of; `;` and commas may stand between them."""
    decoder = json.JSONDecoder(parse_constant=_refuse)
    values: list[object] = []
    at = 0
    try:
        while at < len(text):
            if text[at] in " \t\r\n;," and (values or text[at] not in ";,"):
                at += 1
                continue
            value, at = decoder.raw_decode(text, at)
            values.append(value)
    except (ValueError, RecursionError):
        return None
    return values or None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


def _python_call(node: ast.expr) -> Calls | None:
    if not isinstance(node, ast.Call) or node.args or not all(one.arg for one in node.keywords):
        return None
    arguments = {str(one.arg): ast.literal_eval(one.value) for one in node.keywords}
    json.dumps(arguments)  # refuses what JSON has no words for, sets and bytes
    return _named(ast.unparse(node.func), arguments)


def _gemma_value(text: str, at: int) -> tuple[object, int]:
    """The value that begins at a place of a text, and where it ends."""
    if text.startswith(_GEMMA_TEXT, at):
        end = text.index(_GEMMA_TEXT, at + len(_GEMMA_TEXT))
        return text[at + len(_GEMMA_TEXT) : end], end + len(_GEMMA_TEXT)
    if text.startswith("[", at):
        items: list[object] = []
        at += 1
        while not text.startswith("]", at):
            item, at = _gemma_value(text, at)
            items.append(item)
            at = _behind_comma(text, at, "]")
        return items, at + 1
    if text.startswith("{", at):
        pairs: dict[str, object] = {}
        at += 1
        while not text.startswith("}", at):
            key, at = _gemma_value(text, at)
            if not text.startswith(":", at):
                raise ValueError("a key has no value")
            pairs[str(key)], at = _gemma_value(text, at + 1)
            at = _behind_comma(text, at, "}")
        return pairs, at + 1
    bare = _GEMMA_BARE.match(text, at)
    if not bare:
        raise ValueError("there is no value")
    return _value(bare[0]), bare.end()


def _behind_comma(text: str, at: int, closing: str) -> int:
    if text.startswith(",", at):
        return at + 1
    if not text.startswith(closing, at):
        raise ValueError("a value does not end")
    return at
