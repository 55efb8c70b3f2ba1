"""What `battlejudge play` does: a script performed, shown, played on, counted from, written."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from py_bridge import interactive, timeline
from py_bridge.errors import BattlejudgeError, Problem, quoted
from py_bridge.perft import perft
from py_bridge.phrases import in_words
from py_bridge.play import look
from py_bridge.script_files import HaltedError, Script, perform, read_script, stop_at
from py_bridge.scripts import Line, Timeline
from py_bridge.states import State
from py_bridge.writing import state_text


@dataclass(frozen=True, slots=True)
class Played:
    """A script, what came of it, and whether what was waited for never came.

    `problem` says in one line why it could not be performed to its end, if that is so.
    """

    script: Script
    told: Timeline
    missed: str | None = None
    problem: Problem | None = None

    @property
    def holds(self) -> bool:
        """Whether it came to its end, no check failed, and what was waited for came."""
        return not self.told.wrong and self.missed is None and self.problem is None


@dataclass(frozen=True, slots=True)
class Counted:
    """The numbers of legal sequences by length, beside those that the file states.

    `first` are the first actions in words with the number of the longest sequences they begin.
    """

    counts: tuple[int, ...]
    stated: tuple[int, ...]
    first: tuple[tuple[str, int], ...]

    @property
    def holds(self) -> bool:
        """Whether they are the numbers that the file states, as far as it does."""
        return all(a == b for a, b in zip(self.counts, self.stated, strict=False))


def refuse_combination(*, interactive: bool, as_json: bool, perft: int | None) -> None:
    """Raise BattlejudgeError for options that do not go together."""
    if interactive and as_json:
        raise BattlejudgeError("--json: a person steps through pages; leave out --interactive")
    if interactive and perft is not None:
        raise BattlejudgeError("--perft: counts, and goes no further; leave out --interactive")


def played(file: str, until: str | None = None) -> Played:
    """Read a script file and perform it, up to `until` if that is given.

    Raises InputError for a file that cannot be used. A line that cannot be performed ends it.
    """
    script, waits = read_script(file), None
    if until is not None:
        lines, waits = stop_at(until, script)
        script = replace(script, lines=tuple(lines))
    try:
        told = perform(script, until=waits)
    except HaltedError as error:
        return Played(script, error.so_far, problem=error.halt)
    return Played(script, told, until if waits is not None and not told.stopped else None)


def page(found: Played, language: str, *, with_legal: bool = True) -> list[str]:
    """Return the timeline as lines for people; `with_legal` what is legal at its end."""
    lines: Sequence[Line] = found.script.lines
    legal = look(found.told.state).answers if with_legal else None
    shown = timeline.page(found.told, lines, found.script.places, legal, language)
    if found.missed is None:
        return shown
    words = {"en": "it never came to {0}", "zh": "一直没有出现{0}"}[language]
    return [words.format(quoted(found.missed)), *shown]


def as_data(found: Played, language: str) -> dict[str, Any]:
    """Return the timeline as plain data."""
    legal = look(found.told.state).answers
    data = timeline.as_data(found.told, found.script.places, legal, language)
    return {**data, "never_came": found.missed}


def play_on(
    found: Played, language: str, read: Callable[[], str], say: Callable[[str], None]
) -> State:
    """Let a person play on from where a script has led to."""
    return interactive.play_on(found.told.state, len(found.script.lines), language, read, say)


def count(found: Played, depth: int) -> Counted:
    """Return the numbers of legal sequences from where a script has led to."""
    counts, by_first = perft(found.told.state, depth)
    first = tuple((in_words(act), number) for act, number in by_first)
    return Counted(tuple(counts), found.script.counts, first)


def count_page(counted: Counted, language: str) -> list[str]:
    """Return those numbers as lines for people, one for each length."""
    words = {"en": "   the file says {0}", "zh": "   文件写的是{0}"}[language]
    first = {"en": "By first action:", "zh": "按第一个行动："}[language]
    width = max(len(str(number)) for number in counted.counts)
    stated = (*counted.stated, *[None] * len(counted.counts))
    lines = [
        f"{length:>2}  {number:>{width}}"
        + (words.format(said) if said is not None and said != number else "")
        for length, (number, said) in enumerate(zip(counted.counts, stated, strict=False), 1)
    ]
    return [*lines, first, *(f"    {number:>{width}}  {act}" for act, number in counted.first)]


def count_data(counted: Counted) -> dict[str, Any]:
    """Return those numbers as plain data."""
    return {
        "perft": list(counted.counts),
        "stated": list(counted.stated),
        "agrees": counted.holds,
        "first": dict(counted.first),
    }


def write(state: State, file: str) -> None:
    """Write a state file, whole or not at all. Raises BattlejudgeError."""
    text, path = state_text(state), Path(file)
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                stream.write(text)
            Path(name).replace(path)
        except BaseException:
            with suppress(OSError):
                Path(name).unlink()
            raise
    except OSError as error:
        right = "right would be a file in a folder that exists"
        raise BattlejudgeError(f"--write: {file}: {error.strerror}; {right}") from None
