"""Random walks: any legal action leads to a state of a duel, with one answer to everything."""

from __future__ import annotations

import json
from typing import Any

import pytest
from clingo import Symbol
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from py_bridge.phrases import action
from py_bridge.play import IllegalActionError, Moment, begin, look, perform, step
from py_bridge.states import State, state_from_text

MONSTER: dict[str, Any] = {"card": "monster", "race": "warrior", "level": 4, "def": 1000}
# What monsters can say or do, and what lies Set: the kinds of effects that move a battle about.
EFFECTS: dict[str, list[dict[str, Any]]] = {
    "plain": [],
    "twice": [{"nr": 1, "kind": "continuous", "says": [{"can_attack_times": {"times": 2}}]}],
    "direct": [{"nr": 1, "kind": "continuous", "says": [{"can_attack_directly": {}}]}],
    "forcing": [
        {"nr": 1, "kind": "continuous", "says": [{"must_attack": {"targets": {"is": "this"}}}]},
    ],
    "avenger": [
        {"nr": 1, "kind": "trigger", "event": "destroyed", "from": ["graveyard"], "mandatory": True,
         "does": [{"inflicts_damage": {"player": "opponent", "amount": 500}}]},
    ],
    "greeter": [
        {"nr": 1, "kind": "trigger", "event": "summoned", "does": [{"gains_lp": {"amount": 300}}]},
    ],
    "dodger": [
        {"nr": 1, "kind": "quick", "once_per_turn": True, "cost": [{"pays_lp": {"amount": 200}}],
         "does": [{"changes_position": {"what": {"is": "this"}}}]},
    ],
}  # fmt: skip
SET: dict[str, dict[str, Any]] = {
    "prison": {"kind": "activation", "event": "attack_declared", "attacker": {"side": "opponent"},
               "targets": {"is": "attacker"}, "does": [{"banishes": {}}]},
    "wall": {"kind": "activation", "event": "attack_declared", "does": [{"negates_attack": {}}]},
    "force": {"kind": "activation", "event": "attack_declared", "attacker": {"side": "opponent"},
              "does": [{"destroys": {"what": {"side": "opponent", "zone": "monster_zone"}}}]},
    "storm": {"kind": "activation", "targets": {"any_of": [{"card": "spell"}, {"card": "trap"}]},
              "does": [{"destroys": {}}]},
    "lance": {"kind": "activation", "targets": {"face": "up", "zone": "monster_zone"},
              "does": [{"changes_stats": {"amount": -800}},
                       {"applies": {"unaffected": {"kinds": ["spell", "trap"]}}}]},
    "recall": {"kind": "activation", "targets": {"zone": "monster_zone"},
               "does": [{"returns_to_hand": {}}]},
    "rebirth": {"kind": "activation",
                "targets": {"side": "own", "card": "monster", "zone": "graveyard"},
                "does": [{"special_summons": {"from": "graveyard"}}]},
    "bind": {"kind": "activation", "targets": {"face": "up", "zone": "monster_zone"},
             "does": [{"applies": {"cannot_attack": {}}}]},
    "stand": {"kind": "activation",
              "targets": {"side": "own", "face": "up", "zone": "monster_zone"},
              "does": [{"applies": {"can_only_attack": {"targets": {"is": "bearer"}}}}]},
    "swap": {"kind": "activation", "targets": {"side": "opponent", "zone": "monster_zone"},
             "does": [{"changes_control": {}}]},
}  # fmt: skip


@st.composite
def boards(draw: st.DrawFn) -> State:
    """Return a board in the Battle Step, or just before the Battle Phase."""
    data: dict[str, Any] = {"turn": 3}
    if draw(st.booleans()):
        data["phase"] = "main_1"
    for side in ("turn_player", "non_turn_player"):
        letter = side[0]
        monsters = [
            {
                "id": f"{letter}{number}",
                "card": {"name": f"{side} {number}", **MONSTER, "kinds": ["effect"], "atk": atk}
                | ({"effects": EFFECTS[kind]} if EFFECTS[kind] else {}),
                "position": position,
            }
            for number, (kind, atk, position) in enumerate(
                draw(
                    st.lists(
                        st.tuples(
                            st.sampled_from(sorted(EFFECTS)),
                            st.sampled_from([0, 1000, 2000, 3000]),
                            st.sampled_from(["attack", "attack", "defense"]),
                        ),
                        max_size=3,
                    )
                ),
                1,
            )
        ]
        lying = draw(st.lists(st.sampled_from(sorted(SET)), max_size=2))
        data[side] = {
            "lp": draw(st.sampled_from([1000, 8000])),
            "monsters": monsters,
            "spells_traps": [
                {
                    "id": f"{letter}_{kind}_{number}",
                    "face": "down",
                    "card": {"name": kind, "card": "trap", "effects": [{"nr": 1, **SET[kind]}]},
                }
                for number, kind in enumerate(lying)
            ],
            "graveyard": [
                {"id": f"{letter}_fallen", "card": {"name": "Fallen", **MONSTER, "atk": 500}}
            ],
        }
    return begin(state_from_text(json.dumps(data), "walk.yaml"))


class Walk(RuleBasedStateMachine):
    """A duel in which whoever may act does anything that is legal."""

    @initialize(board=boards())
    def start(self, board: State) -> None:
        """Begin with a board."""
        self.state = board
        self.cards = set(board.texts)
        self.moment: Moment = look(board)

    def _lost(self) -> bool:
        return any(
            fluent in self.state.fluents
            for fluent in ("lp(turn_player,0)", "lp(non_turn_player,0)")
        )

    def _over(self) -> bool:
        return self._lost() or "phase(end)" in self.state.fluents

    @precondition(lambda self: self.moment.performable)
    @rule(data=st.data())
    def act(self, data: st.DataObject) -> None:
        """Perform one of the legal actions."""
        chosen: Symbol = data.draw(st.sampled_from(sorted(self.moment.performable, key=str)))
        done = perform(self.state, chosen)
        self.state = done.state
        self.moment = look(self.state)
        if any(event.what.name == "replay_due" for event in done.events):
            fluents = set(self.state.fluents)
            assert {"replay_due", "step(battle)"} <= fluents
            assert not any(one.startswith("attack_over(") for one in fluents)

    @precondition(lambda self: any(one.how == "cannot" for one in self.moment.answers.actions))
    @rule(data=st.data())
    def be_refused(self, data: st.DataObject) -> None:
        """Try one of the actions that are refused."""
        refused = sorted(
            (one.action for one in self.moment.answers.actions if one.how == "cannot"), key=str
        )
        chosen: Symbol = data.draw(st.sampled_from(refused))
        with pytest.raises(IllegalActionError) as refusal:
            perform(self.state, chosen)
        assert refusal.value.answers.of(chosen) is not None

    @invariant()
    def somebody_can_act(self) -> None:
        """Whether the duel can go on, unless it is over."""
        assert self.moment.performable or self._over(), self.state.fluents

    @invariant()
    def one_answer(self) -> None:
        """Whether each action has one answer, and one with a reason."""
        actions = [one.action for one in self.moment.answers.actions]
        assert len(actions) == len(set(actions))
        assert all(one.reasons for one in self.moment.answers.actions)

    @invariant()
    def each_card_in_one_place(self) -> None:
        """Whether each card has one place, one controller, and on the field one face."""
        count: dict[tuple[str, str], int] = {}
        for fluent in self.state.fluents:
            name, _, rest = fluent.partition("(")
            if name in ("in", "controller", "owner", "face", "position"):
                key = name, rest.split(",")[0]
                count[key] = count.get(key, 0) + 1
        assert set(count.values()) == {1}
        assert {card for name, card in count if name == "in"} == self.cards
        assert {card for name, card in count if name == "controller"} == self.cards
        monsters = {f[3:].split(",")[0] for f in self.state.fluents if f.endswith(",monster_zone)")}
        assert {card for name, card in count if name == "position"} == monsters

    @invariant()
    def life_points_are_numbers(self) -> None:
        """Whether both players have LP, and not less than none."""
        assert self.state.lp("turn_player") >= 0
        assert self.state.lp("non_turn_player") >= 0


def _walks(many: int) -> settings:
    return settings(
        max_examples=many,
        stateful_step_count=14,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )


def test_random_walks() -> None:
    run_state_machine_as_test(Walk, settings=_walks(5))


@pytest.mark.slow
def test_many_random_walks() -> None:
    run_state_machine_as_test(Walk, settings=_walks(14))


@given(board=boards())
@settings(
    max_examples=3, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
)
def test_what_follows_is_the_same_each_time(board: State) -> None:
    state = board
    for _ in range(6):
        moment = look(state)
        if not moment.performable:
            return
        chosen = min(moment.performable, key=str)
        first, second = step(state, chosen), step(state, chosen)
        assert first.state.fluents == second.state.fluents
        assert action(first.words) == chosen
        state = first.state
