"""One exception type per kind of mistake, all ValueErrors, raised at the door with the value and what is allowed."""


class ConfigError(ValueError):
    """A sampler setting outside its range."""


class ShapeError(ValueError):
    """A row, batch or dtype that is no row of numbers, something that is no law, or shapes that do not go together."""


class LogitsError(ValueError):
    """NaN, +inf, or a row of only -inf among the logits."""


class MassError(ValueError):
    """A row that is no law: NaN, a negative entry, or a sum further than 1/1000 from one."""


class VocabularyError(ValueError):
    """Target and draft over different vocabularies, or one of no or too many tokens."""


class TokenError(ValueError):
    """A token id outside the vocabulary. MLX itself would read out of bounds and return garbage."""


class CoinError(ValueError):
    """A coin outside [0, 1)."""


class DenominatorError(ValueError):
    """A denominator that is no power of two from 2 to 2^62, or laws over different denominators."""


class DrawError(ValueError):
    """A draw r outside 0..D-1, or not an integer of 64 unsigned bits."""


class CounterError(ValueError):
    """A seed, request, position or attempt outside its range."""


class ReuseError(ValueError):
    """A key drawn twice in one run."""
