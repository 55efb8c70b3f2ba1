"""What must hold on every board, tried on random ones.

Plain `pytest` tries a few examples of each property, `pytest -m slow` many.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from boards import (
    SIDES,
    Data,
    boards,
    cards_of,
    ids_of,
    renamed,
    reordered,
    state_of,
    with_effects,
)
from clingo import Function, Symbol
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from py_bridge.blanks import blanked
from py_bridge.knowledge import as_program, ground, knowledge_base

EVERYDAY, SLOW = 6, 20

Check = Callable[..., None]
RELATIONS = ("answer", "forbids", "allows", "obliges", "doubts", "outside", "invalid")
PROPERTIES: list[tuple[Check, Mapping[str, st.SearchStrategy[Any]]]] = []


def on(**strategies: st.SearchStrategy[Any]) -> Callable[[Check], Check]:
    """Register a check as a property of the boards that the strategies give."""

    def register(check: Check) -> Check:
        PROPERTIES.append((check, strategies))
        return check

    return register


def _try(check: Check, strategies: Mapping[str, st.SearchStrategy[Any]], examples: int) -> None:
    # The boards are large, and a slow machine is no failure.
    quiet = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]
    tried = settings(max_examples=examples, suppress_health_check=quiet)(given(**strategies)(check))
    tried()


# --- asking ---------------------------------------------------------------------------------------


def _relations(facts: list[str]) -> dict[str, set[tuple[Symbol, ...]]]:
    model = knowledge_base().model(facts, RELATIONS)
    return {name: set(rows) for name, rows in model.items()}


def _answers_of(facts: list[str]) -> dict[Symbol, str]:
    return {act: str(how) for act, how in _relations(facts)["answer"]}


def _answers(board: Data) -> dict[Symbol, str]:
    return _answers_of(state_of(board).facts())


def _source(reason: Symbol) -> str:
    return str(reason.arguments[1])


def _side_of(board: Data, one: str) -> str:
    """Who controls a card, or has applied an effect."""
    for side in SIDES:
        if any(
            card["id"] == one for pile in ("monsters", "spells_traps") for card in board[side][pile]
        ):
            return side
    return next(str(effect["by"]) for effect in board["applied"] if effect["id"] == one)


# --- properties -----------------------------------------------------------------------------------


@on(board=boards())
def every_action_has_one_answer(board: Data) -> None:
    model = knowledge_base().model(state_of(board).facts(), ("action", "answer", "invalid"))
    actions = [act for (act,) in model["action"]]
    assert model["invalid"] == []
    assert sorted(act for act, _ in model["answer"]) == sorted(actions)
    assert {str(how) for _, how in model["answer"]} <= {
        "must", "may", "cannot", "undecided", "outside",
    }  # fmt: skip


@on(board=boards())
def every_answer_has_its_reason(board: Data) -> None:
    found = _relations(state_of(board).facts())
    about = {name: {act for _, act in found[name]} for name in RELATIONS[1:-1]}
    for act, how in found["answer"]:
        whole = Function("activate", act.arguments[:2]) if act.name == "activate" else act
        # Activation is free: it has reasons against it only.
        allowed = act in about["allows"] or act.name == "activate"
        by_how = {
            "must": act in about["obliges"] and allowed,
            "may": allowed,
            "cannot": act in about["forbids"] or whole in about["forbids"],
            "undecided": act in about["doubts"] or whole in about["doubts"],
            "outside": act in about["outside"] or whole in about["outside"],
        }
        assert by_how[str(how)], (str(act), str(how))


@on(board=boards())
def must_implies_legal(board: Data) -> None:
    found = _relations(state_of(board).facts())
    forbidden = {act for _, act in found["forbids"]}
    obliged = {act for _, act in found["obliges"]}
    for act, how in found["answer"]:
        if str(how) in ("must", "may"):
            assert act not in forbidden
        if str(how) == "must":
            assert act in obliged


@on(board=boards())
def an_attack_that_must_be_made_keeps_the_step_open(board: Data) -> None:
    answers = {str(act): how for act, how in _answers(board).items()}
    musts = [act for act, how in answers.items() if how == "must" and act.startswith("attack(")]
    if musts and "enter(end_step)" in answers:
        assert answers["enter(end_step)"] == "cannot", musts
    if answers.get("enter(battle_phase)") == "must":
        assert answers["enter(end_phase)"] == "cannot"


@on(board=boards(), seed=st.randoms())
def the_order_of_cards_changes_nothing(board: Data, seed: Any) -> None:
    def shuffled(cards: list[Any]) -> list[Any]:
        return list(seed.sample(cards, len(cards)))

    assert _answers(reordered(board, shuffled)) == _answers(board)


@on(board=boards(), seed=st.randoms())
def other_ids_change_nothing_else(board: Data, seed: Any) -> None:
    ids = ids_of(board)
    names = dict(zip(ids, seed.sample([f"c{n}" for n in range(len(ids))], len(ids)), strict=True))

    def moved(symbol: Symbol) -> Symbol:
        arguments = (
            [moved(one) for one in symbol.arguments] if symbol.type.name == "Function" else []
        )
        if arguments:
            return Function(symbol.name, arguments)
        return Function(names[str(symbol)]) if str(symbol) in names else symbol

    expected = {moved(act): how for act, how in _answers(board).items()}
    assert _answers(renamed(board, names)) == expected


@on(board=boards(), seed=st.randoms())
def the_order_of_effects_and_words_changes_nothing(board: Data, seed: Any) -> None:
    def shuffled(effects: list[Data]) -> list[Data]:
        found = []
        for effect in seed.sample(effects, len(effects)):
            words = seed.sample(list(effect), len(effect))
            said = {word: effect[word] for word in words}
            for key in ("says", "while"):
                if key in said:
                    said[key] = seed.sample(said[key], len(said[key]))
            found.append(said)
        return found

    assert _answers(with_effects(board, shuffled)) == _answers(board)


@on(board=boards(plain=True))
def one_more_monster_opens_no_direct_attack(board: Data) -> None:
    # Plain boards: no text has a condition that the new monster could meet.
    more = copy.deepcopy(board)
    more["non_turn_player"]["monsters"] = [
        *more["non_turn_player"]["monsters"],
        {
            "id": "vanilla",
            "position": "attack",
            "card": {
                "name": "Vanilla",
                "card": "monster",
                "kinds": ["normal"],
                "race": "rock",
                "atk": 0,
                "def": 0,
            },
        },
    ][-5:]
    if len(board["non_turn_player"]["monsters"]) == 5:
        return
    before, after = _answers(board), _answers(more)
    opened = [
        str(act)
        for act, how in after.items()
        if act.match("attack", 2)
        and str(act.arguments[1]) == "player"
        and how in ("may", "must")
        and before[act] not in ("may", "must")
    ]
    assert opened == []


@on(board=boards(quiet=True))
def without_effects_the_plain_rule_holds(board: Data) -> None:
    bare = with_effects(board, lambda _: [])
    for one in cards_of(bare):
        if isinstance(one["card"], str):
            one["card"] = {"name": "Bare", "card": "monster", "kinds": ["normal"], "atk": 0}
    for side in SIDES:
        bare[side]["spells_traps"] = []
    bare["applied"] = []
    targets = [one["id"] for one in bare["non_turn_player"]["monsters"]]
    expected = {}
    for one in bare["turn_player"]["monsters"]:
        able = one["position"] == "attack" and one.get("declared", 0) == 0
        for target in targets:
            expected[f"attack({one['id']},{target})"] = "may" if able else "cannot"
        direct = "may" if able and not targets else "cannot"
        expected[f"attack({one['id']},player)"] = direct
    answers = {str(act): how for act, how in _answers(bare).items()}
    assert {act: how for act, how in answers.items() if act.startswith("attack(")} == expected
    assert answers["enter(end_step)"] == "may"


@on(board=boards(), text=st.sampled_from([{}, {"of": "opponent"}]))
def what_is_unaffected_is_free_of_the_opponents_restrictions(board: Data, text: Data) -> None:
    monster = {
        "id": "a1",
        "position": "attack",
        "card": {
            "name": "Alpha",
            "card": "monster",
            "kinds": ["effect"],
            "race": "warrior",
            "atk": 1500,
            "def": 1000,
            "effects": [{"nr": 1, "kind": "continuous", "says": [{"unaffected": text}]}],
        },
    }
    board = copy.deepcopy(board)
    board["turn_player"]["monsters"] = [monster, *board["turn_player"]["monsters"][1:]]
    facts = state_of(board).facts()
    # Where its effects are negated, it is unaffected by nothing.
    negated = knowledge_base().model(facts, ("negated",))["negated"]
    assume("a1" not in {str(one) for (one,) in negated})
    found = _relations(facts)
    theirs = [
        str(by)
        for by, act in found["forbids"]
        if act.name == "attack"
        and str(act.arguments[0]) == "a1"
        and _source(by) != "rule"
        and _side_of(board, _source(by)) == "non_turn_player"
        # Neither a target's text about itself nor that of a Ring acts on the attacker.
        and by.arguments[0].name
        not in ("cannot_be_attack_target", "only_equipped_can_be_attacked")
    ]
    assert theirs == []


@on(board=boards())
def blanks_for_names_change_nothing(board: Data) -> None:
    state = state_of(board)
    facts = blanked(state.facts(), (text.key for text in state.texts.values()))
    assert not any(name in fact for fact in facts for name in ("Alpha", "Beta", "Captain", "Yubel"))
    assert _answers_of(facts) == _answers_of(state.facts())


@on(board=boards())
def nothing_is_left_open(board: Data) -> None:
    control = ground(knowledge_base().statements, as_program(state_of(board).facts()))
    assert [str(atom.symbol) for atom in control.symbolic_atoms if not atom.is_fact] == []
    assert len(control.symbolic_atoms) > 100


@on(board=boards())
def negated_monsters_do_nothing(board: Data) -> None:
    # A monster whose effects are negated is like one without effects.
    negated, bare = copy.deepcopy(board), copy.deepcopy(board)
    one, other = (found["turn_player"]["monsters"][0] for found in (negated, bare))
    if isinstance(one["card"], str):
        return
    one["negated"] = other["negated"] = True
    other["card"]["effects"] = []

    def attacks(board: Data) -> dict[Symbol, str]:
        return {act: how for act, how in _answers(board).items() if act.name == "attack"}

    assert attacks(negated) == attacks(bare)


@on(board=boards(), number=st.integers(0, 9))
def giving_more_attacks_forbids_none(board: Data, number: int) -> None:
    # One more permission never turns an attack that may be made into one that may not.
    monsters = board["turn_player"]["monsters"]
    chosen = monsters[number % len(monsters)]["id"]
    more = copy.deepcopy(board)
    more["applied"].append(
        {
            "card": {
                "name": "Delta",
                "card": "spell",
                "effects": [
                    {"nr": 1, "kind": "lingering", "says": [{"can_attack_times": {"times": 9}}]}
                ],
            },
            "effect": 1,
            "by": "turn_player",
            "id": "more",
            "chosen": [chosen],
        }
    )
    before, after = _answers(board), _answers(more)
    lost = [
        str(act)
        for act, how in before.items()
        if act.name == "attack" and how in ("may", "must") and after[act] not in ("may", "must")
    ]
    assert lost == []


@pytest.mark.parametrize(
    ("check", "strategies"), PROPERTIES, ids=[check.__name__ for check, _ in PROPERTIES]
)
def test_property(check: Check, strategies: Mapping[str, st.SearchStrategy[Any]]) -> None:
    _try(check, strategies, EVERYDAY)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("check", "strategies"), PROPERTIES, ids=[check.__name__ for check, _ in PROPERTIES]
)
def test_property_on_many_boards(
    check: Check, strategies: Mapping[str, st.SearchStrategy[Any]]
) -> None:
    _try(check, strategies, SLOW)
