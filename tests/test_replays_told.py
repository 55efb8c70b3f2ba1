"""A timeline speaks of a replay only as certain as it is."""

from __future__ import annotations

import pytest

from py_bridge.scripts import run_script
from py_bridge.states import state_from_text

BOARD = """\
turn: 3
turn_player: {monsters: [{id: neos, card: {name: Attacker, card: monster, atk: 2500, def: 0}}]}
non_turn_player:
  monsters:
    - {id: elf, card: {name: Elf, card: monster, atk: 800, def: 2000}}
    - {id: imp, card: {name: Imp, card: monster, atk: 1300, def: 1000}}
  spells_traps:
    - {id: bolt, face: down, card: {name: Bolt, card: trap, effects: [
        {nr: 1, kind: activation, targets: {zone: monster_zone}, does: [{destroys: {}}]}]}}
    - {id: other, face: down, card: {name: Other, card: trap, effects: [
        {nr: 1, kind: activation, does: [DOES]}]}}
    - {id: bind, face: down, card: {name: Bind, card: trap, effects: [
        {nr: 1, kind: activation, targets: {zone: monster_zone},
         does: [{applies: {cannot_attack: {}}}]}]}}
"""
NEGATES = "{negates_attack: {}}"
ENDS = "{ends_battle_phase: {}}"
GAINS = "{gains_lp: {amount: 100}}"
TOLD = ("replay_due", "replay_pending", "replay(neos)")


def told(does: str, *lines: str) -> list[tuple[str, str]]:
    """What a timeline tells of replays, each with the reason."""
    state = state_from_text(BOARD.replace("DOES", does), "board.yaml")
    return [
        (str(event.what), event.reason.label)
        for one in run_script(state, ["attack neos -> elf", *lines]).performed
        for event in one.step.events
        if str(event.what) in TOLD
    ]


CHANGED = ("replay_pending", "replays_number_changed")


def test_a_replay_is_told_when_it_is_pending_when_it_is_due_and_when_it_comes() -> None:
    assert told(GAINS, "activate bolt 1 on imp", "resolve", "proceed to replay") == [
        CHANGED,
        ("replay_due", "replays_told"),
        ("replay(neos)", "replays_due"),
    ]


@pytest.mark.parametrize("does", [NEGATES, ENDS])
def test_what_ends_the_attack_later_in_the_chain_leaves_no_replay_due(does: str) -> None:
    assert told(does, "activate other 1", "activate bolt 1 on imp", "resolve") == [CHANGED]


def test_no_replay_is_due_when_the_attacker_leaves_in_the_same_chain() -> None:
    lines = ["activate bolt 1 on neos", "activate other 1", "resolve"]
    assert told("{destroys: {what: {name: Elf}}}", *lines) == [CHANGED]
    assert told("{destroys: {what: {zone: monster_zone}}}", *lines) == []


def test_an_attack_that_stops_after_the_chain_is_not_replayed() -> None:
    lines = ["activate bolt 1 on imp", "activate bind 1 on neos", "resolve"]
    assert told(GAINS, *lines) == [CHANGED]


def test_a_replay_that_is_due_is_told_again_after_another_chain_that_leaves_it_due() -> None:
    lines = ["activate bolt 1 on imp", "resolve", "activate other 1", "resolve"]
    assert told(GAINS, *lines) == [
        CHANGED,
        ("replay_due", "replays_told"),
        ("replay_due", "replays_told"),
    ]
    assert told(NEGATES, *lines) == [CHANGED, ("replay_due", "replays_told")]
