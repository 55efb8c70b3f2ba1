"""Answers as data and in words: JSON shapes, reasons in their order, pages of 100 columns."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from clingo import parse_term
from together import Told

from py_bridge import answers, pages
from py_bridge.answers import HOW, Answers, Speaker, ask
from py_bridge.cases import Case, case_files, read_cases
from py_bridge.errors import BattlejudgeError, InputError
from py_bridge.knowledge import KnowledgeBase
from py_bridge.pages import WIDTH, columns, wrapped
from py_bridge.states import state_from_text

# The captain protects the other Warrior; Taunt makes the attacker attack; Chains stop another one.
TAUNT = "{name: Taunt, card: spell, kinds: [continuous], effects: [{nr: 1, kind: continuous, says: [{must_attack: {targets: {side: own, race: warrior}}}]}]}"  # noqa: E501
CHAINS = "{name: Chains, card: spell, kinds: [equip], effects: [{nr: 2, kind: continuous, says: [{cannot_attack: {}}]}]}"  # noqa: E501
BOARD = f"""\
turn: 3
turn_player:
  monsters:
    - {{id: first, card: {{name: First, card: monster, race: beast, atk: 1800, def: 0}}}}
    - {{id: second, card: {{name: Second, card: monster, race: beast, atk: 1800, def: 0}}}}
non_turn_player:
  monsters:
    - {{id: captain, card: Marauding Captain}}
    - {{id: beast, card: {{name: Beast, card: monster, race: beast, atk: 100, def: 0}}}}
  spells_traps:
    - {{card: {CHAINS}, equipped_to: second}}
"""
TAUNTED = BOARD + f"    - {{card: {TAUNT}}}\n"


@lru_cache
def found(text: str = BOARD) -> Answers:
    return ask(state_from_text(text, "board.yaml"))


def how(text: str = BOARD) -> dict[str, str]:
    return {answer.words: answer.how for answer in found(text).actions}


def labels_of(words: str, text: str = BOARD) -> list[str]:
    answer = pages.asked(found(text), words)
    return [reason.label for reason in answer.reasons]


# --- answers --------------------------------------------------------------------------------------


def test_answers_on_a_board() -> None:
    attacks = {words: answer for words, answer in how().items() if words.startswith("attack")}
    assert attacks == {
        "attack first -> captain": "may",
        "attack first -> beast": "may",
        "attack first directly": "cannot",
        "attack second -> captain": "cannot",
        "attack second -> beast": "cannot",
        "attack second directly": "cannot",
    }
    assert how()["enter end_step"] == "may"


def test_answers_under_a_must() -> None:
    assert how(TAUNTED)["attack first -> captain"] == "must"
    assert how(TAUNTED)["attack first -> beast"] == "cannot"
    assert how(TAUNTED)["enter end_step"] == "cannot"


def test_answers_are_sorted_by_how_open_they_are() -> None:
    order = [HOW.index(answer.how) for answer in found(TAUNTED).actions]
    assert order == sorted(order)
    assert [answer.words for answer in found().actions][:2] == [
        "attack first -> beast",
        "attack first -> captain",
    ]


def test_an_answer_is_found_by_its_action() -> None:
    answer = found().of(parse_term("attack(first,captain)"))
    assert answer is not None
    assert (answer.words, answer.how) == ("attack first -> captain", "may")
    assert found().of(parse_term("attack(first,nobody)")) is None


def test_the_attacker_comes_before_the_target_among_reasons() -> None:
    assert labels_of("attack second directly") == [
        "attackers_cannot_attack",
        "targets_direct_needs_leave",
    ]
    (attacker, target) = pages.asked(found(), "attack second directly").reasons
    assert (attacker.source, attacker.effect) == ("chains", 2)
    assert (target.source, target.effect) == (None, 0)
    assert attacker.precedence < target.precedence


def test_the_moment_comes_before_the_attacker_among_reasons() -> None:
    text = BOARD.replace("turn: 3", "turn: 3\nstep: end")
    assert labels_of("attack second directly", text)[:2] == [
        "attackers_battle_step_only",
        "attackers_cannot_attack",
    ]


def test_reasons_are_in_the_order_of_their_precedence() -> None:
    for text in (BOARD, TAUNTED):
        for answer in found(text).actions:
            if answer.how != "must":
                ranks = [reason.precedence for reason in answer.reasons]
                assert ranks == sorted(ranks)


def test_a_must_gives_its_oblige_first() -> None:
    assert labels_of("attack first -> captain", TAUNTED)[0] in ("forced_attack", "must_attack")
    reasons = pages.asked(found(TAUNTED), "attack first -> captain").reasons
    assert reasons[0].source == "taunt"


def test_the_level_of_a_restriction() -> None:
    reason = pages.asked(found(TAUNTED), "attack first -> beast").reasons[0]
    assert (reason.label, reason.source, reason.level) == ("must_attack", "taunt", 2)
    levels = {
        reason.level
        for answer in found().actions
        for reason in answer.reasons
        if reason.label == "targets_direct_needs_leave"
    }
    assert levels == {None}


def test_assumptions_that_matter() -> None:
    fluents = {one.fluent for one in found().assumptions}
    assert {"position(first,attack)", "phase(battle)", "step(battle)"} <= fluents
    # The turn is written; nothing asks for the position of a target.
    assert "turn(3)" not in fluents
    assert "position(beast,attack)" not in fluents


def test_impossible_states_are_refused_with_their_line() -> None:
    text = BOARD.replace("id: first,", "id: first, face: down, position: attack,")
    with pytest.raises(InputError) as error:
        ask(state_from_text(text, "board.yaml"))
    assert str(error.value) == (
        "board.yaml:4: First is face-down in Attack Position; "
        "a face-down monster is in Defense Position"
    )


def test_open_atoms_are_no_answer() -> None:
    class Open(KnowledgeBase):
        def texts(self) -> list[tuple[str, str]]:
            circle = (
                "answer(attack(a, b), may) :- not other. other :- not answer(attack(a, b), may)."
            )
            return [("open.lp", circle)]

    with pytest.raises(
        BattlejudgeError, match=re.escape("the rules leave answer(attack(a,b),may)")
    ):
        ask(state_from_text(BOARD, "board.yaml"), Open(()))


# --- data -----------------------------------------------------------------------------------------


def test_legal_as_data() -> None:
    data = answers.as_data(found(TAUNTED), Speaker(found(TAUNTED).state, "en"))
    assert {"actions", "findings", "assumptions"} <= set(data)
    for action in data["actions"]:
        assert set(action) >= {"action", "answer", "text", "reasons"}
        assert action["answer"] in HOW
        for reason in action["reasons"]:
            assert set(reason) >= {"label", "rulings", "source", "effect", "level", "text"}
            assert (reason["source"] is None) == (reason["effect"] is None)
    first = next(one for one in data["actions"] if one["action"] == "attack first -> beast")
    assert first["answer"] == "cannot"
    reason = first["reasons"][0]
    assert (reason["source"], reason["effect"], reason["level"]) == ("taunt", 1, 2)
    assert all(isinstance(text, str) for text in data["findings"] + data["assumptions"])


def test_why_as_data() -> None:
    asked = pages.asked(found(), "attack second directly")
    data = pages.why_data(found(), asked, Speaker(found().state, "en"))
    assert (data["action"], data["answer"]) == ("attack second directly", "cannot")
    for reason in data["reasons"]:
        assert set(reason) >= {"text", "label", "rulings", "source", "level", "derivation"}
        _check_node(reason["derivation"])
    atoms = _atoms(data["reasons"][0]["derivation"])
    assert "holds(equipped(chains,second))" in atoms


def _check_node(node: Any) -> None:
    assert set(node) >= {"atom", "kind", "label", "children"}
    assert node["kind"] in ("rule", "fact", "absent", "test")
    assert (node["kind"] == "rule") or not node["children"]
    for child in node["children"]:
        _check_node(child)


def _atoms(node: Any) -> list[str]:
    return [node["atom"], *(atom for child in node["children"] for atom in _atoms(child))]


# --- words ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "action", "text"),
    [
        ("en", "attack(first,captain)", "attack: First -> Marauding Captain"),
        ("zh", "attack(first,captain)", "攻击：First → 冲锋陷阵的队长"),
        ("en", "attack(first,player)", "attack directly: First"),
        ("zh", "attack(first,player)", "直接攻击：First"),
        ("en", "activate(captain,1)", "activate: Marauding Captain ①"),
        ("en", "activate(captain,2,first)", "activate: Marauding Captain ② on First"),
        ("zh", "activate(captain,2,first)", "发动：冲锋陷阵的队长 ②（对象：First）"),
        ("en", "give_up(first)", "give up the attack of First"),
        ("en", "enter(end_step)", "enter: End Step"),
        ("zh", "enter(end_step)", "进入：结束步骤"),
    ],
)
def test_actions_in_words(language: str, action: str, text: str) -> None:
    assert Speaker(found().state, language).action(parse_term(action)) == text


def test_cards_of_one_name_are_told_apart_by_their_ids() -> None:
    text = BOARD.replace("name: Second", "name: First")
    speaker = Speaker(found(text).state, "en")
    assert (speaker.card("first"), speaker.card("second")) == ("First [first]", "First [second]")
    assert speaker.card("captain") == "Marauding Captain"
    assert speaker.effect("first", 1) == "First [first] ①"


@pytest.mark.parametrize(
    ("language", "fact", "text"),
    [
        ("en", "holds(turn(3))", "it is turn 3"),
        ("zh", "holds(turn(3))", "现在是第3回合"),
        ("en", "holds(step(end))", "it is the End Step"),
        ("en", "holds(phase(end))", "it is the End Phase"),
        ("en", "holds(position(first,defense))", "First is in Defense Position"),
        ("zh", "holds(equipped(chains,second))", "Chains装备于Second"),
        ("en", "holds(controller(captain,non_turn_player))",
         "Marauding Captain is controlled by the non-turn player"),
        ("en", "monster(first)", None),
        ("en", "holds(no_such_fluent(first))", None),
    ],
)  # fmt: skip
def test_facts_in_words(language: str, fact: str, text: str | None) -> None:
    assert Speaker(found().state, language).fact(parse_term(fact)) == text


def test_reasons_in_words() -> None:
    speaker = Speaker(found().state, "en")
    asked = pages.asked(found(), "attack second -> beast")
    assert speaker.reason(asked.reasons[0], asked.action) == "Chains ②: Second cannot attack."
    chinese = Speaker(found().state, "zh")
    assert chinese.reason(asked.reasons[0], asked.action) == "Chains ②：Second不能攻击。"


# --- pages ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "width"), [("", 0), ("abc", 3), ("攻击", 4), ("a击①", 4)])
def test_columns(text: str, width: int) -> None:
    assert columns(text) == width


def test_wrapping() -> None:
    assert wrapped("short", 4) == ["short"]
    words = wrapped(" ".join(["word"] * 60), 4)
    assert len(words) == 4
    assert all(columns(line) <= WIDTH for line in words)
    assert all(line.startswith("    word") for line in words[1:])
    assert " ".join(line.strip() for line in words) == " ".join(["word"] * 60)
    chinese = wrapped("攻" * 120, 2)
    assert [columns(line) for line in chinese] == [100, 100, 44]


def test_the_page_of_why_has_a_number_for_each_reason() -> None:
    asked = pages.asked(found(), "attack second directly")
    lines = pages.why(found(), asked, Speaker(found().state, "en"))
    assert lines[0] == "cannot: attack directly: Second"
    assert [line[:3] for line in lines if re.match(r"\d\. ", line)] == ["1. ", "2. "]


@lru_cache(maxsize=1)
def _cases() -> list[Case]:
    cases = []
    for file in case_files():
        try:
            cases += read_cases(file)
        except InputError:  # told by the tests of the case files
            continue
    return [case for case in cases if not case.awaits and not case.invalid]


@pytest.mark.parametrize("step", [30, pytest.param(8, marks=pytest.mark.slow)])
def test_pages_of_cases_fit_and_leave_no_gap(step: int) -> None:
    cases = _cases()[::step]
    assert cases
    told = Told(case.state for case in cases)
    for case in cases:
        answered = ask(case.state, told)
        for language in ("en", "zh"):
            _check_page(answered, language, f"{Path(case.file).name}:{case.line}")


def _check_page(answered: Answers, language: str, where: str) -> None:
    speaker = Speaker(answered.state, language)
    for line in pages.legal(answered, speaker, True):
        assert columns(line) <= WIDTH, where
        assert not re.search(r"\{\w+\}", line), (where, line)
    for answer in answered.actions:
        for reason in answer.reasons:
            said = speaker.reason(reason, answer.action)
            assert not re.search(r"\{\w+\}", said), (where, said)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(("text", "step"), [(BOARD, 4), (TAUNTED, 6)])
def test_explanations_fit(language: str, text: str, step: int) -> None:
    speaker = Speaker(found(text).state, language)
    for answer in found(text).actions[::step]:
        lines = pages.why(found(text), answer, speaker)
        assert len(lines) > 1
        assert [line for line in lines if columns(line) > WIDTH] == []


@pytest.mark.slow
def test_explanations_of_cases_fit() -> None:
    for case in _cases()[::120]:
        answered = ask(case.state)
        speakers = [Speaker(case.state, language) for language in ("en", "zh")]
        for number, answer in enumerate(answered.actions[::2]):
            lines = pages.why(answered, answer, speakers[number % 2])
            assert len(lines) > 1
            assert [line for line in lines if columns(line) > WIDTH] == []
            assert not [line for line in lines if re.search(r"\{\w+\}", line)]


# --- what nothing on the board suggests -----------------------------------------------------------


def test_a_question_that_nothing_suggests_is_answered() -> None:
    assert "attack captain -> first" not in how()
    answer = pages.asked(found(), "attack captain -> first")
    assert answer.how == "cannot"
    assert [reason.label for reason in answer.reasons] == ["asked_attacker", "asked_target"]
    assert pages.asked(found(), "activate captain 2").reasons[0].label == "asked_continuous"


def test_a_question_about_no_card_of_the_state_is_refused() -> None:
    with pytest.raises(BattlejudgeError, match="is no action of this state"):
        pages.asked(found(), "attack first -> nobody")


def test_words_that_are_no_action_are_refused_with_what_is_near() -> None:
    with pytest.raises(BattlejudgeError, match='right would be "attack first -> captain"'):
        pages.asked(found(), "attack First -> Captain!")
    with pytest.raises(BattlejudgeError, match="A, B and C are ids of cards, here first, second"):
        pages.asked(found(), "frobnicate")


# --- who chooses what -----------------------------------------------------------------------------

CHOICES = """
turn_player: {monsters: [Blue-Eyes White Dragon, Dark Magician]}
non_turn_player:
  monsters: [{card: Yubel, id: y1}, {card: Yubel, id: y2}, Evil HERO Malicious Fiend]
  spells_traps: [Nightmare Pain]
"""


def also(text: str, language: str) -> str:
    """Return what the page says beside the actions, on one line."""
    lines = pages.legal(found(text), Speaker(found(text).state, language), False)
    start = lines.index("Also:" if language == "en" else "此外:")
    kept = [line.strip() for line in lines[start + 1 :]]
    return (" " if language == "en" else "").join(kept)


def test_the_effects_to_choose_from_are_told_with_what_each_leaves() -> None:
    assert (
        "the non-turn player chooses which effect is applied to each attack of Blue-Eyes White "
        "Dragon, Dark Magician: Evil HERO Malicious Fiend ① (leaves Evil HERO Malicious Fiend), "
        "Nightmare Pain ② (leaves Yubel [y1] or Yubel [y2]); of several that one effect leaves, "
        "the turn player chooses"
    ) in also(CHOICES, "en")
    assert "由非回合玩家选择：邪心英雄 恶刃魔鬼 ①（可攻击邪心英雄 恶刃魔鬼）" in also(CHOICES, "zh")


def test_several_targets_of_one_effect_are_one_choice() -> None:
    text = CHOICES.replace(", Evil HERO Malicious Fiend", "")
    assert (
        "the turn player chooses which one Blue-Eyes White Dragon, Dark Magician has to attack: "
        "Yubel [y1] or Yubel [y2]"
    ) in also(text, "en")
    single = text.replace(", {card: Yubel, id: y2}", "")
    assert "chooses" not in also(single, "en")


def test_effects_of_both_players_leave_open_who_chooses() -> None:
    goad = """
turn_player:
  monsters: [Dark Magician]
  spells_traps:
    - card: {name: Goad, card: spell, kinds: [continuous], effects: [{nr: 1, kind: continuous,
             says: [{must_attack: {monsters: {side: own}, targets: {race: aqua}}}]}]}
non_turn_player: {monsters: [Evil HERO Malicious Fiend, Revival Jam]}
"""
    assert "no ruling tells who chooses the effect applied to each attack" in also(goad, "en")


# --- states that no duel can look like ------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "turn_player: {}\nnon_turn_player: {spells_traps: [Umi]}\n",
            "board.yaml:2: Umi is a Field Spell, which lies in the Field Zone (field_spell) and "
            "not in a Spell & Trap Zone",
        ),
        (
            "turn_player: {}\nnon_turn_player: {field_spell: Nightmare Pain}\n",
            "board.yaml:2: Nightmare Pain lies in the Field Zone, which is for Field Spells",
        ),
        (
            "turn_player: {}\nnon_turn_player: {monsters: [Yubel]}\n"
            "applied: [{card: Taunt, effect: 1, by: non_turn_player}]\n",
            "board.yaml:3: Taunt is applied although nothing says to which monster; "
            "write chosen: [ID]",
        ),
    ],
)
def test_what_no_duel_can_look_like_is_refused(text: str, says: str) -> None:
    with pytest.raises(InputError) as refused:
        ask(state_from_text(text, "board.yaml"))
    assert str(refused.value) == says


def test_an_effect_that_needs_nobody_may_be_applied_to_nobody() -> None:
    text = (
        "turn_player: {monsters: [Dark Magician]}\nnon_turn_player: {}\n"
        "applied: [{card: Threatening Roar, effect: 1, by: non_turn_player}]\n"
    )
    assert how(text)["attack dark_magician directly"] == "cannot"


def test_what_is_undecided_is_not_listed_as_legal() -> None:
    text = (
        "turn_player: {monsters: [Dark Magician]}\n"
        "non_turn_player: {monsters: [Gentlemander, Evil HERO Malicious Fiend]}\n"
    )
    lines = pages.legal(found(text), Speaker(found(text).state, "en"), True)
    assert lines[:2] == ["Legal:", "  nothing"]
    first = lines.index("Not settled:")
    assert lines[first + 1].startswith("  undecided attack: Dark Magician -> ")
    assert first < lines.index("Refused:")
    assert "Not settled:" not in pages.legal(found(), Speaker(found().state, "en"), True)
