"""Pictures of boards: what they show, in both languages, within the width of a terminal."""

from __future__ import annotations

import re

import pytest
from boards import Data, boards, state_of
from hypothesis import given, settings

from py_bridge.pages import columns
from py_bridge.picture import picture
from py_bridge.states import State, state_from_text

BOARD = """\
turn: 7
turn_player:
  lp: 4000
  monsters:
    - {card: Marauding Captain, zone: 4}
    - {card: Yubel, position: defense, declared: 1, negated: true}
    - {card: {name: Rabbit of a Very Long Name, card: monster, atk: 0}, id: rabbit}
  spells_traps: [Mirror Force, {card: Ring of Magnetism, equipped_to: yubel}]
  field_spell: Umi
  hand: [Rise to Full Height]
  passed: true
non_turn_player:
  monsters: [{card: Marauding Captain, id: theirs, face: down, determined: true}]
  graveyard: [Nightmare Pain, Skill Drain]
  banished: [Marauding Captain]
applied:
  - {card: Taunt, effect: 1, by: non_turn_player, chosen: [theirs]}
  - {card: Soul Charge, effect: 1, by: turn_player}
attack: {attacker: yubel, target: theirs, stage: replay}
chain: [{card: mirror_force, effect: 1, targets: [yubel]}]
"""
ENGLISH = """\
Turn 7: Battle Phase, Battle Step
The non-turn player: 8000 LP, hand 0, Graveyard 2, banished cards 1
  Marauding Captain
  [theirs]
  Set
  1200/400
  to be destroyed
  ~ Taunt

  Yubel ---> Marauding Captain [theirs], a replay
  Chain link 1: Mirror Force ① on Yubel

  Yubel              Rabbit of a Very…  Marauding Captain
  Defense            Attack             [marauding_captain
  0/0                0/-                ]
  negated                               Attack
  declared 1                            1200/400
  + Ring of Magneti…
  Mirror Force (Set), Ring of Magnetism, Umi (Field Zone)
  applied: Soul Charge
The turn player: 4000 LP, hand 1, Graveyard 0, has passed
"""
CHINESE = """\
第7回合：战斗阶段，战斗步骤
非回合玩家：基本分8000，手卡0，墓地2，除外区1
  冲锋陷阵的队长
  [theirs]
  里侧守备表示
  1200/400
  确定被破坏
  ~ 挑衅

  于贝尔 ---> 冲锋陷阵的队长 [theirs]，卷回
  连锁1：神圣防护罩 -反射镜力- ①（对象：于贝尔）

  于贝尔             Rabbit of a Very…  冲锋陷阵的队长
  守备表示           攻击表示           [marauding_captain
  0/0                0/-                ]
  效果无效                              攻击表示
  宣言1次                               1200/400
  + 磁力指轮
  神圣防护罩 -反射镜力-（盖放），磁力指轮，海（场地区域）
  适用中：灵魂补充
回合玩家：基本分4000，手卡1，墓地0，已放弃优先权
"""


def read(text: str) -> State:
    return state_from_text(text, "board.yaml")


@pytest.mark.parametrize(("language", "shown"), [("en", ENGLISH), ("zh", CHINESE)])
def test_a_board_with_everything(language: str, shown: str) -> None:
    assert picture(read(BOARD), language) == shown.splitlines()


def test_an_empty_board() -> None:
    assert picture(read("turn_player: {}\nnon_turn_player: {}"), "en") == [
        "Turn 2: Battle Phase, Battle Step",
        "The non-turn player: 8000 LP, hand 0, Graveyard 0",
        "  (no monsters)",
        "",
        "  (no monsters)",
        "The turn player: 8000 LP, hand 0, Graveyard 0",
    ]


@pytest.mark.parametrize(
    ("moment", "language", "shown"),
    [
        ("phase: main_1", "en", "Turn 2: Main Phase 1"),
        (
            "step: damage\nsub_step: before_calculation",
            "en",
            "Turn 2: Battle Phase, Damage Step, before damage calculation",
        ),
        (
            "step: damage\nsub_step: after_calculation",
            "zh",
            "第2回合：战斗阶段，伤害步骤，伤害计算后",
        ),
    ],
)
def test_the_moment(moment: str, language: str, shown: str) -> None:
    state = read(f"turn_player: {{}}\nnon_turn_player: {{}}\n{moment}")
    assert picture(state, language)[0] == shown


@pytest.mark.parametrize(
    ("attack", "shown"),
    [
        ("{attacker: yubel, target: player}", "  Yubel ---> the opponent"),
        ("{attacker: yubel, target: player, over: negated}", "  Yubel ---> the opponent"),
        ("{attacker: yubel, stage: replay}", "  a replay"),
    ],
)
def test_an_attack_without_a_monster_as_target(attack: str, shown: str) -> None:
    lines = picture(
        read(f"turn_player: {{monsters: [Yubel]}}\nnon_turn_player: {{}}\nattack: {attack}"), "en"
    )
    (arrow,) = (line for line in lines if line.startswith(shown))
    assert ("negated" in arrow) == ("negated" in attack)


def test_a_chain_that_has_been_resolved() -> None:
    state = read("turn_player: {}\nnon_turn_player: {}\nafter_chain: true")
    assert picture(state, "en")[4] == "  a chain has just been resolved"
    assert picture(state, "zh")[4] == "  刚处理完连锁"


def test_six_monsters_take_two_rows_by_their_zones() -> None:
    monsters = [f"{{card: Yubel, id: m{zone}, zone: {zone}}}" for zone in (6, 3, 1, 2, 5, 4)]
    lines = picture(
        read(f"turn_player: {{monsters: [{', '.join(monsters)}]}}\nnon_turn_player: {{}}"), "en"
    )
    rows = [re.findall(r"\[(m\d)\]", line) for line in lines]
    assert [row for row in rows if row] == [["m1", "m2", "m3", "m4", "m5"], ["m6"]]


@settings(max_examples=20)
@given(boards())
def test_every_board_fits_and_shows_every_monster(board: Data) -> None:
    state = state_of(board)
    for language in ("en", "zh"):
        lines = picture(state, language)
        assert max(map(columns, lines)) <= 100
        assert all(line == line.rstrip() and line.isprintable() for line in lines)
        for side in ("turn_player", "non_turn_player"):
            for one in board[side]["monsters"]:
                start = state.name_of(one["id"], language)[:10]
                assert any(start in line for line in lines)


def test_long_names_and_large_numbers_stay_apart() -> None:
    card = "{name: 一二三四五六七八九十一二, card: monster, atk: 1000000, def: 1000000}"
    monsters = ", ".join(f"{{card: {card}, id: m{number}}}" for number in range(5))
    lines = picture(read(f"turn_player: {{monsters: [{monsters}]}}\nnon_turn_player: {{}}"), "zh")
    assert "  " + " ".join(["一二三四五六七八… "] * 5).rstrip() in lines
    assert "  " + " ".join(["1000000/1000000   "] * 5).rstrip() in lines
    assert max(map(columns, lines)) <= 100


def test_a_name_over_two_lines_is_shown_on_one() -> None:
    state = state_of(
        {
            "turn_player": {"monsters": [{"card": {"name": "Two\nLines", "card": "monster"}}]},
            "non_turn_player": {},
        }
    )
    assert "  Two\\nLines" in picture(state, "en")
