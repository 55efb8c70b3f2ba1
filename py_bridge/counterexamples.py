"""What `battlejudge counterexample` says: a property, and the smallest state that violates it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from py_bridge.errors import BattlejudgeError
from py_bridge.knowledge import knowledge_base
from py_bridge.pages import wrapped
from py_bridge.picture import picture
from py_bridge.properties import Outcome, hold, names, read_property
from py_bridge.puzzle import NotExpressible, puzzle_text
from py_bridge.scopes import read_scope
from py_bridge.states import State
from py_bridge.writing import state_text


def listing(language: str) -> list[str]:
    """Return every property that comes with the package, with its sentence."""
    lines = []
    for name in names():
        found = read_property(name)
        lines += wrapped(f"{name}: {found.zh if language == 'zh' else found.en}", 4)
    return lines


def look_for(
    wanted: Sequence[str], scope: str | None, changes: Mapping[str, int]
) -> tuple[Outcome, ...]:
    """Hold properties, by default all, against their scope. Raises BattlejudgeError.

    `scope` replaces the scopes that they name, `changes` the numbers of the scope.
    """
    found = []
    for name in wanted or names():
        one = read_property(name)
        found.append(hold(one, knowledge_base(), read_scope(scope or one.scope, changes)))
    return tuple(found)


def as_data(found: Sequence[Outcome]) -> list[dict[str, Any]]:
    """Return outcomes as plain data: the stable shape of `counterexample --json`."""
    return [
        {
            "property": one.property.name,
            "sentence": one.property.en,
            "holds": one.state is None,
            "violated": [str(atom) for atom in one.where],
            "state": None if one.state is None else state_text(one.state),
            "script": list(one.script),
            "puzzle": None if one.state is None else _puzzle(one.state),
            "scope": one.scope.words,
            "states": one.states,
            "seconds": round(one.seconds, 2),
        }
        for one in found
    ]


def _puzzle(state: State) -> str | None:
    try:
        return puzzle_text(state)
    except NotExpressible:
        return None


def page(found: Sequence[Outcome], language: str) -> list[str]:
    """Return outcomes as lines for people."""
    lines: list[str] = []
    for one in found:
        sentence = one.property.zh if language == "zh" else one.property.en
        lines += wrapped(f"{one.property.name}: {sentence}", 2)
        about = f"{one.states:.3g} boards, {one.seconds:.1f} s; {one.scope.words}"
        if one.state is None:
            none = "none within the scope" if language == "en" else "范围内没有反例"
            lines += wrapped(f"  {none} ({about})", 4)
            continue
        head = "violated" if language == "en" else "反例"
        lines += wrapped(f"  {head}: {', '.join(map(str, one.where))} ({about})", 4)
        lines += [f"  {line}" for line in picture(one.state, language)]
        lines += [f"    {line}" for line in state_text(one.state).splitlines()]
        lines += [f"    {place}. {words}" for place, words in enumerate(one.script, 1)]
        try:
            lines += [f"    {line}" for line in puzzle_text(one.state).splitlines()]
        except NotExpressible as error:
            lines += wrapped(f"  {_without_file(error)}", 4)
    return lines


def _without_file(error: BattlejudgeError) -> str:
    return str(error)
