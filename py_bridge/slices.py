"""Slices: the rules that a question about one state can need, and no others.

Two cuts that change no answer. Backwards: a rule on which no wanted predicate depends is left out.
Forwards: a rule is left out when one of its positive conditions can never hold, because nothing
derives it, or only with other constants. For example, on a board without activated effects

    forbids(By, activate(C, N)) :- activatable(C, N, P), ...   activatable has no instance
    halts(By, How) :- attacking(A), ...                        no holds(attack(A, T)) is given
    bars(By, A) :- binds(cannot_attack, X, N, K, A), ...       no text has a clause of that class

are all cut.

Which constants can stand in which place of a predicate is inferred from rules and facts alike. The
profile of a state is what its facts contribute to that; states with one profile share a slice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from clingo import SymbolType
from clingo.ast import AST, ASTType, Sign

from py_bridge.derivation import concluded, needed

Place = tuple[str, int]
Profile = frozenset[tuple[Place, str]]
ANY = "*"
_OPAQUE = "?"
_WRAPPER = "holds"


@dataclass(frozen=True, slots=True)
class _Atom:
    """A predicate and its arguments: a tag (constant or functor), or a variable marked by `?`.

    A lone `?` is a term of which nothing is known, such as `_` or `X + 1`.

    `holds(f(X, c))` counts as the predicate `holds f`, so that each fluent is told apart.
    """

    name: str
    arguments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Rule:
    statement: AST
    heads: tuple[_Atom, ...]
    body: tuple[_Atom, ...]
    always: bool


class Slicer:
    """The slices of one set of statements for fixed wanted predicates."""

    def __init__(self, statements: Sequence[AST], wanted: Iterable[str]) -> None:
        kept = _backwards([s for s in statements if s.ast_type != ASTType.Comment], set(wanted))
        self._rules = [_rule(statement) for statement in kept]
        self._telling = _telling(self._rules)
        self._slices: dict[Profile, tuple[AST, ...]] = {}
        self._contributes = lru_cache(maxsize=1 << 16)(self._contribution)

    def of(self, facts: Iterable[str]) -> tuple[AST, ...]:
        """Return the statements that a state with these facts, given as terms, can need."""
        profile = frozenset(found for fact in facts for found in self._contributes(fact))
        if profile not in self._slices:
            self._slices[profile] = tuple(self._live(profile))
        return self._slices[profile]

    def _contribution(self, fact: str) -> tuple[tuple[Place, str], ...]:
        atom = _read(fact)
        return (
            ((atom.name, -1), ANY),
            *(
                ((atom.name, index), tag)
                for index, tag in enumerate(atom.arguments)
                if (atom.name, index) in self._telling
            ),
        )

    def _live(self, profile: Profile) -> Iterator[AST]:
        domains: dict[Place, set[str]] = {}
        for place, tag in profile:
            domains.setdefault(place, set()).add(tag)
        live: set[int] = set()
        growing = True
        while growing:
            growing = False
            for number, rule in enumerate(self._rules):
                bindings = _bindings(rule, domains, self._telling)
                if bindings is None:
                    continue
                live.add(number)
                for head in rule.heads:
                    growing |= _add(domains, (head.name, -1), {ANY})
                    for index, argument in enumerate(head.arguments):
                        if (head.name, index) in self._telling:
                            tags = (
                                bindings.get(argument, {ANY}) if argument[0] == "?" else {argument}
                            )
                            growing |= _add(domains, (head.name, index), tags)
        return (self._rules[number].statement for number in sorted(live))


def _add(domains: dict[Place, set[str]], place: Place, tags: set[str]) -> bool:
    known = domains.setdefault(place, set())
    before = len(known)
    known |= tags
    return len(known) > before


def _bindings(
    rule: _Rule, domains: Mapping[Place, set[str]], telling: set[Place]
) -> dict[str, set[str]] | None:
    """Return what each variable can be as far as it tells; None if the body can never hold."""
    bindings: dict[str, set[str]] = {}
    for atom in rule.body:
        if (atom.name, -1) not in domains:
            return None
        for index, argument in enumerate(atom.arguments):
            if argument == _OPAQUE or (atom.name, index) not in telling:
                continue
            possible = domains.get((atom.name, index), set())
            if argument[0] != "?":
                if ANY not in possible and argument not in possible:
                    return None
            elif ANY not in possible:
                left = bindings[argument] & possible if argument in bindings else set(possible)
                if not left:
                    return None
                bindings[argument] = left
    return bindings


def _telling(rules: Sequence[_Rule]) -> set[Place]:
    """Return the places whose constants can decide whether some rule is live."""
    telling = {
        (atom.name, index)
        for rule in rules
        for atom in rule.body
        for index, argument in enumerate(atom.arguments)
        if argument[0] != "?"
    }
    growing = True
    while growing:
        before = len(telling)
        for rule in rules:
            asked = {
                argument
                for head in rule.heads
                for index, argument in enumerate(head.arguments)
                if (head.name, index) in telling
            }
            telling |= {
                (atom.name, index)
                for atom in rule.body
                for index, argument in enumerate(atom.arguments)
                if argument in asked
            }
        growing = len(telling) > before
    return telling


def _backwards(statements: Sequence[AST], wanted: set[str]) -> list[AST]:
    """Return the statements on which a wanted predicate depends, in their order."""
    known = [({n for n, _ in concluded(s)}, {n for n, _ in needed(s)}, s) for s in statements]
    reached = set(wanted)
    growing = True
    while growing:
        before = len(reached)
        for heads, uses, _statement in known:
            if heads & reached:
                reached |= uses
        growing = len(reached) > before
    return [s for heads, _, s in known if heads & reached or s.ast_type == ASTType.Defined]


def _rule(statement: AST) -> _Rule:
    if statement.ast_type != ASTType.Rule:
        return _Rule(statement, (), (), True)
    body = tuple(
        _atom(literal.atom.symbol)
        for literal in statement.body
        if literal.ast_type == ASTType.Literal
        and literal.sign == Sign.NoSign
        and literal.atom.ast_type == ASTType.SymbolicAtom
    )
    return _Rule(statement, (_atom(statement.head.atom.symbol),), body, False)


def _atom(term: AST) -> _Atom:
    arguments = list(term.arguments)
    if term.name == _WRAPPER and len(arguments) == 1:
        inner = arguments[0]
        if inner.ast_type == ASTType.Function:
            return _Atom(f"{_WRAPPER} {inner.name}", tuple(_tag(a) for a in inner.arguments))
        if inner.ast_type == ASTType.SymbolicTerm:
            return _Atom(f"{_WRAPPER} {inner.symbol.name}", ())
    return _Atom(term.name, tuple(_tag(argument) for argument in arguments))


def _tag(term: AST) -> str:
    if term.ast_type == ASTType.SymbolicTerm and term.symbol.type == SymbolType.Function:
        return str(term.symbol.name) or _OPAQUE
    if term.ast_type == ASTType.Function and term.name:
        return str(term.name)
    if term.ast_type == ASTType.Variable and term.name != "_":
        return f"?{term.name}"
    return _OPAQUE


def _read(fact: str) -> _Atom:
    """Return a ground fact, given as text, as an atom."""
    name, arguments = _split(fact)
    if name == _WRAPPER and len(arguments) == 1:
        name, inner = _split(arguments[0])
        return _Atom(f"{_WRAPPER} {name}", tuple(_split(argument)[0] for argument in inner))
    return _Atom(name, tuple(_split(argument)[0] for argument in arguments))


def _split(term: str) -> tuple[str, list[str]]:
    """Return functor and arguments of a ground term; a string or number counts as any constant."""
    if term[0] in '"-' or term[0].isdigit():
        return ANY, []
    name, bracket, rest = term.partition("(")
    if not bracket:
        return name, []
    arguments, depth, begin, quoted = [], 0, 0, False
    for index, letter in enumerate(rest):
        if letter == '"' and rest[index - 1] != "\\":
            quoted = not quoted
        if quoted:
            continue
        if letter == "(":
            depth += 1
        elif letter == "," and not depth:
            arguments.append(rest[begin:index])
            begin = index + 1
        elif letter == ")":
            if not depth:
                arguments.append(rest[begin:index])
                break
            depth -= 1
    return name, arguments
