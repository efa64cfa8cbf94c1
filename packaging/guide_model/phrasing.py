"""Other ways to ask the same: what people change when they type a question."""

import re
from collections.abc import Callable
from random import Random

_GREETINGS = (
    "hi", "hello", "hey", "good morning", "hi there", "please", "ok", "so", "um", "question",
    "quick question", "I wonder", "tell me", "can you tell me", "could you say", "I want to know",
    "please tell me", "help", "sorry", "one thing", "I am new here", "just curious",
)  # fmt: skip
_ENDINGS = (
    "please", "thanks", "here", "in Paceline", "in this app", "with Paceline", "in the app",
    "exactly", "for me", "thank you", "in this program", "in this application", "now",
)  # fmt: skip
_SAME = (
    ("computer", "machine", "pc", "laptop"),
    ("chat", "conversation"),
    ("chats", "conversations"),
    ("delete", "remove", "erase"),
    ("answer", "reply", "response"),
    ("answers", "replies", "responses"),
    ("choose", "pick", "select"),
    ("big", "large"),
    ("bigger", "larger"),
    ("small", "little", "tiny"),
    ("quick", "fast"),
    ("faster", "quicker", "speedier"),
    ("begin", "start"),
    ("show", "display"),
    ("find", "locate", "look up"),
    ("program", "app", "application", "software"),
    ("Paceline", "this app", "the app", "this program", "it"),
    ("memory", "RAM"),
    ("turn off", "switch off", "disable"),
    ("turn on", "switch on", "enable"),
    ("picture", "image"),
    ("internet", "web"),
    ("explain", "describe", "tell me"),
    ("mean", "stand for"),
    ("text", "words"),
    ("speed", "pace", "rate"),
    ("window", "screen"),
    ("make", "create"),
    ("need", "require"),
    ("happens", "goes on"),
    ("store", "keep", "save"),
    ("stored", "kept", "saved"),
    ("refused", "rejected"),
    ("allowed", "permitted"),
    ("shortcut", "key", "hotkey"),
    ("shortcuts", "keys", "hotkeys"),
    ("use", "work with"),
    ("can I", "could I", "may I", "am I able to"),
    ("what is", "what's", "whats"),
    ("do not", "don't", "dont"),
    ("does not", "doesn't", "doesnt"),
    ("cannot", "can't", "can not", "cant"),
    ("my", "the"),
    ("a", "the"),
    ("someone", "somebody"),
    ("show me", "let me see"),
)
_REPLACEMENTS = {
    name.lower(): tuple(other for other in group if other != name)
    for group in _SAME
    for name in group
}
_SYNONYM = re.compile(
    r"\b(" + "|".join(sorted(map(re.escape, _REPLACEMENTS), key=len, reverse=True)) + r")\b", re.I
)
_FRAMES = (
    (
        re.compile(r"^(?:how (?:do|can|could|should|would) (?:i|you|we)|how to) (.+?)\??$", re.I),
        (
            "How do I {}?", "How can I {}?", "how to {}", "How would I {}?", "How could I {}?",
            "What do I do to {}?", "Is there a way to {}?", "I want to {}", "I would like to {}",
            "Show me how to {}", "What must I do to {}?", "Can I {}?", "Where do I {}?",
            "explain how to {}", "How does one {}?", "What is the way to {}?", "How do you {}?",
            "I need to {}", "Tell me how to {}", "help me {}", "Please explain how I {}",
            "How should I {}?", "{}", "which steps to {}", "Could you tell me how to {}?",
        ),
    ),
    (
        re.compile(
            r"^(?:what is|what's|what are|explain|define|what does) (.+?)(?: mean)?\??$", re.I
        ),
        (
            "What is {}?", "What's {}?", "Explain {}", "What does {} mean?", "Tell me about {}",
            "{}?", "What do you mean by {}?", "Can you explain {}?", "Define {}", "meaning of {}",
            "Tell me what {} is", "What exactly is {}?", "What is meant by {}?", "Describe {}",
            "I do not understand {}", "what {} is", "Could you explain {}?", "In short, {}?",
        ),
    ),
    (
        re.compile(r"^can (?:i|you|it|paceline|we) (.+?)\??$", re.I),
        (
            "Can I {}?", "Is it possible to {}?", "Am I able to {}?", "Could I {}?", "May I {}?",
            "Is there a way to {}?", "Does Paceline let me {}?", "Can you {}?", "How can I {}?",
            "I would like to {}", "Can it {}?", "Does it {}?", "Can Paceline {}?", "{}",
        ),
    ),
    (
        re.compile(r"^where (?:is|are|do i find|can i find|can i see) (.+?)\??$", re.I),
        (
            "Where is {}?", "Where are {}?", "Where do I find {}?", "Where can I find {}?",
            "I cannot find {}", "I am looking for {}", "Where can I see {}?", "find {}", "where {}",
            "In which place is {}?", "Where would I look for {}?", "Show me {}",
        ),
    ),
    (
        re.compile(r"^why (?:is|are|does|do|did|was) (.+?)\??$", re.I),
        (
            "Why is {}?", "Why does {}?", "What is the reason that {}?", "why {}", "How come {}?",
            "For what reason {}?", "{}, why?", "Why did {}?", "What makes that {}?", "{}",
        ),
    ),
)  # fmt: skip
_SMALL_WORDS = frozenset(
    (
        "a", "an", "the", "do", "does", "did", "is", "are", "i", "to", "of", "in", "on", "my",
        "me", "you", "it", "this", "that", "can", "for", "with", "be",
    )
)  # fmt: skip


def rephrase(question: str, chance: Random) -> str:
    """The question as another person might type it; often as it is."""
    if chance.random() < 0.1:
        return question
    steps: tuple[tuple[float, Callable[[str, Random], str]], ...] = (
        (0.3, _reframe),
        (0.3, _say_otherwise),
        (0.15, _drop_small_words),
        (0.25, _leave_out),
        (0.18, _greet),
        (0.12, _end),
        (0.1, _mistype),
    )
    for share, change in steps:
        if chance.random() < share:
            question = change(question, chance)
    return _type(question, chance)


def _reframe(question: str, chance: Random) -> str:
    for pattern, frames in _FRAMES:
        if match := pattern.match(question):
            return chance.choice(frames).format(match[1])
    return question


def _say_otherwise(question: str, chance: Random) -> str:
    def other(match: re.Match[str]) -> str:
        if chance.random() < 0.5:
            return match[0]
        return chance.choice(_REPLACEMENTS[match[0].lower()])

    return _SYNONYM.sub(other, question)


def _drop_small_words(question: str, chance: Random) -> str:
    words = question.split()
    kept = [w for w in words if w.lower() not in _SMALL_WORDS or chance.random() < 0.6]
    return " ".join(kept) if kept else question


def _leave_out(question: str, chance: Random) -> str:
    """Without one word, whichever it is, so that no single one decides what is asked."""
    words = question.split()
    if len(words) < 4:
        return question
    del words[chance.randrange(len(words))]
    return " ".join(words)


def _greet(question: str, chance: Random) -> str:
    rest = question[0].lower() + question[1:]
    return f"{chance.choice(_GREETINGS)}{chance.choice((', ', ' ', ': ', '! '))}{rest}"


def _end(question: str, chance: Random) -> str:
    bare = question.rstrip("?.! ")
    return f"{bare} {chance.choice(_ENDINGS)}{question[len(bare) :]}"


def _mistype(question: str, chance: Random) -> str:
    """Swap, drop or double a letter of one longer word."""
    words = question.split()
    places = [index for index, word in enumerate(words) if len(word) > 4]
    if not places:
        return question
    place = chance.choice(places)
    word = words[place]
    at = chance.randrange(1, len(word) - 1)
    words[place] = chance.choice(
        (
            word[:at] + word[at + 1] + word[at] + word[at + 2 :],
            word[:at] + word[at + 1 :],
            word[:at] + word[at] + word[at:],
        )
    )
    return " ".join(words)


def _type(question: str, chance: Random) -> str:
    """With less care for capitals and signs."""
    care = chance.random()
    if care < 0.35:
        question = question.lower()
    elif care < 0.6:
        question = question[:1].upper() + question[1:]
    if chance.random() < 0.3:
        question = question.rstrip("?.!")
    elif not question.endswith(("?", ".", "!")) and chance.random() < 0.4:
        question += "?"
    return question
