"""Battle damage by the rules against the same arithmetic written down a second time."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from battles import ATTACKER, TARGET, Scene, board_of, plain_scene, scenes, state_of
from damage_oracle import PLAYERS, Battle, Modifier, Monster, Outcome, Result, outcome
from hypothesis import given, note, settings

from py_bridge.knowledge import knowledge_base

# Documented numbers: values of the battling monsters, effects, and what each player then takes.
NUMBERS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "damage_numbers.json").read_text(encoding="utf-8")
)
Answer = Callable[[Scene], Outcome]
PREDICATES = (
    "taken",
    "effect_damage",
    "gained",
    "part",
    "after_10",
    "destroyed_by_battle",
    "unsettled_for",
)


def battle_of(case: dict[str, Any]) -> Battle:
    target = None
    if "target" in case:
        controller, position, atk, defense = case["target"]
        target = Monster(TARGET, controller, atk, defense, position)
    return Battle(
        Monster(ATTACKER, "turn_player", *case["attacker"]),
        target,
        case.get("piercing", False),
        tuple(Modifier(**one) for one in case["modifiers"]),
        (8000, case.get("lp", 8000)),
    )


def by_the_rules(scene: Scene) -> Outcome:
    """What the rules find in the state of a scene."""
    found = knowledge_base().model(state_of(scene).facts(), PREDICATES)
    amount = {name: number.number for name, number in found["after_10"]}
    undecided = {str(player) for (player,) in found["unsettled_for"]}

    def total(predicate: str, player: str) -> int:
        return sum(number.number for who, number in found[predicate] if str(who) == player)

    def result_of(player: str) -> Result | None:
        if player in undecided:
            return None
        single = sorted(
            (str(source), amount[one])
            for one, source, recipient in found["part"]
            if str(recipient) == player and amount.get(one)
        )
        return Result(
            tuple(single),
            total("taken", player),
            total("effect_damage", player),
            total("gained", player),
        )

    return Outcome(
        frozenset(str(monster) for (monster,) in found["destroyed_by_battle"]),
        (result_of(PLAYERS[0]), result_of(PLAYERS[1])),
    )


def case_id(case: dict[str, Any]) -> str:
    return str(case["ruling"])


def by_arithmetic(scene: Scene) -> Outcome:
    return outcome(scene.battle)


both_answers = pytest.mark.parametrize("answer", [by_arithmetic, by_the_rules])


@both_answers
@pytest.mark.parametrize("case", NUMBERS, ids=case_id)
def test_documented_numbers(case: dict[str, Any], answer: Answer) -> None:
    found = answer(plain_scene(battle_of(case)))
    for player in PLAYERS:
        result = found.of(player)
        assert result is not None
        takes = case.get(f"{player}_takes", [])
        assert sorted(amount for _, amount in result.single) == takes
        assert result.taken == sum(takes)
        assert result.effect == 0
        assert result.gained == case.get(f"{player}_gains", 0)
    if "destroyed" in case:
        assert found.destroyed == set(case["destroyed"])


FIGHT = Battle(
    Monster(ATTACKER, "turn_player", 2500, 0), Monster(TARGET, "non_turn_player", 1000, 0)
)
SHARE = Modifier(3, "non_turn_player", "share")
DEFLECT = Modifier(3, "non_turn_player", "deflect")
BOTH = Modifier(2, "turn_player")
ABSORB = Modifier(3, "turn_player", "absorb")


@both_answers
@pytest.mark.parametrize(
    ("modifiers", "takes"),
    [
        pytest.param((SHARE, SHARE), (None, 1500), id="two copies of one damage"),
        pytest.param((DEFLECT, DEFLECT), (None, 0), id="one damage moved twice"),
        pytest.param((DEFLECT, ABSORB), (None, 0), id="moved by both players"),
        pytest.param((BOTH, BOTH), (None, None), id="both players take it, twice"),
        pytest.param((DEFLECT, DEFLECT, Modifier(6, "turn_player")), (0, 0), id="0 at any rate"),
        pytest.param((Modifier(1, "turn_player"),) * 2, (0, None), id="double inflicted twice"),
        pytest.param(
            (BOTH, Modifier(5, "turn_player", recipient="own"), Modifier(6, "turn_player")),
            (0, None),
            id="another damage becomes a gain",
        ),
        pytest.param(
            (BOTH, Modifier(4, "turn_player", recipient="own"), Modifier(8, "turn_player")),
            (0, None),
            id="another damage becomes effect damage",
        ),
        pytest.param((Modifier(9, "turn_player", value=333),), (0, 333), id="odd but not halved"),
    ],
)
def test_where_the_rulings_stop(
    answer: Answer, modifiers: tuple[Modifier, ...], takes: tuple[int | None, int | None]
) -> None:
    found = answer(plain_scene(replace(FIGHT, modifiers=modifiers)))
    assert tuple(result.taken if result else None for result in found.results) == takes


@both_answers
def test_half_of_an_odd_damage_is_undecided(answer: Answer) -> None:
    odd = replace(FIGHT, attacker=replace(FIGHT.attacker, atk=2501))
    halved, fixed = Modifier(7, "turn_player"), Modifier(9, "turn_player", value=1000)
    found = answer(plain_scene(replace(odd, modifiers=(halved,))))
    assert found.results[1] is None
    found = answer(plain_scene(replace(odd, modifiers=(halved, fixed))))
    assert found.results[1] == Result(((ATTACKER, 1000),), 1000, 0, 0)


def compare(scene: Scene) -> None:
    note(json.dumps(board_of(scene)))
    assert by_the_rules(scene) == outcome(scene.battle)


@given(scenes())
@settings(max_examples=150)
def test_random_battles(scene: Scene) -> None:
    compare(scene)


@pytest.mark.slow
@given(scenes())
@settings(max_examples=1000)
def test_many_random_battles(scene: Scene) -> None:
    compare(scene)
