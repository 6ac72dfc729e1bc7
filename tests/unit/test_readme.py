"""The README's Python runs, and says what it prints."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

README = (Path(__file__).parents[2] / "README.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
CLAIM = re.compile(r"^(\S.*?)\s+# -> (.*)$")


@pytest.mark.device
def test_snippets_print_what_the_readme_says() -> None:
    """Every line of the README with `# ->` evaluates to what stands behind it."""
    names: dict[str, Any] = {}
    claims, pending = 0, ""
    for line in "".join(BLOCKS).splitlines(keepends=True):
        if claim := CLAIM.match(line):
            exec(pending, names)
            assert str(eval(claim[1], names)) == claim[2]
            claims, pending = claims + 1, ""
        else:
            pending += line
    exec(pending, names)
    assert claims == 13


def test_two_set_up_commands_stand_as_promised() -> None:
    """The two set-up commands stand in the README, and CI runs the very same lines."""
    ci = (Path(__file__).parents[2] / ".ci" / "run").read_text()
    for command in ("pip install -e . && pytest proofs/", "pip install -e '.[test]' && pytest"):
        assert f"\n{command}\n" in README
        assert f'bash -c "{command}"\n' in ci
