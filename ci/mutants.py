"""Break the code on purpose: every mutant below must make a test fail.

    python ci/mutants.py [--only WORD] [--json]

Each mutant replaces one text, which must occur exactly once in its file, in a copy of the working tree, and runs the tests
that should notice. In the end the tests that noticed are run on the code as it is: they must pass there. Exit code 1 if a
mutant survives, a text is gone, tests cannot run, or a noticing test fails anyway.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

ROOT = Path(__file__).resolve().parents[1]
WORKERS = 2


@dataclass(frozen=True)
class Mutant:
    name: str
    file: str
    old: str
    new: str
    tests: str


@dataclass(frozen=True)
class Result:
    name: str
    file: str
    verdict: str  # killed, SURVIVED, STALE (the text is not there once), BROKEN (the tests did not run)
    by: str
    seconds: float


MUSEUM = "tests/museum"
TEN_EQUAL = "tests/differential/test_filtered_target.py::test_ten_equal_tokens"
DOORS = "tests/unit/test_doors.py"
CONFIG = "tests/unit/test_config.py"
EXPONENTIAL = "tests/unit/test_exponential.py"
SELECTION = "tests/unit/test_selection.py"
SAMPLING = "tests/unit/test_sampling.py"
WIDE = "tests/unit/test_wide.py"
TAIL = "tests/unit/test_tail.py"
DYADIC = "tests/unit/test_dyadic.py"
RANDOMNESS = "tests/unit/test_randomness.py"
RANGES = "tests/unit/test_ranges.py"
BOUND = "tests/unit/test_exponential_bound.py"
FILTERED = "tests/differential/test_filtered_target.py"
BALLS = "tests/unit/test_balls.py"
REFERENCE = "tests/unit/test_reference.py"
REFERENCE_DYADIC = "tests/unit/test_reference_dyadic.py"
TWIN = "tests/differential/test_dyadic_twin.py"
REFERENCE_TARGET = "tests/unit/test_reference_target.py"
TAPE = "tests/unit/test_tape.py"
TAPE_REPORTS = "tests/meta/test_tape_reports.py"
RULES = "tests/unit/test_rules.py"
ENGINES = "tests/unit/test_engines.py"
QUESTIONS = "tests/unit/test_engine_questions.py"
DUMP = "tests/unit/test_dump.py"
CPC = "tests/unit/test_cpc.py"
CPC_RULES = "tests/unit/test_cpc_rules.py"
PROVE = "tests/unit/test_prove.py"
COQ_VECTORS = "proofs/checks/test_coq.py::test_vectors"
COQ_VECTORS_REFUSED = "proofs/checks/test_coq.py::test_vectors_of_a_mutant[mass_forgets]"


def fault(name: str) -> str:
    """The test that the audit refutes this engine of the museum."""
    return f"tests/museum/test_museum_engines.py::test_the_claim_meant_for_a_fault_refutes_it[{name}]"


def right(name: str) -> str:
    """The test that the audit passes this engine."""
    return f"tests/museum/test_museum_engines.py::test_what_is_right_passes[{name}]"


MUTANTS = [
    # The settled path
    Mutant(
        "a whole row keeps one rank more than top_k",
        "mtplx/target.py",
        "min(alive, config.top_k) if config.top_k",
        "min(alive, config.top_k + 1) if config.top_k",
        TAIL,
    ),
    Mutant(
        "NaN below zero ranks behind the filled end",
        "mtplx/selection.py",
        "mx.where(bits > MINUS_INF, mx.array(0, mx.uint32), bits)",
        "bits",
        SELECTION,
    ),
    Mutant(
        "tail: the cubic left out",
        "mtplx/tail.py",
        "powers = t - f * (1 - f) * (",
        "powers = t - 0 * (",
        TAIL,
    ),
    Mutant(
        "tail: the last leader counted twice",
        "mtplx/tail.py",
        "mx.where(x <= last, x, -mx.inf)",
        "mx.where(x <= last + 1, x, -mx.inf)",
        TAIL,
    ),
    Mutant(
        "tail: no error of the weights behind",
        "mtplx/tail.py",
        "(behind >> ERROR_BITS)",
        "(behind >> 63)",
        TAIL,
    ),
    Mutant(
        "tail: no unit lost by truncation",
        "mtplx/tail.py",
        "return ranks + tokens // BLOCKS[0] + 8",
        "return 0",
        TAIL,
    ),
    Mutant(
        "tail: a fullest nucleus taken for settled",
        "mtplx/target.py",
        "ends = ranks + (config.top_k != ranks)",
        "ends = ranks",
        TAIL,
    ),
    Mutant(
        "leaders that are not sure",
        "mtplx/target.py",
        "settled = sure & (size == largest)",
        "settled = (size == largest)",
        TAIL,
    ),
    Mutant(
        "settled rows are counted as the first is",
        "mtplx/target.py",
        "Made([array[row] for array in made.arrays], made.size[row]",
        "Made([array[:1] for array in made.arrays], made.size[row]",
        TAIL,
    ),
    Mutant(
        "an open law is filled with token 0",
        "mtplx/dyadic.py",
        "fills = (rows.shape[-1], 0)",
        "fills = (0, 0)",
        TAIL,
    ),
    Mutant(
        "masses: the high word lost",
        "mtplx/exponential.py",
        "low >> LIMB_BITS, high))",
        "low >> LIMB_BITS, high & 0))",
        EXPONENTIAL,
    ),
    Mutant(
        "words: the carry of a product lost",
        "mtplx/wide.py",
        "carry = high >> LIMB_BITS",
        "carry = mx.zeros_like(high)",
        WIDE,
    ),
    Mutant(
        "words: the borrow of an equal word lost",
        "mtplx/wide.py",
        "(x < y) | ((x == y) & borrow)",
        "(x < y)",
        WIDE,
    ),
    Mutant(
        "counts compared with the fill's neighbour",
        "mtplx/dyadic.py",
        "same = ids[..., None] == self.token_ids[..., None, :]",
        "same = ids[..., None] >= self.token_ids[..., None, :]",
        DYADIC,
    ),
    # What the proofs of the integer core are about
    Mutant(
        "bound: a coarser unit of logits",
        "mtplx/exponential.py",
        "STEP_BITS = 46",
        "STEP_BITS = 44",
        f"{BOUND}::test_weights_are_right_to_the_stated_error",
    ),
    Mutant(
        "bound: a series of three terms",
        "mtplx/exponential.py",
        "fall = t + cube - square - fourth",
        "fall = t + cube - square",
        BOUND,
    ),
    Mutant("bound: t^3 / 4", "mtplx/exponential.py", "(square * coarse >> 40) // 3", "(square * coarse >> 40) // 4", BOUND),
    Mutant("ranges: squares of 34 bits", "mtplx/exponential.py", "coarse = t >> 8", "coarse = t >> 6", RANGES),
    Mutant(
        "ranges: digits of 32 bits",
        "mtplx/wide.py",
        "DIGIT_BITS = 31",
        "DIGIT_BITS = 32",
        RANGES,
    ),
    Mutant(
        "ranges: a limb keeps what it carries",
        "mtplx/wide.py",
        "out[i] = out[i] & LIMB_MASK",
        "out[i] = out[i]",
        RANGES,
    ),
    Mutant(
        "proofs: an interval owns its end",
        "reference/pointwise.py",
        "cell < start + count)",
        "cell <= start + count)",
        "proofs/test_one_draw.py",
    ),
    Mutant(
        "proofs: count <= missing",
        "reference/pointwise.py",
        "choose(rank < missing",
        "choose(rank <= missing",
        "proofs/test_counts_sum.py",
    ),
    Mutant(
        "proofs: the threshold forgets the units",
        "reference/pointwise.py",
        "kept * (total - units) - rest * units",
        "kept * (total - units)",
        "proofs/test_nucleus_proved_cut.py",
    ),
    Mutant(
        "proofs: the trial divisor is the divisor's leading bits",
        "proofs/arithmetic.py",
        "return leading + n.one",
        "return leading",
        "proofs/test_wide_quotient.py",
    ),
    Mutant(
        "proofs: floats are truncated",
        "proofs/floats.py",
        "return to_r <= to_g",
        "return n.both(r <= x, n.either(x < g, g <= r))",
        "proofs/test_float_underflow.py",
    ),
    Mutant(
        "proofs: bfloat16 rounds ties up",
        "proofs/checks/test_bfloat16.py",
        "(odd + 0x7FFF)",
        "0x8000",
        "proofs/checks/test_bfloat16.py",
    ),
    Mutant(
        "cpc: an assumption outlives its scope",
        "proofs/cpc/__init__.py",
        "self.scopes.pop()",
        "self.scopes[0].update(self.scopes.pop())",
        CPC,
    ),
    Mutant(
        "cpc: anything may be assumed",
        "proofs/cpc/__init__.py",
        "require(formula in self.problem.assertions",
        "require(True or formula in self.problem.assertions",
        CPC,
    ),
    Mutant(
        "cpc: the last step need not be false",
        "proofs/cpc/__init__.py",
        "if last is not FALSE or proof.open",
        "if proof.open",
        CPC,
    ),
    Mutant(
        "cpc: a rule that is not known concludes what is stated",
        "proofs/cpc/__init__.py",
        "conclusion = infer(rule, premises, args)",
        "conclusion = stated or infer(rule, premises, args)",
        CPC,
    ),
    Mutant(
        "cpc: a negative factor keeps the order",
        "proofs/cpc/arithmetic.py",
        'op == "=" or c * d > 0',
        "True",
        CPC_RULES,
    ),
    Mutant(
        "cpc: every sum of bounds is strict",
        "proofs/cpc/arithmetic.py",
        '"<" if strict else "<=", apply("+"',
        '"<", apply("+"',
        CPC_RULES,
    ),
    Mutant(
        "export: a file of another lemma is taken",
        "proofs/export.py",
        "if read_smt2(smt2) != read_smt2(Obligation(lemmas[slug], CVC5).smt2()):",
        "if False:",
        PROVE,
    ),
    Mutant(
        "export: a certificate is not looked at",
        "proofs/export.py",
        "steps = checked(proof, smt2).steps",
        "steps = 99",
        PROVE,
    ),
    Mutant(
        "coqc: what Coq refuses is accepted",
        "proofs/coqc.py",
        "if done.returncode:",
        "if not done.stdout and done.returncode:",
        COQ_VECTORS_REFUSED,
    ),
    Mutant(
        "vectors: the reference's laws without what was discarded",
        "proofs/vectors.py",
        "return code(emitted) * (code(emitted) + code(discarded))",
        "return code(emitted) * (code(emitted) + 1)",
        COQ_VECTORS,
    ),
    Mutant(
        "dyadic: excess cells are numbered by offset",
        "mtplx/dyadic.py",
        "past = mx.maximum(offset, p_x) - p_x",
        "past = offset",
        "tests/differential/test_one_draw_rule.py",
    ),
    # The MLX implementation
    Mutant(
        "p/q without min(1, .)",
        "mtplx/sampling.py",
        "capped = mx.where(p < q, quotient, mx.array(1, mx.float32))",
        "capped = quotient",
        SAMPLING,
    ),
    Mutant(
        "accepts at q = 0 whatever p is",
        "mtplx/sampling.py",
        "return mx.where(drafted, capped, p.positive().astype(mx.float32))",
        "return mx.where(drafted, capped, mx.array(1, mx.float32))",
        SAMPLING,
    ),
    Mutant(
        "refuses at q = 0 whatever p is",
        "mtplx/sampling.py",
        "return mx.where(drafted, capped, p.positive().astype(mx.float32))",
        "return mx.where(drafted, capped, mx.array(0, mx.float32))",
        SAMPLING,
    ),
    Mutant(
        "u <= a",
        "mtplx/sampling.py",
        "return coin * q < p * denominator",
        "return coin * q <= p * denominator",
        MUSEUM,
    ),
    Mutant(
        "residual left unnormalised",
        "mtplx/sampling.py",
        "return ratio(mass.scaled(), mass.total().scaled())",
        "return ratio(mass.scaled(), p.total().scaled())",
        SAMPLING,
    ),
    Mutant(
        "residual of no mass is not the target",
        "mtplx/sampling.py",
        "return excess.where(excess.total().positive(), otherwise=p)",
        "return excess",
        MUSEUM,
    ),
    Mutant(
        "differences keep their sign",
        "mtplx/sampling.py",
        "return p.minus(q).where(q < p)",
        "return p.minus(q)",
        SAMPLING,
    ),
    Mutant(
        "rows are taken to sum to one",
        "mtplx/sampling.py",
        "return p.mass * q.total, q.mass * p.total",
        "return p.mass * p.total, q.mass * q.total",
        SAMPLING,
    ),
    Mutant(
        "one coin for both draws",
        "mtplx/sampling.py",
        "inverse_cdf(residual_masses(target, draft), vs)",
        "inverse_cdf(residual_masses(target, draft), us)",
        SAMPLING,
    ),
    Mutant(
        "a rejection draws from the target",
        "mtplx/sampling.py",
        "inverse_cdf(residual_masses(target, draft), vs)",
        "inverse_cdf(target, vs)",
        SAMPLING,
    ),
    Mutant(
        "coins rounded up to a mass",
        "mtplx/sampling.py",
        "u.numerator * total // u.denominator",
        "-(-u.numerator * total // u.denominator)",
        SAMPLING,
    ),
    Mutant(
        "marginal without rejections",
        "mtplx/sampling.py",
        "draft * accept + rejection * normalised_residual(target, drafted)",
        "draft * accept",
        SAMPLING,
    ),
    Mutant(
        "greedy by the second rank too",
        "mtplx/target.py",
        "config = SamplerConfig(1, 1, 1)",
        "config = SamplerConfig(1, 1, 2)",
        "tests/unit/test_sampling.py",
    ),
    Mutant(
        "softmax ignores the temperature",
        "mtplx/exponential.py",
        "temperature = max(min(temperature, Fraction(2) ** 1000), Fraction(1, 2**1000))",
        "temperature = Fraction(1)",
        "tests/museum",
    ),
    Mutant(
        "nucleus keeps before <= top_p",
        "mtplx/selection.py",
        "[ceil(top_p * total) for total in totals]",
        "[top_p * total // 1 + 1 for total in totals]",
        "tests/museum",
    ),
    Mutant(
        "crossing token dropped",
        "mtplx/selection.py",
        "np.array([1 + bisect_left(range(last), x, key=partial(self.mass, row)) for row, x in rows])",
        "np.array([max(1, bisect_left(range(last), x, key=partial(self.mass, row))) for row, x in rows])",
        "tests/museum",
    ),
    Mutant(
        "nucleus on a float32 running sum",
        "mtplx/selection.py",
        "return through.sizes([ceil(top_p * total) for total in totals])",
        "float32, ranks = np.float32, range(through.limbs[0].shape[-1] - 1); "
        "return np.array([1 + sum(float32(through.mass(0, r) / totals[0]) < float32(top_p) for r in ranks)])",
        TEN_EQUAL,
    ),
    Mutant(
        "top-k keeps one more",
        "mtplx/selection.py",
        "min(top_k, 2**32 - 1)",
        "min(top_k + 1, 2**32 - 1)",
        SELECTION,
    ),
    Mutant(
        "the last kept rank is lost",
        "mtplx/sampling.py",
        "kept = mx.arange(order.shape[-1], dtype=mx.uint32) < sizes",
        "kept = mx.arange(1, order.shape[-1] + 1, dtype=mx.uint32) < sizes",
        "tests/museum",
    ),
    Mutant(
        "highest ids win ties",
        "mtplx/selection.py",
        "ids = mx.arange(values.shape[-1], dtype=mx.uint32)",
        "ids = values.shape[-1] - 1 - mx.arange(values.shape[-1], dtype=mx.uint32)",
        SELECTION,
    ),
    Mutant(
        "-0 ranks below 0",
        "mtplx/selection.py",
        "mx.where(values == 0, mx.array(0, mx.float32), values)",
        "values",
        SELECTION,
    ),
    Mutant(
        "top_p = 1 keeps shares of 0",
        "mtplx/selection.py",
        "np.array(most_kept(count(values > 0), top_k))",
        "np.array(most_kept(count(values >= 0), top_k))",
        SELECTION,
    ),
    Mutant(
        "one draw accepts with off <= P(x)",
        "mtplx/dyadic.py",
        "accepted = offset < p_x",
        "accepted = offset <= p_x",
        DYADIC,
    ),
    Mutant(
        "one draw: residual from P",
        "mtplx/dyadic.py",
        "deficit = mx.maximum(target.counts, q_wanted) - q_wanted",
        "deficit = target.counts",
        DYADIC,
    ),
    Mutant(
        "one draw: excess cells not counted across tokens",
        "mtplx/dyadic.py",
        "cell = along(mx.cumsum(excess, axis=-1) - excess, i) + past",
        "cell = past",
        DYADIC,
    ),
    Mutant(
        "one draw: the offset is not measured from P(x)",
        "mtplx/dyadic.py",
        "cell = along(mx.cumsum(excess, axis=-1) - excess, i) + past",
        "cell = along(mx.cumsum(excess, axis=-1) - excess, i) + offset",
        DYADIC,
    ),
    Mutant(
        "the bonus re-uses the last draft's r",
        "mtplx/dyadic.py",
        ".holding(r[..., depth:])",
        ".holding(r[..., depth - 1 : depth])",
        DYADIC,
    ),
    Mutant(
        "a chain goes on after a rejection",
        "mtplx/dyadic.py",
        "mx.sum(mx.cumprod(accepted.astype(mx.uint32), axis=-1), axis=-1)",
        "mx.sum(accepted.astype(mx.uint32), axis=-1)",
        DYADIC,
    ),
    Mutant(
        "missing units dropped",
        "mtplx/dyadic.py",
        "return ids, floors + (ranks.astype(mx.uint64) < missing).astype(mx.uint64)",
        "return ids, floors",
        DYADIC,
    ),
    Mutant(
        "missing units all go to the first rank",
        "mtplx/dyadic.py",
        "(ranks.astype(mx.uint64) < missing).astype(mx.uint64)",
        "mx.where(ranks == 0, missing, mx.array(0, mx.uint64))",
        DYADIC,
    ),
    Mutant(
        "counts over the whole mass, not the kept",
        "mtplx/dyadic.py",
        "floors = kept.quotient(kept.total(), bits)",
        "floors = kept.quotient(Wide(tuple(limbs)).total(), bits)",
        DYADIC,
    ),
    Mutant(
        "intervals closed on the right",
        "mtplx/dyadic.py",
        "passed = mx.cumsum(counts, axis=-1) <= cell[..., None]",
        "passed = mx.cumsum(counts, axis=-1) < cell[..., None]",
        DYADIC,
    ),
    Mutant(
        "a draw beyond the denominator is taken",
        "mtplx/dyadic.py",
        "    if not good.item():",
        "    if False:",
        DYADIC,
    ),
    Mutant(
        "blocks: ties are taken for sure",
        "mtplx/selection.py",
        "sure = (keys[:, ranks - 1 : ranks] >> 32) < (keys[:, looked:] >> 32)",
        "sure = keys[:, ranks - 1 : ranks] < keys[:, looked:]",
        SELECTION,
    ),
    Mutant(
        "ranks by partition",
        "mtplx/selection.py",
        "return mx.sort(mx.partition(keys, ranks, axis=-1)[:, :ranks], axis=-1)",
        "return mx.partition(keys, ranks, axis=-1)[:, :ranks]",
        SELECTION,
    ),
    Mutant(
        "nucleus bounds without the error",
        "mtplx/selection.py",
        "return through.sizes(at(error, ranks)), through.sizes(at(-error, -ranks))",
        "return through.sizes(at(Fraction(0), 0)), through.sizes(at(Fraction(0), 0))",
        FILTERED,
    ),
    Mutant(
        "nucleus bounds without the last unit",
        "mtplx/selection.py",
        "return through.sizes(at(error, ranks)), through.sizes(at(-error, -ranks))",
        "return through.sizes(at(error, 0)), through.sizes(at(-error, 0))",
        SELECTION,
    ),
    Mutant(
        "equal logits go to the host",
        "mtplx/target.py",
        "undecided = low != high and not level",
        "undecided = low != high",
        FILTERED,
    ),
    Mutant(
        "what balls decide is not used",
        "mtplx/target.py",
        "size = nucleus_between(",
        "size = low + 0 * nucleus_between(",
        FILTERED,
    ),
    Mutant(
        "balls: a rank stays at a tie",
        "mtplx/balls.py",
        "        return known > 0",
        "        return known >= 0",
        BALLS,
    ),
    Mutant(
        "balls: a far tail has no mass",
        "mtplx/balls.py",
        "            return True",
        "            return known > 0",
        BALLS,
    ),
    Mutant(
        "balls: one precision and then a guess",
        "mtplx/balls.py",
        "if gap > 0 or gap < 0:",
        "if True:",
        BALLS,
    ),
    Mutant(
        "long division without its correction",
        "mtplx/wide.py",
        "result = (result << step) + trial + more.astype(mx.uint64)",
        "result = (result << step) + trial",
        WIDE,
    ),
    Mutant(
        "long division rounds the divisor down",
        "mtplx/wide.py",
        "((below[-1] >> step) + 1)",
        "(below[-1] >> step)",
        WIDE,
    ),
    Mutant(
        "Threefry: 16 rounds",
        "mtplx/randomness.py",
        "ROUNDS = 20",
        "ROUNDS = 16",
        RANDOMNESS,
    ),
    Mutant(
        "Threefry: rotations in one order",
        "mtplx/randomness.py",
        "ROTATIONS[block % 2]",
        "ROTATIONS[0]",
        RANDOMNESS,
    ),
    Mutant(
        "draws: low bits",
        "mtplx/randomness.py",
        "return mx.right_shift(together, spare)",
        "return together & ((1 << (64 - spare)) - 1)",
        RANDOMNESS,
    ),
    Mutant(
        "draws: the attempt is left out",
        "mtplx/randomness.py",
        "| (positions << np.uint64(8)) | attempts",
        "| (positions << np.uint64(8))",
        RANDOMNESS,
    ),
    Mutant(
        "draws: a run forgets its names",
        "mtplx/randomness.py",
        "        self.used |= counters.keys()\n",
        "",
        RANDOMNESS,
    ),
    Mutant(
        "exponential series ends at the square",
        "mtplx/exponential.py",
        "fall = t + cube - square - fourth",
        "fall = t - square",
        EXPONENTIAL,
    ),
    Mutant(
        "ln 2 wrong in its 60th bit",
        "mtplx/exponential.py",
        "0xB17217F7D1CF79ABC9E3",
        "0xB17217F7D1CF79BBC9E3",
        EXPONENTIAL,
    ),
    Mutant(
        "weights end at exp(-60)",
        "mtplx/exponential.py",
        "CUTOFF = 112",
        "CUTOFF = 60",
        EXPONENTIAL,
    ),
    Mutant(
        "negative logits weigh like positive ones",
        "mtplx/exponential.py",
        "return mx.where(logits < 0, 0 - magnitude, magnitude)",
        "return magnitude",
        EXPONENTIAL,
    ),
    Mutant(
        "carries are lost",
        "mtplx/wide.py",
        "out[i + 1] = out[i + 1] + (out[i] >> LIMB_BITS)",
        "out[i + 1] = out[i + 1]",
        WIDE,
    ),
    Mutant(
        "equal integers are less",
        "mtplx/wide.py",
        "less = a[0] < b[0]",
        "less = a[0] <= b[0]",
        WIDE,
    ),
    Mutant(
        "subnormals get a hidden bit",
        "mtplx/wide.py",
        "mx.where(field == 0, fraction, fraction | 0x800000)",
        "fraction | 0x800000",
        WIDE,
    ),
    Mutant(
        "no mass check",
        "mtplx/doors.py",
        "if abs(Fraction(units, 2**149) - 1) > MASS_TOLERANCE:",
        "if units == 0:",
        DOORS,
    ),
    Mutant(
        "negative probabilities pass",
        "mtplx/doors.py",
        "(rows.values >= 0) & (rows.values < 2)",
        "(rows.values < 2)",
        DOORS,
    ),
    Mutant(
        "NaN passes",
        "mtplx/doors.py",
        "np.flatnonzero(~np.isfinite(tops))",
        "np.flatnonzero(np.isinf(tops))",
        "tests/unit/test_doors.py",
    ),
    Mutant(
        "negative ids pass",
        "mtplx/doors.py",
        "not 0 <= token < size",
        "not token < size",
        MUSEUM,
    ),
    Mutant(
        "a coin of 1 passes",
        "mtplx/doors.py",
        "if not 0 <= coin < 1:",
        "if not 0 <= coin <= 1:",
        DOORS,
    ),
    Mutant(
        "batches are broadcast",
        "mtplx/doors.py",
        "if p.shape != q.shape:",
        "if False:",
        DOORS,
    ),
    Mutant(
        "top_p of 0 passes",
        "mtplx/config.py",
        "lambda p: 0 < p <= 1",
        "lambda p: 0 <= p <= 1",
        CONFIG,
    ),
    Mutant(
        "decimals become doubles",
        "mtplx/config.py",
        "return Fraction(value)\n",
        "return Fraction(float(Fraction(value)))\n",
        CONFIG,
    ),
    # The reference
    Mutant(
        "reference: p/q without min(1, .)",
        "reference/pointwise.py",
        "minimum(n, n.one, n.quotient(p, q))",
        "n.quotient(p, q)",
        REFERENCE,
    ),
    Mutant(
        "reference: accepts at q = 0 whatever p is",
        "reference/pointwise.py",
        "without_draft = n.choose(n.zero < p, n.one, n.zero)",
        "without_draft = n.one",
        REFERENCE,
    ),
    Mutant(
        "reference: u <= a",
        "reference/pointwise.py",
        "return u < a",
        "return u <= a",
        MUSEUM,
    ),
    Mutant(
        "reference: residual left unnormalised",
        "reference/pointwise.py",
        "n.quotient(positive_part(n, p - q), mass)",
        "positive_part(n, p - q)",
        REFERENCE,
    ),
    Mutant(
        "reference: differences keep their sign",
        "reference/pointwise.py",
        "return n.choose(n.zero < a, a, n.zero)",
        "return a",
        REFERENCE,
    ),
    Mutant(
        "reference: nucleus keeps before <= top_p",
        "reference/pointwise.py",
        "return before < top_p * total",
        "return before <= top_p * total",
        MUSEUM,
    ),
    Mutant(
        "reference: top-k keeps one more",
        "reference/pointwise.py",
        "size, minimum(n, size, top_k))",
        "size, minimum(n, size, top_k + n.one))",
        MUSEUM,
    ),
    Mutant(
        "reference: top-k of 0 means 1",
        "reference/pointwise.py",
        "size, minimum(n, size, top_k))",
        "n.one, minimum(n, size, top_k))",
        MUSEUM,
    ),
    Mutant(
        "reference: highest ids win ties",
        "reference/filters.py",
        "sorted(range(len(values)), key=values.__getitem__, reverse=True)",
        "sorted(range(len(values)), key=values.__getitem__)[::-1]",
        REFERENCE,
    ),
    Mutant(
        "reference: top_p of 0 passes",
        "reference/filters.py",
        "not 0 < value <= 1",
        "not 0 <= value <= 1",
        CONFIG,
    ),
    Mutant(
        "reference: no mass check",
        "reference/numbers.py",
        "if abs(mass - 1) > MASS_TOLERANCE:",
        "if mass == 0:",
        REFERENCE,
    ),
    Mutant(
        "reference: rows are not normalised",
        "reference/numbers.py",
        "    total = sum(masses)\n    return [",
        "    total = lcm(*set(row_of_ratios(row, name)[1]))\n    return [",
        REFERENCE,
    ),
    Mutant(
        "reference: decimals become doubles",
        "reference/numbers.py",
        "value = Fraction(value)",
        "value = float(Fraction(value))",
        CONFIG,
    ),
    Mutant(
        "reference: a/0 is 0",
        "reference/numbers.py",
        "return a / b if b else Poison()",
        "return a / b if b else QQ(0)",
        REFERENCE,
    ),
    Mutant(
        "reference: a/0 of a row is 0",
        "reference/rows.py",
        "-x if y else Poison()",
        "-x if y else 0",
        "tests/unit/test_reference_rows.py",
    ),
    Mutant(
        "reference: 0/d * y/e of rows is y/d",
        "reference/rows.py",
        "return Row([y if x else 0 for",
        "return Row([y for",
        "tests/unit/test_reference_rows.py",
    ),
    Mutant(
        "reference: an open comparison is no",
        "reference/numbers.py",
        "if difference <= 0:",
        "if True:",
        REFERENCE_TARGET,
    ),
    Mutant(
        "reference: a far token breaks no tie",
        "reference/numbers.py",
        "return self.enclosed is None",
        "return False",
        REFERENCE_TARGET,
    ),
    Mutant(
        "reference: inverse CDF at u <= cumulative",
        "reference/one_token.py",
        "if u < cumulative)",
        "if u <= cumulative)",
        REFERENCE,
    ),
    Mutant(
        "reference: one coin for both draws",
        "reference/one_token.py",
        "inverse_cdf(residuals(p, q).rationals(), v)",
        "inverse_cdf(residuals(p, q).rationals(), u)",
        REFERENCE,
    ),
    Mutant(
        "reference: temperature twice",
        "reference/softmax.py",
        "pointwise.scaled(n, d, temperature)",
        "pointwise.scaled(n, d, temperature * temperature)",
        MUSEUM,
    ),
    Mutant(
        "reference: mlx_lm cuts the tempered law",
        "reference/dialects.py",
        'Dialect("mlx_lm", tempered=False, nucleus_ties=True)',
        'Dialect("mlx_lm", nucleus_ties=True)',
        MUSEUM,
    ),
    Mutant(
        "reference: the inclusive cut keeps all",
        "reference/pointwise.py",
        "n.neg(top_p * total < before)",
        "n.neg(top_p * total < top_p * total)",
        "tests/unit/test_dialects.py",
    ),
    Mutant(
        "reference: highest ids are ranked as lowest",
        "reference/softmax.py",
        "if style.highest_first and not greedy:",
        "if False:",
        "tests/unit/test_dialects.py",
    ),
    Mutant(
        "reference: mlx_lm breaks ties by id",
        "reference/dialects.py",
        'Dialect("mlx_lm", tempered=False, nucleus_ties=True)',
        'Dialect("mlx_lm", tempered=False)',
        REFERENCE_TARGET,
    ),
    Mutant(
        "twin: logits truncated downwards",
        "reference/dyadic.py",
        "return -size if logit < 0 else size",
        "return logit >> (u + 149) if u >= -149 else -size if logit < 0 else size",
        REFERENCE_DYADIC,
    ),
    Mutant(
        "twin: table entries truncated",
        "reference/dyadic.py",
        "return [(power + (1 << 143)) >> 144 for power in powers]",
        "return [power >> 144 for power in powers]",
        TWIN,
    ),
    Mutant(
        "twin: second threshold without its units",
        "reference/dyadic.py",
        "threshold(total, top_p, -ERROR, -vocabulary)",
        "threshold(total, top_p, -ERROR, 0)",
        TWIN,
    ),
    Mutant(
        "twin: open rows take the larger cut",
        "reference/dyadic.py",
        "kept = filtered_target([QQ(logit, 2**149) for logit in ranked], config).kept_size",
        "kept = most",
        TWIN,
    ),
    Mutant(
        "twin: missing units go to the last ranks",
        "reference/dyadic.py",
        "return [count + (r < missing) for r, count in enumerate(floors)]",
        "return [count + (r >= len(floors) - missing) for r, count in enumerate(floors)]",
        REFERENCE_DYADIC,
    ),
    Mutant(
        "twin: excess cells measured from the interval",
        "reference/dyadic.py",
        "for y in before) + off - p[x]",
        "for y in before) + off",
        REFERENCE_DYADIC,
    ),
    Mutant(
        "twin: Threefry of 16 rounds",
        "reference/dyadic.py",
        "for block in range(5):",
        "for block in range(4):",
        REFERENCE_DYADIC,
    ),
    # The audit of engines
    Mutant(
        "audit: outcomes of probability 0 pass within the bound",
        "mtplx/audit/claims/trial.py",
        "impossible = [outcome for outcome in found if outcome not in right]",
        "impossible: list[Any] = []",
        ENGINES,
    ),
    Mutant(
        "audit: only middle coins are tried",
        "mtplx/audit/claims/one_token.py",
        "ENDS = (QQ(0), QQ(LAST, SIZE))",
        "ENDS = (QQ(1, 2),)",
        fault("inclusive-coin"),
    ),
    Mutant(
        "audit: a proposal is believed",
        "mtplx/audit/claims/drafts.py",
        "law_trial(given, law_of([x / total for x in q]), tokens, bound)",
        "law_trial(given, tokens, tokens, bound)",
        fault("greedy-draft-soft-q"),
    ),
    Mutant(
        "audit: every position has the rows of the first",
        "mtplx/audit/claims/chains.py",
        "p_rows = [model.target(drafts[:i]) for i in range(k + 1)]",
        "p_rows = [model.target(()) for i in range(k + 1)]",
        right("token-chain"),
    ),
    Mutant(
        "audit: drafts weigh the same",
        "mtplx/audit/claims/chains.py",
        "            weight *= q[x]\n",
        "            weight *= QQ(bool(q[x]), len(q))\n",
        right("token-chain"),
    ),
    Mutant(
        "audit: one answer is enough",
        "mtplx/audit/engine_audit.py",
        "return (a.found, a.note) == (b.found, b.note)",
        "return True",
        ENGINES,
    ),
    Mutant(
        "audit: declared loss is refuted",
        "mtplx/audit/engine_audit.py",
        "return Verdict.LOSSY if found is Verdict.REFUTED and self.lossy else found",
        "return found",
        ENGINES,
    ),
    Mutant(
        "audit: an audit cut short is exact",
        "mtplx/audit/finding.py",
        "if Verdict.INCONCLUSIVE in verdicts or not complete or not verdicts:",
        "if Verdict.INCONCLUSIVE in verdicts or not verdicts:",
        ENGINES,
    ),
    Mutant(
        "audit: refusals count",
        "mtplx/audit/finding.py",
        ' if finding.section != "robustness"}',
        "}",
        ENGINES,
    ),
    Mutant(
        "audit: steps are not sought between the points",
        "mtplx/audit/lattice.py",
        "            if known[low] != known[high]:\n",
        "            if False:\n",
        ENGINES,
    ),
    Mutant(
        "audit: random coins are not asked",
        "mtplx/audit/lattice.py",
        "if answer(coins)[0] != found.outcome(coins)]",
        "if False]",
        ENGINES,
    ),
    Mutant(
        "audit: a distance refutes at once",
        "mtplx/audit/engine_audit.py",
        "if checks > MOST_CHECKS:",
        "if False:",
        ENGINES,
    ),
    Mutant(
        "audit: cells read twice are not told",
        "mtplx/audit/subject.py",
        'self.read_twice |= set(found["read_twice"])',
        "pass",
        ENGINES,
    ),
    Mutant(
        "audit: q = 0 is not asked",
        "mtplx/audit/claims/one_token.py",
        "if bool(q[token]) == drafted:",
        "if q[token] and drafted:",
        fault("refused-at-q-0"),
    ),
    Mutant(
        "audit: any distance is rounding",
        "mtplx/audit/claims/targets.py",
        "slack + moved + right.radius)",
        "QQ(1))",
        fault("verify-ignores-temperature"),
    ),
    Mutant(
        "audit: what was asked before does not matter",
        "mtplx/audit/claims/between.py",
        "if pair[0] != pair[1]), None)",
        "if False), None)",
        fault("settings-of-the-request-before"),
    ),
    Mutant(
        "audit: the questions before are not asked again",
        "mtplx/audit/engine_audit.py",
        "subject.client.repeat(before)",
        "subject.client.close()",
        QUESTIONS,
    ),
    Mutant(
        "audit: a silent method is asked on",
        "mtplx/audit/engine_audit.py",
        'subject.silent.add(subject.client.last["call"])',
        "pass",
        QUESTIONS,
    ),
    Mutant(
        "audit: the fine grid is coarse",
        "mtplx/audit/lattice.py",
        "GRID, FINE = 4, 1024",
        "GRID, FINE = 4, 4",
        QUESTIONS,
    ),
    Mutant(
        "audit: what reads no coin is certain",
        "mtplx/audit/lattice.py",
        "if any(answer((k,) * length)[0] != first for k in range(checks)):",
        "if False:",
        QUESTIONS,
    ),
    Mutant(
        "audit: arguments written into are not told",
        "mtplx/audit/worker.py",
        "changed.update(",
        "set().update(",
        QUESTIONS,
    ),
    Mutant(
        "audit: blocks have drafts",
        "mtplx/audit/claims/chains.py",
        "chain(inputs.blocks(subject.few), alone)",
        "chain(inputs.blocks(subject.few), [])",
        QUESTIONS,
    ),
    Mutant(
        "check: bits are not compared",
        "mtplx/audit/integer.py",
        "if pair[0] != pair[1] for",
        "if False for",
        "tests/unit/test_integer_check.py",
    ),
    Mutant(
        "check: only the starts of intervals are drawn",
        "mtplx/audit/integer.py",
        "found |= {start, start + accepted - 1, start + accepted, start + count - 1}",
        "found |= {start}",
        "tests/unit/test_integer_check.py",
    ),
    Mutant(
        "doors: integers of a list go by way of float64",
        "mtplx/doors.py",
        "(array.dtype == object or (abs(array) > 2**53).any())",
        "array.dtype == object",
        "tests/unit/test_doors.py",
    ),
    Mutant(
        "audit: long blocks of floats die early",
        "mtplx/audit/inputs.py",
        "((2, 2), (2, 3)) if few",
        "((2, 2),) if few",
        QUESTIONS,
    ),
    # The law of a program, and the rules
    Mutant(
        "tape: the sides of a coin swapped",
        "reference/tape.py",
        "answer = self._choose([share, 1 - share]) == 0",
        "answer = self._choose([1 - share, share]) == 0",
        TAPE,
    ),
    Mutant(
        "tape: a coin forgets its interval",
        "reference/tape.py",
        "self.intervals[cell] = (low, threshold) if answer else (threshold, high)",
        "pass",
        TAPE,
    ),
    Mutant(
        "tape: a race forgets its region",
        "reference/tape.py",
        "self.regions[cell] = wins[winner]",
        "pass",
        TAPE,
    ),
    Mutant(
        "tape: draws without a name share a cell",
        "reference/tape.py",
        "return Fork, self.fresh  #",
        "return Fork, 0  #",
        TAPE,
    ),
    Mutant(
        "tape: weights are not normalised",
        "reference/tape.py",
        "ends = [end / total for end in accumulate(weights)]",
        "ends = list(accumulate(weights))",
        TAPE,
    ),
    Mutant(
        "tape: a swallowed refusal passes",
        "reference/tape.py",
        "            if tape.refusal:\n",
        "            if False:\n",
        TAPE,
    ),
    Mutant(
        "tape: state outside the tape passes",
        "reference/tape.py",
        "if fork.shares != shares:",
        "if False:",
        TAPE_REPORTS,
    ),
    Mutant(
        "tape: a path that ends earlier passes",
        "reference/tape.py",
        "if tape.position < len(script):",
        "if False:",
        TAPE_REPORTS,
    ),
    Mutant(
        "tape: cells read twice are not noted",
        "reference/tape.py",
        "if name in self._read_before:",
        "if False:",
        TAPE_REPORTS,
    ),
    Mutant(
        "tape: dead branches are not noted",
        "reference/tape.py",
        "if len(sides) == 1}",
        "if len(sides) == 3}",
        TAPE_REPORTS,
    ),
    Mutant(
        "tape: steps of a walk may share a cell",
        "reference/tape.py",
        "if found.cells & read:",
        "if False:",
        RULES,
    ),
    Mutant(
        "tape: u <= u is false",
        "reference/tape.py",
        "or (at_equality and not difference.offset)",
        "",
        TAPE,
    ),
    Mutant(
        "tape: a first race is won by the slowest",
        "reference/simplex.py",
        "[tie if k == i else corner",
        "[tie if k != i else corner",
        TAPE,
    ),
    Mutant(
        "tape: the two parts of an edge swapped",
        "reference/simplex.py",
        "((low, weight), (high, 1 - weight))",
        "((high, weight), (low, 1 - weight))",
        TAPE,
    ),
    Mutant(
        "rules: residual is the target",
        "reference/rules.py",
        "    return tape.categorical(residual_law(p, q, residual_mass(p, q)))",
        "    return tape.categorical(p)",
        RULES,
    ),
    Mutant(
        "rules: the bonus is drawn from the row before",
        "reference/rules.py",
        "        return [*emitted, tape.categorical(p_rows[-1])]",
        "        return [*emitted, tape.categorical(p_rows[-2])]",
        RULES,
    ),
    Mutant(
        "rules: a chain goes on after a rejection",
        "reference/rules.py",
        "            if emitted[-1] != x:",
        "            if False:",
        RULES,
    ),
    Mutant(
        "rules: one-hot residual keeps the draft",
        "reference/rules.py",
        "else tape.categorical(without(p, x))",
        "else tape.categorical(p)",
        RULES,
    ),
    Mutant(
        "rules: a tree is not renormalised",
        "reference/rules.py",
        "p = ruled_out(p, x)",
        "p = without(p, x)",
        RULES,
    ),
    Mutant(
        "rules: siblings are judged by the first law",
        "reference/rules.py",
        "residual_law(p, q, residual_mass(p, q)), remaining(q, x)",
        "residual_law(p, q, residual_mass(p, q)), q and (remaining(q, x) and q)",
        RULES,
    ),
    Mutant(
        "rules: the target stays after a sibling",
        "reference/rules.py",
        "            p, q = residual_law(p, q, residual_mass(p, q)), remaining(q, x)",
        "            q = remaining(q, x)",
        RULES,
    ),
    Mutant(
        "rules: siblings left are not renormalised",
        "reference/rules.py",
        "return ruled_out(q, x) if",
        "return without(q, x) if",
        RULES,
    ),
    Mutant(
        "rules: block residual without the running product",
        "reference/rules.py",
        "zip(weighted[tau], q_rows[tau], strict=True)]",
        "zip(p_rows[tau], q_rows[tau], strict=True)]",
        RULES,
    ),
    Mutant(
        "rules: block rule with the smallest prefix",
        "reference/rules.py",
        "for i in range(K, 0, -1) if tape.coin()",
        "for i in range(1, K + 1) if tape.coin()",
        RULES,
    ),
    Mutant(
        "rules: the last block threshold is like the others",
        "reference/rules.py",
        "return rho[K] if i == K else pointwise",
        "return pointwise",
        RULES,
    ),
    Mutant(
        "rules: greedy ties go to the highest id",
        "reference/rules.py",
        "return p.index(max(p))",
        "return len(p) - 1 - p[::-1].index(max(p))",
        RULES,
    ),
    Mutant(
        "rules: greedy stops before its own token",
        "reference/rules.py",
        "return best[: tau + 1]",
        "return best[:tau] or best[:1]",
        RULES,
    ),
    Mutant(
        "rules: a verifier may return anything",
        "reference/rules.py",
        "if not isinstance(found, Sequence) or not 0 < len(found) <= len(p_rows):",
        "if not isinstance(found, Sequence):",
        RULES,
    ),
    Mutant(
        "models: target and draft are equal at the root",
        "reference/models.py",
        "code = 2  #",
        "code = 1  #",
        RULES,
    ),
    Mutant(
        "rules: typical at the threshold",
        "reference/rules.py",
        "(p[x] / delta) ** N > prod(",
        "(p[x] / delta) ** N >= prod(",
        RULES,
    ),
    Mutant(
        "rules: drafts forget the prefix",
        "reference/rules.py",
        "            prefix += (tape.categorical(q_rows[-1]),)",
        "            prefix += (tape.categorical(model.draft((), ())),)",
        RULES,
    ),
    Mutant(
        "claims: plain decoding from a stale row",
        "reference/claims.py",
        "enumerate(promised(model.target(prefix))):",
        "enumerate(promised(model.target(prefix[:-1]))):",
        RULES,
    ),
    Mutant(
        "claims: ends that meet are not added",
        "reference/claims.py",
        "done[prefix] = done.get(prefix, QQ(0)) + probability",
        "done[prefix] = probability",
        RULES,
    ),
    Mutant(
        "claims: accepted length of p, not min(p, q)",
        "reference/claims.py",
        "return [min(p, q) for p, q in",
        "return [p for p, q in",
        RULES,
    ),
]


def tracked_files() -> list[str]:
    """What git tracks or would track."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return sorted({name for name in listed.split("\0") if name and (ROOT / name).is_file()})


@contextmanager
def copied_tree(files: Sequence[str]):
    """The working tree in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        for name in files:
            (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, Path(folder) / name)
        yield Path(folder)


def pytest(tree: Path, tests: Sequence[str]) -> tuple[int, list[str]]:
    """Exit code, and the ids of the tests that failed."""
    environment = {key: value for key, value in os.environ.items() if key != "HYPOTHESIS_PROFILE"}
    environment |= {"CI": "1", "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "400"}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--tb=no", "-p", "no:cacheprovider", *tests]
    run = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True)
    failed = [line.removeprefix("FAILED ").split(" - ")[0] for line in run.stdout.splitlines() if line.startswith("FAILED ")]
    return run.returncode, failed


def judge(mutant: Mutant, files: Sequence[str]) -> Result:
    started = time.monotonic()
    verdict, by = "STALE", ""
    with copied_tree(files) as tree:
        path = tree / mutant.file
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        if text.count(mutant.old) == 1:
            path.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")
            code, failed = pytest(tree, [mutant.tests])
            verdict = {0: "SURVIVED", 1: "killed" if failed else "BROKEN"}.get(code, "BROKEN")
            by = failed[0] if failed else ""
    return Result(mutant.name, mutant.file, verdict, by, round(time.monotonic() - started, 1))


def table_of(results: Sequence[Result]) -> Table:
    table = Table("mutant", "file", "killed by", "s", title="Mutants")
    for result in results:
        good = result.verdict == "killed"
        short = escape(result.by.removeprefix("tests/"))
        table.add_row(result.name, result.file, short if good else f"[red]{result.verdict}[/]", f"{result.seconds:.1f}")
    return table


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", metavar="WORD", help="mutants whose name or file contains the word")
    parser.add_argument("--json", action="store_true", help="results as JSON on standard output")
    options = parser.parse_args()
    chosen = [mutant for mutant in MUTANTS if options.only in mutant.name or options.only in mutant.file]
    if not chosen:
        parser.error(f"--only {options.only!r}: no such mutant")

    files, started = tracked_files(), time.monotonic()
    with ThreadPoolExecutor(WORKERS) as pool:
        results = list(pool.map(lambda mutant: judge(mutant, files), chosen))
    killers = sorted({result.by for result in results if result.by})
    with copied_tree(files) as tree:
        sound, unsound = pytest(tree, killers) if killers else (0, [])
    seconds = round(time.monotonic() - started, 1)

    alive = [result for result in results if result.verdict != "killed"]
    if options.json:
        print(json.dumps({"results": [asdict(result) for result in results], "unsound": unsound, "seconds": seconds}, indent=1))
    else:
        console = Console(width=None if sys.stdout.isatty() else 160)
        console.print(table_of(results))
        console.print(f"{len(results) - len(alive)} of {len(results)} killed in {seconds:.0f} s")
        if sound:
            console.print(
                f"[red]The tests that killed do not all pass on the code as it is:[/] {escape(', '.join(unsound) or 'no run')}"
            )
    return int(bool(alive) or sound != 0)


if __name__ == "__main__":
    sys.exit(main())
