"""Which exhibits there are, in the order in which they are shown, and which known faults cannot be one."""

from __future__ import annotations

from types import ModuleType

from mtplx.audit.museum import chains, draws, one_hot, one_token, proposals, targets, trees
from mtplx.audit.museum.exhibit import Exhibit


def exhibits(room: ModuleType) -> list[type[Exhibit]]:
    """The classes of a file that have an id, in its order."""
    classes = [found for found in vars(room).values() if isinstance(found, type) and issubclass(found, Exhibit)]
    return [found for found in classes if found.id]


ROOMS = (targets, one_token, one_hot, trees, draws, proposals, chains)
FAULTS = [exhibit for room in ROOMS for exhibit in exhibits(room) if exhibit.meant_for]
RIGHT = [exhibit for room in ROOMS for exhibit in exhibits(room) if not exhibit.meant_for]

NO_METHOD = {
    "randint-through-float": "no method draws an integer from a range",
    "penalty-counts-once-a-step": "the logits of a question are final: no method keeps counters",
    "eos-inside-the-block": "no method knows which token ends a text",
    "draws-re-read-after-a-discard": "a block is verified once: no method drafts again",
    "cache-not-rolled-back": "the rows of a block are given in the question: no method runs a model",
}
"""Faults that are no behaviour of a method, and why."""
UNSEEN = {
    "gumbel-tail": "the law of a draw errs by 2^-30, and coins of 24 bits explain more than that on a right engine too",
}
"""Faults of a method that no claim can see, and why."""
