"""The lens `compare`: two rule bases side by side over every board of a scope.

Each rule base is renamed apart, so that both can stand in one program over one generated board:

    may_choose(A, T) :- could_target(A, T), not excluded(A, T).

becomes, for the base called a,

    a__may_choose(A, T) :- a__could_target(A, T), not a__excluded(A, T).

while holds/1, has_text/2 and whatever else no rule concludes stay as they are, and so does what
both bases conclude by the same rules. A model of both, of the generator
(queries/generator/boards.lp) and of queries/generator/differences.lp is a board on which they
differ; if there is none, they are equal within the scope.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from clingo import Control, Function, Symbol
from clingo.ast import AST, ASTType, ProgramBuilder, Transformer

from py_bridge.derivation import concluded, needed
from py_bridge.knowledge import KnowledgeBase, as_program
from py_bridge.labels import parse_rules
from py_bridge.paths import base
from py_bridge.scopes import Scope
from py_bridge.slices import backwards
from py_bridge.states import State

_GOAL = Function("differs_somewhere")


class RenameApart(Transformer):
    """Puts a prefix before every predicate out of `names`, in heads and bodies alike.

    For example, with the prefix `a__` and the names `able` and `bars`,

        able(A) :- holds(in(A, monster_zone)), not bars(A).

    becomes

        a__able(A) :- holds(in(A, monster_zone)); not a__bars(A).
    """

    def __init__(self, prefix: str, names: frozenset[str]) -> None:
        self._prefix = prefix
        self._names = names

    def visit_SymbolicAtom(self, atom: AST) -> AST:
        """Rename the atom's predicate; its arguments are terms and stay."""
        symbol = atom.symbol
        if symbol.ast_type == ASTType.Function and symbol.name in self._names:
            return atom.update(symbol=symbol.update(name=self._prefix + symbol.name))
        return atom


def renamed_apart(statements: Iterable[AST], prefix: str, names: frozenset[str]) -> list[AST]:
    """Return the rules and facts that conclude one of `names`, these under a prefix everywhere."""
    rename = RenameApart(prefix, names)
    return [rename.visit(rule) for rule in rules_of(statements) if _heads(rule) & names]


def affected(left: Iterable[AST], right: Iterable[AST]) -> frozenset[str]:
    """Return the predicates that two rule bases may give otherwise.

    These are the predicates with other rules, whatever their order, and all that depend on them.
    The rest means the same in both, so that it need not be renamed apart.
    """
    both = [rules_of(left), rules_of(right)]
    written = [_written(rules) for rules in both]
    changed = {
        name
        for name in written[0].keys() | written[1].keys()
        if written[0].get(name) != written[1].get(name)
    }
    growing = True
    while growing:
        before = len(changed)
        for rule in (*both[0], *both[1]):
            if {name for name, _ in needed(rule)} & changed:
                changed |= _heads(rule)
        growing = len(changed) > before
    return frozenset(changed)


def rules_of(statements: Iterable[AST]) -> list[AST]:
    """Return the rules and facts among statements."""
    return [statement for statement in statements if statement.ast_type == ASTType.Rule]


def _heads(rule: AST) -> frozenset[str]:
    return frozenset(name for name, _ in concluded(rule))


def _written(rules: Iterable[AST]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for rule in rules:
        for name in _heads(rule):
            found.setdefault(name, set()).add(str(rule))
    return found


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
    control = side_by_side(left, right, scope)
    kinds = [a.symbol for a in control.symbolic_atoms.by_signature("differs", 1)]
    found: list[Difference] = []
    complete = True
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


def side_by_side(left: KnowledgeBase, right: KnowledgeBase, scope: Scope) -> Control:
    """Return both rule bases, renamed apart where they may differ, over all boards of a scope."""
    wanted = {*scope.observed, "invalid"}
    ours = backwards(left.statements, wanted)
    theirs = backwards(right.statements, wanted)
    apart = affected(ours, theirs)
    shared = [rule for rule in rules_of(ours) if not _heads(rule) & apart]
    bridges = [
        f"{prefix}{name}({places}) :- {name}({places})."
        for name, arity in sorted({s for rule in shared for s in concluded(rule)})
        if name in wanted
        for places in [", ".join(f"X{i}" for i in range(arity))]
        for prefix in ("a__", "b__")
    ]
    program = [
        *shared,
        *renamed_apart(ours, "a__", apart),
        *renamed_apart(theirs, "b__", apart),
        *parse_rules("shared", "\n".join(bridges)),
    ]
    return over_all_boards(scope, program, ("differences", "size"))


def over_all_boards(scope: Scope, program: Iterable[AST], parts: Sequence[str]) -> Control:
    """Return a program grounded together with the generator and other parts of it."""
    control = Control(["--warn=none"])
    folder = base() / "queries" / "generator"
    generator = [
        statement
        for part in ("boards", *parts)
        for statement in parse_rules(part, (folder / f"{part}.lp").read_text(encoding="utf-8"))
    ]
    with ProgramBuilder(control) as builder:
        for statement in (*generator, *program):
            builder.add(statement)
    control.add("base", [], as_program(scope.facts()))
    control.ground([("base", [])])
    return control


def is_possible(control: Control, goal: Symbol) -> bool:
    """Whether some board makes the goal true."""
    _configure(control, "ignore")
    return bool(control.solve(assumptions=[(goal, True)]).satisfiable)


def smallest(control: Control, goal: Symbol) -> list[Symbol] | None:
    """Return the true atoms of the smallest board that makes the goal true; None if none does."""
    _configure(control, "opt")
    last: list[Symbol] | None = None
    with control.solve(assumptions=[(goal, True)], yield_=True) as handle:
        for model in handle:
            last = model.symbols(atoms=True)
    return last


def _configure(control: Control, mode: str) -> None:
    solve: Any = control.configuration.solve
    solve.opt_mode = mode
