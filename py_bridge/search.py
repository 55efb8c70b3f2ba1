"""Searching all boards of a scope: the generator of boards beside a program, and what is asked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from clingo import Control, Symbol
from clingo.ast import AST, ProgramBuilder

from py_bridge.knowledge import as_program
from py_bridge.labels import parse_rules
from py_bridge.paths import base
from py_bridge.scopes import Scope


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
