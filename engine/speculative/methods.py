"""Every method that can draft for a loaded model, by its name."""

from collections.abc import Iterable

from engine.speculative.draft_model import DraftModel
from engine.speculative.mtp import MtpHeads
from engine.speculative.ngram_cache import CacheLookup, CacheOptions
from engine.speculative.ngram_lookup import LookupOptions, LookupProposer
from engine.speculative.ngram_map_k import MapKLookup
from engine.speculative.ngram_map_k4v import MapK4vLookup
from engine.speculative.ngram_mod import ModOptions, ModProposer
from engine.speculative.ngram_simple import SimpleLookup
from engine.speculative.ngram_static import StaticPairs
from engine.speculative.priority import PriorityList
from engine.speculative.proposer import Proposer
from engine.speculative.scripted import ScriptedProposer


def open_methods(
    vocab_size: int,
    ends: Iterable[int],
    ngram_n: int | None = None,
    ngram_m: int | None = None,
    ngram_static: StaticPairs | None = None,
    heads: MtpHeads | None = None,
) -> PriorityList:
    """The proposers of one engine, without a draft model (`exchange_draft` adds it).

    What they share between replies lives as long as they do.

    Args:
        vocab_size: of the target.
        ends: the tokens that end a reply.
        ngram_n: tokens that n-gram methods look up; None keeps each method's own number.
        ngram_m: tokens that they propose at most; None likewise.
        ngram_static: what `ngram-cache` asks where the text is silent.
        heads: what `mtp` means; without them that method is missing.

    Raises:
        RequestError: no n-gram or draft can have such a size.
    """
    sizes = {key: size for key, size in (("n", ngram_n), ("m", ngram_m)) if size is not None}
    lookup, cache, mod = LookupOptions(**sizes), CacheOptions(**sizes), ModOptions.sized(**sizes)
    proposers: dict[str, Proposer] = {
        "ngram-simple": LookupProposer(lambda: SimpleLookup(lookup)),
        "ngram-map-k": LookupProposer(lambda: MapKLookup(lookup)),
        "ngram-map-k4v": LookupProposer(lambda: MapK4vLookup(lookup)),
        "ngram-mod": ModProposer(mod),
        "ngram-cache": LookupProposer(lambda: CacheLookup(cache, ngram_static)),
    }
    if heads:
        proposers["mtp"] = heads
    return exchange_draft(PriorityList(proposers, ends), vocab_size, None)


def exchange_draft(
    methods: PriorityList, vocab_size: int, draft_model: DraftModel | None
) -> PriorityList:
    """The same proposers with another draft model, or None; the others keep what they know."""
    scripted = ScriptedProposer(vocab_size, draft_model)
    return methods.exchanged({"draft": draft_model, "scripted": scripted})
