"""YAML texts: read from a file, taken apart, every key and item with its line.

The YAML of a state, a script or a ruling is the plain part of YAML 1.2: mappings, lists, texts,
whole numbers, numbers with a point, true, false and null. `yes`, `off`, `2026-01-31` and
`12:30` are texts, `0100` is one hundred. Anchors, aliases, tags and merge keys are refused:
nobody needs them to describe a duel, and with them a short text can stand for a huge one.

Nothing here calls itself: the parser hands out events, and the data are built from them one by
one, so that deep nesting ends in a message and not in an exhausted stack.
"""

from __future__ import annotations

import re
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from py_bridge.errors import InputError, Problem, at_most, printable, quoted

MAX_BYTES = 1 << 20
MAX_DEPTH = 32
MAX_NODES = 20_000
MAX_DIGITS = 9

DataPath = tuple[str | int, ...]

# The loader written in C is eight times as fast and missing only where PyYAML was built without.
_LOADER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)

# Everything that moves a cursor, ends a line in one program but not in another, or is no
# character at all. Tab, line feed and carriage return are what remains.
_CONTROL = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]"
)
_LINE_END = re.compile("\r\n|\r|\n")

_WORDS = {
    "": None,
    "~": None,
    **dict.fromkeys(("null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?0*([0-9]+)", re.ASCII)
_DECIMAL = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", re.ASCII)
# Longer ones are not even converted: that takes time which grows faster than their length.
_LONGEST_DECIMAL = 40


@dataclass(frozen=True, slots=True)
class Document:
    """One YAML document: plain data, and the lines on which its keys and items stand.

    `data` is made of dict (keys are always str), list, str, int, bool, float and None. A number
    that is whole is an int however it is written: `4000.0` and `4e3` are 4000.
    """

    file: str
    data: Any
    lines: dict[DataPath, int] = field(repr=False, compare=False)

    def line_of(self, path: DataPath) -> int:
        """Return the line, from 1, of a key or an item: `("monsters", 0, "atk")`.

        The line of the innermost part that exists, if the path leads to something missing.
        """
        while path not in self.lines:
            path = path[:-1]
        return self.lines[path]


def path_text(path: DataPath) -> str:
    """Return a path the way messages show it: `turn_player.monsters[1].atk`."""
    text = ""
    for key in path:
        if isinstance(key, int):
            text += f"[{key}]"
        else:
            text += f".{printable(key, 40)}" if text else printable(key, 40)
    return text


def slip(line: str) -> str:
    """Return a hint if a line shows a common slip of the keyboard, or an empty text."""
    if found := next((c for c in line if c in _FULL_WIDTH), None):
        return f"the full-width {found} is a mere letter; YAML needs {_FULL_WIDTH[found]}"
    if _NO_BLANK.match(line):
        return 'no blank follows the ":"; YAML needs "key: value"'
    return ""


def read_text(path: str | Path) -> str:
    """Return the text of a file of at most 1 MiB in UTF-8, without a byte order mark.

    Raises InputError for anything else, also for a folder, a pipe or a device.
    """
    file = str(path)
    try:
        mode = Path(path).stat().st_mode
        if not stat.S_ISREG(mode):
            raise _refused(file, f"this is {_kind(mode)}; give the path of a file")
        with Path(path).open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise _refused(file, "there is no such file; give the path of a file that exists") from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise _refused(file, f"it cannot be read ({why}); give a file that can be read") from None
    return decode(data, file)


def decode(data: bytes, file: str) -> str:
    """Return the text that stands in `data`, UTF-8 of at most 1 MiB; `file` names its source.

    Raises InputError for other encodings, for control characters and for more than 1 MiB.
    """
    if len(data) > MAX_BYTES:
        raise _refused(file, f"it is longer than {MAX_BYTES} bytes; give a file of at most 1 MiB")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise _refused(file, "its encoding is UTF-16; save it as UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        wrong = f"byte 0x{data[error.start]:02X} at offset {error.start} is not UTF-8"
        raise _refused(file, f"{wrong}; save the file as UTF-8", line) from None
    _refuse_control_characters(text, file)
    return text


def parse(text: str, file: str) -> Document:
    """Return the only document of a YAML text; `file` is the name that problems show.

    Raises InputError with all problems found: wrong YAML, anchors, aliases, tags, merge keys, a
    key given twice or no text, more than 32 levels or 20,000 values, a number of more than nine
    digits, no document or several.
    """
    documents = _documents(text, _Builder(file, single=True))
    if not documents:
        raise _refused(file, "there is nothing in it; write at least one key with its value", 1)
    return documents[0]


def parse_documents(text: str, file: str) -> list[Document]:
    """Return the documents of a YAML text, which lines `---` separate; empty ones are left out.

    Line numbers count from the beginning of the text. Raises InputError as `parse` does, but for
    any number of documents; the limit of 20,000 values holds for each of them.
    """
    return _documents(text, _Builder(file))


def _documents(text: str, builder: _Builder) -> list[Document]:
    _refuse_control_characters(text, builder.file)
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            builder.take(event)
    except _Limit:
        pass
    except yaml.MarkedYAMLError as error:
        builder.problems.append(_syntax_problem(error, text, builder.file))
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        # The Python loader on an escape such as "\UFFFFFFFF"; it does not say where.
        wrong = f"this is no YAML ({printable(str(error), 200)})"
        builder.problems.append(Problem(builder.file, None, f"{wrong}; give characters that exist"))
    if builder.problems:
        raise InputError(at_most(builder.problems))
    return builder.documents


class _Limit(Exception):
    """A limit is reached: reading ends here, the problem is noted already."""


@dataclass(slots=True)
class _Open:
    """A mapping or a list that is being filled."""

    value: dict[str, Any] | list[Any]
    path: DataPath
    is_key: bool = False
    key: str | None = None


class _Builder:
    """Builds documents from the parser's events and notes the problems.

    Once there is a problem nobody will see the data, so what is refused may leave any trace in it.
    """

    def __init__(self, file: str, single: bool = False) -> None:
        self.file = file
        self.single = single
        self.problems: list[Problem] = []
        self.documents: list[Document] = []
        self._stack: list[_Open] = []
        self._lines: dict[DataPath, int] = {}
        self._nodes = 0

    def take(self, event: Any) -> None:
        kind = type(event)
        if kind is yaml.ScalarEvent:
            self._scalar(event)
        elif kind is yaml.MappingStartEvent:
            self._open({}, event)
        elif kind is yaml.SequenceStartEvent:
            self._open([], event)
        elif kind in (yaml.MappingEndEvent, yaml.SequenceEndEvent):
            self._close()
        elif kind is yaml.AliasEvent:
            self._count(event)
            shown = quoted(f"*{event.anchor}")
            self._problem(
                event, f'{shown} is an alias; write the value out, or in quotes if "*" is meant'
            )
            self._put(None, event, is_text=True)

    def _scalar(self, event: Any) -> None:
        self._count(event)
        self._refuse_decoration(event)
        text: str = event.value
        if event.style == '"' and (found := _CONTROL.search(text)):
            wrong = f"the text contains the control character {printable(found[0])}"
            self._problem(event, f"{wrong}; leave it out")
        plain = not event.style
        parent = self._stack[-1] if self._stack else None
        if parent is not None and isinstance(parent.value, dict) and parent.key is None:
            self._key(parent, text, plain, event)
            return
        if parent is None and plain and not text:
            return
        self._put(self._resolve(text, event) if plain else text, event)

    def _resolve(self, text: str, event: Any) -> Any:
        if text in _WORDS:
            return _WORDS[text]
        if text[0] not in "+-.0123456789":
            return text
        if found := _INTEGER.fullmatch(text):
            if len(found[1]) <= MAX_DIGITS:
                return int(text)
        elif _DECIMAL.fullmatch(text):
            if len(text) <= _LONGEST_DECIMAL and abs(value := float(text)) < 10**MAX_DIGITS:
                return int(value) if value.is_integer() else value
        else:
            return text
        wrong = f"the number {printable(text, 30)} is too long"
        self._problem(event, f"{wrong}; give one of at most {MAX_DIGITS} digits")
        return 0

    def _key(self, parent: _Open, text: str, plain: bool, event: Any) -> None:
        parent.key = text
        if plain and text == "<<":
            self._problem(event, 'the merge key "<<" is not allowed; write the keys out')
            return
        if plain and text in _WORDS:
            shown = quoted(text) if text else 'a ":" without a key'
            wrong = f"{shown} cannot be a key" if text else f"{shown} stands here"
            self._problem(event, f"{wrong}; write a word, in quotes if need be")
            return
        path = (*parent.path, text)
        line = event.start_mark.line + 1
        first = self._lines.setdefault(path, line)
        if text in parent.value:
            wrong = f"the key {quoted(text)} stands on line {first} already"
            self._problem(event, f"{wrong}; keep one of the two", path)

    def _open(self, value: dict[str, Any] | list[Any], event: Any) -> None:
        self._count(event)
        self._refuse_decoration(event)
        if len(self._stack) == MAX_DEPTH:
            wrong = f"more than {MAX_DEPTH} levels are nested in each other here"
            self._problem(event, f"{wrong}; nest fewer")
            raise _Limit
        path, is_key = self._put(value, event)
        self._stack.append(_Open(value, path, is_key))

    def _close(self) -> None:
        closed = self._stack.pop()
        if closed.is_key:
            self._stack[-1].key = ""

    def _put(self, value: Any, event: Any, is_text: bool = False) -> tuple[DataPath, bool]:
        """Put a value where it belongs; return its path, and whether it stands in a key's place."""
        line = event.start_mark.line + 1
        if not self._stack:
            if self.single and self.documents:
                right = "give one, without a line --- in between"
                self._problem(event, f"a second document begins here; {right}")
                raise _Limit
            self._lines = {(): line}
            self._nodes = 1
            self.documents.append(Document(self.file, value, self._lines))
            return (), False
        parent = self._stack[-1]
        if isinstance(parent.value, list):
            path = (*parent.path, len(parent.value))
            self._lines[path] = line
            parent.value.append(value)
            return path, False
        if parent.key is None:
            if is_text:
                parent.key = ""
            else:
                self._problem(event, "a list or a mapping cannot be a key; write a word")
            return parent.path, True
        path = (*parent.path, parent.key)
        parent.value[parent.key] = value
        parent.key = None
        return path, False

    def _count(self, event: Any) -> None:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            wrong = f"more than {MAX_NODES} values and keys stand in one document"
            self._problem(event, f"{wrong}; give a smaller one")
            raise _Limit

    def _refuse_decoration(self, event: Any) -> None:
        if event.anchor is not None:
            shown = quoted(f"&{event.anchor}")
            right = 'leave it out, or put the text in quotes if "&" is meant'
            self._problem(event, f"{shown} is an anchor; {right}")
        if event.tag is not None:
            shown = quoted(event.tag.replace("tag:yaml.org,2002:", "!!"))
            right = 'leave it out, or put the text in quotes if "!" is meant'
            self._problem(event, f"{shown} is a tag; {right}")

    def _problem(self, event: Any, message: str, path: DataPath = ()) -> None:
        mark = event.start_mark
        self.problems.append(
            Problem(self.file, mark.line + 1, message, path_text(path), mark.column + 1)
        )


@dataclass(frozen=True, slots=True)
class _Fault:
    """What the parser says, as a pattern; the same for people; whose fault: the opening line's?"""

    says: re.Pattern[str]
    message: str
    at_opening: bool = False


def _fault(says: str, message: str, at_opening: bool = False) -> _Fault:
    return _Fault(re.compile(says), message, at_opening)


# The loader in C and the one in Python word some of their messages differently.
_FAULTS = (
    _fault(
        r"unexpected (end of stream|document (indicator|separator))",
        "a quotation mark is opened here and not closed; close it",
        at_opening=True,
    ),
    _fault(
        r"expected ',' or '[]}]'",
        "a bracket is opened here and not closed properly; separate what stands in it by commas "
        "and close it",
        at_opening=True,
    ),
    _fault(
        r"could not find expected ':'",
        'a line has no ":"; write "key: value", or "- item" in a list',
        at_opening=True,
    ),
    _fault(
        r"mapping values are not allowed",
        'a ":" stands where no key can be; indent the keys of one mapping alike, and put a text '
        'that contains ": " in quotes',
    ),
    _fault(
        r"sequence entries are not allowed",
        'a "- " stands where no list can begin; begin the list on a line of its own',
    ),
    _fault(
        r"expected '-' indicator|expected <block end>, but found '\?'",
        'a list goes on with a line that is no item; begin each item with "- ", all indented alike',
    ),
    _fault(
        r"did not find expected key|expected <block end>",
        "the line does not fit into what stands above; indent the keys of one mapping alike, and "
        "put nothing behind a closing quotation mark or bracket",
    ),
    _fault(
        r"expected (the )?node content",
        "a bracket or a comma stands where a value belongs; write the value, or put it in quotes",
    ),
    _fault(
        r"escape|hexadecimal|hexdecimal",
        r"a backslash in double quotes begins an escape that does not exist; write \\, or use "
        "single quotes",
    ),
    _fault(
        r"maximum nesting depth",
        f"more than {MAX_DEPTH} levels are nested in each other here; nest fewer",
    ),
    _fault(r"tab character|character '\\t'", "a tab is used for indentation; use blanks"),
    _fault(
        r"<document start>",
        "text stands behind the end of the document; leave out the line ... above it",
    ),
    _fault(r"comment or line break|chomping", "a text begins with > or |; put it in quotes"),
    _fault(
        r"alphabetic or numeric|tag|URI|handle",
        "a text begins with one of & * !; put it in quotes",
    ),
    _fault(
        r"directive|incompatible YAML",
        "a line begins with % ; put the text in quotes, or leave the line out",
    ),
)

# What an input method for Chinese or Japanese puts in the place of YAML's own punctuation.
_FULL_WIDTH = {"：": ":", "，": ",", "“": '"', "”": '"', "［": "[", "］": "]", "｛": "{", "｝": "}"}
_NO_BLANK = re.compile(r"\s*(- +)?\w+:[^\s:]")


def _syntax_problem(error: yaml.MarkedYAMLError, text: str, file: str) -> Problem:
    lines = _LINE_END.split(text)
    said = error.problem or ""
    fault = next((f for f in _FAULTS if f.says.search(said)), None)
    mark = error.problem_mark
    if fault is None or fault.at_opening:
        mark = error.context_mark or mark
    if mark is None:
        return Problem(file, None, f"this is no YAML ({said}); look at an example")
    # An error at the end of the text is placed behind its last line.
    number = min(mark.line, len(lines) - 1)
    line = lines[number]
    if "cannot start any token" in said:
        message = _bad_start(line[mark.column : mark.column + 1])
    elif fault is None:
        message = f"this is no YAML ({said}); compare it with an example"
    else:
        message = fault.message
    for at in (number, number - 1):
        if at >= 0 and (hint := slip(lines[at])):
            message += f" (line {at + 1}: {hint})"
            break
    return Problem(file, number + 1, message, column=mark.column + 1)


def _bad_start(character: str) -> str:
    if character == "\t":
        return "a tab is used for indentation; use blanks"
    return f"a text cannot begin with {character}; put it in quotes"


def _refuse_control_characters(text: str, file: str) -> None:
    found = _CONTROL.search(text)
    if found is None:
        return
    line = len(_LINE_END.findall(text, 0, found.start())) + 1
    wrong = f"the text contains the control character {printable(found[0])}"
    raise _refused(file, f"{wrong}; leave it out, and save the file as plain text", line)


def _refused(file: str, message: str, line: int | None = None) -> InputError:
    return InputError([Problem(file, line, message)])


def _kind(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "a folder"
    if stat.S_ISFIFO(mode):
        return "a pipe"
    return "a device" if stat.S_ISCHR(mode) or stat.S_ISBLK(mode) else "no ordinary file"
