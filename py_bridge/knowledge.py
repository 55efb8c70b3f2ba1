"""The rule base: which files belong to a question, and the model of a state.

The rules are stratified: a state has exactly one model, and grounding computes it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from clingo import Control, Symbol, SymbolType
from clingo.ast import AST, ProgramBuilder, parse_string

from py_bridge.errors import BattlejudgeError
from py_bridge.labels import Label, read_labels
from py_bridge.paths import base

Atoms = dict[str, list[tuple[Symbol, ...]]]


@dataclass(frozen=True, slots=True)
class KnowledgeBase:
    """A set of rule files, parsed once."""

    files: tuple[Path, ...]
    statements: tuple[AST, ...]

    def texts(self) -> list[tuple[str, str]]:
        """Return (file name, text) of every file."""
        return [(str(file), file.read_text(encoding="utf-8")) for file in self.files]

    def model(self, facts: str, wanted: Collection[str]) -> Atoms:
        """Return the arguments of every atom of the `wanted` predicates that holds.

        `facts` is the state as rule text (State.facts). Raises BattlejudgeError if the rules do
        not settle every atom, which the audit of the rule base excludes.
        """
        control = ground(self.statements, facts)
        found: Atoms = {name: [] for name in wanted}
        for atom in control.symbolic_atoms:
            name = atom.symbol.name
            if name in found:
                if not atom.is_fact:
                    raise BattlejudgeError(f"the rules leave {atom.symbol} open")
                found[name].append(tuple(atom.symbol.arguments))
        return found


def ground(statements: Iterable[AST], facts: str) -> Control:
    """Return a control with the statements and the facts grounded."""
    messages: list[str] = []
    control = Control(["--warn=none"], logger=lambda _code, text: messages.append(text))
    with ProgramBuilder(control) as builder:
        for statement in statements:
            builder.add(statement)
    control.add("base", [], facts)
    control.ground([("base", [])])
    return control


def rule_files(folder: Path | None = None) -> tuple[Path, ...]:
    """Return the files of the rule base in the order in which a battle goes through them."""
    root = folder or base()
    found: list[Path] = []
    for part in ("rules", "facts/vocabulary", "facts/rulings", "queries"):
        found += sorted((root / part).rglob("*.lp"))
    return tuple(found)


@lru_cache(maxsize=4)
def knowledge_base(folder: Path | None = None) -> KnowledgeBase:
    """Return the rule base of `folder`, by default the one that comes with the package."""
    files = rule_files(folder)
    statements: list[AST] = []
    for file in files:
        parse_string(file.read_text(encoding="utf-8"), statements.append)
    return KnowledgeBase(files, tuple(statements))


@lru_cache(maxsize=4)
def labels(folder: Path | None = None) -> dict[str, Label]:
    """Return the labels of the rule base by name."""
    return read_labels(rule_files(folder))


def words(symbol: Symbol) -> str:
    """Return a symbol as text, a string without its quotation marks."""
    return symbol.string if symbol.type == SymbolType.String else str(symbol)
