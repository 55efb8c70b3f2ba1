"""Battle damage by the rules against the same arithmetic written down a second time."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from battles import ATTACKER, TARGET, Scene, board_of, plain_scene, scenes, state_of
from damage_oracle import PLAYERS, Battle, Modifier, Monster, Outcome, Result, outcome
from hypothesis import Phase, given, settings

from py_bridge.knowledge import Atoms, knowledge_base

# Documented numbers: values of the battling monsters, effects, and what each player then takes.
NUMBERS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "damage_numbers.json").read_text(encoding="utf-8")
)
Answer = Callable[[Sequence[Scene]], list[Outcome]]
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


def by_the_rules(scenes: Sequence[Scene]) -> list[Outcome]:
    """What the rules find in the states of scenes, all of them grounded together."""
    many = [state_of(scene).facts() for scene in scenes]
    return [_outcome(found) for found in knowledge_base().models(many, PREDICATES)]


def _outcome(found: Atoms) -> Outcome:
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


def by_arithmetic(scenes: Sequence[Scene]) -> list[Outcome]:
    return [outcome(scene.battle) for scene in scenes]


both_answers = pytest.mark.parametrize("answer", [by_arithmetic, by_the_rules])


@both_answers
def test_documented_numbers(answer: Answer) -> None:
    found = answer([plain_scene(battle_of(case)) for case in NUMBERS])
    for case, one in zip(NUMBERS, found, strict=True):
        _check_numbers(case, one)


def _check_numbers(case: dict[str, Any], found: Outcome) -> None:
    for player in PLAYERS:
        result = found.of(player)
        assert result is not None, case
        takes = case.get(f"{player}_takes", [])
        assert sorted(amount for _, amount in result.single) == takes, case
        assert result.taken == sum(takes), case
        assert result.effect == 0, case
        assert result.gained == case.get(f"{player}_gains", 0), case
    if "destroyed" in case:
        assert found.destroyed == set(case["destroyed"]), case


FIGHT = Battle(
    Monster(ATTACKER, "turn_player", 2500, 0), Monster(TARGET, "non_turn_player", 1000, 0)
)
SHARE = Modifier(3, "non_turn_player", "share")
DEFLECT = Modifier(3, "non_turn_player", "deflect")
BOTH = Modifier(2, "turn_player")
ABSORB = Modifier(3, "turn_player", "absorb")


# Effects on the damage of FIGHT, and what each player then takes; None is undecided.
STOPS: dict[str, tuple[tuple[Modifier, ...], tuple[int | None, int | None]]] = {
    "two copies of one damage": ((SHARE, SHARE), (None, 1500)),
    "one damage moved twice": ((DEFLECT, DEFLECT), (None, 0)),
    "moved by both players": ((DEFLECT, ABSORB), (None, 0)),
    "both players take it, twice": ((BOTH, BOTH), (None, None)),
    "0 at any rate": ((DEFLECT, DEFLECT, Modifier(6, "turn_player")), (0, 0)),
    "double inflicted twice": ((Modifier(1, "turn_player"),) * 2, (0, None)),
    "another damage becomes a gain": (
        (BOTH, Modifier(5, "turn_player", recipient="own"), Modifier(6, "turn_player")),
        (0, None),
    ),
    "another damage becomes effect damage": (
        (BOTH, Modifier(4, "turn_player", recipient="own"), Modifier(8, "turn_player")),
        (0, None),
    ),
    "odd but not halved": ((Modifier(9, "turn_player", value=333),), (0, 333)),
}


@both_answers
def test_where_the_rulings_stop(answer: Answer) -> None:
    battles = [replace(FIGHT, modifiers=modifiers) for modifiers, _ in STOPS.values()]
    found = answer([plain_scene(battle) for battle in battles])
    taken = [tuple(one.taken if one else None for one in each.results) for each in found]
    assert dict(zip(STOPS, taken, strict=True)) == {
        name: takes for name, (_, takes) in STOPS.items()
    }


@both_answers
def test_half_of_an_odd_damage_is_undecided(answer: Answer) -> None:
    odd = replace(FIGHT, attacker=replace(FIGHT.attacker, atk=2501))
    halved, fixed = Modifier(7, "turn_player"), Modifier(9, "turn_player", value=1000)
    battles = [replace(odd, modifiers=(halved,)), replace(odd, modifiers=(halved, fixed))]
    first, second = answer([plain_scene(battle) for battle in battles])
    assert first.results[1] is None
    assert second.results[1] == Result(((ATTACKER, 1000),), 1000, 0, 0)


@pytest.mark.parametrize("many", [150, pytest.param(1500, marks=pytest.mark.slow)])
def test_random_battles(many: int) -> None:
    drawn: list[Scene] = []

    @settings(max_examples=many, phases=[Phase.generate])
    @given(scenes())
    def draw(scene: Scene) -> None:
        drawn.append(scene)

    draw()
    assert len(drawn) >= many
    wrong = [
        (board_of(scene), found, outcome(scene.battle))
        for scene, found in zip(drawn, by_the_rules(drawn), strict=True)
        if found != outcome(scene.battle)
    ]
    # Of many that differ, the smallest is the one to read.
    assert min(wrong, key=lambda one: len(str(one[0])), default=None) is None
