"""The vocabulary: classes of clauses and operations, with the wording of card texts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from clingo import Control

from py_bridge.knowledge import labels
from py_bridge.paths import base


@dataclass(frozen=True, slots=True)
class Word:
    """One class of clauses, or one operation: its wording, and the rulings that tell it apart."""

    name: str
    en: str
    zh: str
    operation: bool
    rulings: tuple[str, ...]


@lru_cache(maxsize=1)
def words() -> tuple[Word, ...]:
    """Return the whole vocabulary, clauses first, each part in alphabetical order."""
    control = Control(["--warn=none"])
    for file in sorted((base() / "facts" / "vocabulary").glob("*.lp")):
        control.load(str(file))
    control.ground([("base", [])])
    atoms = control.symbolic_atoms
    operations = {
        atom.symbol.arguments[0].name for atom in atoms.by_signature("operation_class", 1)
    }
    known = labels()
    found = []
    for atom in atoms.by_signature("wording", 3):
        name, en, zh = atom.symbol.arguments
        rulings = known[name.name].rulings if name.name in known else ()
        found.append(Word(name.name, en.string, zh.string, name.name in operations, rulings))
    return tuple(sorted(found, key=lambda word: (word.operation, word.name)))
