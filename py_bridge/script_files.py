"""Script files: a state, in its place or in a file of its own, and the lines to be performed."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from py_bridge.answers import asked_facts, impossible, refuse_impossible
from py_bridge.errors import BattlejudgeError, InputError, Problem, at_most, nearest, quoted
from py_bridge.formats import schema
from py_bridge.knowledge import Rules, knowledge_base
from py_bridge.paths import base
from py_bridge.phrases import PhraseError
from py_bridge.scripts import Line, ScriptError, Timeline, faults, run_script, waiting_for
from py_bridge.states import State, read_state, state_at, state_from_document
from py_bridge.structure import check
from py_bridge.vocabulary import wordings
from py_bridge.yaml_text import Document, parse, path_text, read_text


@dataclass(frozen=True, slots=True)
class Script:
    """A script: the state that it begins from, its lines, and where in the file these stand.

    `counts` are the numbers of legal sequences of one action, of two, .., that the file states.
    """

    file: str
    state: State
    lines: tuple[Line, ...]
    places: tuple[int, ...]
    counts: tuple[int, ...] = ()


@lru_cache(maxsize=1)
def script_schema() -> dict[str, Any]:
    """Return the JSON Schema of a script file, the schema of a state inside."""
    text = (base() / "facts/schema/script.schema.json").read_text(encoding="utf-8")
    own: dict[str, Any] = json.loads(text)
    state = schema()
    inner = {key: value for key, value in state.items() if not key.startswith("$")}
    own["$defs"] = {**state["$defs"], **own["$defs"], "state": inner}
    return own


def read_script(path: str | Path) -> Script:
    """Read a script file; a state file is read as a script without lines.

    Raises InputError with every problem of the file, or of the state file that it names.
    """
    return script_of(parse(read_text(path), str(path)))


def script_of(document: Document) -> Script:
    """Return the script that a document describes. Raises InputError with every problem."""
    data = document.data
    if isinstance(data, dict) and "state" not in data and "turn_player" in data:
        return Script(document.file, state_from_document(document), (), ())
    problems = check(document, script_schema())
    if problems:
        raise InputError(problems)
    state = _state_file(document, data["state"])
    state = state or state_at(document, ("state",))
    lines = tuple(data.get("script", ()))
    places = tuple(document.line_of(("script", index)) for index in range(len(lines)))
    for index, line in enumerate(lines):
        where = path_text(("script", index))
        for text in faults(line, list(state.texts)):
            problems.append(Problem(document.file, places[index], text, where))
    if problems:
        raise InputError(at_most(problems))
    return Script(document.file, state, lines, places, tuple(data.get("perft", ())))


class HaltedError(InputError):
    """A script with a line that cannot be performed, after the checks that failed before it.

    `so_far` is what came of it up to there, `halt` the last of the problems: what is missing.
    """

    def __init__(self, problems: Sequence[Problem], so_far: Timeline) -> None:
        super().__init__(problems)
        self.so_far, self.halt = so_far, problems[-1]


def _state_file(document: Document, named: Any) -> State | None:
    """Return the state that stands in a file of its own; None if it stands in this one."""
    if not isinstance(named, str):
        return None
    file = Path(document.file).parent / named
    if "\0" in named or not file.is_file():
        line = document.line_of(("state",))
        told = f"there is no state file {quoted(named)} beside this file; name one, or write it"
        raise InputError([Problem(document.file, line, f"{told} here", "state")])
    return read_state(file)


def perform(
    script: Script, rules: Rules | None = None, until: Callable[[State], bool] | None = None
) -> Timeline:
    """Perform a script.

    Raises InputError for an impossible state, HaltedError for a line that cannot be performed.
    """
    found = rules or knowledge_base()
    refuse_impossible(script.state, impossible(found, tuple(asked_facts(script.state, None))))
    try:
        return run_script(script.state, script.lines, found, until)
    except ScriptError as error:
        told = [(one.line, one.text) for one in error.wrong] + [(error.line, error.told)]
        problems = [
            Problem(script.file, script.places[line - 1] if line else None, text)
            for line, text in told
        ]
        raise HaltedError(problems, error.so_far) from error


def stop_at(words: str, script: Script) -> tuple[Sequence[Line], Callable[[State], bool] | None]:
    """Return the lines to perform, and what to wait for: a number of lines, or a fluent or step.

    Raises BattlejudgeError for words that mean neither.
    """
    if words.strip().isdigit():
        number = int(words)
        if number > len(script.lines):
            right = f"right would be 0 to {len(script.lines)}"
            raise BattlejudgeError(f"--until: the script has no line number {number}; {right}")
        return script.lines[:number], None
    known = wordings("en").fluents
    name = words.strip().partition("(")[0]
    try:
        waits = waiting_for(words, known)
    except PhraseError as error:
        raise BattlejudgeError(f"--until: {error}") from error
    if waits is None:
        close = " or ".join(nearest(name, known)) or "damage_step, or in(neos, graveyard)"
        raise BattlejudgeError(
            f"--until: {quoted(words)} is nothing that can come; right would be {close}"
        )
    return script.lines, waits
