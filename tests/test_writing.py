"""States written as files: what is read back is what was written, in words that people use."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from boards import SIDES, Data, boards, state_of
from hypothesis import given, settings
from hypothesis import strategies as st

from py_bridge.answers import ask
from py_bridge.cases import case_files, read_cases
from py_bridge.errors import InputError
from py_bridge.formats import schema
from py_bridge.knowledge import knowledge_base
from py_bridge.paths import base
from py_bridge.states import State, read_state, state_from_text
from py_bridge.writing import WIDTH, NotExpressible, state_text

BOARDS = sorted((base() / "facts" / "boards").glob("*.yaml"))

SMALL = """\
turn_player:
  monsters:
    - Marauding Captain
non_turn_player: {}
"""
LARGE = """\
turn: 7
phase: battle
step: battle
turn_player:
  lp: 4000
  monsters:
    - {card: Yubel, id: yubel_1, position: defense, owner: non_turn_player, declared: 2}
    - {card: Marauding Captain, zone: 2, race: dragon, level: 5, atk: 900, summoned: [special]}
    - card: {name: "Yes: No", card: monster, race: beast, atk: 1500, def: 0}
      id: no_beast
      face: down
    - card:
        name: Flying Archer
        card: monster
        race: warrior
        atk: 1400
        def: 1200
        effects:
          - {nr: 1, kind: continuous, says: [{can_attack_directly: {}}]}
          - nr: 2
            kind: trigger
            event: attack_declared
            note: "anything, that: needs quotation \\"marks\\""
            does:
              - {destroys: {}, role: main}
      attacked: [player]
      used: [1, 2]
  spells_traps:
    - Mirror Force
    - {card: Mirror Force, id: mirror_force_2, face: up}
    - {card: Ring of Magnetism, equipped_to: yubel_1}
  field_spell: Umi
  graveyard: [Rise to Full Height]
  passed: true
non_turn_player:
  monsters:
    - {card: Mystic Lamp, original_atk: 5, negated: true, entry_count: {2: 3}}
  passed: false
applied:
  - {card: Taunt, effect: 1, by: non_turn_player, chosen: [mystic_lamp]}
attack: {attacker: yubel_1, target: mystic_lamp, stage: declaration, declared_in: defense}
chain:
  - {card: mirror_force, effect: 1}
  - {card: mirror_force_2, effect: 1, by: non_turn_player, targets: [yubel_1]}
after_chain: true
"""


@lru_cache
def case_states() -> tuple[State, ...]:
    return tuple(case.state for file in case_files() for case in _readable(file))


def _readable(file: Path) -> Iterator[Any]:
    """The cases of a file; none if it cannot be read, which another test shows."""
    try:
        yield from read_cases(file)
    except InputError:
        return


def as_read(state: State) -> State:
    return state_from_text(state_text(state), state.file)


def assert_kept(state: State) -> None:
    """Written and read back, a state is the same but for the lines of its file."""
    read = as_read(state)
    assert set(read.facts()) == set(state.facts())
    assert set(read.assumptions) == set(state.assumptions)
    assert read.attack == state.attack
    assert list(read.texts) == list(state.texts)


def changed(state: State, *fluents: str, gone: str = "^$") -> State:
    """The state with fluents added, and without those that match `gone`."""
    kept = [fluent for fluent in state.fluents if not re.search(gone, fluent)]
    return replace(state, fluents=(*kept, *fluents))


def small(*fluents: str, gone: str = "^$") -> State:
    return changed(state_from_text(SMALL, "board.yaml"), *fluents, gone=gone)


# --- what is written ------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [SMALL, LARGE], ids=["small", "large"])
def test_the_text_is_the_one_that_a_person_wrote(text: str) -> None:
    assert state_text(state_from_text(text, "board.yaml")) == text


def test_names_are_english_and_defaults_are_left_out() -> None:
    text = """
        turn_player: {lp: 8000, monsters: [{card: 冲锋陷阵的队长, face: up, declared: 0}], hand: []}
        non_turn_player: {monsters: [{card: 2460565, id: right, level: 3, owner: non_turn_player}]}
    """
    written = state_text(state_from_text(text, "board.yaml"))
    assert written.splitlines() == [
        "turn_player:",
        "  monsters:",
        "    - Marauding Captain",
        "non_turn_player:",
        "  monsters:",
        "    - {card: Marauding Captain, id: right}",
    ]


def test_what_a_file_says_stays_said() -> None:
    text = "turn: 2\nphase: battle\nstep: battle\nturn_player: {}\nnon_turn_player: {}\n"
    assert state_text(state_from_text(text, "board.yaml")) == text


def test_lines_are_no_longer_than_need_be() -> None:
    lines = [line for state in case_states()[::5] for line in state_text(state).splitlines()]
    too_long = [line for line in lines if len(line) > WIDTH]
    # A single clause, or a single text, may be longer than a line.
    assert [line for line in too_long if not re.match(r" +(- |note: )", line)] == []
    assert len(too_long) < len(lines) / 100


@pytest.mark.parametrize(
    "name",
    ["true", "NULL", "12", "1e3", "a: b", "a #b", "- a", "'a'", '"', "\\", " a ", "a\nb", "[",
     "混沌", "E・HERO", "a,b", "~", "\u00a0", "a:"],
)  # fmt: skip
def test_every_name_is_kept(name: str) -> None:
    state = state_of(
        {
            "turn_player": {"monsters": [{"card": {"name": name, "card": "monster"}}]},
            "non_turn_player": {},
        }
    )
    (text,) = as_read(state).texts.values()
    assert text.names["en"] == name


# --- what is read back ----------------------------------------------------------------------------


@pytest.mark.parametrize("file", BOARDS, ids=lambda file: file.name)
def test_example_boards_are_kept(file: Path) -> None:
    state = read_state(file)
    assert_kept(state)
    assert answers(as_read(state)) == answers(state)


def test_states_of_cases_are_kept() -> None:
    some = case_states()[::5]
    assert len(some) > 100
    for state in some:
        assert_kept(state)


@pytest.mark.slow
def test_states_of_cases_that_are_kept_give_the_same_answers() -> None:
    states = case_states()[::5]
    again = [as_read(state) for state in states]
    found = knowledge_base().models([state.facts() for state in (*states, *again)], ("answer",))
    answered = [sorted(map(str, model["answer"])) for model in found]
    assert answered[: len(states)] == answered[len(states) :]


def answers(state: State) -> list[tuple[str, str, tuple[Any, ...]]]:
    return [(answer.words, answer.how, answer.reasons) for answer in ask(state).actions]


ids = st.sampled_from(["a1", "b1"])
_ENTRY: dict[str, st.SearchStrategy[Any]] = {
    "position": st.sampled_from(["attack", "defense"]),
    "owner": st.sampled_from(SIDES),
    "zone": st.integers(1, 7),
    "name": st.sampled_from(["Yubel", "混沌", "Umi"]),
    "race": st.sampled_from(["rock", "warrior"]),
    "attribute": st.sampled_from(["dark", "light"]),
    "archetypes": st.lists(st.sampled_from(["Alpha", "HERO"]), max_size=2),
    "atk": st.sampled_from([0, 1500]),
    "def": st.sampled_from([0, 1000]),
    "original_atk": st.sampled_from([0, 1500]),
    "original_def": st.sampled_from([0, 1000]),
    "level": st.sampled_from([0, 4]),
    "rank": st.integers(1, 4),
    "link": st.integers(1, 4),
    "materials": st.integers(0, 2),
    "summoned": st.lists(st.sampled_from(["special", "link"]), max_size=2, unique=True),
    "came": st.just("this_turn"),
    "negated": st.booleans(),
    "equipped_to": ids,
    "chosen": st.lists(ids, max_size=2, unique=True),
    "used": st.lists(st.integers(0, 2), max_size=2, unique=True),
    "declared": st.integers(0, 2),
    "attempted": st.booleans(),
    "gave_up": st.booleans(),
    "attacked": st.lists(st.sampled_from(["a1", "b1", "player"]), max_size=2, unique=True),
    "battled": st.lists(st.sampled_from(["a1", "b1", "player"]), max_size=2, unique=True),
    "entry_count": st.dictionaries(st.sampled_from("12"), st.integers(0, 3), max_size=2),
    "determined": st.booleans(),
    "substitutes": st.booleans(),
    "changed_atk": st.sampled_from([0, 1500]),
    "changed_def": st.sampled_from([0, 1000]),
    "held_to": st.just([{"card": "b1", "effect": 1}]),
    "attacked_beside": st.lists(ids, max_size=2, unique=True),
    "attacked_directly": st.booleans(),
    "direct_chosen": st.booleans(),
    "done_with": st.lists(ids, max_size=2, unique=True),
}  # fmt: skip
_ATTACK: dict[str, st.SearchStrategy[Any]] = {
    "target": st.sampled_from(["b1", "player"]),
    "stage": st.sampled_from(["declaring", "declaration", "open", "replay", "reselected", "past"]),
    "declared_in": st.sampled_from(["attack", "defense"]),
    "declared_on": st.sampled_from(["b1", "player"]),
    "over": st.sampled_from(["negated", "terminated"]),
    "by": ids,
}
_HAPPENED = st.lists(
    st.sampled_from([{"destroyed": "a1"}, {"left_field": ["b1"]}, {"sent": ["a1", "player"]}]),
    max_size=2,
    unique_by=str,
)
_PROGRESS: dict[str, st.SearchStrategy[Any]] = {
    "paying": st.just(1),
    "resolving": st.just(1),
    "handled": st.lists(st.integers(1, 3), max_size=2, unique=True),
    "did": st.lists(st.integers(1, 3), max_size=2, unique=True),
    "picked": st.lists(ids, max_size=2, unique=True),
    "settling": st.booleans(),
    "replay_due": st.booleans(),
    "just": _HAPPENED,
    "before": _HAPPENED,
    "also": st.just(["calculation_due", "aiming(a1)"]),
}


def some(words: dict[str, st.SearchStrategy[Any]], at_most: int) -> st.SearchStrategy[Data]:
    keys = st.lists(st.sampled_from(sorted(words)), max_size=at_most, unique=True)
    return keys.flatmap(lambda found: st.fixed_dictionaries({key: words[key] for key in found}))


def _numbers(board: Data, one: str) -> list[int]:
    """Return the numbers of a monster's effects that a chain link may name; 0 always may."""
    monsters = [entry for side in SIDES for entry in board[side]["monsters"]]
    card = next(entry["card"] for entry in monsters if entry["id"] == one)
    effects = card.get("effects", ()) if isinstance(card, dict) else [{"nr": 1}]
    return [0, *(effect["nr"] for effect in effects)]


@st.composite
def rich(draw: st.DrawFn) -> Data:
    """A board with whatever else a state file can say, also what no duel could look like."""
    board = draw(boards())
    board["non_turn_player"]["monsters"] = board["non_turn_player"]["monsters"] or [
        {"card": "Yubel", "id": "b1"}
    ]
    for side in SIDES:
        for pile in ("hand", "graveyard", "banished", "extra_deck", "deck", "pendulums"):
            entry = draw(st.none() | some(_ENTRY, 2))
            if entry is not None:
                board[side][pile] = [{"card": "Yubel", **entry}, "Yubel"]
        board[side]["field_spell"] = {"card": "Umi", **draw(some(_ENTRY, 1))}
        for entry in board[side]["monsters"] + board[side]["spells_traps"]:
            entry |= draw(some(_ENTRY, 3))
        if draw(st.booleans()):
            board[side]["lp"] = draw(st.integers(0, 9000))
    for entry in board["applied"]:
        entry |= draw(st.sampled_from([{}, {"source": "a1"}, {"used": True}, {"used": False}]))
    if draw(st.booleans()):
        board["attack"] = {"attacker": "a1", "stage": "open", **draw(some(_ATTACK, 3))}
    if "target" not in board.get("attack", {"target": ""}):
        # Without a target the attacker is nobody in particular; these two say who it is.
        for word in ("declared_in", "declared_on"):
            board["attack"].pop(word, None)
    if draw(st.booleans()):
        links: list[Data] = [
            {"card": one, "effect": draw(st.sampled_from(_numbers(board, one)))}
            for one in ("a1", "b1")
        ]
        links[1] |= {"by": draw(st.sampled_from(SIDES)), "targets": ["a1"]}
        links[0] |= {"negated": draw(st.booleans())}
        board["chain"] = links[: draw(st.integers(1, 2))]
        if progress := draw(some(_PROGRESS, 3)):
            board["progress"] = progress
        board["turn_player"]["declined"] = draw(st.booleans())
    board["after_chain"] = draw(st.booleans())
    return board


def _is_kept(board: Data) -> None:
    state = state_of(board)
    assert_kept(state)
    assert state_text(as_read(state)) == state_text(state)


@settings(max_examples=6)
@given(rich())
def test_whatever_a_file_says_is_kept(board: Data) -> None:
    _is_kept(board)


@pytest.mark.slow
@settings(max_examples=40)
@given(rich())
def test_whatever_many_files_say_is_kept(board: Data) -> None:
    _is_kept(board)


def test_the_random_boards_use_every_word_of_the_format() -> None:
    known = schema()
    entry = set(known["$defs"]["entry"]["properties"])
    # Counters are not read, and these three stand on the boards that the entries are added to.
    assert entry - set(_ENTRY) == {"card", "id", "face", "counters"}
    assert set(known["properties"]["attack"]["properties"]) - set(_ATTACK) == {"attacker"}
    assert set(known["properties"]["progress"]["properties"]) == set(_PROGRESS)


# --- states that the rules have led to ------------------------------------------------------------


def after(state: State, act: str) -> State:
    model = knowledge_base().model([*state.facts(), f"do({act})"], ("next",))
    return replace(state, fluents=tuple(str(fluent) for (fluent,) in model["next"]))


@settings(max_examples=5)
@given(boards())
def test_states_after_an_action_are_kept(board: Data) -> None:
    state = state_of(board)
    if "over" in board.get("attack", {}):
        return
    acts = [str(one.action) for one in ask(state).actions if one.how in ("may", "must")]
    for act in acts[:3]:
        # What held is no assumption any more.
        then = replace(after(state, act), assumptions=())
        read = as_read(then)
        assert set(read.fluents) == set(then.fluents)
        assert answers(read) == answers(then)


def test_an_attack_that_has_been_declared() -> None:
    state = state_from_text(SMALL.replace("{}", "{lp: 100}"), "board.yaml")
    text = state_text(after(state, "attack(marauding_captain,player)"))
    attack = (
        "{attacker: marauding_captain, target: player, stage: declaration, declared_in: attack}"
    )
    assert f"attack: {attack}" in text.splitlines()


def test_what_has_left_the_duel_is_left_out() -> None:
    state = state_from_text(LARGE, "board.yaml")
    gone = changed(state, gone=r"in\(mirror_force,|applied\(|link|mystic_lamp|passe|yubel_1|ring_")
    text = state_text(gone)
    assert "Taunt" not in text
    assert "- Mirror Force\n" not in text
    assert "id: mirror_force_2" in text


# --- what cannot be said --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("state", "says"),
    [
        (small("turn(3)"), "board.yaml: a state file cannot say that it is turn 3"),
        (
            small("equipped(marauding_captain,gone)"),
            "board.yaml: a state file cannot say it: turn_player.monsters[0].equipped_to: "
            'no card has the id "gone"; there are marauding_captain',
        ),
        (
            small(gone="race"),
            "board.yaml:3: a state file would also say that Marauding Captain: race(warrior)",
        ),
        (
            small("declared_in(marauding_captain,attack)"),
            "board.yaml:3: a state file cannot say that Marauding Captain declared its attack in "
            "Attack Position",
        ),
        (small("unheard(of)"), "board.yaml: a state file cannot say that unheard(of) holds"),
    ],
)
def test_one_line_for_what_cannot_be_said(state: State, says: str) -> None:
    with pytest.raises(NotExpressible) as error:
        state_text(state)
    assert str(error.value) == says


def test_a_text_that_the_library_does_not_have() -> None:
    state = state_from_text(SMALL, "board.yaml")
    (text,) = state.texts.values()
    other = replace(text, data={**text.data, "effects": []})
    with pytest.raises(NotExpressible) as error:
        state_text(replace(state, texts={"marauding_captain": other}))
    says = "board.yaml:3: a state file cannot say what card Marauding Captain is"
    assert str(error.value) == says
