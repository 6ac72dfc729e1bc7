"""The masses of a chain of drafts along one path of tokens, position by position.

Two masses tell where a block stands once it has emitted the path: `drafting`, all tokens so far were drafts that were accepted;
`ended`, one of them replaced a rejected draft and plain decoding went on. tests/unit/test_paths.py holds them against the laws
that `reference.claims` enumerates.
"""

from __future__ import annotations

from typing import Any

from reference.numbers import NumberSystem
from reference.pointwise import acceptance, residual


def drafted(n: NumberSystem, drafting: Any, p: Any, q: Any) -> Any:
    """The next token of the path is drafted and accepted."""
    return drafting * (q * acceptance(n, p, q))


def replaced(n: NumberSystem, drafting: Any, ended: Any, p: Any, q: Any, rejection: Any, mass: Any) -> Any:
    """It replaces a draft that is rejected, or a block that has ended goes on to it by plain decoding."""
    return drafting * (rejection * residual(n, p, q, mass)) + ended * p


def closed(n: NumberSystem, drafting: Any, ended: Any, p: Any) -> Any:
    """With no draft left the last token is drawn from the target after all accepted drafts: the bonus; or decoded plainly."""
    return drafting * p + ended * p
