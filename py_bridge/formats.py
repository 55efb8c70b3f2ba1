"""The format of a state: its JSON Schema, and what a schema cannot say of an effect.

What the classes read stands in facts/vocabulary/arguments.lp. The schema file has a mark where
that belongs: `x-classes`, the classes that can stand there with their arguments, or `x-words`,
the words that a key takes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from py_bridge.errors import quoted
from py_bridge.paths import base
from py_bridge.vocabulary import Argument, Reading, event_keys, keys, readings
from py_bridge.yaml_text import DataPath

_ACTIVATED = {"trigger", "quick", "ignition", "activation"}
_MARKS = ("x-words", "x-classes")
# The marks for clauses, each with what is read there: see `Argument.where`.
_CLAUSES = {
    "clause": ("says",),
    "lasting": ("says", "lasting"),
    "applied": ("says", "lasting", "applied"),
}
_ONLY_THERE = {
    "lasting": "only under applies, and in an effect of the kind lingering",
    "applied": "only under applies",
}


@lru_cache(maxsize=1)
def schema() -> dict[str, Any]:
    """Return the JSON Schema of a state file."""
    file = base() / "facts" / "schema" / "state.schema.json"
    loaded: dict[str, Any] = _filled(json.loads(file.read_text(encoding="utf-8")))
    return loaded


@lru_cache(maxsize=1)
def card_schema() -> dict[str, Any]:
    """Return the JSON Schema of a card of the library."""
    return {"$ref": "#/$defs/library_card", "$defs": schema()["$defs"]}


def effect_faults(card: Mapping[str, Any]) -> Iterator[tuple[DataPath, str]]:
    """Yield what is wrong with the effects of a card whose shape is right: where, and what.

    Two effects with one number, and what the kind or the event of an effect has no use for.
    """
    numbers = [effect["nr"] for effect in card.get("effects", ())]
    for index, effect in enumerate(card.get("effects", ())):
        where: DataPath = ("effects", index)
        number, kind = effect["nr"], effect.get("kind")
        if number in numbers[:index]:
            yield (
                (*where, "nr"),
                f"there are two effects {number}; number each one differently",
            )
        if kind in _ACTIVATED and "says" in effect:
            right = "write does: [{applies: {...}}], or make it kind: continuous"
            yield (*where, "says"), f"{_named(kind)} effect says nothing by itself; {right}"
        elif kind not in _ACTIVATED and "does" in effect:
            right = "write says: [...], or give the kind of an effect that is activated"
            yield (*where, "does"), f"{_named(kind)} effect does not resolve; {right}"
        if "touches" in effect and "unmodelled" not in effect:
            yield (*where, "touches"), '"touches" is read only beside "unmodelled"'
        if "does" in effect and effect.get("unmodelled", "activation") != "activation":
            yield (*where, "does"), 'beside "unmodelled", "does" is read only if that is activation'
        for key, message in _unread_with_event(effect):
            yield (*where, key), message


def _unread_with_event(effect: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    read = event_keys()
    event = effect.get("event")
    for key in sorted({key for found in read.values() for key in found} & set(effect)):
        if event is None or key not in read[event]:
            here = f"with the event {event}" if event else "without an event"
            known = ", ".join(one for one, found in read.items() if key in found)
            yield key, f"{quoted(key)} is not read {here}; right would be the event {known}"


def _named(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


def _filled(node: Any) -> Any:
    """Return a part of the schema with everything in place of its marks."""
    if isinstance(node, list):
        return [_filled(part) for part in node]
    if not isinstance(node, dict):
        return node
    filled = {key: _filled(value) for key, value in node.items() if key not in _MARKS}
    if "x-words" in node:
        filled["enum"] = [word.name for word in keys()[node["x-words"]].words]
    if "x-classes" in node:
        classes = _classes(node["x-classes"])
        filled["properties"] = {**classes, **filled.get("properties", {})}
    return filled


def _classes(mark: str) -> dict[str, Any]:
    """Return the classes that can stand where the mark is, each with its arguments."""
    return {
        name: _arguments(name, reading, _CLAUSES.get(mark, ("says",)))
        for name, reading in sorted(readings().items())
        if (reading.cost if mark == "cost" else reading.operation != (mark in _CLAUSES))
    }


def _arguments(name: str, reading: Reading, where: tuple[str, ...]) -> dict[str, Any]:
    if reading.clause:
        return {"$ref": "#/$defs/applied_clause"}
    read = {one.name: one for one in reading.arguments if one.where in where}
    node: dict[str, Any] = {
        "type": "object",
        "additionalProperties": False,
        "properties": {one.name: _value(one) for one in read.values()},
        "required": [one.name for one in read.values() if one.needed],
        "x-class": name,
        "x-hint": f"arguments, as in {reading.example}",
    }
    if reading.one_of:
        node["anyOf"] = [{"required": [one]} for one in reading.one_of]
    others = [one for one in reading.arguments if one.name not in read]
    elsewhere = {one.name: _ONLY_THERE[one.where] for one in others}
    return {**node, "x-elsewhere": elsewhere} if elsewhere else node


def _value(argument: Argument) -> dict[str, Any]:
    choice = {"enum": [word.name for word in argument.words]}
    some = {"type": "array", "items": choice, "minItems": 1, "maxItems": len(argument.words)}
    values: dict[str, dict[str, Any]] = {
        "filter": {"$ref": "#/$defs/filter"},
        "yes_no": {"type": "boolean"},
        "number": {"type": "integer", "minimum": argument.low, "maximum": argument.high},
        "name": {"$ref": "#/$defs/text"},
        "like_filter": {"$ref": f"#/$defs/filter/properties/{argument.name}"},
        "word": choice,
        "words": some,
        "word_or_words": {"oneOf": [choice, some], "x-hint": "a word, or a list of words"},
    }
    return values[argument.kind]
