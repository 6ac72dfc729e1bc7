"""From text to terms: S-expressions with their lines, numbers, `let`, and the assertions of an SMT-LIB file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from proofs.cpc.terms import FALSE, TRUE, WORDS, Malformed, Term, apply, constant, numeral, require

Expression = str | list["Expression"]

TOKENS = re.compile(r"\n|;[^\n]*|[()]|[^\s();]+")
NUMBER = re.compile(r"-?\d+(\.\d+|/0*[1-9]\d*)?")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
LOGICS = {"QF_NRA": "Real", "QF_LRA": "Real", "QF_NIA": "Int", "QF_LIA": "Int"}
"""The sort of a numeral without a point."""


class Refused(ValueError):
    """This text is no proof of its claim: the line and the reason."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line, self.reason = line, reason


@dataclass(frozen=True)
class Problem:
    """What is to be refuted: constants with their sorts, and assertions that cannot all hold."""

    constants: Mapping[str, str]
    assertions: tuple[Term, ...]


def commands(text: str, enclosed: bool = False) -> Iterator[tuple[int, list[Expression]]]:
    """The lists of a text, each with the line it opens on; or those of the one list that encloses all of it."""
    outer = int(enclosed)
    opened: list[list[Expression]] = []
    line, start, ended = 1, 1, False
    for token in TOKENS.findall(text):
        if token == "\n":
            line += 1
        elif token[0] == ";":
            continue
        elif ended:
            raise Refused(line, "text after the end")
        elif token == "(":
            start = line if len(opened) == outer else start
            opened.append([])
        elif token != ")":
            if len(opened) <= outer:
                raise Refused(line, f"{token} outside a command")
            opened[-1].append(token)
        elif not opened:
            raise Refused(line, "a parenthesis closes nothing")
        else:
            closed = opened.pop()
            if len(opened) > outer:
                opened[-1].append(closed)
            elif len(opened) == outer:
                yield start, closed
            else:
                ended = True
    if opened or (enclosed and not ended):
        raise Refused(line, "the text ends inside a list")


def build(e: Expression, names: Mapping[str, Term], numerals: str = "Int") -> Term:
    """The term of an expression; a numeral with neither point nor slash has the sort `numerals`, and (and f) is f."""
    if isinstance(e, str):
        return names[e] if e in names else number(e, numerals)
    match e:
        case ["let", list(bindings), body]:
            return build(body, {**names, **dict(_bound(b, names, numerals) for b in bindings)}, numerals)
        case ["and" | "or", part]:
            return build(part, names, numerals)
        case [str(op), _, *_]:
            return apply(op, *(build(a, names, numerals) for a in e[1:]))
    raise Malformed(f"{str(e)[:200]} is no term")


def _bound(binding: Expression, names: Mapping[str, Term], numerals: str) -> tuple[str, Term]:
    """A name of a `let` and its term, which sees only the names outside."""
    match binding:
        case [str(name), value] if name not in WORDS:
            return name, build(value, names, numerals)
    raise Malformed(f"{str(binding)[:200]} binds nothing")


def number(word: str, numerals: str) -> Term:
    """A numeral: `2` of the given sort, `2.5` and `5/2` Real."""
    require(NUMBER.fullmatch(word) is not None, f"unknown name {word[:200]}")
    return numeral(Fraction(word), numerals if word.lstrip("-").isdigit() else "Real")


def read_smt2(text: str) -> Problem:
    """The problem of an SMT-LIB file: a logic, constants, assertions, and one question at the end."""
    constants: dict[str, str] = {}
    names = {"true": TRUE, "false": FALSE}
    assertions: list[Term] = []
    numerals, asked, line = "", False, 1
    for line, command in commands(text):
        try:
            require(not asked, "a command after the question")
            match command:
                case ["set-logic", str(logic)] if not numerals:
                    require(logic in LOGICS, f"the logic {logic} is not known here")
                    numerals = LOGICS[logic]
                case ["declare-const", str(name), str(sort)] if numerals:
                    require(NAME.fullmatch(name) is not None and name not in names, f"{name} cannot be declared")
                    names[name] = constant(name, sort)
                    constants[name] = sort
                case ["assert", formula] if numerals:
                    assertions.append(build(formula, names, numerals))
                    require(assertions[-1].sort == "Bool", "the assertion is no formula")
                case ["check-sat"]:
                    asked = True
                case _:
                    raise Malformed(f"the command {str(command)[:200]} is not known here")
        except (Malformed, RecursionError) as error:
            raise Refused(line, str(error)) from error
    if not asked:
        raise Refused(line, "no question at the end")
    return Problem(constants, tuple(assertions))
