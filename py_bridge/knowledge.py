"""The rule base: which files belong to a question, and the model of a state.

The rules are stratified: a state has exactly one model, and grounding computes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from clingo import Control, Symbol, SymbolicAtoms, parse_term
from clingo.ast import AST, ASTType, ProgramBuilder

from py_bridge.batch import Batch
from py_bridge.errors import BattlejudgeError
from py_bridge.labels import Label, parse_rules, read_labels
from py_bridge.paths import base
from py_bridge.slices import Slicer

# A slice saves some 20 ms a question and costs some 300 to prepare: not worth it for one question.
_WHOLE = 3
# What stands in the files for readers and for checks of them alone.
_SAY_NOTHING = (ASTType.Comment, ASTType.Defined, ASTType.Program)
# States in one grounding: more are hardly faster and take more memory.
_TOGETHER = 400
Atoms = dict[str, list[tuple[Symbol, ...]]]


class Rules(Protocol):
    """Whatever has a model for a state."""

    def __hash__(self) -> int:
        """Return what tells it from other rules."""

    def model(self, facts: Sequence[str], wanted: Sequence[str]) -> Atoms:
        """Return the arguments of every atom of the `wanted` predicates that holds."""


class KnowledgeBase:
    """A set of rule files, parsed once."""

    def __init__(self, files: Sequence[Path]) -> None:
        """Parse the files. Raises RuleSyntaxError, which names file and line."""
        self.files = tuple(files)
        self.statements = tuple(
            statement
            for name, text in self.texts()
            for statement in parse_rules(name, text)
            if statement.ast_type not in _SAY_NOTHING
        )
        self._slicers: dict[tuple[str, ...], Slicer] = {}
        self._batches: dict[tuple[str, ...], Batch] = {}
        self._asked: dict[tuple[str, ...], int] = {}
        self._whole: tuple[Sequence[str], Control] | None = None

    def texts(self) -> list[tuple[str, str]]:
        """Return (file name, text) of every file."""
        return [(str(file), file.read_text(encoding="utf-8")) for file in self.files]

    def model(self, facts: Sequence[str], wanted: Sequence[str]) -> Atoms:
        """Return the arguments of every atom of the `wanted` predicates that holds.

        `facts` is the state (State.facts). Raises BattlejudgeError if the rules do not settle
        every atom, which the audit of the rule base excludes.
        """
        control = self._grounded(tuple(wanted), facts)
        found: Atoms = {name: [] for name in wanted}
        atoms = control.symbolic_atoms
        for name, arity in self._signatures(tuple(wanted), atoms):
            for atom in atoms.by_signature(name, arity):
                if not atom.is_fact:
                    raise BattlejudgeError(f"the rules leave {atom.symbol} open")
                found[name].append(_arguments(atom.symbol))
        return found

    def _signatures(
        self, wanted: tuple[str, ...], atoms: SymbolicAtoms
    ) -> Iterable[tuple[str, int]]:
        """Return name and arity of the wanted predicates; clingo lists all of them but slowly."""
        if wanted in self._slicers:
            return self._slicers[wanted].signatures
        return [(n, arity) for n, arity, positive in atoms.signatures if positive and n in wanted]

    def models(self, many: Sequence[Sequence[str]], wanted: Sequence[str]) -> list[Atoms]:
        """Return what `model` does for each of many states, grounded together (lens batch)."""
        key = tuple(wanted)
        if key not in self._batches:
            self._batches[key] = Batch(self.statements, key)
        found: list[Atoms] = []
        for begin in range(0, len(many), _TOGETHER):
            found += self._batches[key].models(many[begin : begin + _TOGETHER])
        return found

    def _grounded(self, wanted: tuple[str, ...], facts: Sequence[str]) -> Control:
        """Return the rules over the facts: all of them at first, a slice once a question recurs."""
        asked = self._asked[wanted] = self._asked.get(wanted, 0) + 1
        if asked <= _WHOLE:
            if self._whole is None or self._whole[0] != tuple(facts):
                self._whole = (tuple(facts), ground(self.statements, as_program(facts)))
            return self._whole[1]
        if wanted not in self._slicers:
            self._slicers[wanted] = Slicer(self.statements, wanted)
        statements, read = self._slicers[wanted].cut(facts)
        return _ground_terms(statements, read)


# Symbols are interned, and asking one for its parts costs far more than looking it up.
@lru_cache(maxsize=1 << 16)
def _arguments(symbol: Symbol) -> tuple[Symbol, ...]:
    return tuple(symbol.arguments)


def as_program(facts: Iterable[str]) -> str:
    """Return facts, given as terms, as the text of a program."""
    return "".join(f"{fact}.\n" for fact in facts)


def ground(statements: Iterable[AST], facts: str) -> Control:
    """Return a control with the statements and the facts grounded."""
    control = _loaded(statements)
    control.add("base", [], facts)
    control.ground([("base", [])])
    return control


# Facts of one kind of board come again and again; a term is parsed once.
_term = lru_cache(maxsize=1 << 16)(parse_term)


def _ground_terms(statements: Iterable[AST], facts: Iterable[str]) -> Control:
    """Return what `ground` does, for facts given as terms; faster where many are known."""
    control = _loaded(statements)
    with control.backend() as backend:
        for fact in facts:
            backend.add_rule([backend.add_atom(_term(fact))])
    control.ground([("base", [])])
    return control


def _loaded(statements: Iterable[AST]) -> Control:
    control = Control(["--warn=none"], logger=lambda _code, _text: None)
    with ProgramBuilder(control) as builder:
        for statement in statements:
            builder.add(statement)
    return control


def rule_files(folder: Path | None = None) -> tuple[Path, ...]:
    """Return the files of the rule base in the order in which a battle goes through them."""
    root = folder or base()
    found: list[Path] = []
    for part in ("rules", "facts/vocabulary", "facts/rulings"):
        found += sorted((root / part).rglob("*.lp"))
    # What a class reads is told to those who write files; no rule asks for it.
    found = [file for file in found if file != root / "facts/vocabulary/arguments.lp"]
    # What lies deeper in queries/ makes up boards, and is no part of an answer about one.
    found += sorted((root / "queries").glob("*.lp"))
    return tuple(found)


@lru_cache(maxsize=4)
def knowledge_base(folder: Path | None = None) -> KnowledgeBase:
    """Return the rule base of `folder`, by default the one that comes with the package."""
    return KnowledgeBase(rule_files(folder))


@lru_cache(maxsize=4)
def labels(folder: Path | None = None) -> dict[str, Label]:
    """Return the labels of the rule base by name."""
    return read_labels(rule_files(folder))
