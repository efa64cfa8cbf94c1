"""Named ways to choose tokens: those that Paceline brings, and a person's own."""

from dataclasses import dataclass, replace

from app.domain.generation import Sampling


@dataclass(frozen=True, slots=True)
class Preset:
    """A name for how tokens are chosen. Seed and length are a chat's own and no part of it."""

    name: str
    sampling: Sampling

    def applied_to(self, sampling: Sampling) -> Sampling:
        """This way to choose, with the seed and length limit of another."""
        return replace(self.sampling, seed=sampling.seed, max_tokens=sampling.max_tokens)

    def is_kept_by(self, sampling: Sampling) -> bool:
        """Whether a chat's sampling is still this preset's."""
        return self.applied_to(sampling) == sampling


def preset_of(name: str, sampling: Sampling) -> Preset:
    """The preset that a chat's sampling becomes under a name."""
    return Preset(name, replace(sampling, seed=None, max_tokens=None))


BALANCED = Preset("Balanced", Sampling(0.8, 40, 0.95, 0.05, 1.0, 0.0, 0.0, 64))
"""What the engine does unasked."""

PRECISE = Preset("Precise", Sampling(0.3, 20, 0.9, 0.05, 1.0, 0.0, 0.0, 64))
CREATIVE = Preset("Creative", Sampling(1.1, 0, 0.98, 0.05, 1.0, 0.0, 0.3, 64))
GREEDY = Preset("Greedy", Sampling(0.0, 0, 1.0, 0.0, 1.0, 0.0, 0.0, 64))
BUILT_IN = (BALANCED, PRECISE, CREATIVE, GREEDY)
