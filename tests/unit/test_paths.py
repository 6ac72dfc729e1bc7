"""The chain that the proofs are about is the one of the reference: masses along each path against enumerated laws."""

from __future__ import annotations

import pytest
from sympy import QQ

from proofs import paths
from reference.claims import joint_law, right_law
from reference.models import prefix_encoding
from reference.numbers import rationals as n
from reference.one_token import residual_mass
from reference.rules import chain, token_rule, until_another


@pytest.mark.parametrize("k", [1, 2, 3])
def test_masses_of_paths_are_the_law_of_a_chain(k: int) -> None:
    """For every path of K + 1 tokens the masses end at the probability with which the token chain emits it."""
    model = prefix_encoding(3 if k < 3 else 2)
    found = joint_law(chain(until_another(token_rule)), model, k)
    assert found == right_law(model, k + 1)
    for path in found:
        drafting, ended = QQ(1), QQ(0)
        for i, x in enumerate(path[:-1]):
            p, q = model.target(path[:i]), model.draft(path[:i])
            mass = residual_mass(p, q)
            ended = paths.replaced(n, drafting, ended, p[x], q[x], mass, mass)
            drafting = paths.drafted(n, drafting, p[x], q[x])
        assert paths.closed(n, drafting, ended, model.target(path[:-1])[path[-1]]) == found[path]
