"""Puzzles for simulators: exported, read back, asked again; one line for what they cannot say."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from py_bridge import cards
from py_bridge.answers import ask
from py_bridge.errors import InputError
from py_bridge.puzzle import NotExpressible, puzzle_text, read_puzzle
from py_bridge.states import State, state_from_text

BOARD = """\
turn: 5
phase: battle
step: battle
turn_player:
  lp: 4000
  monsters:
    - {card: Yubel, id: yubel, position: defense, owner: non_turn_player}
    - {card: Marauding Captain, id: end, zone: 1}
  spells_traps:
    - {card: Ring of Magnetism, id: ring, equipped_to: yubel}
    - Mirror Force
  field_spell: Revolving Switchyard
  hand: [Nightmare Pain]
  graveyard: [Rise to Full Height]
non_turn_player:
  monsters:
    - {card: Mystic Lamp, face: down, zone: 7}
  banished: [Skill Drain]
  extra_deck: [Evil HERO Malicious Fiend]
  deck: [Taunt]
"""
PUZZLE = """\
--[[message Which attacks are legal?]]
-- question: turn 5, Battle Step
Debug.SetAIName("battlejudge")
Debug.ReloadFieldBegin(DUEL_ATTACK_FIRST_TURN+DUEL_SIMPLE_AI,5)
Debug.SetPlayerInfo(0,4000,0,0)
Debug.SetPlayerInfo(1,8000,0,0)
local cards={}
cards["yubel"]=Debug.AddCard(78371393,1,0,LOCATION_MZONE,1,POS_FACEUP_DEFENSE)
cards["end"]=Debug.AddCard(2460565,0,0,LOCATION_MZONE,0,POS_FACEUP_ATTACK)
cards["ring"]=Debug.AddCard(20436034,0,0,LOCATION_SZONE,0,POS_FACEUP)
cards["mirror_force"]=Debug.AddCard(44095762,0,0,LOCATION_SZONE,1,POS_FACEDOWN)
cards["revolving_switchyard"]=Debug.AddCard(76136345,0,0,LOCATION_SZONE,5,POS_FACEUP)
cards["nightmare_pain"]=Debug.AddCard(65261141,0,0,LOCATION_HAND,0,POS_FACEDOWN)
cards["rise_to_full_height"]=Debug.AddCard(19254117,0,0,LOCATION_GRAVE,0,POS_FACEUP)
cards["mystic_lamp"]=Debug.AddCard(98049915,1,1,LOCATION_MZONE,6,POS_FACEDOWN_DEFENSE)
cards["skill_drain"]=Debug.AddCard(82732705,1,1,LOCATION_REMOVED,0,POS_FACEUP)
cards["evil_hero_malicious_fiend"]=Debug.AddCard(86676862,1,1,LOCATION_EXTRA,0,POS_FACEDOWN)
cards["taunt"]=Debug.AddCard(90740329,1,1,LOCATION_DECK,0,POS_FACEDOWN)
Debug.PreEquip(cards["ring"],cards["yubel"])
Debug.ReloadFieldEnd()
aux.BeginPuzzle()
"""


def read(text: str) -> State:
    return state_from_text(text, "board.yaml")


def board(inside: str = "", other: str = "", more: str = "phase: main_1") -> State:
    return read(f"turn_player: {{{inside}}}\nnon_turn_player: {{{other}}}\n{more}")


def answers(state: State) -> list[tuple[str, str, tuple[Any, ...]]]:
    return [(answer.words, answer.how, answer.reasons) for answer in ask(state).actions]


def without_zones(state: State) -> set[str]:
    """The facts of a state; where in its row a card lies is left open by most states."""
    return {fact for fact in state.facts() if not fact.startswith("holds(zone(")}


# --- export ---------------------------------------------------------------------------------------


def test_the_file() -> None:
    assert puzzle_text(read(BOARD)) == PUZZLE


def test_the_file_read_back() -> None:
    state, again = read(BOARD), read_puzzle(PUZZLE)
    assert without_zones(again) == without_zones(state)
    assert {"zone(yubel,2)", "zone(end,1)", "zone(mystic_lamp,7)"} <= set(again.fluents)
    assert answers(again) == answers(state)


@pytest.mark.parametrize(
    ("moment", "line"),
    [
        ("phase: main_1", "-- question: turn 2, Main Phase 1"),
        ("phase: main_1\nturn: 12", "-- question: turn 12, Main Phase 1"),
        ("phase: battle", "-- question: turn 2, Battle Step"),
    ],
)
def test_the_question_is_kept(moment: str, line: str) -> None:
    state = board("monsters: [Yubel, Marauding Captain]", "monsters: [Mystic Lamp]", moment)
    text = puzzle_text(state)
    assert text.splitlines()[1] == line
    assert without_zones(read_puzzle(text)) == without_zones(state)
    assert answers(read_puzzle(text)) == answers(state)


def test_more_than_five_monsters_lie_in_extra_monster_zones() -> None:
    text = puzzle_text(board(f"monsters: [{', '.join(['Evil HERO Malicious Fiend'] * 7)}]"))
    assert re.findall(r"LOCATION_MZONE,(\d)", text) == list("0123456")


_MONSTERS = ("Marauding Captain", "Belial - Marquis of Darkness", "Yubel", "Mystic Lamp",
             "Blue-Eyes White Dragon", "Evil HERO Malicious Fiend")  # fmt: skip
_OTHERS = ("Nightmare Pain", "Mirror Force", "Skill Drain", "Taunt")
_POSTURES = ("position: attack", "position: defense", "position: defense, face: down")


@st.composite
def boards(draw: st.DrawFn) -> str:
    """A state file of cards of the library before any attack."""
    lines = [
        f"turn: {draw(st.integers(2, 9))}",
        f"phase: {draw(st.sampled_from(['main_1', 'battle']))}",
    ]
    for side in ("turn_player", "non_turn_player"):
        monsters = [
            f"{{card: {name}, {draw(st.sampled_from(_POSTURES))}}}"
            for name in draw(st.lists(st.sampled_from(_MONSTERS), max_size=4))
        ]
        others = draw(st.lists(st.sampled_from(_OTHERS), max_size=3))
        grave = draw(st.lists(st.sampled_from(_MONSTERS + _OTHERS), max_size=3))
        piles = f"monsters: [{', '.join(monsters)}], spells_traps: [{', '.join(others)}]"
        lines.append(f"{side}: {{{piles}, graveyard: [{', '.join(grave)}]}}")
    return "\n".join(lines)


@settings(max_examples=25)
@given(boards())
def test_boards_exported_and_read_back_give_the_same_answers(text: str) -> None:
    state = read(text)
    again = read_puzzle(puzzle_text(state))
    assert without_zones(again) == without_zones(state)
    assert answers(again) == answers(state)
    assert puzzle_text(again) == puzzle_text(state)


# --- what a puzzle cannot say ---------------------------------------------------------------------

CAPTAIN = "card: Marauding Captain"


@pytest.mark.parametrize(
    ("state", "says"),
    [
        (
            board("monsters: [{card: {name: Beast, card: monster}}]"),
            "board.yaml:1: a puzzle names cards by passcode, and Beast has none; use a card of the "
            "library",
        ),
        (
            board(more="applied: [{card: Taunt, effect: 1, by: turn_player}]\nphase: main_1"),
            "board.yaml:3: a puzzle cannot say that Taunt goes on applying",
        ),
        (
            board("monsters: [Yubel]", more="attack: {attacker: yubel, target: player}"),
            "board.yaml:1: a puzzle cannot say that Yubel has made 1 attack declarations in this "
            "Battle Phase",
        ),
        (
            board(
                "monsters: [{card: Yubel, declared: 0}]",
                more="attack: {attacker: yubel, target: player}",
            ),
            "board.yaml:1: a puzzle cannot say that Yubel is attacking the opponent",
        ),
        (
            board("hand: [Taunt]", more="chain: [{card: taunt, effect: 1}]"),
            "board.yaml:1: a puzzle cannot say that chain link 1 is effect 1 of Taunt, activated "
            "by the turn player",
        ),
        (
            board(f"monsters: [{{{CAPTAIN}, negated: true}}]"),
            "board.yaml:1: a puzzle cannot say that the effects of Marauding Captain are negated",
        ),
        (
            board(f"monsters: [{{{CAPTAIN}, atk: 5}}]"),
            "board.yaml:1: a puzzle cannot say that Marauding Captain has ATK 5",
        ),
        (
            board(f"monsters: [{{{CAPTAIN}, race: dragon}}]"),
            "board.yaml:1: a puzzle cannot say that Marauding Captain: race(dragon)",
        ),
        (
            board(f"monsters: [{{{CAPTAIN}, archetypes: []}}, Yubel]", "passed: true"),
            "board.yaml: a puzzle cannot say that the non-turn player has given up priority",
        ),
        (
            board(f"pendulums: [{{{CAPTAIN}, id: p}}]"),
            "board.yaml:1: a puzzle cannot say that Marauding Captain is in the Pendulum Zone",
        ),
        (
            board('monsters: [{card: "Number 95: Galaxy-Eyes Dark Matter Dragon", materials: 3}]'),
            "board.yaml:1: a puzzle cannot say that Number 95: Galaxy-Eyes Dark Matter Dragon has "
            "materials 3",
        ),
        (
            board(f"monsters: [{{{CAPTAIN}, face: down, position: attack}}]"),
            "board.yaml:1: a puzzle cannot say that Marauding Captain is in the Monster Zone",
        ),
        (
            board(f"hand: [{{{CAPTAIN}, zone: 2}}]"),
            "board.yaml:1: a puzzle cannot say that Marauding Captain is in zone 2",
        ),
        (
            board("monsters: [{card: Evil HERO Malicious Fiend, archetypes: [HERO]}]"),
            "board.yaml:1: a puzzle would also say that Evil HERO Malicious Fiend: "
            'archetype("Evil HERO")',
        ),
        (
            board(more="step: start"),
            "board.yaml: a puzzle begins in Main Phase 1 or before the first attack of a Battle "
            "Step; write one of the two",
        ),
        (
            board(more="phase: end"),
            "board.yaml: a puzzle begins in Main Phase 1 or before the first attack of a Battle "
            "Step; write one of the two",
        ),
        (
            board(more="phase: main_1\nturn: 1"),
            "board.yaml: a puzzle allows attacks in its first turn, and this is turn 1; write a "
            "later one",
        ),
    ],
)
def test_one_line_for_what_a_puzzle_cannot_say(state: State, says: str) -> None:
    with pytest.raises(NotExpressible) as error:
        puzzle_text(state)
    assert str(error.value) == says


# --- reading --------------------------------------------------------------------------------------


def test_without_a_question_it_is_main_phase_1_of_a_later_turn() -> None:
    state = read_puzzle(PUZZLE.replace("-- question: turn 5, Battle Step\n", ""))
    assert "phase(main_1)" in state.fluents
    assert [one.fluent for one in state.assumptions] == ["turn(2)"]


def test_comments_blank_lines_and_blanks_make_no_difference() -> None:
    text = (
        PUZZLE.replace("local", "\n-- the cards\n  local").replace(",", ", ").replace("]=", "] = ")
    )
    text = text.replace("message Which", "message\nWhich").replace("SZONE, 5", "FZONE, 0")
    assert without_zones(read_puzzle(text)) == without_zones(read_puzzle(PUZZLE))


def test_lines_are_those_of_the_puzzle() -> None:
    assert {one: read_puzzle(PUZZLE).lines[one] for one in ("yubel", "revolving_switchyard")} == {
        "yubel": 8,
        "revolving_switchyard": 12,
    }


ADD = 'cards["a"]=Debug.AddCard(2460565,0,0,LOCATION_MZONE,0,POS_FACEUP_ATTACK)'


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("--[[message", "--", "p.lua:1: this is no puzzle; one begins with --[[message ...]]"),
        (
            "local cards={}",
            "Duel.LoadScript(1)",
            'p.lua:7: "Duel.LoadScript(1)" does not belong here; a puzzle goes on with '
            "local cards={}",
        ),
        (
            "Debug.SetPlayerInfo(1,8000,0,0)",
            "Debug.SetPlayerInfo(1,8000,5,1)",
            'p.lua:6: "Debug.SetPlayerInfo(1,8000,5,1)" does not belong here; a puzzle goes on '
            "with Debug.SetPlayerInfo(1,8000,0,0)",
        ),
        (
            "DUEL_ATTACK_FIRST_TURN+",
            "",
            "p.lua:4: nothing can attack in the only turn of this puzzle; add the flag "
            "DUEL_ATTACK_FIRST_TURN",
        ),
        (
            "aux.BeginPuzzle()\n",
            "",
            "p.lua: the puzzle ends too early; it goes on with aux.BeginPuzzle()",
        ),
        (
            "aux.BeginPuzzle()\n",
            "aux.BeginPuzzle()\nend\n",
            'p.lua:22: "end" follows the end; end with aux.BeginPuzzle()',
        ),
        (
            "POS_FACEUP_DEFENSE",
            "POS_FACEUP",
            "p.lua:8: POS_FACEUP is no position in LOCATION_MZONE; write POS_FACEUP_ATTACK or "
            "POS_FACEUP_DEFENSE or POS_FACEDOWN_DEFENSE",
        ),
        (
            "0,POS_FACEUP)",
            "0,POS_ANY)",
            "p.lua:10: POS_ANY is no position in LOCATION_SZONE; write POS_FACEUP or POS_FACEDOWN",
        ),
        (
            "LOCATION_MZONE,0",
            "LOCATION_MZONE,7",
            f"p.lua:9: there is no place LOCATION_MZONE,7; right would be {ADD}",
        ),
        (
            "LOCATION_HAND",
            "LOCATION_PZONE",
            f"p.lua:13: there is no place LOCATION_PZONE,0; right would be {ADD}",
        ),
        (
            'cards["mirror_force"]=',
            'cards["ring"]=',
            'p.lua:11: cards["ring"] stands twice; use another word',
        ),
        (
            "44095762,0,0,LOCATION_SZONE,1,POS_FACEDOWN",
            "44095762,0,0,LOCATION_SZONE,5,POS_FACEDOWN",
            "p.lua:12: a player has one Field Spell; leave the second one out",
        ),
        (
            'PreEquip(cards["ring"]',
            'PreEquip(cards["rong"]',
            'p.lua:19: there is no cards["rong"]; add that card first',
        ),
        (
            'cards["yubel"])',
            'cards["yobel"])',
            'p.lua:19: turn_player.spells_traps[0].equipped_to: no card has the id "yobel"; did '
            "you mean yubel?",
        ),
        (
            "82732705",
            "5",
            'p.lua:16: non_turn_player.banished[0].card: no card "5" in the library; a card that '
            "is not in it can be described in its place: card: {name: ..., card: monster, ..., "
            "effects: [...]}",
        ),
        (
            "turn 5, Battle Step",
            "turn 5, End Phase",
            'p.lua:2: no puzzle asks "-- question: turn 5, End Phase"; write -- question: turn 3, '
            "Main Phase 1 or -- question: turn 3, Battle Step",
        ),
    ],
)
def test_one_line_for_what_is_no_puzzle(old: str, new: str, says: str) -> None:
    assert old in PUZZLE
    with pytest.raises(InputError) as error:
        read_puzzle(PUZZLE.replace(old, new, 1), "p.lua")
    assert str(error.value) == says


@given(st.integers(0, len(PUZZLE)), st.text(max_size=3), st.integers(0, 40))
def test_a_broken_puzzle_is_refused_in_lines(at: int, put: str, gone: int) -> None:
    text = PUZZLE[:at] + put + PUZZLE[at + gone :]
    assume(text != PUZZLE)
    assert all(line.startswith("p.lua") for line in _outcome(text))


def _outcome(text: str) -> list[str]:
    """The lines that refuse a puzzle; its name if it can be read."""
    try:
        return [read_puzzle(text, "p.lua").file]
    except InputError as error:
        return str(error).splitlines()


def test_passcodes_of_the_library_fit_a_puzzle() -> None:
    codes = [card.data["passcode"] for card in cards.everything() if "passcode" in card.data]
    assert len(codes) > 50
    assert all(0 < code < 10**9 for code in codes)
