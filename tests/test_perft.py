"""Perft: the numbers of legal sequences from small positions, as their files state them.

The files tests/perft/*.yaml are scripts that anybody can read and count from; each explains its
numbers, which were reasoned out by hand.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from py_bridge.perft import perft
from py_bridge.phrases import in_words
from py_bridge.play import begin, look, step
from py_bridge.script_files import perform, read_script
from py_bridge.states import State

FILES = sorted((Path(__file__).parent / "perft").glob("*.yaml"))


def reached(file: Path) -> State:
    return perform(read_script(file)).state


def test_there_are_positions_with_numbers_to_depth_four() -> None:
    assert len(FILES) >= 8
    assert {len(read_script(file).counts) for file in FILES} == {4}


@pytest.mark.parametrize(
    "file",
    [pytest.param(file, marks=[pytest.mark.slow] if file.stem == "wide" else []) for file in FILES],
    ids=lambda file: file.stem,
)
def test_the_numbers_of_a_position(file: Path) -> None:
    counts, first = perft(reached(file), 4)
    assert counts == list(read_script(file).counts)
    assert sum(number for _, number in first) == counts[-1]


def test_counting_without_memory_gives_the_same() -> None:
    def walked(state: State, depth: int) -> int:
        if depth == 0:
            return 1
        return sum(walked(step(state, act).state, depth - 1) for act in look(state).performable)

    state = begin(reached(Path(__file__).parent / "perft" / "two_traps.yaml"))
    assert [walked(state, depth) for depth in (1, 2, 3)] == [3, 3, 5]


def test_the_numbers_by_first_action() -> None:
    _, first = perft(reached(Path(__file__).parent / "perft" / "prison.yaml"), 3)
    assert {in_words(act): number for act, number in first} == {
        "attack attacker -> first": 2,
        "pass turn_player": 1,
    }
