"""The register of rulings: facts/rulings/register, one YAML file for each edition and prefix.

A file is read as text first. That is enough to know which ids it has and where each entry stands;
only the entries that are asked for are parsed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from py_bridge.errors import InputError, Problem, nearest, quoted
from py_bridge.paths import base

FOLDER = "facts/rulings/register"
STATUSES = ("decided", "pending", "elsewhere", "disputed")

_RULINGS = re.compile(r"^rulings:$", re.MULTILINE)
_ID = re.compile(r"^  ([a-z][a-z0-9]*-[0-9]+):$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Ruling:
    """One documented statement, in one edition of the document.

    `heading` is `section` in Chinese; `since` is the day from which the answer holds, where it
    replaced one of 2019 and the day is known; `hardness` (1 to 3) is given for 2026 only,
    `relation` to 2026 and `difference` from it for the older editions only. `shown_by_none` is why
    no case comes out otherwise without the rules that state it (py_bridge.omissions).
    """

    id: str
    edition: int
    kind: str
    status: str
    section: str
    heading: str
    topic: str
    situation: str
    question: str
    verdict: str
    cards: tuple[str, ...] = ()
    dates: tuple[date, ...] = ()
    since: date | None = None
    hardness: int | None = None
    replaces: tuple[str, ...] = ()
    replaced_by: tuple[str, ...] = ()
    disputes: tuple[str, ...] = ()
    note: str | None = None
    shown_by_none: str | None = None
    relation: str | None = None
    difference: str | None = None


def ids() -> tuple[str, ...]:
    """Return the id of every ruling, edition by edition. Parses no ruling.

    Raises InputError for an id that stands twice.
    """
    return tuple(one for file in _files().values() for one in file.entries)


def load(
    *, editions: Iterable[int] | None = None, prefixes: Iterable[str] | None = None
) -> dict[str, Ruling]:
    """Return the rulings by id: all, or those of some editions or with some prefixes (`bs`).

    Raises InputError for an edition or a prefix that the register does not have and for an entry
    that cannot be read.
    """
    files = _files()
    by_edition = None if editions is None else set(editions)
    by_prefix = None if prefixes is None else set(prefixes)
    _refuse_unknown("edition", by_edition, {file.edition for file in files.values()})
    _refuse_unknown("prefix", by_prefix, set(files))
    return {
        one: file.ruling(one)
        for prefix, file in files.items()
        if by_edition is None or file.edition in by_edition
        if by_prefix is None or prefix in by_prefix
        for one in file.entries
    }


def find(wanted: Iterable[str]) -> list[Ruling]:
    """Return the rulings with these ids, in this order.

    Raises InputError naming every unknown id with the nearest known ones, and for an entry that
    cannot be read.
    """
    paths = _paths()
    found: list[Ruling] = []
    unknown: list[str] = []
    for one in wanted:
        path = paths.get(one.rpartition("-")[0])
        file = None if path is None else _read(path)
        if file is None or one not in file.entries:
            unknown.append(one)
        else:
            found.append(file.ruling(one))
    if unknown:
        known = ids()
        raise InputError(
            Problem(FOLDER, None, f"no ruling {quoted(one)}; {_did_you_mean(one, known)}")
            for one in unknown
        )
    return found


def _did_you_mean(one: str, known: tuple[str, ...]) -> str:
    close = nearest(one, known)
    return f"did you mean {' or '.join(close)}?" if close else f"an id looks like {known[0]}"


def _refuse_unknown(what: str, asked: set[Any] | None, known: set[Any]) -> None:
    unknown = sorted((asked or set()) - known)
    if unknown:
        there_are = ", ".join(str(one) for one in sorted(known))
        raise InputError(
            Problem(FOLDER, None, f"no {what} {quoted(str(one))}; there are {there_are}")
            for one in unknown
        )


def _tuple(value: list[str]) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise ValueError("is no list; write [A, B]")
    return tuple(value)


def _day(value: str) -> date:
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError):
        raise ValueError(f"{quoted(str(value))} is no date; write YYYY-MM-DD") from None


def _days(value: list[str]) -> tuple[date, ...]:
    return tuple(_day(one) for one in _tuple(value))


def _text(value: str) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError("is no text; write one or leave the field out")
    return value


def _status(value: str) -> str:
    if value not in STATUSES:
        raise ValueError(f"{quoted(str(value))} is no status; write one of {', '.join(STATUSES)}")
    return value


def _hardness(value: str) -> int:
    if value not in ("1", "2", "3"):
        raise ValueError(f"{quoted(str(value))} is no hardness; write 1, 2 or 3")
    return int(value)


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "status": _status,
    "cards": _tuple,
    "dates": _days,
    "since": _day,
    "hardness": _hardness,
    "replaces": _tuple,
    "replaced_by": _tuple,
    "disputes": _tuple,
}
_FROM_FILE = frozenset({"id", "edition", "heading"})
_FIELDS = {field.name: field for field in fields(Ruling) if field.name not in _FROM_FILE}
_REQUIRED = [name for name, field in _FIELDS.items() if field.default is MISSING]


@dataclass(frozen=True, slots=True)
class _File:
    """One file of the register; `entries` says where in `text` each one begins and ends."""

    path: Path
    text: str
    edition: int
    headings: Mapping[str, str]
    entries: Mapping[str, tuple[int, int]]

    def ruling(self, one: str) -> Ruling:
        begin, end = self.entries[one]
        entry = _parse(self.path, self.text, begin, end)
        raw = entry.get(one)
        if len(entry) > 1 or not isinstance(raw, dict):
            raise self.wrong(one, "is not one list of fields; check its indentation")
        values: dict[str, Any] = {}
        for name, value in raw.items():
            if name not in _FIELDS:
                hint = ", ".join(nearest(name, _FIELDS)) or ", ".join(_FIELDS)
                raise self.wrong(one, f"unknown field {quoted(name)}; there is {hint}")
            try:
                values[name] = _READERS.get(name, _text)(value)
            except ValueError as error:
                raise self.wrong(one, str(error), name) from None
        for name in _REQUIRED:
            if name not in values:
                raise self.wrong(one, f"no {name}; every ruling needs one")
        heading = self.headings.get(values["section"])
        if heading is None:
            known = ", ".join(self.headings)
            what = f"{quoted(values['section'])} is none of the headings; write one of {known}"
            raise self.wrong(one, what, "section")
        return Ruling(id=one, edition=self.edition, heading=heading, **values)

    def wrong(self, one: str, what: str, field: str = "") -> InputError:
        line = _line(self.text, self.entries[one][0])
        return InputError([Problem(str(self.path), line, what, f"{one}.{field}".rstrip("."))])


def _paths() -> dict[str, Path]:
    """Return the files by prefix, the newest edition first."""
    folder = base() / FOLDER
    paths = sorted(folder.glob("*/*.yaml"), key=lambda path: path.stem)
    return {path.stem: path for path in sorted(paths, key=lambda p: p.parent.name, reverse=True)}


def _files() -> dict[str, _File]:
    return {prefix: _read(path) for prefix, path in _paths().items()}


@lru_cache(maxsize=64)
def _read(path: Path) -> _File:
    text = path.read_text(encoding="utf-8")
    body = _RULINGS.search(text)
    if body is None:
        raise InputError([Problem(str(path), None, "no line 'rulings:'; put one above the first")])
    head = _parse(path, text, 0, body.start())
    edition, headings = head.get("edition"), head.get("headings")
    if str(edition) != path.parent.name or not isinstance(headings, dict):
        what = f"needs 'edition: {path.parent.name}', like its folder, and 'headings:'"
        raise InputError([Problem(str(path), 1, what)])
    starts = [(found[1], found.start()) for found in _ID.finditer(text, body.end())]
    ends = [start for _, start in starts[1:]] + [len(text)]
    entries: dict[str, tuple[int, int]] = {}
    for (one, start), end in zip(starts, ends, strict=True):
        if one in entries:
            what = "stands twice; give one of them a new id"
            raise InputError([Problem(str(path), _line(text, start), what, one)])
        if one.rpartition("-")[0] != path.stem:
            what = f"belongs to another file than {path.name}; move it or give it a new id"
            raise InputError([Problem(str(path), _line(text, start), what, one)])
        entries[one] = (start, end)
    return _File(path, text, int(path.parent.name), headings, entries)


def _parse(path: Path, text: str, begin: int, end: int) -> dict[str, Any]:
    """Parse a part of a file; every scalar stays the text that it is."""
    try:
        data = yaml.load(text[begin:end], Loader=yaml.CBaseLoader)
    except yaml.MarkedYAMLError as error:
        below = error.problem_mark.line if error.problem_mark else 0
        what = f"not YAML: {error.problem}; check quotation marks and indentation"
        raise InputError([Problem(str(path), _line(text, begin) + below, what)]) from None
    return data if isinstance(data, dict) else {}


def _line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1
