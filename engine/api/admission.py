"""What a request must be to be served. Checked once, where it enters."""

from collections.abc import Container, Iterable

from engine.base.errors import ContextLengthError, RequestError
from engine.base.types import LONGEST_DRAFT, Drafting, Request
from engine.sampling.limits import check_params


def check_request(request: Request, context: int, vocab_size: int, methods: Container[str]) -> None:
    """Refuse what the engine has no meaning for; `methods` are those that can draft.

    Raises:
        ContextLengthError: the prompt is too long.
        RequestError: the prompt is empty or outside the vocabulary, or a limit or a sampling
            parameter is out of its range.
    """
    tokens = [token for segment in request.prompt for token in segment.tokens]
    if not tokens:
        raise RequestError("There is nothing to answer: the prompt is empty.")
    if len(tokens) > context:
        raise ContextLengthError(
            f"This conversation has {len(tokens)} tokens and the context holds {context}. "
            "Shorten the text, start a new chat, or load the model with a larger context."
        )
    _check_tokens(tokens, vocab_size)
    if request.max_tokens is not None and request.max_tokens < 1:
        raise RequestError(f"A reply of {request.max_tokens} tokens cannot be; ask for 1 or more.")
    if request.top_logprobs is not None and not 0 <= request.top_logprobs <= vocab_size:
        raise RequestError(
            f"There are no {request.top_logprobs} alternatives; ask for 0 to {vocab_size}."
        )
    if not isinstance(request.stop, tuple) or not all(request.stop):
        raise RequestError("Stop strings are a list, each of one character or more.")
    check_params(request.sampling, vocab_size)
    _check_drafting(request.drafting, vocab_size, methods)


def _check_tokens(tokens: Iterable[int], vocab_size: int) -> None:
    outside = next((token for token in tokens if not 0 <= token < vocab_size), None)
    if outside is not None:
        raise RequestError(f"Token {outside} is none of this model's {vocab_size} tokens.")


def _check_drafting(drafting: Drafting, vocab_size: int, methods: Container[str]) -> None:
    missing = next((method for method in drafting.methods if method not in methods), None)
    if missing:
        raise RequestError(f"Nothing loaded can draft by {missing}; choose another method.")
    if not 0 <= drafting.n_min <= drafting.n_max <= LONGEST_DRAFT:
        raise RequestError(
            f"A draft cannot have {drafting.n_min} to {drafting.n_max} tokens; ask for limits "
            f"from 0 to {LONGEST_DRAFT}, the smaller one first."
        )
    if drafting.script:
        _check_tokens(drafting.script.tokens, vocab_size)
