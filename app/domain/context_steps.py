"""The lengths of context that are offered for a model."""

SHORTEST = 1024
DEFAULT = 8192
"""Tokens where nothing is chosen, as far as the model holds so many; the engine takes as many."""


def default_context(longest: int) -> int:
    """What a model that holds `longest` tokens gets where nothing is chosen."""
    return min(DEFAULT, longest)


def context_steps(longest: int, chosen: int | None = None) -> list[int]:
    """Powers of two and what lies halfway between them, up to all that the model holds."""
    powers = (SHORTEST << exponent for exponent in range(24))
    steps = {step for power in powers for step in (power, power * 3 // 2) if step < longest}
    steps |= {longest, default_context(longest)}
    if chosen is not None and chosen <= longest:
        steps.add(chosen)
    return sorted(steps)
