"""`python -m proofs.inventory` writes CLAIMS.md: every claim, where it is from, how it is proved, and what relies on it."""

from __future__ import annotations

from pathlib import Path

from proofs.claim import Claim, every_claim
from proofs.export import KEPT, read_manifest

TOPICS = {
    "One token": (
        "token_rule acceptance_range draft_without_mass accepted_mass rejection_probability residual_law zero_residual "
        "equal_rows acceptance_rate acceptance_optimal strict_coin inclusive_coin proposal_honesty one_hot_draft "
        "one_hot_target"
    ),
    "Many tokens": (
        "chain bonus sampler_match deterministic_tree multi_draft block_verification block_threshold block_first_token "
        "block_dominance"
    ),
    "The filter": (
        "nucleus_non_empty nucleus_prefix nucleus_minimal nucleus_boundary nucleus_monotone nucleus_odds "
        "nucleus_padding top_k temperature_order temperature_zero temperature_sharpens filter_joint filter_top_k_first "
        "filter_temperature_last filter_inclusive"
    ),
    "The integer core": (
        "one_draw one_draw_totals one_draw_injective one_draw_owners one_draw_range counts_sum counts_variation "
        "nucleus_proved_cut block_maxima tail_interval exponential_error wide_product wide_quotient"
    ),
    "Floats": ("float_acceptance_range float_acceptance_zero float_acceptance_one float_underflow float_monotone float_coin"),
}
FILE = Path(__file__).parent / "CLAIMS.md"
OPENING = """# Claims

Every statement that this project relies on and proves. Written by `python -m proofs.inventory` from the claim objects; a test
holds it to them. A claim's id is the name of its file, `proofs/test_<id>.py`, and of its theorem in Coq, if it has one.

- *Lemmas*: each is proved by z3 and by cvc5, for all values of its variables.
- *Steps* are those of cvc5's certificates. `proofs/cpc` checks every one of them; none is taken on trust.
- *Mutants* are faulty rules that the claim refutes, each with a rational witness that replays.
- *Coq*: the whole statement, over lists of any length, without axioms.

What a sceptic must still trust: [docs/trust.md](../docs/trust.md).
"""


def certified(claim: Claim, steps: dict[str, int | None]) -> str:
    """How many steps the certificates of a claim have, or why it has none."""
    lacking = [lemma.uncertified for lemma in claim.lemmas if lemma.uncertified]
    if lacking:
        return f"none: {lacking[0]}"
    return f"{sum(steps.get(lemma.slug) or 0 for lemma in claim.lemmas):,}"


def row(claim: Claim, steps: dict[str, int | None]) -> str:
    """The claim's line of the table."""
    mutants = sum(len(lemma.mutants) for lemma in claim.lemmas)
    cells = [
        f"[{claim.id}](test_{claim.id}.py)",
        claim.sentence,
        claim.scope,
        claim.source,
        str(len(claim.lemmas)),
        certified(claim, steps),
        str(mutants),
        f"[{claim.theorem}](coq/{claim.theorem})" if claim.theorem else "",
        claim.relied_on_by,
    ]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def inventory() -> str:
    """The text of CLAIMS.md."""
    claims = {claim.id: claim for claim in every_claim()}
    steps = {lemma["slug"]: lemma.get("steps") for claim in read_manifest(KEPT)["claims"] for lemma in claim["lemmas"]}
    head = "| claim | statement | scope | source | lemmas | steps | mutants | Coq | relied on by |\n" + "|---" * 9 + "|"
    parts = [
        f"## {topic}\n\n" + "\n".join([head, *(row(claims[id], steps) for id in ids.split())]) for topic, ids in TOPICS.items()
    ]
    lemmas = sum(len(claim.lemmas) for claim in claims.values())
    total = f"{len(claims)} claims, {lemmas} lemmas, {sum(n or 0 for n in steps.values()):,} steps."
    return "\n\n".join([OPENING + "\n" + total, *parts]) + "\n"


if __name__ == "__main__":
    FILE.write_text(inventory(), encoding="utf-8")
