"""The exact semantics of sampling and speculative decoding, readable in one sitting.

One token: `pointwise` (the rules), `rows` (a row as a number), `one_token` (both at work), `filters` and `softmax` (the
target), `dialects` (other engines' orders). Many tokens: `tape` (the law of a program), `rules` (verification as programs),
`claims` (their joint laws) on `models`. Integers: `dyadic` (the twin of the integer core). Nothing here imports `mtplx`, numpy
or MLX; results are elements of sympy's QQ, or ints.
"""

from reference.filters import SamplerConfig, apply_top_p_top_k
from reference.one_token import (
    Verification,
    acceptance_probability,
    residual_distribution,
    sample_from_distribution,
    speculative_output_marginal,
    total_variation,
    verify_one_token,
)
from reference.softmax import CertifiedLaw, distribution_from_logits, filtered_target, softmax

__all__ = [
    "CertifiedLaw",
    "SamplerConfig",
    "Verification",
    "acceptance_probability",
    "apply_top_p_top_k",
    "distribution_from_logits",
    "filtered_target",
    "residual_distribution",
    "sample_from_distribution",
    "softmax",
    "speculative_output_marginal",
    "total_variation",
    "verify_one_token",
]
