"""Reasons: every answer has one, a reason is for yes or for no, and it says what decides."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import pytest
from clingo.ast import ASTType
from lp_tree import rules_of

from py_bridge import answers, pages, register
from py_bridge.answers import PREDICATES, Answer, Answers, Speaker, answers_in, ask
from py_bridge.cases import Case, case_files, facts_of, read_cases
from py_bridge.knowledge import knowledge_base, labels, rule_files
from py_bridge.paths import base
from py_bridge.phrases import action
from py_bridge.play import begin
from py_bridge.rehearsals import rehearse
from py_bridge.script_trials import boards
from py_bridge.states import State, read_state, state_from_text

EXAMPLES = sorted((base() / "facts" / "boards").glob("*.yaml"))
# What can be the reason for an answer.
RELATIONS = {
    "must": ("obliges",),
    "may": ("allows",),
    "cannot": ("forbids",),
    "undecided": ("doubts",),
    "outside": ("outside",),
}
# Boards of cases are asked about in so many parts, of which the everyday tests take one.
PARTS = 4


@lru_cache(maxsize=1)
def _boards() -> list[Case]:
    cases = [case for file in case_files() for case in read_cases(file)]
    return [case for case in cases if not case.awaits and not case.invalid and not case.script]


def _answered(asked: list[tuple[State, list[str]]]) -> list[Answers]:
    rules = knowledge_base()
    models = rules.models([facts for _, facts in asked], PREDICATES)
    return [
        answers_in(model, state, facts, rules)
        for (state, facts), model in zip(asked, models, strict=True)
    ]


def of(found: Answers, words: str) -> Answer:
    answer = found.of(action(words))
    assert answer is not None, words
    return answer


# --- every answer has a reason --------------------------------------------------------------------


@pytest.mark.parametrize(
    "part", [0, *(pytest.param(one, marks=pytest.mark.slow) for one in range(1, PARTS, 2))]
)
def test_every_answer_on_the_boards_of_cases_has_a_reason(part: int) -> None:
    cases = _boards()[part::PARTS]
    assert cases
    found = _answered([(case.state, facts_of(case)) for case in cases])
    bare = [
        (Path(case.file).name, case.line, answer.words, answer.how)
        for case, answered in zip(cases, found, strict=True)
        for answer in answered.actions
        if not answer.reasons
    ]
    assert bare == []


@pytest.mark.parametrize("step", [40, pytest.param(8, marks=pytest.mark.slow)])
def test_every_answer_while_scripts_are_played_has_a_reason(step: int) -> None:
    cases = [case for file in case_files() for case in read_cases(file)]
    scripts = [case for case in cases if case.script and not case.awaits][::step]
    assert scripts
    passed = boards(rehearse(scripts, knowledge_base()))
    states = [[fact for fact in board if not fact.startswith("do(")] for board in passed]
    models = knowledge_base().models(states, PREDICATES)
    bare = [
        (str(act), str(how))
        for model in models
        for act, how in model["answer"]
        if not any(act == about for name in RELATIONS[str(how)] for _, about in model[name])
    ]
    assert bare == []


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.name)
def test_every_answer_on_an_example_has_a_reason(file: Path) -> None:
    actions = ask(read_state(file)).actions
    assert actions
    assert [answer.words for answer in actions if not answer.reasons] == []


# The one effect does something that its text leaves open, the other all of it for "this turn".
OPEN_TRAPS = """\
turn: 3
phase: main_2
turn_player:
  monsters: [{id: a, card: {name: A, card: monster, atk: 2000, def: 0}}]
  spells_traps:
    - {id: twist, face: down, card: {name: Twist, card: trap, effects: [
        {nr: 1, kind: activation, targets: {zone: monster_zone}, does: [{changes_face: {}}]}]}}
    - {id: guard, face: down, card: {name: Guard, card: trap, effects: [
        {nr: 1, kind: activation, targets: {zone: monster_zone}, does: [
          {applies: {unaffected: {}}}]}]}}
non_turn_player: {lp: 8000}
"""


@pytest.mark.parametrize(
    ("effect", "how", "label"),
    [("twist 1", "outside", "unsaid_part"), ("guard 1", "undecided", "usefulness_this_turn")],
)
def test_what_is_open_about_an_effect_is_so_with_a_target(
    effect: str, how: str, label: str
) -> None:
    found = ask(begin(state_from_text(OPEN_TRAPS, "board.yaml")))
    for words in (f"activate {effect}", f"activate {effect} on a"):
        answer = of(found, words)
        assert (answer.how, answer.reasons[0].label) == (how, label), words


LATE = """\
turn: 3
step: damage
sub_step: before_calculation
turn_player:
  monsters: [{id: a, card: {name: A, card: monster, atk: 2000, def: 0}}]
non_turn_player:
  monsters:
    - id: late
      card: {name: Late, card: monster, atk: 100, def: 0, effects: [
        {nr: 1, kind: trigger, event: destroys_by_battle, does: [{draws: {}}]},
        {nr: 2, kind: trigger, event: before_calculation, does: [{draws: {}}]}]}
attack: {attacker: a, target: late}
"""


def test_a_point_of_the_damage_step_is_a_reason_for_yes_or_for_no() -> None:
    found = ask(state_from_text(LATE, "board.yaml"))
    late, now = of(found, "activate late 1"), of(found, "activate late 2")
    assert (late.how, late.reasons[0].label) == ("cannot", "timing_at_sub_step")
    assert (now.how, now.reasons[0].label) == ("may", "timing_at_sub_step_allowed")


SEVERAL = """\
turn: 3
turn_player:
  monsters:
    - id: a
      declared: MADE
      battled: [b]
      card: {name: A, card: monster, atk: 2000, def: 0, effects: [
        {nr: 1, kind: continuous, says: [CLAUSE]}]}
non_turn_player:
  monsters:
    - {id: b, card: {name: B, card: monster, atk: 0, def: 0}}
    - {id: c, card: {name: C, card: monster, atk: 0, def: 0}}
"""


@pytest.mark.parametrize(
    "clause",
    [
        "{can_attack_times: {times: 2}}",
        "{can_attack_times: {times: 2, on: monsters}}",
        "{can_attack_all: {}}",
    ],
)
def test_a_further_attack_names_the_effect_that_gives_it(clause: str) -> None:
    board = SEVERAL.replace("CLAUSE", clause)
    first = of(ask(state_from_text(board.replace("MADE", "0"), "board.yaml")), "attack a -> c")
    assert [one.label for one in first.reasons] == ["declaration_on_monster"]
    found = ask(state_from_text(board.replace("MADE", "1"), "board.yaml"))
    further = of(found, "attack a -> c")
    assert [(one.label, one.source) for one in further.reasons] == [
        ("several_one_more", "a"),
        ("declaration_on_monster", None),
    ]
    again = of(found, "attack a -> b")
    told = [one.label for one in again.reasons]
    assert ("several_one_more" in told) == ("all" not in clause)


def _labels_in(relation: str) -> set[str]:
    found = set()
    for rule in rules_of(rule_files()):
        head = rule.head.atom.symbol
        if head.name == relation and head.arguments[0].ast_type == ASTType.Function:
            found.add(str(head.arguments[0].arguments[0]))
    return found


def test_no_label_is_for_yes_and_for_no() -> None:
    for_yes = _labels_in("allows")
    assert for_yes
    for relation in ("forbids", "doubts", "outside"):
        assert _labels_in(relation), relation
        assert for_yes & _labels_in(relation) == set(), relation


# --- what lets attack -----------------------------------------------------------------------------

PAST_FISHERMEN = """\
turn: 3
turn_player:
  monsters: [{id: a, card: {name: A, card: monster, atk: 2000, def: 0}}]
non_turn_player:
  monsters:
    - {card: The Legendary Fisherman, id: left}
    - {card: The Legendary Fisherman, id: right}
  field_spell: {card: Umi}
"""


def test_a_direct_attack_past_monsters_names_what_lets_it_past() -> None:
    found = ask(state_from_text(PAST_FISHERMEN, "board.yaml"))
    direct = of(found, "attack a directly")
    assert direct.how == "may"
    assert [(one.label, one.source, one.effect) for one in direct.reasons] == [
        ("declaration_past", "left", 2),
        ("declaration_past", "right", 2),
    ]
    assert pages.deciding(direct, Speaker(found.state, "en")).startswith(
        "The Legendary Fisherman [left] ②, The Legendary Fisherman [right] ②: "
    )
    assert pages.deciding(direct, Speaker(found.state, "zh")).startswith(
        "传说的渔人 [left] ②、传说的渔人 [right] ②："
    )


def test_a_direct_attack_on_an_empty_field_names_no_effect() -> None:
    text = PAST_FISHERMEN[: PAST_FISHERMEN.index("  monsters:\n    - {card")]
    found = ask(state_from_text(text + "  lp: 8000\n", "board.yaml"))
    direct = of(found, "attack a directly")
    assert [one.label for one in direct.reasons] == ["declaration_direct"]


def test_a_monster_that_does_not_stand_aside_shields_the_player() -> None:
    text = PAST_FISHERMEN.replace(
        "  field_spell", "    - {card: {name: Wall, card: monster, atk: 0, def: 0}}\n  field_spell"
    )
    direct = of(ask(state_from_text(text, "board.yaml")), "attack a directly")
    assert (direct.how, direct.reasons[0].label) == ("cannot", "targets_direct_needs_leave")


DEFENDING = """\
turn: 3
turn_player:
  monsters:
    - id: a
      position: defense
      card: {name: A, card: monster, atk: 2000, def: 0, effects: [
        {nr: 1, kind: continuous, says: [{attacks_in_defense: {}}]}]}
non_turn_player:
  monsters:
    - {id: b, card: {name: B, card: monster, atk: 0, def: 0}}
    - {id: c, card: {name: C, card: monster, atk: 0, def: 0}}
"""


def test_an_attack_in_defense_position_names_the_effect_that_lets_it() -> None:
    attack = of(ask(state_from_text(DEFENDING, "board.yaml")), "attack a -> b")
    assert [(one.label, one.source) for one in attack.reasons] == [("declaration_in_defense", "a")]


def test_in_a_replay_choosing_again_is_the_first_reason() -> None:
    text = DEFENDING.replace("position: defense", "position: attack")
    replayed = text + "attack: {attacker: a, target: b, stage: replay}\n"
    attack = of(ask(state_from_text(replayed, "board.yaml")), "attack a -> c")
    assert [one.label for one in attack.reasons] == ["declaration_again", "declaration_on_monster"]


# --- the ruling that decides ----------------------------------------------------------------------

# Labels whose rules of the game speak of something else than their example does.
LED_BY_AN_EXAMPLE = {"calculation_piercing", "pierces", "progress_calculation"}


def test_no_example_stands_before_the_rules_of_the_game() -> None:
    led = set()
    for name, label in labels().items():
        kinds = [one.kind for one in register.find(label.rulings)]
        if "rule" in kinds and kinds[0] == "example":
            led.add(name)
    assert led == LED_BY_AN_EXAMPLE


def test_what_leads_in_a_situation_is_another_ruling_of_its_label() -> None:
    found = labels()
    heads = [rule.head.atom.symbol for rule in rules_of(rule_files())]
    leading = [
        tuple(map(str, head.arguments[:2]))
        for head in heads
        if head.name == "leads" and head.arguments[0].ast_type == ASTType.SymbolicTerm
    ]
    assert leading
    for label, constant in leading:
        if constant != "Id":
            assert constant.replace("_", "-") in found[label].rulings[1:], (label, constant)
    between = [str(head.arguments[1]) for head in heads if head.name == "between"]
    assert between
    assert {one.replace("_", "-") for one in between} <= set(found["phase_priority"].rulings[1:])


@pytest.mark.parametrize(
    "part", [0, *(pytest.param(one, marks=pytest.mark.slow) for one in range(1, PARTS, 2))]
)
def test_one_ruling_leads(part: int) -> None:
    cases = _boards()[part::PARTS]
    models = knowledge_base().models([facts_of(case) for case in cases], ("leads",))
    for case, model in zip(cases, models, strict=True):
        about = [(str(label), act) for label, _, act in set(model["leads"])]
        assert len(about) == len(set(about)), (Path(case.file).name, case.line)


@lru_cache
def led(text: str) -> dict[str, str | None]:
    """The ruling that decides each answer on a board."""
    found = ask(state_from_text(text, "board.yaml"))
    speaker = Speaker(found.state, "en")
    return {
        answer.words: next(iter(speaker.rulings(answer.reasons[0])), None)
        for answer in found.actions
    }


RESTRICTED = """\
turn: 3
turn_player:
  monsters:
    - {id: a, card: {name: A, card: monster, atk: 2000, def: 0}}
    - {id: lamp, card: Mystic Lamp}
non_turn_player:
  monsters:
    - {id: left, card: Marauding Captain}
    - {id: knight, card: {name: Knight, card: monster, race: warrior, atk: 100, def: 0}}
    - {id: beast, card: {name: Beast, card: monster, race: beast, atk: 100, def: 0}}
"""
ANOTHER_CAPTAIN = "    - {id: right, card: Marauding Captain}\n"
ROCK = """\
  spells_traps:
    - {id: rock, card: {name: Rock, card: trap, kinds: [continuous], effects: [
        {nr: 1, kind: continuous, says: [{can_only_target: {targets: {name: Beast}}}]}]}}
"""
PAIN = """\
  spells_traps:
    - {id: pain, card: {name: Pain, card: spell, kinds: [continuous], effects: [
        {nr: 1, kind: continuous, says: [{must_attack: {targets: {name: Knight}}}]}]}}
"""
MORE_PAIN = PAIN + PAIN.partition("\n")[2].replace("pain", "ache").replace("Knight", "Beast")
RING = """\
    - {id: ring, equipped_to: beast, card: {name: Ring, card: spell, kinds: [equip], effects: [
        {nr: 1, kind: continuous, says: [{only_equipped_can_be_attacked: {}}]}]}}
"""
RAGE = """\
  spells_traps:
    - {id: rage, card: {name: Rage, card: spell, kinds: [continuous], effects: [
        {nr: 1, kind: continuous, says: [{has_to_attack: {monsters: {side: opponent}}}]}]}}
"""


@pytest.mark.parametrize(
    ("board", "action", "ruling"),
    [
        # One monster that protects others, and one that protects it in turn.
        (RESTRICTED, "attack a -> knight", "bs-048"),
        (RESTRICTED + ANOTHER_CAPTAIN, "attack a -> knight", "bs-048"),
        (RESTRICTED + ANOTHER_CAPTAIN, "attack a -> left", "bs-049"),
        # The player is left out by what names monsters, which matters to who can attack directly.
        (RESTRICTED + ROCK, "attack a -> knight", "bs-048"),
        (RESTRICTED + ROCK, "attack lamp directly", "bs-083"),
        (RESTRICTED + PAIN + RING, "attack lamp directly", "bs-068"),
        # What has to be attacked, and what would otherwise be the only target left.
        (RESTRICTED + PAIN, "attack a -> knight", "bs-050"),
        (RESTRICTED + PAIN, "attack a -> left", "bs-062"),
        (RESTRICTED + PAIN, "attack lamp directly", "bs-050"),
        (RESTRICTED + MORE_PAIN, "attack a -> knight", "bs-051"),
        (RESTRICTED + PAIN + RING, "attack a -> beast", "bs-069"),
        (RESTRICTED + RAGE, "attack a -> beast", "bp-005"),
    ],
)
def test_the_ruling_about_the_restriction(board: str, action: str, ruling: str) -> None:
    assert led(board)[action] == ruling


PLAIN = """\
turn: 3
turn_player: {monsters: [{id: a, MORE card: {name: A, card: monster, atk: 2000, def: 0}}]}
non_turn_player:
  monsters: [{id: b, card: {name: B, card: monster, atk: 100, def: 0}}]
  spells_traps: [{id: armor, card: Sakuretsu Armor, face: down}]
"""
ATTACK = "attack: {attacker: a, target: b, STAGE}\n"


@pytest.mark.parametrize(
    ("more", "action", "ruling"),
    [
        ("declared: 1,", "attack a -> b", "bs-005"),
        ("declared: 1, gave_up: true,", "attack a -> b", "rp-028"),
        ("attempted: true,", "attack a -> b", "bs-014"),
    ],
)
def test_the_ruling_about_an_attack_that_is_used_up(more: str, action: str, ruling: str) -> None:
    assert led(PLAIN.replace("MORE", more))[action] == ruling


@pytest.mark.parametrize(
    ("stage", "action", "ruling"),
    [
        ("over: negated", "attack a -> b", "bs-006"),
        ("stage: open", "activate armor 1", "bs-013"),
        ("stage: reselected", "activate armor 1", "rp-027"),
        ("stage: replay", "activate armor 1", "rp-027"),
    ],
)
def test_the_ruling_about_what_has_become_of_the_attack(
    stage: str, action: str, ruling: str
) -> None:
    board = PLAIN.replace("MORE", "declared: 1,") + ATTACK.replace("STAGE", stage)
    assert led(board)[action] == ruling


# --- how reasons are told -------------------------------------------------------------------------


def test_legal_names_the_ruling_that_decides_alone_and_why_the_others_after_it() -> None:
    found = ask(state_from_text(RESTRICTED + ANOTHER_CAPTAIN, "board.yaml"))
    attack = of(found, "attack a -> left")
    for language, also in (("en", "; see also "), ("zh", "；另见")):
        speaker = Speaker(found.state, language)
        assert pages.deciding(attack, speaker).endswith(" [bs-049]")
        page = " ".join(map(str.strip, pages.why(found, attack, speaker)))
        assert f"[bs-049{also}bs-048" in page


def test_the_ruling_that_decides_is_the_first_in_the_data() -> None:
    found = ask(state_from_text(RESTRICTED + PAIN + RING, "board.yaml"))
    data = answers.as_data(found, Speaker(found.state, "en"))
    for one in data["actions"]:
        for reason in one["reasons"]:
            assert [reason["ruling"]] == (reason["rulings"][:1] or [None])
            assert len(set(reason["rulings"])) == len(reason["rulings"])
    (forced,) = [one for one in data["actions"] if one["action"] == "attack a -> beast"]
    assert forced["reasons"][0]["ruling"] == "bs-069"
    (told,) = forced["overridden"]
    assert (told["source"], told["effect"], told["by"]) == ("pain", 1, "ring")
    assert (told["ruling"], told["text"]) == (
        "bs-065",
        "Pain ① gives way to Ring ①: level 1 stands above level 2.",
    )


def test_several_effects_that_do_the_same_are_one_reason() -> None:
    text = RESTRICTED + ANOTHER_CAPTAIN + ANOTHER_CAPTAIN.replace("right", "third")
    found = ask(state_from_text(text, "board.yaml"))
    told = pages.deciding(of(found, "attack a -> left"), Speaker(found.state, "en"))
    assert told == (
        "level 3: Marauding Captain [right] ②, Marauding Captain [third] ②: "
        "Marauding Captain [left] cannot be selected as an attack target. [bs-049]"
    )


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "not applied: Pain ① gives way to Ring ①: level 1 stands above level 2. [bs-065]"),
        ("zh", "未适用: Pain ①让位于Ring ①：第1级优先于第2级。 [bs-065]"),
    ],
)
def test_what_is_overridden_is_told_at_the_action(language: str, line: str) -> None:
    found = ask(state_from_text(RESTRICTED + PAIN + RING, "board.yaml"))
    speaker = Speaker(found.state, language)
    everything = pages.legal(found, speaker, everything=True)
    beast = speaker.action(action("attack a -> beast"))
    head = next(n for n, one in enumerate(everything) if beast in one)
    assert everything[head + 2].strip() == line
    assert line not in "\n".join(pages.legal(found, speaker, everything=False))
    assert line in pages.why(found, of(found, "attack a -> beast"), speaker)


ATTACKED_IN_VAIN = PLAIN.replace("MORE", "declared: 1,") + ATTACK.replace("STAGE", "over: negated")


def test_what_stays_comes_before_what_is_soon_over() -> None:
    found = ask(begin(state_from_text(ATTACKED_IN_VAIN, "board.yaml")))
    labels_of = [one.label for one in of(found, "enter damage_step").reasons]
    assert labels_of == ["stop_negated", "phase_priority"]
