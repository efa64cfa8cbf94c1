"""The marks between which models put their reasoning, at the beginning of a reply."""

# Opening and closing mark, as the templates of these families write them.
MARKS = {
    "<think>": "</think>",  # DeepSeek R1, Qwen 3, GLM
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "<reasoning>": "</reasoning>",
    "<seed:think>": "</seed:think>",  # Seed-OSS
    "[THINK]": "[/THINK]",  # Magistral
    "◁think▷": "◁/think▷",  # Kimi
}
CLOSE_OF_PROMPT = "</think>"  # where the prompt holds the opening mark


def find_mark(text: str) -> str | None:
    """The opening mark that `text` begins with, after white space; "" if it may yet become one."""
    lead = text.lstrip()
    for mark in MARKS:
        if lead.startswith(mark):
            return mark
    return "" if any(mark.startswith(lead) for mark in MARKS) else None


def unfinished_mark(text: str, mark: str) -> int:
    """How many characters at the end of `text` may be the beginning of `mark`."""
    longest = min(len(mark) - 1, len(text))
    return next((size for size in range(longest, 0, -1) if text.endswith(mark[:size])), 0)
