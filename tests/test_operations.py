"""What operations do to a board: small boards with a script, the expectation written first."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from together import played

from py_bridge.cases import cases_schema
from py_bridge.scripts import run_script
from py_bridge.states import State, state_at
from py_bridge.structure import check
from py_bridge.yaml_text import Document, parse

FILE = Path(__file__).with_name("operations.yaml")


def _document() -> Document:
    return parse(FILE.read_text(encoding="utf-8"), FILE.name)


DOCUMENT = _document()
BOARDS: list[Mapping[str, Any]] = DOCUMENT.data["cases"]


def _state(index: int) -> State:
    return state_at(DOCUMENT, ("cases", index, "state"))


def test_the_file_is_in_order() -> None:
    assert [str(problem) for problem in check(DOCUMENT, cases_schema())] == []


@pytest.mark.parametrize(
    "index", range(0, len(BOARDS), 11), ids=lambda i: str(BOARDS[i]["shows"])[:60]
)
def test_a_board_comes_out(index: int) -> None:
    timeline = run_script(_state(index), BOARDS[index]["script"])
    assert [str(complaint) for complaint in timeline.wrong] == []
    assert _inconsistent(timeline.state) == []


@pytest.mark.slow
def test_all_boards_come_out() -> None:
    timelines = played([(_state(i), board["script"]) for i, board in enumerate(BOARDS)])
    wrong = [
        (board["shows"], list(map(str, timeline.wrong)), _inconsistent(timeline.state))
        for board, timeline in zip(BOARDS, timelines, strict=True)
    ]
    assert [one for one in wrong if one[1] or one[2]] == []


def _inconsistent(state: State) -> list[str]:
    """What no moment of a duel can look like, read from the fluents alone."""
    wrong = []
    places: dict[str, list[str]] = {}
    orders: list[int] = []
    for fluent in state.fluents:
        name, _, rest = fluent.rstrip(")").partition("(")
        arguments = rest.split(",")
        if name == "in":
            places.setdefault(arguments[0], []).append(arguments[1])
        elif name == "lp" and int(arguments[1]) < 0:
            wrong.append(fluent)
        elif name == "applied_order":
            orders.append(int(arguments[1]))
    wrong += [f"{card} in {found}" for card, found in places.items() if len(found) > 1]
    if sorted(orders) != list(range(1, len(orders) + 1)):
        wrong.append(json.dumps(sorted(orders)))
    field = {"monster_zone", "spell_trap_zone", "field_zone", "pendulum_zone"}
    there = {card for card, found in places.items() if field & set(found)}
    for fluent in state.fluents:
        name, _, rest = fluent.rstrip(")").partition("(")
        card = rest.split(",")[0]
        if name in ("position", "face", "equipped", "zone") and card not in there:
            wrong.append(fluent)
        if name in ("controller", "owner") and card not in places:
            wrong.append(fluent)
    return wrong
