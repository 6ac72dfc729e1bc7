"""The claims an engine is tried on, each with the questions that could refute it (spec 7).

Questions come smallest first, and the first that refutes is the witness.
"""

from __future__ import annotations

from mtplx.audit.claims.between import refusals, steady
from mtplx.audit.claims.chains import extreme_chains, greedy_chain, joint
from mtplx.audit.claims.drafts import honest, own_drafts
from mtplx.audit.claims.one_token import (
    acceptances,
    certain_drafts,
    extreme_coins,
    extreme_samples,
    one_token,
    residuals,
    samples,
)
from mtplx.audit.claims.targets import target_claim
from mtplx.audit.claims.trial import Claim, Trial

__all__ = ["BY_ID", "CLAIMS", "Claim", "Trial"]


TOKEN, CHAIN = ("verify_token",), ("verify_chain",)
REFUSALS = ("target", "acceptance", "residual", "verify_token")
CLAIMS = (
    target_claim("target-plain", "Without temperature and cuts the target is the softmax of the logits."),
    target_claim("target-temperature", "The target at T is the softmax of logits / T, for small and large T too."),
    target_claim("target-greedy", "At T = 0 the target is the one-hot on the lowest id among the maxima."),
    target_claim("target-nucleus", "The nucleus is what the dialect keeps, and never empty."),
    target_claim("target-boundary", "A nucleus that ends in an exact tie is what the dialect keeps."),
    target_claim("target-top-k", "Top-k keeps the k largest."),
    target_claim("target-ties", "Of equal logits at the k-th place top-k keeps what the dialect keeps."),
    target_claim("target-off", "top_k = 0, top_k >= V and top_p = 1 cut nothing."),
    target_claim("target-order", "Temperature, nucleus and top-k come in the dialect's order, on its mass."),
    target_claim("target-masked", "A logit of -inf has probability 0 and changes nothing else."),
    target_claim("target-shift", "A constant added to every logit changes nothing."),
    target_claim("target-half", "Rows that came from bfloat16 or float16 have the law of their values."),
    target_claim("target-random", "Random rows and settings, masks and ties among them, have the dialect's law."),
    target_claim("target-long", "Long rows, and cuts of more than 50 tokens, are right too."),
    Claim("acceptance", "The acceptance probability is min(1, p/q).", ("acceptance",), acceptances(True)),
    Claim("acceptance-at-q-0", "Where q = 0 it is 1 if p > 0, else 0.", ("acceptance",), acceptances(False)),
    Claim("residual", "The residual is the positive part of p - q, normalised.", ("residual",), residuals(False)),
    Claim("residual-at-p-q", "Where p = q the residual is p.", ("residual",), residuals(True)),
    Claim("sample-law", "A draw from a row has its law.", ("sample",), samples),
    Claim("sample-coins", "Coins of 0 and just below 1 draw no token of probability 0.", ("sample",), extreme_samples),
    Claim("one-token-law", "The token emitted for a draft from q has the law p.", TOKEN, one_token),
    Claim("one-hot-draft", "A certain draft, reported as its one-hot, is followed by p.", TOKEN, certain_drafts),
    Claim("extreme-coins", "Coins of 0 and just below 1 emit no token of probability 0.", TOKEN, extreme_coins),
    Claim("proposal-honest", "A proposed token has the law that is reported with it.", ("propose",), honest),
    Claim(
        "proposal-law", "Proposed and verified on one tape, the token has the law p.", ("propose", "verify_token"), own_drafts
    ),
    Claim("joint-law", "A verified block and plain decoding have the joint law of the target's rows.", CHAIN, joint),
    Claim("chain-coins", "Coins of 0 and just below 1 put no token of probability 0 in a block.", CHAIN, extreme_chains),
    Claim("greedy-chain", "With one-hot targets a block is the target's own text.", CHAIN, greedy_chain),
    Claim("steady", "An answer does not depend on what was asked before.", (), steady, either=("target", *TOKEN, *CHAIN)),
    Claim("bad-input", "What has no right answer is refused.", (), refusals, "robustness", REFUSALS),
)
BY_ID = {claim.id: claim for claim in CLAIMS}
