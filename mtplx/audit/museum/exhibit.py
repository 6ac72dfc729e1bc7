"""An exhibit: an engine that makes one known fault in a line or two of otherwise right code, or looks faulty and is right.

The audit loads each as `module:Class`, in a process of its own that needs the standard library only. `meant_for` is the claim
that must refute it; its docstring says what is wrong. Sources are public threads, repository#number, or ours.
"""

from __future__ import annotations

from typing import ClassVar


class Exhibit:
    """An engine on show. A class with an id is one; meant_for makes it a fault, and without it the audit must not flag it."""

    id: ClassVar[str] = ""
    source: ClassVar[str] = "ours"
    meant_for: ClassVar[str | None] = None
    name: ClassVar[str] = ""
    dialect: ClassVar[str] = "mtplx"
    numbers: ClassVar[str] = "exact"
    lossy: ClassVar[bool] = False

    def __init_subclass__(cls, id: str = "", source: str = "ours", meant_for: str | None = None) -> None:
        cls.id = cls.name = id
        cls.source, cls.meant_for = source, meant_for

    @classmethod
    def sentence(cls) -> str:
        """What is wrong, or what is claimed."""
        return (cls.__doc__ or "").strip()
