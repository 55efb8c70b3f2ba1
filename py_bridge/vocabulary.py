"""The vocabulary: effect classes, operations, fluents and constants, with their wording."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from clingo import Control, Symbol

from py_bridge.knowledge import labels
from py_bridge.paths import base

_PLACE = re.compile(r"\{[0-9]\}")


@dataclass(frozen=True, slots=True)
class Word:
    """One class of clauses, or one operation: its wording, and the rulings that tell it apart."""

    name: str
    en: str
    zh: str
    operation: bool
    rulings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Wordings:
    """How fluents and constants are said in one language.

    `fluents` maps the name of a fluent to a sentence with {1}, {2}, .. for its arguments,
    `happenings` that of something that happens, `terms` a constant to its words, `fluent_terms` a
    fluent or happening and a constant to the words used in it.
    """

    fluents: Mapping[str, str]
    happenings: Mapping[str, str]
    terms: Mapping[str, str]
    fluent_terms: Mapping[tuple[str, str], str]


@lru_cache(maxsize=1)
def _loaded() -> Mapping[tuple[str, int], tuple[tuple[Symbol, ...], ...]]:
    control = Control(["--warn=none"])
    for file in sorted((base() / "facts" / "vocabulary").glob("*.lp")):
        control.load(str(file))
    control.ground([("base", [])])
    atoms = control.symbolic_atoms
    return {
        (name, arity): tuple(
            tuple(atom.symbol.arguments) for atom in atoms.by_signature(name, arity)
        )
        for name, arity, positive in atoms.signatures
        if positive
    }


@lru_cache(maxsize=1)
def words() -> tuple[Word, ...]:
    """Return the effect classes in alphabetical order, then the operations."""
    operations = {name for (name,) in _loaded()["operation_class", 1]}
    known = labels()
    found = [
        Word(
            name.name,
            en.string,
            zh.string,
            name in operations,
            known[name.name].rulings if name.name in known else (),
        )
        for name, en, zh in _loaded()["wording", 3]
    ]
    return tuple(sorted(found, key=lambda word: (word.operation, word.name)))


@lru_cache(maxsize=2)
def wordings(language: str) -> Wordings:
    """Return how fluents and constants are said in a language, en or zh."""
    place = -1 if language == "zh" else -2
    return Wordings(
        {row[0].name: row[place].string for row in _loaded()["fluent", 3]},
        {row[0].name: row[place].string for row in _loaded()["happening", 3]},
        {row[0].name: row[place].string for row in _loaded()["term", 3]},
        {(row[0].name, row[1].name): row[place].string for row in _loaded()["fluent_term", 4]},
    )


def places(sentence: str) -> int:
    """Return how many arguments the sentence of a fluent, or of something that happens, has."""
    return len(set(_PLACE.findall(sentence)))
