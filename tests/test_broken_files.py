"""No broken file may come through, or end in anything but a few clear lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from broken import broken_texts

from py_bridge.errors import MAX_PROBLEMS, InputError, Problem
from py_bridge.structure import check
from py_bridge.yaml_text import parse, read_text

GOOD = """\
# The end of a battle.
title: Captain against captain
turn: 3
phase: battle
turn_player:
  lp: 8000
  monsters:
    - card: Marauding Captain
      position: attack
      atk: 1200
    - {card: 89631139, position: defense}
opponent:
  lp: 100
  monsters:
    - card: "Blue-Eyes White Dragon"
      position: attack
      atk: 3000
attack: {attacker: captain, target: dragon}
"""

SIDE = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "lp": {"type": "integer", "minimum": 0, "maximum": 99999},
        "monsters": {
            "type": "array",
            "maxItems": 7,
            "items": {
                "type": "object",
                "additionalProperties": False,
                "properties": {
                    "card": {"oneOf": [{"type": "string"}, {"type": "integer", "minimum": 1}]},
                    "position": {"enum": ["attack", "defense"]},
                    "atk": {"type": "integer", "minimum": 0, "maximum": 99999},
                },
            },
        },
    },
}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["turn_player", "opponent"],
    "additionalProperties": False,
    "properties": {
        "title": {"type": "string"},
        "turn": {"type": "integer", "minimum": 1, "maximum": 999},
        "phase": {"enum": ["main_1", "battle"]},
        "turn_player": SIDE,
        "opponent": SIDE,
        "attack": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "attacker": {"enum": ["captain", "dragon"]},
                "target": {"enum": ["captain", "dragon"]},
            },
        },
    },
}

BROKEN = list(broken_texts(GOOD))


def problems_of(path: Path) -> list[Problem]:
    try:
        return check(parse(read_text(path), path.name), SCHEMA)
    except InputError as error:
        return list(error.problems)


def test_the_good_file_is_good(tmp_path: Path) -> None:
    path = tmp_path / "good.yaml"
    path.write_text(GOOD, "utf-8")
    assert problems_of(path) == []


def test_there_are_many_and_each_has_a_name_of_its_own() -> None:
    names = {name for name, _ in BROKEN}
    assert len(names) == len(BROKEN) >= 200


def test_they_are_the_same_each_time() -> None:
    assert list(broken_texts(GOOD)) == BROKEN


@pytest.mark.parametrize(("name", "data"), BROKEN, ids=[name for name, _ in BROKEN])
def test_broken_files_are_refused(name: str, data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "broken.yaml"
    path.write_bytes(data)
    problems = problems_of(path)
    assert 1 <= len(problems) <= MAX_PROBLEMS + 1
    for problem in problems:
        line = str(problem)
        assert "; " in line
        assert line.isprintable()
        assert len(line) < 500
