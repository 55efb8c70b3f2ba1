"""The lens `compare`: two rule bases side by side over every board of a scope.

Both stand in one program, renamed apart (py_bridge.apart), over one generated board. A model of
both, of the generator (queries/generator/boards.lp) and of queries/generator/differences.lp is a
board on which they differ; if there is none, they are equal within the scope.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from clingo import Control, Function, Symbol
from clingo.ast import AST

from py_bridge.apart import RenameApart, rewritten, rules_of, side_by_side
from py_bridge.equal_parts import equal_by_parts
from py_bridge.knowledge import KnowledgeBase
from py_bridge.scopes import Scope
from py_bridge.search import is_possible, over_all_boards, smallest
from py_bridge.slices import backwards
from py_bridge.states import State
from py_bridge.unroll import PLAYED, depending, lengths, moments, over_all_scripts, script_of, steps

_GOAL = Function("differs_somewhere")


@dataclass(frozen=True, slots=True)
class Difference:
    """One kind of difference, and the smallest board, and script from it, that shows it."""

    kind: Symbol
    state: State
    script: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Comparison:
    """What came of comparing two rule bases.

    `complete`: every kind of difference of the scope is listed. `states` is the number of boards
    that the scope has, `seconds` the time that the comparison took.
    """

    scope: Scope
    differences: tuple[Difference, ...]
    complete: bool
    states: int
    seconds: float


def compare(
    left: KnowledgeBase, right: KnowledgeBase, scope: Scope, limit: float = 60.0
) -> Comparison:
    """Hold two rule bases against each other on every board of a scope.

    `limit` is the time in seconds after which no further kind of difference is looked for. Where
    the scope is about scripts, short ones are tried first: the answer is complete up to the length
    that the scope of the comparison then has.
    """
    begin = time.monotonic()
    if scope.script:
        return _compare_scripts(left, right, scope, limit)
    wanted = {*scope.observed, "invalid"}
    ours, theirs = (backwards(base.statements, wanted) for base in (left, right))
    found: tuple[Difference, ...] = ()
    complete = True
    if not equal_by_parts(ours, theirs, scope):
        control = both_over_all_boards(ours, theirs, scope)
        found, complete = _kinds(control, scope, begin + limit)
    seconds = time.monotonic() - begin
    return Comparison(scope, found, complete, scope.states(), seconds)


def _compare_scripts(
    left: KnowledgeBase, right: KnowledgeBase, scope: Scope, limit: float
) -> Comparison:
    begin = time.monotonic()
    ours, theirs = (backwards(base.statements, set(PLAYED)) for base in (left, right))
    found: tuple[Difference, ...] = ()
    complete, tried = True, scope
    if rewritten(ours, theirs):
        both = both_played(ours, theirs, scope)
        for length in lengths(scope.script):
            tried = scope.with_script(length)
            control = over_all_scripts(tried, both, ("script_differences",))
            found, complete = _kinds(control, tried, begin + limit)
            if found or not complete:
                break
    seconds = time.monotonic() - begin
    return Comparison(tried, found, complete, tried.states(), seconds)


def _kinds(control: Control, scope: Scope, until: float) -> tuple[tuple[Difference, ...], bool]:
    """Return the smallest example of each kind of difference, and whether there is no other."""
    found: list[Difference] = []
    kinds = [a.symbol for a in control.symbolic_atoms.by_signature("differs", 1)]
    if kinds and is_possible(control, _GOAL):
        for kind in sorted(kinds):
            if time.monotonic() > until:
                return tuple(found), False
            board = smallest(control, kind)
            if board is not None:
                state = scope.state(board)
                found.append(Difference(kind.arguments[0], state, script_of(board)))
    return tuple(found), True


def both_over_all_boards(ours: Sequence[AST], theirs: Sequence[AST], scope: Scope) -> Control:
    """Return two rule bases, renamed apart where they may differ, over all boards of a scope."""
    program = side_by_side(ours, theirs, {*scope.observed, "invalid"})
    return over_all_boards(scope, program, ("differences", "size"))


def both_played(ours: Sequence[AST], theirs: Sequence[AST], scope: Scope) -> list[AST]:
    """Return two rule bases side by side, for all moments of a script that both go through."""
    program: dict[str, AST] = {}
    for prefix, rules in (("a__", ours), ("b__", theirs)):
        names = {name for name, _ in depending(rules_of(rules))}
        rename = RenameApart(prefix, frozenset(names))
        lifted = (rename.visit(rule) for rule in moments(rules, scope))
        program |= {str(rule): rule for rule in (*lifted, *steps(prefix, names))}
    return list(program.values())
