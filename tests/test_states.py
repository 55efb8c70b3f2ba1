"""State files: what they mean, what is assumed, and what is wrong with them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from py_bridge.errors import InputError
from py_bridge.formats import schema
from py_bridge.states import State, read_state, state_from_text

ALPHA = "{name: Alpha, card: monster, race: dragon, atk: 1800, def: 200}"
PLAIN = f"""\
turn_player: {{monsters: [{{card: {ALPHA}}}]}}
non_turn_player: {{}}
"""


def read(text: str) -> State:
    return state_from_text(text, "board.yaml")


def side(inside: str, other: str = "", more: str = "") -> State:
    """The state with this inside the turn player's side, and so on."""
    return read(f"turn_player: {{{inside}}}\nnon_turn_player: {{{other}}}\n{more}")


def about(state: State, one: str) -> set[str]:
    """The fluents of which a card is the first argument."""
    return {fluent for fluent in state.fluents if re.match(rf"\w+\({one}[,)]", fluent)}


def refusals(text: str) -> list[str]:
    with pytest.raises(InputError) as error:
        read(text)
    return str(error.value).splitlines()


# --- what is not said -----------------------------------------------------------------------------


def test_defaults() -> None:
    state = read(PLAIN)
    assert set(state.fluents) == {
        "turn(2)",
        "phase(battle)",
        "step(battle)",
        "lp(turn_player,8000)",
        "lp(non_turn_player,8000)",
        "in(alpha,monster_zone)",
        "controller(alpha,turn_player)",
        "owner(alpha,turn_player)",
        "trait(alpha,card(monster))",
        'trait(alpha,name("Alpha"))',
        "trait(alpha,race(dragon))",
        "value(alpha,atk,1800)",
        "value(alpha,def,200)",
        "original(alpha,atk,1800)",
        "original(alpha,def,200)",
        "face(alpha,up)",
        "position(alpha,attack)",
        "declared(alpha,0)",
    }


def test_assumptions_and_what_could_be_instead() -> None:
    assumed = {(one.fluent, one.instead) for one in read(PLAIN).assumptions}
    assert assumed == {
        ("turn(2)", "turn(1)"),
        ("phase(battle)", "phase(main_1)"),
        ("step(battle)", "step(start)"),
        ("position(alpha,attack)", "position(alpha,defense)"),
    }


def test_what_is_said_is_not_assumed() -> None:
    state = read(
        "turn: 5\nphase: battle\nstep: end\n"
        f"turn_player: {{monsters: [{{card: {ALPHA}, position: defense}}]}}\n"
        "non_turn_player: {}\n"
    )
    assert state.assumptions == ()
    assert {"turn(5)", "phase(battle)", "step(end)", "position(alpha,defense)"} <= set(
        state.fluents
    )


def test_outside_the_battle_phase_there_is_no_step() -> None:
    state = read(f"phase: main_1\n{PLAIN}")
    assert not [one for one in state.fluents if one.startswith("step(")]


def test_a_side_may_be_empty() -> None:
    state = read("turn_player: {}\nnon_turn_player: {}\n")
    assert "lp(non_turn_player,8000)" in state.fluents
    assert state.texts == {}


@pytest.mark.parametrize(
    ("pile", "zone"),
    [
        ("monsters", "monster_zone"),
        ("spells_traps", "spell_trap_zone"),
        ("pendulums", "pendulum_zone"),
        ("hand", "hand"),
        ("graveyard", "graveyard"),
        ("banished", "banished"),
        ("extra_deck", "extra_deck"),
        ("deck", "deck"),
    ],
)
def test_piles(pile: str, zone: str) -> None:
    state = side("", f"{pile}: [{{card: {ALPHA}}}]")
    assert {f"in(alpha,{zone})", "controller(alpha,non_turn_player)"} <= about(state, "alpha")
    on_field = zone in ("monster_zone", "spell_trap_zone", "pendulum_zone")
    assert ("face(alpha,up)" in state.fluents) == on_field
    assert ("position(alpha,attack)" in state.fluents) == (zone == "monster_zone")
    assert ("declared(alpha,0)" in state.fluents) == (zone == "monster_zone")


def test_a_field_spell_stands_alone() -> None:
    state = side("field_spell: {card: {name: Hill, card: spell, kinds: [field]}}")
    assert {"in(hill,field_zone)", "face(hill,up)"} <= about(state, "hill")


@pytest.mark.parametrize(
    ("card", "kinds", "face"),
    [
        ("trap", "[]", "down"),
        ("trap", "[counter]", "down"),
        ("trap", "[continuous]", "up"),
        ("spell", "[quick_play]", "down"),
        ("spell", "[equip]", "up"),
        ("spell", "[continuous]", "up"),
    ],
)
def test_spells_and_traps_are_set_unless_they_stay(card: str, kinds: str, face: str) -> None:
    state = side(f"spells_traps: [{{card: {{name: Some, card: {card}, kinds: {kinds}}}}}]")
    assert f"face(some,{face})" in state.fluents


def test_a_face_is_what_the_file_says() -> None:
    state = side("spells_traps: [{card: {name: Some, card: trap}, face: up}]")
    assert "face(some,up)" in state.fluents


def test_a_set_monster_is_in_defense_position() -> None:
    state = side(f"monsters: [{{card: {ALPHA}, face: down}}]")
    assert {"face(alpha,down)", "position(alpha,defense)"} <= set(state.fluents)
    assert "position(alpha,attack)" not in [one.fluent for one in state.assumptions]


# --- ids ------------------------------------------------------------------------------------------


def test_ids_come_from_names_and_are_numbered() -> None:
    state = side(f"monsters: [{{card: {ALPHA}}}, {{card: {ALPHA}}}]", f"hand: [{{card: {ALPHA}}}]")
    assert list(state.texts) == ["alpha", "alpha_2", "alpha_3"]


def test_a_written_id_is_kept_and_numbers_go_round_it() -> None:
    state = side(
        f"monsters: [{{card: {ALPHA}, id: alpha_2}}, {{card: {ALPHA}}}, {{card: {ALPHA}}}]"
    )
    assert list(state.texts) == ["alpha_2", "alpha", "alpha_3"]


@pytest.mark.parametrize(
    ("name", "one"),
    [
        ('"Neo-Spacian Grand Mole"', "neo_spacian_grand_mole"),
        ('"Dragon\'s Rage!"', "dragons_rage"),
        ("7 Colored Fish", "c_7_colored_fish"),
        ("Évolution", "evolution"),
        ("切り込み隊長", "card"),
        ("Player", "player_2"),
        ("Not", "not_2"),
        ("Rule", "rule_2"),
    ],
)
def test_the_id_of_a_name(name: str, one: str) -> None:
    state = side(f"monsters: [{{card: {{name: {name}, card: monster}}}}]")
    assert list(state.texts) == [one]


def test_lines_of_ids() -> None:
    state = read(
        "turn_player:\n  monsters:\n"
        f"    - card: {ALPHA}\n      id: first\n    - {{card: {ALPHA}}}\nnon_turn_player: {{}}\n"
    )
    assert dict(state.lines) == {"first": 3, "alpha": 5}


# --- cards ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["Marauding Captain", "冲锋陷阵的队长", "切り込み隊長", "2460565", "marauding captain"]
)
def test_a_card_of_the_library_by_any_name(name: str) -> None:
    state = side(f"monsters: [{name}]")
    assert list(state.texts) == ["marauding_captain"]
    assert {
        'trait(marauding_captain,name("Marauding Captain"))',
        "trait(marauding_captain,race(warrior))",
        "trait(marauding_captain,attribute(earth))",
        "value(marauding_captain,atk,1200)",
        "value(marauding_captain,def,400)",
        "value(marauding_captain,level,3)",
    } <= set(state.fluents)
    assert state.name_of("marauding_captain") == "Marauding Captain"
    assert state.name_of("marauding_captain", "zh") == "冲锋陷阵的队长"
    assert state.name_of("marauding_captain", "ja") == "切り込み隊長"


def test_values_that_differ_from_the_printed_ones() -> None:
    state = side(
        "monsters: [{card: Marauding Captain, id: one, atk: 2000, level: 4, race: fiend, "
        "attribute: dark, name: Yubel, archetypes: [Yubel], owner: non_turn_player, zone: 3}]"
    )
    assert {
        "value(one,atk,2000)",
        "value(one,def,400)",
        "value(one,level,4)",
        "trait(one,race(fiend))",
        "trait(one,attribute(dark))",
        'trait(one,name("Yubel"))',
        'trait(one,archetype("Yubel"))',
        "owner(one,non_turn_player)",
        "controller(one,turn_player)",
        "zone(one,3)",
    } <= set(state.fluents)
    assert "trait(one,race(warrior))" not in state.fluents
    # A name that it is treated as is no other text.
    assert state.name_of("one") == "Marauding Captain"


def test_a_name_taken_is_the_one_of_the_rules_in_any_language() -> None:
    state = side("monsters: [{card: Marauding Captain, id: one, name: 于贝尔}]")
    assert 'trait(one,name("Yubel"))' in state.fluents


def test_a_described_card_has_one_name_in_every_language() -> None:
    state = side(f"monsters: [{{card: {ALPHA}}}]")
    assert {state.name_of("alpha", language) for language in ("en", "zh", "ja")} == {"Alpha"}
    assert state.name_of("nobody") == "nobody"


def test_described_cards_of_one_name_may_differ() -> None:
    other = ALPHA.replace("dragon", "fiend")
    state = side(f"monsters: [{{card: {ALPHA}}}, {{card: {other}}}, {{card: {ALPHA}}}]")
    first, second, third = state.texts.values()
    assert first is third
    assert first.key != second.key
    assert {"trait(alpha,race(dragon))", "trait(alpha_2,race(fiend))"} <= set(state.fluents)


def test_a_described_card_is_not_the_one_of_the_library() -> None:
    state = side("monsters: [{card: {name: Yubel, card: monster}}, Yubel]")
    described, known = state.texts.values()
    assert described.key != known.key


def test_materials() -> None:
    xyz = "{name: Xyz, card: monster, kinds: [xyz]}"
    assert "value(xyz,materials,0)" in side(f"monsters: [{{card: {xyz}}}]").fluents
    state = side(f"monsters: [{{card: {xyz}, materials: 2}}, {{card: {ALPHA}}}]")
    assert "value(xyz,materials,2)" in state.fluents
    assert "value(alpha,materials,0)" not in state.fluents


# --- effects as facts -----------------------------------------------------------------------------


def facts_of(effect: str, card: str = "monster") -> set[str]:
    state = side(f"monsters: [{{card: {{name: Some, card: {card}, effects: [{effect}]}}}}]")
    (text,) = state.texts.values()
    return {fact.replace(text.key, "D") for fact in state.facts() if text.key in fact}


def test_a_clause_with_filters_becomes_facts() -> None:
    facts = facts_of(
        "{nr: 2, kind: continuous, while: [{phase: battle}], "
        "says: [{cannot_target: {targets: {is: other, race: warrior, level: {at_most: 4}}}}]}"
    )
    assert facts == {
        "has_text(some,D)",
        "prints(D,card(monster))",
        'named(D,name("Some"))',
        "effect(D,2,continuous)",
        "speed(D,2,1)",
        "usable_from(D,2,monster_zone)",
        "condition(D,2,phase(battle))",
        "clause(D,2,1,cannot_target)",
        "argument(D,2,1,targets,filter(f(D,2,1,targets)))",
        "filter(f(D,2,1,targets),D)",
        "want(f(D,2,1,targets),is(other))",
        "want(f(D,2,1,targets),trait(race(warrior)))",
        "want(f(D,2,1,targets),at_most(level,4))",
    }


def test_alternatives_and_exceptions_become_filters_of_their_own() -> None:
    facts = facts_of(
        "{nr: 1, kind: continuous, says: [{cannot_attack: {monsters: "
        "{any_of: [{face: up}], except: [{atk: 1000}]}}}]}"
    )
    whole = "f(D,1,1,monsters)"
    assert {
        f"option({whole},f(D,1,1,monsters,option(0)))",
        "want(f(D,1,1,monsters,option(0)),face(up))",
        f"excepted({whole},f(D,1,1,monsters,excepted(0)))",
        "want(f(D,1,1,monsters,excepted(0)),at_least(atk,1000))",
        "want(f(D,1,1,monsters,excepted(0)),at_most(atk,1000))",
    } <= facts


@pytest.mark.parametrize(
    ("card", "kind", "more", "speed"),
    [
        ("monster", "trigger", "", 1),
        ("monster", "quick", "", 2),
        ("monster", "ignition", "", 1),
        ("trap", "activation", "", 2),
        ("spell", "activation", "", 1),
        ("spell", "activation", ", speed: 2", 2),
        ("trap", "activation", ", speed: 3", 3),
    ],
)
def test_spell_speeds(card: str, kind: str, more: str, speed: int) -> None:
    facts = facts_of(f"{{nr: 1, kind: {kind}{more}}}", card)
    assert [fact for fact in facts if fact.startswith("speed(")] == [f"speed(D,1,{speed})"]


def test_an_effect_outside_the_vocabulary() -> None:
    facts = facts_of("{nr: 1, unmodelled: damage, note: something}")
    assert facts == {
        "has_text(some,D)",
        "prints(D,card(monster))",
        'named(D,name("Some"))',
        "unmodelled(D,1,damage)",
    }


def test_where_when_and_on_what_an_effect_outside_the_vocabulary_works() -> None:
    facts = facts_of(
        "{nr: 1, unmodelled: damage, from: [pendulum_zone], while: [{lp: higher}], "
        "touches: {race: plant}}"
    )
    touched = "f(D,1,touches)"
    assert facts - facts_of("{nr: 1, unmodelled: damage}") == {
        "usable_from(D,1,pendulum_zone)",
        "condition(D,1,lp(higher))",
        f"touches(D,1,{touched})",
        f"filter({touched},D)",
        f"want({touched},trait(race(plant)))",
    }


def test_an_activation_outside_the_vocabulary_says_what_it_does() -> None:
    known = "kind: quick, from: [hand], does: [{draws: {}}]"
    facts = facts_of(f"{{nr: 1, unmodelled: activation, {known}}}")
    beyond = {"unmodelled(D,1,activation)", "has_to_be_activated(D,1)"}
    assert facts == facts_of(f"{{nr: 1, {known}}}") | beyond


def test_an_activated_effect_becomes_facts() -> None:
    facts = facts_of(
        "{nr: 1, kind: trigger, event: attack_declared, attacker: {side: opponent}, "
        "mandatory: true, answerless: false, usable_in: [battle_step], from: [hand], "
        "targets: [{side: own}], "
        "does: [{destroys: {}}, {applies: {cannot_attack: {}}, role: then}]}"
    )
    assert {
        "event(D,1,attack_declared)",
        "event_filter(D,1,attacker,f(D,1,attacker))",
        "mandatory(D,1)",
        "usable_in(D,1,battle_step)",
        "usable_from(D,1,hand)",
        "effect_target(D,1,f(D,1,targets(0)))",
        "operation(D,1,1,destroys)",
        "role(D,1,1,main)",
        "operation(D,1,2,applies)",
        "clause(D,1,2,cannot_attack)",
        "role(D,1,2,then)",
    } <= facts
    assert "answerless(D,1)" not in facts
    assert "usable_from(D,1,monster_zone)" not in facts


# --- records --------------------------------------------------------------------------------------


def test_what_a_monster_has_done() -> None:
    state = side(
        f"monsters: [{{card: {ALPHA}, id: one, declared: 2, attempted: true, gave_up: false, "
        "attacked: [two, player], battled: [two], used: [1, 2], determined: true, negated: true, "
        "summoned: [special], came: this_turn, entry_count: {'1': 3}, equipped_to: two, "
        "chosen: [two], attacked_directly: true, direct_chosen: true, done_with: [two], "
        "attacked_beside: [two]}]",
        f"monsters: [{{card: {ALPHA}, id: two}}]",
    )
    assert {
        "attacked_directly(one)",
        "direct_chosen(one)",
        "done_with(one,two)",
        "attacked_beside(one,two)",
        "declared(one,2)",
        "attempted(one)",
        "attacked(one,two)",
        "attacked(one,player)",
        "battled(one,two)",
        "used(one,1)",
        "used(one,2)",
        "determined(one)",
        "negated(one)",
        "summoned(one,special)",
        "came(one,this_turn)",
        "entry_count(one,1,3)",
        "equipped(one,two)",
        "chosen(one,two)",
    } <= about(state, "one")
    assert "gave_up(one)" not in state.fluents


def test_an_attack_counts_as_the_declaration_of_its_monster() -> None:
    state = side(
        f"monsters: [{{card: {ALPHA}, id: one}}, {{card: {ALPHA}, id: two}}]",
        "",
        "attack: {attacker: one, target: player, stage: replay, declared_in: defense, "
        "over: negated}\n",
    )
    assert {
        "attack(one,player)",
        "stage(replay)",
        "declared_in(one,defense)",
        "attack_over(negated)",
        "declared(one,1)",
        "declared(two,0)",
    } <= set(state.fluents)


def test_an_attack_is_past_its_declaration_unless_said() -> None:
    state = side(
        f"monsters: [{{card: {ALPHA}}}]", "", "attack: {attacker: alpha, target: player}\n"
    )
    assert "stage(open)" in state.fluents


def test_a_chain() -> None:
    state = side(
        f"monsters: [{{card: {ALPHA}, id: one}}]",
        f"monsters: [{{card: {ALPHA}, id: two}}]",
        "chain:\n  - {card: two, effect: 1, targets: [one]}\n"
        "  - {card: one, effect: 0, by: non_turn_player}\nafter_chain: true\n",
    )
    assert {
        "link(1,two,1,non_turn_player)",
        "link_target(1,one)",
        "link(2,one,0,non_turn_player)",
        "after_chain",
    } <= set(state.fluents)


def test_who_has_passed() -> None:
    state = side("passed: true", "passed: false")
    assert {"passed(turn_player)", "passes_tracked"} <= set(state.fluents)
    assert "passed(non_turn_player)" not in state.fluents
    assert "passes_tracked" not in side("").fluents


def test_an_applied_effect() -> None:
    some = "{name: Some, card: spell, effects: [{nr: 2, kind: lingering}]}"
    state = side(
        f"monsters: [{{card: {ALPHA}}}]",
        "",
        f"applied: [{{card: {some}, effect: 2, by: non_turn_player, source: alpha, "
        "chosen: [alpha]}]\n",
    )
    assert about(state, "some_effect") == {
        "applied(some_effect)",
        "applied_by(some_effect,non_turn_player)",
        "applied_order(some_effect,1)",
        "applied_from(some_effect,alpha)",
        "chosen(some_effect,alpha)",
    }
    assert "lingers(some_effect,2)" in state.facts()


def test_how_many_attacks_there_were_when_an_effect_was_applied() -> None:
    again = "{name: Again, card: spell, effects: [{nr: 1, kind: lingering}]}"
    state = side(
        f"monsters: [{{card: {ALPHA}, id: one}}]",
        "",
        f"applied: [{{card: {again}, effect: 1, by: turn_player, id: more, chosen: [one], "
        "attacks_at: 2, lapsed: [1]}]\ndirect_attacks: 3\nchance_over: true\n",
    )
    assert {"attacks_at(more,one,2)", "lapsed(more,1)"} <= about(state, "more")
    assert {"direct_attacks(3)", "chance_over"} <= set(state.fluents)


def test_lp() -> None:
    assert {"lp(turn_player,0)", "lp(non_turn_player,12000)"} <= set(
        side("lp: 0", "lp: 12000").fluents
    )


# --- what is wrong --------------------------------------------------------------------------------

TWO = f"[{{card: {ALPHA}, id: one}}, {{card: {ALPHA}, id: two}}]"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (
            f"phase: main_1\nstep: battle\n{PLAIN}",
            ["board.yaml:2: step: steps belong to the Battle Phase; write phase: battle"],
        ),
        (
            f"step: battle\nsub_step: start\n{PLAIN}",
            [
                "board.yaml:2: sub_step: sub-steps belong to the Damage Step; "
                "write step: damage, or leave it out"
            ],
        ),
        (
            f"turn_player:\n  monsters: {TWO.replace('two', 'one')}\nnon_turn_player: {{}}\n",
            [
                'board.yaml:2: turn_player.monsters[1].id: the id "one" is taken (line 2); '
                "give each card its own"
            ],
        ),
        (
            f"turn_player:\n  monsters: {TWO.replace('two', 'rule')}\nnon_turn_player: {{}}\n",
            [
                'board.yaml:2: turn_player.monsters[1].id: "rule" means something else to the '
                "rules; give the card another id"
            ],
        ),
        (
            "turn_player: {}\nnon_turn_player: {}\nattack: {attacker: one}\n",
            ['board.yaml:3: attack.attacker: no card has the id "one"; there are no cards'],
        ),
        (
            f"turn_player: {{monsters: {TWO}}}\nnon_turn_player: {{}}\n"
            "attack: {attacker: onne, target: player}\n",
            ['board.yaml:3: attack.attacker: no card has the id "onne"; did you mean one?'],
        ),
        (
            f"turn_player: {{monsters: {TWO}}}\nnon_turn_player: {{}}\n"
            "attack: {attacker: player, target: xyz}\n",
            [
                'board.yaml:3: attack.attacker: no card has the id "player"; there are one, two',
                'board.yaml:3: attack.target: no card has the id "xyz"; there are one, two, '
                "and player for a direct attack",
            ],
        ),
        (
            f"turn_player: {{monsters: {TWO}}}\nnon_turn_player: {{}}\n"
            "chain:\n  - {card: one, effect: 1, targets: [x]}\n",
            ['board.yaml:4: chain[0].targets[0]: no card has the id "x"; there are one, two'],
        ),
        (
            "turn_player:\n  monsters:\n    - Maraudng Captain\nnon_turn_player: {}\n",
            [
                'board.yaml:3: turn_player.monsters[0]: no card "Maraudng Captain" in the library; '
                'did you mean "Marauding Captain"? a card that is not in it can be described in '
                "its place: card: {name: ..., card: monster, ..., effects: [...]}"
            ],
        ),
        (
            "turn_player:\n  monsters:\n    - {card: 99999999}\nnon_turn_player: {}\n",
            [
                'board.yaml:3: turn_player.monsters[0].card: no card "99999999" in the library; '
                "a card that is not in it can be described in its place: "
                "card: {name: ..., card: monster, ..., effects: [...]}"
            ],
        ),
        (
            f"{PLAIN}applied:\n  - {{card: Yubel, effect: 9, by: turn_player}}\n",
            [
                "board.yaml:4: applied[0].effect: Yubel has no effect 9 in the library; "
                "it has 1, 2, 3, 4"
            ],
        ),
        (
            f"{PLAIN}applied:\n  - {{card: {ALPHA}, effect: 1, by: turn_player}}\n",
            ["board.yaml:4: applied[0].effect: Alpha has no effect 1; it has none"],
        ),
        (
            "turn_player: {}\nnon_turn_player: {spells_traps: [Mirror Force]}\n"
            "chain: [{card: mirror_force, effect: 3}]\n",
            [
                "board.yaml:3: chain[0].effect: Mirror Force has no effect 3 in the library; "
                "it has 1"
            ],
        ),
        (
            "turn_player: {}\nnon_turn_player:\n  hand:\n    - card: {name: Burst, card: spell, "
            "effects: [{nr: 1, kind: activation, says: [{can_attack_directly: {}}]}]}\n",
            [
                "board.yaml:4: non_turn_player.hand[0].card.effects[0].says: an activation effect "
                "says nothing by itself; write does: [{applies: {...}}], or make it "
                "kind: continuous"
            ],
        ),
        (
            "turn_player: {}\nnon_turn_player:\n  hand:\n    - card: {name: Wall, card: monster, "
            "effects: [{nr: 1, kind: continuous, does: [{draws: {}}]}]}\n",
            [
                "board.yaml:4: non_turn_player.hand[0].card.effects[0].does: a continuous effect "
                "does not resolve; write says: [...], or give the kind of an effect that is "
                "activated"
            ],
        ),
        (
            "turn_player: {}\nnon_turn_player:\n  hand:\n    - card: {name: Wall, card: monster, "
            "effects: [{nr: 1, kind: continuous, says: [{cannot_target: {}}]}]}\n",
            [
                "board.yaml:4: non_turn_player.hand[0].card.effects[0].says[0].cannot_target: the "
                'key "targets" is missing; add it: what cards are meant, such as '
                "{side: own, race: warrior}"
            ],
        ),
        (
            "turn_player:\n  hand:\n    - card: {name: A, card: trap, "
            "effects: [{nr: 1, kind: quick}, {nr: 1, kind: quick}]}\nnon_turn_player: {}\n",
            [
                "board.yaml:3: turn_player.hand[0].card.effects[1].nr: there are two effects 1; "
                "number each one differently"
            ],
        ),
        (
            "turn_player: {}\nnon_turn_player:\n  hand:\n    - card: {name: Wall, card: monster, "
            "effects: [{nr: 1, kind: continuous, touches: {side: own}}]}\n",
            [
                "board.yaml:4: non_turn_player.hand[0].card.effects[0].touches: "
                '"touches" is read only beside "unmodelled"'
            ],
        ),
        (
            "turn_player: {}\nnon_turn_player:\n  hand:\n    - card: {name: Wall, card: monster, "
            "effects: [{nr: 1, kind: quick, unmodelled: other, does: [{draws: {}}]}]}\n",
            [
                "board.yaml:4: non_turn_player.hand[0].card.effects[0].does: "
                'beside "unmodelled", "does" is read only if that is activation'
            ],
        ),
    ],
)
def test_what_is_wrong(text: str, lines: list[str]) -> None:
    assert refusals(text) == lines


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("turn: 3\nnon_turn_player: {}\n", 1, "turn_player"),
        ("turn: 0\nturn_player: {}\nnon_turn_player: {}\n", 1, "turn"),
        ("turn_player: {}\nnon_turn_player: {}\nstep: calculation\n", 3, "step"),
        ("turn_player: {}\nnon_turn_player: {monster: []}\n", 2, "monsters"),
        ("turn_player: {}\nnon_turn_player: {}\ncolour: red\n", 3, "colour"),
        ("turn_player: {monsters: [{id: one}]}\nnon_turn_player: {}\n", 1, "card"),
        ("turn_player: {monsters: [{card: Yubel, id: One}]}\nnon_turn_player: {}\n", 1, "id"),
        ("turn_player: {monsters: [Yubel]}\nnon_turn_player: {lp: many}\n", 2, "lp"),
    ],
)
def test_wrong_shapes(text: str, line: int, says: str) -> None:
    (only,) = refusals(text)
    assert only.startswith(f"board.yaml:{line}: ")
    assert says in only
    assert "; " in only


def test_every_problem_is_told() -> None:
    lines = refusals("turn: 0\nphase: fight\nstep: 7\nturn_player: {}\nnon_turn_player: {}\n")
    assert [line.split(":")[1] for line in lines] == ["1", "2", "3"]


def test_a_file_is_read_from_its_path(tmp_path: Path) -> None:
    file = tmp_path / "some.yaml"
    file.write_text(PLAIN, encoding="utf-8")
    assert read_state(file).fluents == read(PLAIN).fluents
    assert read_state(str(file)).file == str(file)


def test_the_schema_is_closed() -> None:
    # A key that no one reads has to be refused, wherever it stands.
    open_parts = [
        name
        for name, part in schema()["$defs"].items()
        if part.get("type") == "object" and part.get("additionalProperties") is not False
    ]
    assert open_parts == []
    assert schema()["additionalProperties"] is False
