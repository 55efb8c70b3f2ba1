"""The damage ledger: as data, and as a page in English and Chinese."""

from __future__ import annotations

import pytest

from py_bridge.answers import Speaker
from py_bridge.cases import case_files, read_cases
from py_bridge.damage_page import damage
from py_bridge.errors import BattlejudgeError
from py_bridge.ledger import as_data, reckon, reckon_all
from py_bridge.pages import columns
from py_bridge.paths import base
from py_bridge.states import State, read_state, state_from_text

BOARDS = base() / "facts" / "boards"


def _ohime() -> State:
    return read_state(BOARDS / "ohime_against_dark_storm.yaml")


def test_the_ledger_of_two_players_whose_texts_move_one_damage() -> None:
    """dm-052: level 2 makes a copy, level 3 copies one damage and moves the other."""
    data = as_data(reckon(_ohime()), Speaker(_ohime(), "en"))
    assert data["values"][0] == {
        "monster": "ohime_the_manifested_mikanko",
        "stat": "atk",
        "amount": 2000,
        "contributions": [
            {"source": "double_edged_sword", "effect": 1, "sets": False, "amount": 2000}
        ],
    }
    assert (data["base"]["recipient"], data["base"]["amount"]) == ("non_turn_player", 1000)
    assert [(one["level"], one["damage"], one["recipient"]) for one in data["levels"]] == [
        (2, "b", "turn_player"),
        (3, "b", "turn_player"),
        (3, "c", "turn_player"),
        (3, "d", "non_turn_player"),
    ]
    totals = data["totals"]
    assert totals["turn_player"]["battle_damage"] == 1000
    assert totals["non_turn_player"]["single_damages"] == [1000, 1000]
    assert totals["non_turn_player"]["lp_after"] == 6000
    assert data["destroyed"] == []
    assert {one["why"] for one in data["not_applied"]} == {"recipient", "once_moved"}


def test_every_line_cites_a_ruling() -> None:
    data = as_data(reckon(_ohime()), Speaker(_ohime(), "en"))
    assert data["levels"]
    assert all(one["rulings"] for one in data["levels"])


def test_a_page_reads_from_the_attack_to_the_result() -> None:
    found = reckon(_ohime())
    page = damage(found, Speaker(found.state, "en"))
    assert page[0] == "Ohime the Manifested Mikanko attacks Number C96: Dark Storm."
    assert "  the turn player takes 1000 battle damage; LP 8000 -> 7000" in page
    assert "  the non-turn player takes 2000 battle damage (1000 + 1000); LP 8000 -> 6000" in page
    assert page[-1] == "  Destroyed by battle: nobody."


def test_no_page_is_wider_than_a_hundred_columns() -> None:
    files = [file for file in case_files() if file.name.startswith(("damage", "destruction"))]
    states = [
        case.state
        for file in files
        for case in read_cases(file)[::4]
        if case.state.attack is not None and not case.awaits
    ]
    assert len(states) > 50
    for found in reckon_all(states):
        for language in ("en", "zh"):
            lines = damage(found, Speaker(found.state, language))
            assert lines
            assert max(columns(line) for line in lines) <= 100


def test_an_attack_that_is_over_is_not_calculated() -> None:
    state = state_from_text(
        """\
turn: 3
turn_player: {monsters: [{card: {name: One, card: monster, atk: 1000, def: 0}, id: one}]}
non_turn_player: {}
attack: {attacker: one, target: player, over: negated}
""",
        "state.yaml",
    )
    found = reckon(state)
    assert not found.calculated
    assert found.totals[1].battle is None
    page = damage(found, Speaker(state, "en"))
    assert page[1] == "No damage calculation is performed:"
    assert "negated or terminated" in page[2]


def test_without_an_attack_there_is_nothing_to_reckon() -> None:
    state = read_state(BOARDS / "two_captains.yaml")
    with pytest.raises(BattlejudgeError, match="no attack is in progress; right would be"):
        reckon(state)


def test_an_odd_half_is_undecided() -> None:
    state = state_from_text(
        """\
turn: 3
turn_player: {monsters: [{card: {name: One, card: monster, atk: 1001, def: 0}, id: one}]}
non_turn_player:
  spells_traps:
    - card:
        name: Cushion
        card: spell
        kinds: [continuous]
        effects: [{nr: 1, kind: continuous, says: [{damage_becomes_half: {taken_by: own}}]}]
attack: {attacker: one, target: player}
""",
        "state.yaml",
    )
    found = reckon(state)
    assert found.totals[1].battle is None
    assert found.unsettled
    page = damage(found, Speaker(state, "en"))
    assert "  what the non-turn player takes is undecided" in page
