"""Equal rule bases, proven part by part, from the bottom up.

Of the predicates with other rules in the two bases the lowest is compared first, alone with what it
rests on. Does it hold of the same things on every board, it is the same for all that rests on it,
and the next one follows. So a tidied file is proven equal however much rests on it. A helper that
only has another name is told by its rules.
"""

from __future__ import annotations

from collections.abc import Sequence

from clingo import Function
from clingo.ast import AST

from py_bridge.apart import RenameApart, heads, needs, rewritten, rules_of, side_by_side
from py_bridge.derivation import concluded
from py_bridge.labels import parse_rules
from py_bridge.scopes import Scope
from py_bridge.search import is_possible, over_all_boards

_GOAL = Function("differs_somewhere")
_VALID = ":- a__invalid(_, _)."

Signatures = set[tuple[str, int]]


def equal_by_parts(ours: Sequence[AST], theirs: Sequence[AST], scope: Scope) -> bool:
    """Whether every predicate that two rule bases conclude in different ways is proven equal.

    False says only that this is no proof: what is seen of both may be the same all the same.
    """
    ours, theirs = rules_of(ours), rules_of(theirs)
    theirs = _with_the_same_names(ours, theirs, {*scope.observed, "invalid"})
    while changed := _to_be_compared(ours, theirs):
        lowest = _lowest(changed, [*ours, *theirs])
        if not _same(ours, theirs, lowest, scope):
            return False
        own = {name for name, _ in _signatures(ours) - _signatures(theirs)}
        theirs = [rule for rule in theirs if not heads(rule) & lowest]
        theirs += [rule for rule in ours if heads(rule) & (lowest | own)]
    named = {name for name, _ in _signatures(ours) ^ _signatures(theirs)}
    return not named & {*scope.observed, "invalid"}


def _to_be_compared(ours: Sequence[AST], theirs: Sequence[AST]) -> set[str]:
    """Return the predicates of both bases whose rules differ, or read what one base alone has."""
    first, second = _signatures(ours), _signatures(theirs)
    of_one = {name for name, _ in first ^ second}
    reading = {name for rule in (*ours, *theirs) if needs(rule) & of_one for name in heads(rule)}
    return {name for name, _ in first & second} & (rewritten(ours, theirs) | reading)


def _lowest(changed: set[str], rules: Sequence[AST]) -> set[str]:
    """Return those that rest on no other one; all of them if each rests on another."""
    below: dict[str, set[str]] = {}
    for rule in rules:
        for name in heads(rule):
            below.setdefault(name, set()).update(needs(rule))
    found: set[str] = {one for one in changed if not (_reached(below, one) & changed) - {one}}
    return found or changed


def _reached(below: dict[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    left = [start]
    while left:
        new = below.get(left.pop(), set()) - found
        found |= new
        left += new
    return found


def _same(ours: Sequence[AST], theirs: Sequence[AST], names: set[str], scope: Scope) -> bool:
    """Whether some predicates hold of the same things on every board of the scope."""
    signatures = [{s for s in _signatures(rules) if s[0] in names} for rules in (ours, theirs)]
    if signatures[0] != signatures[1]:
        return False
    tests = [
        f"differs_somewhere :- {one}{name}{places}, not {other}{name}{places}."
        for name, arity in sorted(signatures[0])
        for places in [f"({', '.join(f'X{i}' for i in range(arity))})" if arity else ""]
        for one, other in (("a__", "b__"), ("b__", "a__"))
    ]
    if "invalid" not in names:
        tests.append(_VALID)
    program = side_by_side(ours, theirs, names | {"invalid"})
    program += parse_rules("tests", "\n".join(tests))
    return not is_possible(over_all_boards(scope, program, ()), _GOAL)


def _with_the_same_names(ours: Sequence[AST], theirs: Sequence[AST], seen: set[str]) -> list[AST]:
    """Give helpers of the other base our names where their rules are the same but for that."""
    theirs = list(theirs)
    while pair := _renamed_helper(ours, theirs, seen):
        theirs = [_Rename(*pair).visit(rule) for rule in theirs]
    return theirs


def _renamed_helper(
    ours: Sequence[AST], theirs: Sequence[AST], seen: set[str]
) -> tuple[str, str] | None:
    """Return a name that only the other base knows, and ours, that only we know, for the same."""
    mine, yours = _mentioned(ours) | seen, _mentioned(theirs) | seen
    for old, arity in sorted(_signatures(theirs)):
        if old in mine:
            continue
        rules = [rule for rule in theirs if old in heads(rule)]
        for new, size in sorted(_signatures(ours)):
            if size == arity and new not in yours:
                rename = _Rename(old, new)
                written = {str(rule) for rule in ours if new in heads(rule)}
                if {str(rename.visit(rule)) for rule in rules} == written:
                    return old, new
    return None


def _mentioned(rules: Sequence[AST]) -> set[str]:
    return {name for rule in rules for name in (*heads(rule), *needs(rule))}


class _Rename(RenameApart):
    """Gives one predicate another name."""

    def __init__(self, old: str, new: str) -> None:
        super().__init__("", frozenset({old}))
        self._new = new

    def named(self, name: str) -> str:
        """Return the new name."""
        return self._new


def _signatures(rules: Sequence[AST]) -> Signatures:
    return {one for rule in rules for one in concluded(rule)}
