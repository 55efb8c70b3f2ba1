"""The card library: cards by their Chinese, Japanese or English name or by their passcode.

The library is a folder of YAML files, facts/cards, one document for each card. A document begins
with its names, each on a line of its own, so that one card can be found and read without parsing
the others.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from py_bridge.errors import InputError, Problem, nearest, quoted
from py_bridge.paths import base
from py_bridge.texts import Definition, key

LANGUAGES = ("en", "zh", "ja")
_NAME_LINE = re.compile(r"^(en|zh|ja|passcode): *(.+?) *$", re.MULTILINE)
_BOUNDARY = re.compile(r"^---[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Entry:
    """Where a card's document stands: its file, its text and the line that it begins on."""

    file: Path
    text: str
    line: int


def find(name: str | int) -> Definition | None:
    """Return the card with this name or passcode, or None if the library has no such card.

    Upper and lower case, full-width letters and outer blanks make no difference.
    """
    entry = _index().get(_form(str(name)))
    return _definition(entry) if entry else None


def alike(name: str) -> list[str]:
    """Return names of the library that someone who wrote `name` may have meant, best first."""
    return nearest(name, _names())


def everything() -> list[Definition]:
    """Return every card of the library, in the order of the files."""
    return [_definition(entry) for entry in _entries()]


def _form(name: str) -> str:
    import unicodedata

    return unicodedata.normalize("NFKC", name).strip().casefold().lstrip("0")


@lru_cache(maxsize=1)
def _entries() -> tuple[_Entry, ...]:
    found = []
    for file in sorted((base() / "facts" / "cards").glob("*.yaml")):
        text = file.read_text(encoding="utf-8")
        begin = 0
        for boundary in [*_BOUNDARY.finditer(text), None]:
            part = text[begin : boundary.start() if boundary else len(text)]
            if _NAME_LINE.search(part):
                found.append(_Entry(file, part, text.count("\n", 0, begin) + 1))
            if boundary:
                begin = boundary.end()
    return tuple(found)


@lru_cache(maxsize=1)
def _index() -> dict[str, _Entry]:
    return {
        _form(_unquoted(match[2])): entry
        for entry in _entries()
        for match in _NAME_LINE.finditer(entry.text)
    }


@lru_cache(maxsize=1)
def _names() -> tuple[str, ...]:
    return tuple(
        _unquoted(match[2])
        for entry in _entries()
        for match in _NAME_LINE.finditer(entry.text)
        if match[1] != "passcode"
    )


def _unquoted(text: str) -> str:
    if text[:1] in "\"'" and text[-1:] == text[:1]:
        return text[1:-1].replace("''", "'").replace('\\"', '"')
    return text


@lru_cache(maxsize=512)
def _definition(entry: _Entry) -> Definition:
    try:
        data = _checked(entry)
    except InputError as error:
        raise InputError(
            Problem(p.file, (p.line or 1) + entry.line - 1, p.message, p.path)
            for p in error.problems
        ) from error
    names = {language: str(data.get(language, data["en"])) for language in LANGUAGES}
    return Definition(key(names["en"]), names, data)


def _checked(entry: _Entry) -> dict[str, Any]:
    """Return what an entry says. Raises InputError; the lines are those of the entry."""
    from py_bridge.formats import card_schema, effect_faults
    from py_bridge.structure import check
    from py_bridge.yaml_text import parse, path_text

    document = parse(entry.text, entry.file.name)
    problems = check(document, card_schema())
    if not problems:
        problems = [
            Problem(document.file, document.line_of(path), message, path_text(path))
            for path, message in effect_faults(document.data)
        ]
    if problems:
        raise InputError(problems)
    data: dict[str, Any] = document.data
    return data


def unknown(name: str, file: str, line: int, path: str) -> Problem:
    """Return the problem of a card that the library does not have."""
    close = alike(name)
    hint = f"did you mean {', '.join(map(quoted, close))}? " if close else ""
    return Problem(
        file,
        line,
        f"no card {quoted(name)} in the library; {hint}a card that is not in it can be described "
        "in its place: card: {name: ..., card: monster, ..., effects: [...]}",
        path,
    )
