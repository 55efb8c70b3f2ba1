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

from py_bridge.apart import side_by_side
from py_bridge.equal_parts import equal_by_parts
from py_bridge.knowledge import KnowledgeBase
from py_bridge.scopes import Scope
from py_bridge.search import is_possible, over_all_boards, smallest
from py_bridge.slices import backwards
from py_bridge.states import State

_GOAL = Function("differs_somewhere")


@dataclass(frozen=True, slots=True)
class Difference:
    """One kind of difference, and the smallest board that shows it."""

    kind: Symbol
    state: State


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

    `limit` is the time in seconds after which no further kind of difference is looked for.
    """
    begin = time.monotonic()
    wanted = {*scope.observed, "invalid"}
    ours, theirs = (backwards(base.statements, wanted) for base in (left, right))
    found: list[Difference] = []
    complete = True
    if not equal_by_parts(ours, theirs, scope):
        control = both_over_all_boards(ours, theirs, scope)
        kinds = [a.symbol for a in control.symbolic_atoms.by_signature("differs", 1)]
        if kinds and is_possible(control, _GOAL):
            for kind in sorted(kinds):
                if time.monotonic() - begin > limit:
                    complete = False
                    break
                board = smallest(control, kind)
                if board is not None:
                    found.append(Difference(kind.arguments[0], scope.state(board)))
    seconds = time.monotonic() - begin
    return Comparison(scope, tuple(found), complete, scope.states(), seconds)


def both_over_all_boards(ours: Sequence[AST], theirs: Sequence[AST], scope: Scope) -> Control:
    """Return two rule bases, renamed apart where they may differ, over all boards of a scope."""
    program = side_by_side(ours, theirs, {*scope.observed, "invalid"})
    return over_all_boards(scope, program, ("differences", "size"))
