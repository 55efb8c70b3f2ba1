"""No broken file may come through, or end in anything but a few clear lines."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from broken import broken_texts
from click.testing import CliRunner

from py_bridge.cli import main
from py_bridge.errors import MAX_PROBLEMS, InputError, Problem
from py_bridge.paths import base
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
BOARD = base() / "facts" / "boards" / "two_captains.yaml"
BROKEN_BOARDS = list(broken_texts(BOARD.read_text("utf-8")))
# Only files of this size could take long or much memory.
LARGE = [(name, data) for name, data in BROKEN_BOARDS if len(data) > 50_000]

MEGABYTE = 1 << 20


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


@pytest.mark.parametrize(("name", "data"), BROKEN_BOARDS, ids=[name for name, _ in BROKEN_BOARDS])
def test_the_command_refuses_broken_boards(name: str, data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "board.yaml"
    path.write_bytes(data)
    result = CliRunner().invoke(main, ["legal", str(path)])
    assert result.exit_code == 2
    assert isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert 1 <= len(lines) <= MAX_PROBLEMS + 1
    assert all(line.startswith(str(path)) and "; " in line for line in lines)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "data"), LARGE, ids=[name for name, _ in LARGE])
def test_large_broken_boards_take_two_seconds_and_500_megabytes_at_most(
    name: str, data: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "board.yaml"
    path.write_bytes(data)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (500 * MEGABYTE, 500 * MEGABYTE))
        resource.setrlimit(resource.RLIMIT_CPU, (2, 2))

    command = [sys.executable, "-c", "from py_bridge.cli import main; main()", "legal", str(path)]
    done = subprocess.run(
        command, cwd=base(), capture_output=True, text=True, preexec_fn=limit, check=False
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(str(path))
    assert "Traceback" not in done.stderr
