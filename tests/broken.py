"""Broken variants of a good YAML file, for trying whatever reads such files.

Broken by construction: bytes that are no text, texts that YAML forbids, and data with keys or
values that no schema of a closed vocabulary can allow.
"""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Collection, Iterator
from typing import Any

import yaml

UNKNOWN = "no_such_key"
FREE = frozenset({"title", "shows", "note", "name", "names", "id", "card", "archetypes"})

_CONTROL = (
    *("\x01", "\x07", "\x08", "\x0b", "\x0c", "\x1b", "\x1b[2J", "\x7f", "\x85"),
    *("\u2028", "\u2029", "\ufeff", "\ufffe"),
)
_WORD = re.compile(r"[a-z][a-z_]*")


def broken_texts(good: str, free: Collection[str] = FREE) -> Iterator[tuple[str, bytes]]:
    """Yield at least 200 named broken variants of a good file, always the same ones.

    `good` is a mapping in block style, whose schema allows no unknown keys and no booleans or
    lists in the place of words and numbers. The values of the keys in `free` may be any text, so
    they are never replaced by another text.

    The variants named `word ...` have a word that does not exist in the place of a word. Where
    the word is a reference, only a reader that knows what may be referred to can refuse them.
    """
    yield from _whole_files(good)
    yield from _bytes_inside(good)
    yield from _structures(good)
    yield from _lines_changed(good)
    yield from _cut_off(good)
    yield from _data_changed(good, free)


def _whole_files(good: str) -> Iterator[tuple[str, bytes]]:
    text = good.encode()
    yield "empty", b""
    yield "blank lines", b"\n\n   \n"
    yield "only a comment", b"# nothing here\n"
    yield "only a document mark", b"---\n"
    yield "null", b"null\n"
    yield "a word", b"battle\n"
    yield "a number", b"8000\n"
    yield "a list", b"- battle\n- 8000\n"
    yield "an empty list", b"[]\n"
    yield "a quoted text of the file", yaml.safe_dump(good).encode()
    yield "as an item", yaml.safe_dump([yaml.safe_load(good)]).encode()
    yield "twice", text + b"---\n" + text
    yield "twice without a mark", text + text
    yield "UTF-16 with a mark", good.encode("utf-16")
    yield "UTF-16 little endian", good.encode("utf-16-le")
    yield "UTF-16 big endian", good.encode("utf-16-be")
    yield "UTF-32", good.encode("utf-32")
    yield "GBK", (good + f"{UNKNOWN}: 攻击宣言\n").encode("gbk", "replace")
    yield "Shift JIS", (good + f"{UNKNOWN}: 攻撃宣言\n").encode("shift-jis", "replace")
    yield "Latin-1", good.encode("latin-1", "replace") + "é".encode("latin-1")
    yield "reversed", b"]" + text[::-1]
    yield "gzip", b"\x1f\x8b\x08\x00" + random.Random(1).randbytes(500)
    yield "PNG", b"\x89PNG\r\n\x1a\n" + random.Random(2).randbytes(500)
    yield "zeros", bytes(5000)
    yield "JSON cut off", b'{"turn_player": {"lp": 8000, "monsters": ['
    yield "HTML", b"<!doctype html>\n<html><body class='x'>404</body></html>\n"
    yield "10 MB of text", text + f"{UNKNOWN}: ".encode() + b"x" * 10_000_000 + b"\n"
    yield "10 MB of lines", text * (10_000_000 // len(text) + 1)
    yield "10 MB of comments", text + b"# more\n" * 1_500_000
    yield "10 MB of brackets", b"[" * 10_000_000
    for seed in range(10):
        yield f"junk {seed}", b"\xff" + random.Random(seed).randbytes(200 * (seed + 1))


def _bytes_inside(good: str) -> Iterator[tuple[str, bytes]]:
    text = good.encode()
    for offset in _spread(len(text), 12):
        yield f"byte FF at {offset}", text[:offset] + b"\xff" + text[offset:]
        yield f"NUL at {offset}", text[:offset] + b"\0" + text[offset:]
    for wrong in (b"\xc0\x80", b"\xed\xa0\x80", b"\xf5\x80\x80\x80", b"\xe4\xb8", b"\x80"):
        yield f"no UTF-8 {wrong.hex()}", text + b"# " + wrong + b"\n"
    for control in _CONTROL:
        middle = len(good) // 2
        yield f"control {control!r}", (good[:middle] + control + good[middle:]).encode()


def _structures(good: str) -> Iterator[tuple[str, bytes]]:
    """Yield the good file with one more key, whose value is bad in itself."""
    for depth in (33, 100, 2000, 200_000):
        yield f"lists {depth} deep", _with(good, "[" * depth + "]" * depth)
        yield f"mappings {depth} deep", _with(good, "{a: " * depth + "1" + "}" * depth)
        yield f"items {depth} deep", _with(good, "\n  " + "- " * depth + "1")
        yield f"lists {depth} deep, open", _with(good, "[" * depth)
    for depth in (33, 100, 1000):
        lines = "".join(f"{' ' * level}a:\n" for level in range(1, depth))
        yield f"block mappings {depth} deep", _with(good, "\n" + lines)
    laughs = "\n".join(
        f"  l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10 if n else ['ha'] * 10)}]" for n in range(10)
    )
    yield "billion laughs", _with(good, "\n" + laughs)
    yield "quadratic laughs", _with(good, f"[&a {'x' * 10_000}, {', '.join(['*a'] * 10_000)}]")
    yield "alias of itself", _with(good, "&a [*a]")
    yield "alias without anchor", _with(good, "*a")
    yield "anchor", _with(good, "&a 1")
    yield "merge key", _with(good, "{<<: {a: 1}}")
    yield "merge key at the top", (good + "<<: {a: 1}\n").encode()
    for tag in ("!!str", "!!python/object/apply:os.system", "!!binary", "!own", "!", "!<x>"):
        yield f"tag {tag}", _with(good, f"{tag} echo")
    yield "30,000 keys", _with(good, "\n" + "".join(f"  k{n}: 1\n" for n in range(30_000)))
    yield "200,000 items", _with(good, f"[{','.join('1' * 200_000)}]")
    yield "key of 500 KB", (good + "x" * 500_000 + ": 1\n").encode()
    yield "explicit key of 500 KB", (good + "? " + "x" * 500_000 + "\n: 1\n").encode()
    yield "text of 900 KB", _with(good, "x" * 900_000)
    yield "number of 500,000 digits", _with(good, "9" * 500_000)
    yield "fraction of 500,000 digits", _with(good, "0." + "9" * 500_000)
    yield "list as a key", (good + "? [a]\n: 1\n").encode()
    yield "mapping as a key", (good + "? {a: 1}\n: 1\n").encode()
    yield "null as a key", (good + "~: 1\n").encode()
    yield "no key", (good + ": 1\n").encode()
    yield "true as a key", (good + "true: 1\n").encode()
    for start in ("'open", '"open', "[a, b", "{a: 1", "]", "}", ",", "@x", "`x", "%x", "*", "&"):
        yield f"value {start}", _with(good, start)
    for value in (r'"\q"', r'"\x"', r'"\uD800"', r'"\UFFFFFFFF"', r'"\0"', r'"\e[2J"', "a: b: c"):
        yield f"value {value}", _with(good, value)
    yield "tab as indentation", (good + f"{UNKNOWN}:\n\ta: 1\n").encode()
    yield "unknown directive", b"%OWN x\n---\n" + good.encode()
    yield "YAML 3", b"%YAML 3.0\n---\n" + good.encode()
    yield "text after the end", good.encode() + b"...\nand more\n"
    yield "a line without a key", (good + "and more\n").encode()
    yield "an item after keys", (good + "- more\n").encode()
    yield "full-width colon", (good + f"{UNKNOWN}：1\n").encode()
    yield "no blank after the colon", (good + f"{UNKNOWN}:1\n").encode()


def _lines_changed(good: str) -> Iterator[tuple[str, bytes]]:
    lines = good.splitlines(keepends=True)
    for line, column, key in _block_keys(good):
        double = f"{' ' * column}{key}: 0\n"
        changed = "".join([*lines[:line], double, *lines[line:]])
        yield f"key {key} twice, line {line + 1}", changed.encode()
        if column:
            tabbed = "\t" + lines[line].lstrip(" ")
            yield (
                f"tab on line {line + 1}",
                "".join([*lines[:line], tabbed, *lines[line + 1 :]]).encode(),
            )
        else:
            opened = f"{UNKNOWN}: 'open\n"
            yield (
                f"quote opened on line {line + 1}",
                "".join([*lines[:line], opened, *lines[line:]]).encode(),
            )


def _cut_off(good: str) -> Iterator[tuple[str, bytes]]:
    """Yield the beginnings of the file that are no YAML; many others are, and are left out."""
    count = 0
    for offset in _spread(len(good), 300):
        beginning = good[:offset]
        try:
            yaml.compose(beginning, Loader=yaml.SafeLoader)
        except yaml.YAMLError:
            yield f"cut off at {offset}", beginning.encode()
            count += 1
        if count == 60:
            return


def _data_changed(good: str, free: Collection[str]) -> Iterator[tuple[str, bytes]]:
    data = yaml.safe_load(good)
    for path, value in _values(data):
        name = ".".join(map(str, path)) or "the whole"
        if isinstance(value, dict):
            yield f"unknown key in {name}", _changed(data, path, {**value, UNKNOWN: 1})
            yield f"list for the mapping {name}", _changed(data, path, [[value]])
        elif isinstance(value, list):
            yield f"mapping for the list {name}", _changed(data, path, {UNKNOWN: value})
            yield f"false for the list {name}", _changed(data, path, False)
        else:
            yield f"lists for {name}", _changed(data, path, [[value]])
            yield f"mapping for {name}", _changed(data, path, {UNKNOWN: value})
        if isinstance(value, int) and not isinstance(value, bool):
            for absurd in (10**30, -(10**12), 1e300, 0.123):
                yield f"{absurd} for {name}", _changed(data, path, absurd)
        if path and path[-1] not in free:
            if isinstance(value, int):
                yield f"word 12 000 for {name}", _changed(data, path, "12 000")
                yield f"word .inf for {name}", _changed(data, path, float("inf"))
            elif isinstance(value, str) and _WORD.fullmatch(value):
                yield f"word for {name}", _changed(data, path, "no_such_word")


def _values(data: Any) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    waiting: list[tuple[tuple[str | int, ...], Any]] = [((), data)]
    while waiting:
        path, value = waiting.pop(0)
        yield path, value
        if isinstance(value, dict):
            waiting += [((*path, key), part) for key, part in value.items()]
        elif isinstance(value, list):
            waiting += [((*path, index), part) for index, part in enumerate(value)]


def _changed(data: Any, path: tuple[str | int, ...], value: Any) -> bytes:
    if path:
        data = copy.deepcopy(data)
        inner = data
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = copy.deepcopy(value)
    else:
        data = copy.deepcopy(value)
    dumped: str = yaml.safe_dump(data, allow_unicode=True, sort_keys=False)
    return dumped.encode()


def _block_keys(good: str) -> Iterator[tuple[int, int, str]]:
    """Yield line and column, from 0, of the keys that begin a line, and the keys."""
    lines = good.splitlines()
    waiting = [yaml.compose(good, Loader=yaml.SafeLoader)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, yaml.SequenceNode):
            waiting += node.value
        elif isinstance(node, yaml.MappingNode) and not node.flow_style:
            for key, value in node.value:
                waiting.append(value)
                mark = key.start_mark
                if not lines[mark.line][: mark.column].strip():
                    yield mark.line, mark.column, key.value


def _with(good: str, value: str) -> bytes:
    return f"{good}{UNKNOWN}: {value}\n".encode()


def _spread(length: int, count: int) -> list[int]:
    return sorted({length * step // count for step in range(1, count)})
