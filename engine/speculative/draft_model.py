"""A small model that drafts for the large one, with a memory of its own."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import compress

import numpy as np

from engine.memory.feed import Feed
from engine.memory.kept_states import KeptStates
from engine.memory.sequence_state import PassKind
from engine.memory.spec import TAPE_ROWS
from engine.models.runner import Runner, SlotRows
from engine.sampling.sampler import Ways, both_ways, logprobs
from engine.speculative.proposer import Round, SlotView
from engine.speculative.shared_chance import SharedChance

MOST_PENDING = 8
"""Committed tokens that a draft's first pass takes along; it costs hardly more than for one."""


@dataclass(slots=True, eq=False)
class Drafted:
    """A reply as the draft model follows it.

    Attributes:
        view: the reply as it was last seen.
        feed: its prompt and its tokens so far.
        computed: tokens of the feed that are in the draft model's state.
        draft: what was proposed last, until it is known what became of it.
        forced: what to propose instead of its own choices; None leaves them to it.
        pending: committed tokens among the rows under way; the others are the draft's.
        fed: tokens of the draft among them.
        opening: what its first token may have been; None where nothing was drafted.
    """

    view: SlotView
    feed: Feed
    computed: int = 0
    draft: list[int] = field(default_factory=list)
    forced: list[int] | None = None
    pending: int = 0
    fed: int = 0
    opening: Ways | None = None

    @property
    def prompt_length(self) -> int:
        """Tokens of the prompt."""
        return len(self.feed.tokens) - self.view.index

    @property
    def remaining(self) -> int:
        """Committed tokens that are not in the state yet."""
        return len(self.feed.tokens) - self.computed

    def follow(self, view: SlotView) -> None:
        """Take over what was emitted since."""
        for token in view.tokens[len(self.feed.tokens) :]:
            self.feed.append(token)
        self.view = view


class DraftModel:
    """Drafts token by token, choosing each with the noise that the target will use if that helps.

    What the text added since the last draft is fed first: the token that the target put in the
    place of a rejected one, the draft's own last token, or all that came while drafting rested.
    Its passes leave the committed state alone until the target has spoken (`PassKind.DRAFTING`).
    """

    def __init__(
        self,
        runner: Runner,
        context: int,
        known_tokens: int,
        differing: Collection[int] = (),
        ends: Collection[int] = (),
    ) -> None:
        """A draft model with nothing drafted yet.

        Args:
            runner: of the draft model, with as many slots as the target's.
            context: positions of each of its slots.
            known_tokens: ids below mean the same to both models; others are never proposed.
            differing: the few ids below that do not; a draft ends before them.
            ends: ids that end a text.
        """
        self._runner = runner
        self._context = context
        self._known_tokens = known_tokens
        self._differing = differing
        self._ends = ends
        self._chance = SharedChance()
        self._states = KeptStates[Drafted](runner.memory)
        self._replies: dict[int, Drafted] = {}

    def unread(self, view: SlotView) -> int:
        return self._unread(self._reply(view))

    def begin(self, views: Sequence[SlotView]) -> None:
        """Read of long stretches as much as one pass takes, so that replies go on meanwhile."""
        if behind := [reply for reply in map(self._reply, views) if self._unread(reply)]:
            self._read(behind)

    def propose(self, views: Sequence[SlotView], limits: Sequence[int]) -> list[list[int]]:
        return self._propose([self._reply(view) for view in views], limits)

    def propose_forced(
        self, views: Sequence[SlotView], drafts: Sequence[list[int]]
    ) -> list[list[int]]:
        """Do the work of drafting, but propose these drafts, as far as there is room for them."""
        replies = [self._reply(view) for view in views]
        for reply, draft in zip(replies, drafts, strict=True):
            reply.forced = draft
        return self._propose(replies, [len(draft) for draft in drafts])

    def observe(self, view: SlotView, outcome: Round) -> None:
        reply = self._replies.get(view.reply)
        if reply and reply.pending:
            reply.follow(view)
            accepted = 0
            for proposed, emitted in zip(outcome.draft, outcome.emitted, strict=False):
                accepted += proposed == emitted
            self._states.commit(reply, reply.pending + min(accepted, reply.fed))
            self._learn(reply, len(outcome.emitted))
            reply.draft, reply.pending, reply.fed = [], 0, 0

    def end(self, reply: int) -> None:
        if drafted := self._replies.pop(reply, None):
            self._states[drafted].rollback()
            self._states.keep(drafted)

    def clear(self) -> None:
        self._states.clear()
        self._chance = SharedChance()

    def _propose(self, replies: Sequence[Drafted], limits: Sequence[int]) -> list[list[int]]:
        wanted = {
            reply: min(limit, self._room(reply))
            for reply, limit in zip(replies, limits, strict=True)
        }
        drafting = [reply for reply, length in wanted.items() if length > 0]
        for reply in drafting:
            reply.pending = reply.remaining
        self._states.make_room((reply, reply.pending + wanted[reply] - 1) for reply in drafting)
        while drafting:
            going_on = [
                self._extend(reply, logits) and len(reply.draft) < wanted[reply]
                for reply, logits in zip(drafting, self._pass(drafting), strict=True)
            ]
            drafting = list(compress(drafting, going_on))
        return [list(reply.draft) for reply in replies]

    def _reply(self, view: SlotView) -> Drafted:
        """The reply of a view, brought up to it; what was under way is forgotten."""
        reply = self._replies.get(view.reply)
        if reply is None:
            reply = Drafted(view, Feed(view.request.prompt, self._runner.grouping))
            reply.follow(view)
            self._replies[view.reply] = reply
            self._states.open(reply)
        reply.follow(view)
        self._states[reply].rollback()
        reply.draft, reply.forced, reply.pending, reply.fed = [], None, 0, 0
        reply.opening = None
        return reply

    def _readable(self, tokens: Sequence[int]) -> list[int]:
        """What the draft model reads: where the target has tokens of its own, id 0 stands in."""
        return [token if token < self._runner.vocab_size else 0 for token in tokens]

    def _unread(self, reply: Drafted) -> int:
        """Nothing where a draft's first pass takes the rest along, or there is no room for it."""
        fits = len(reply.feed.tokens) <= self._context
        return reply.remaining if fits and reply.remaining > MOST_PENDING else 0

    def _room(self, reply: Drafted) -> int:
        """How many tokens a draft can have within the context and the tape."""
        context = self._context - len(reply.feed.tokens)
        return min(context, TAPE_ROWS - reply.remaining) + 1

    def _read(self, behind: Sequence[Drafted]) -> None:
        """One pass over what replies have to read, shared evenly."""
        budget = self._runner.grouping.prompt_rows // len(behind)
        work: list[tuple[Drafted, list[list[int]]]] = []
        for reply in behind:
            groups = reply.feed.groups(reply.computed, budget, to_mark=True)
            if sum(map(len, groups)) == reply.remaining:
                groups.pop()  # the last token belongs to the first pass of a draft
            work.append((reply, list(map(self._readable, groups))))
        self._states.make_room((reply, sum(map(len, groups))) for reply, groups in work)
        self._runner.forward(
            [SlotRows(r.view.slot, self._states[r], groups, 0) for r, groups in work]
        )
        for reply, groups in work:
            rows = sum(map(len, groups))
            self._states.checkpoint(reply, rows, None)
            self._states.commit(reply, rows)

    def _pass(self, replies: Sequence[Drafted]) -> np.ndarray:
        """Logits behind what each reply's draft has so far, float32 `[replies, vocab]`."""
        work = []
        for reply in replies:
            fed = reply.draft[-1:] or reply.feed.tokens[reply.computed :]
            groups = [[token] for token in self._readable(fed)]
            work.append(
                SlotRows(reply.view.slot, self._states[reply], groups, 1, PassKind.DRAFTING)
            )
            reply.fed = len(reply.draft)
        return self._runner.forward(work)

    def _extend(self, reply: Drafted, logits: np.ndarray) -> bool:
        """Add the next token to a draft; False where it ends here, with this token or without."""
        view, place = reply.view, len(reply.draft)
        shared = logits[: self._known_tokens]
        history = reply.feed.tokens[-view.request.sampling.penalty_window :] + reply.draft
        chosen = shared, view.request.sampling, history, view.index + place
        if place:
            token = self._chance.choose(*chosen)
        else:
            reply.opening = both_ways(*chosen)
            token = self._chance.pick(reply.opening)
        if reply.forced is not None:
            reply.draft.append(reply.forced[place])
            return True
        if token in self._differing:
            return False
        least = view.request.drafting.p_min
        if least and np.exp(logprobs(shared, token, 0).logprob) < least:
            return False
        reply.draft.append(token)
        return token not in self._ends

    def _learn(self, reply: Drafted, emitted: int) -> None:
        """Compare what the target has said first of so many tokens with the draft's opening."""
        if reply.opening and emitted:
            self._chance.observe(reply.opening, reply.feed.tokens[-emitted])
