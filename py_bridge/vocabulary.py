"""The vocabulary: effect classes and operations with what they read, fluents and constants."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from clingo import Control, Symbol, SymbolType

from py_bridge.knowledge import labels
from py_bridge.paths import base

# The fluents that say what is not known of a state.
NOT_KNOWN = ("rests_on", "course_unknown", "lp_unknown", "fate_unknown")
_PLACE = re.compile(r"\{[0-9]\}")
# Where an argument is read, and the relation that says so.
_WHERE = {"says": "reads", "lasting": "reads_if_lasting", "applied": "reads_if_applied"}


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


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the words that can stand somewhere; `usual` if the same holds without it."""

    name: str | int
    en: str
    zh: str
    usual: bool = False


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument that a class reads.

    `kind` says what its value is: filter, yes_no, word, words (a list of them), word_or_words,
    name, number (from `low` to `high`), or like_filter (what filters have under that name).
    `where` is `says` if it is read wherever the class stands, `lasting` if only in what goes on
    applying, `applied` if only under `applies`.
    """

    name: str
    kind: str
    en: str
    zh: str
    where: str
    needed: bool
    words: tuple[Choice, ...] = ()
    low: int = 0
    high: int = 0


@dataclass(frozen=True, slots=True)
class Reading:
    """What a class, or an operation, reads: of `one_of` it needs one at least.

    `clause` if it is an operation that reads a clause, `cost` if it can be a cost, too.
    """

    arguments: tuple[Argument, ...]
    one_of: tuple[str, ...]
    example: str
    operation: bool
    clause: bool
    cost: bool


@dataclass(frozen=True, slots=True)
class Key:
    """A key of filters, effects or operations that takes one of a list of words."""

    name: str
    en: str
    zh: str
    words: tuple[Choice, ...]


@lru_cache(maxsize=1)
def _loaded() -> Mapping[tuple[str, int], tuple[tuple[Symbol, ...], ...]]:
    control = Control(["--warn=none"])
    for folder in ("vocabulary", "rulings"):
        for file in sorted((base() / "facts" / folder).glob("*.lp")):
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


@lru_cache(maxsize=1)
def readings() -> Mapping[str, Reading]:
    """Return what each class and each operation reads, its arguments in alphabetical order."""
    rows = _loaded()
    known = {row[0]: row for row in rows["argument", 4]}
    means = {(row[0], row[1]): row[2:] for row in rows["means", 4]}
    ranges = {(row[0], row[1]): row[2:] for row in rows["range", 4]}
    needed, words = set(rows["needs", 2]), _Words()
    found: dict[Symbol, list[Argument]] = {row[0]: [] for row in rows["wording", 3]}
    for where, relation in _WHERE.items():
        for one, name in rows[relation, 2]:
            _, kind, *wording = known[name]
            en, zh = means.get((one, name), wording)
            low, high = ranges.get((one, name), kind.arguments) or (None, None)
            found[one].append(
                Argument(
                    name.name,
                    kind.name,
                    en.string,
                    zh.string,
                    where,
                    (one, name) in needed,
                    words.of(one, name),
                    low.number if low else 0,
                    high.number if high else 0,
                )
            )
    examples = {one: text.string for one, text in rows["example", 2]}
    one_of = _grouped(rows["needs_some", 2])
    return {
        one.name: Reading(
            tuple(sorted(arguments, key=lambda argument: argument.name)),
            tuple(sorted(row[1].name for row in one_of.get(one, ()))),
            examples.get(one, f"{{{one.name}: {{}}}}"),
            (one,) in rows["operation_class", 1],
            (one,) in rows["reads_clause", 1],
            (one,) in rows["cost_class", 1],
        )
        for one, arguments in found.items()
    }


class _Words:
    """The words that the arguments take."""

    def __init__(self) -> None:
        rows = _loaded()
        self._known = _grouped(rows["word", 4])
        self._taken = {row[:2] for row in rows["takes", 3]}
        self._takes, self._usual = set(rows["takes", 3]), set(rows["usual", 3])

    def of(self, one: Symbol, argument: Symbol) -> tuple[Choice, ...]:
        """Return the words that class `one` takes for an argument."""
        known = self._known.get(argument, ())
        if (one, argument) in self._taken:
            known = [row for row in known if (one, argument, row[1]) in self._takes]
        return _choices([(row, (one, argument, row[1]) in self._usual) for row in known])


def _grouped(rows: Iterable[tuple[Symbol, ...]]) -> dict[Symbol, list[tuple[Symbol, ...]]]:
    """Return the rows by their first argument."""
    groups: dict[Symbol, list[tuple[Symbol, ...]]] = {}
    for row in rows:
        groups.setdefault(row[0], []).append(row)
    return groups


def _choices(rows: Iterable[tuple[tuple[Symbol, ...], bool]]) -> tuple[Choice, ...]:
    """Return the words of rows (key, word, English, Chinese) in alphabetical order."""
    found = [Choice(_plain(word), en.string, zh.string, usual) for (_, word, en, zh), usual in rows]
    return tuple(sorted(found, key=lambda choice: str(choice.name)))


def _plain(word: Symbol) -> str | int:
    return word.number if word.type is SymbolType.Number else word.name


@lru_cache(maxsize=1)
def keys() -> Mapping[str, Key]:
    """Return the keys beside classes and operations that take one of a list of words."""
    said = _grouped(_loaded()["said", 4])
    return {
        key.name: Key(key.name, en.string, zh.string, _choices([(row, False) for row in said[key]]))
        for key, en, zh in _loaded()["place", 3]
    }


@lru_cache(maxsize=1)
def event_keys() -> Mapping[str, tuple[str, ...]]:
    """Return for each event the keys of an effect that are read with it, not with every event."""
    read = _grouped(_loaded()["event_reads", 2])
    return {
        event.name: tuple(sorted(row[1].name for row in read.get(event, ())))
        for key, event, _, _ in _loaded()["said", 4]
        if key.name == "event"
    }


def places(sentence: str) -> int:
    """Return how many arguments the sentence of a fluent, or of something that happens, has."""
    return len(set(_PLACE.findall(sentence)))
