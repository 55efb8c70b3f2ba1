"""Random battles with effects on their damage, and such battles as the data of a state file.

A battle is described for the arithmetic of damage_oracle.py; where its effects come from (a
battling monster, another monster, a Trap, an Equip Spell, an effect applied before) only matters
for the state.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any, Literal

from damage_oracle import PLAYERS, Battle, Modifier, Monster, Player
from hypothesis import strategies as st

from py_bridge.states import State, state_from_text

Data = dict[str, Any]
# A battling monster itself, another one, a Continuous Trap, an Equip Spell of one of them, or an
# effect applied before: to one of them or to nobody in particular.
Carrier = Literal[
    "attacker",
    "target",
    "bystander",
    "trap",
    "equip_attacker",
    "equip_target",
    "applied",
    "applied_attacker",
    "applied_target",
]

ATTACKER: Literal["attacker"] = "attacker"
TARGET: Literal["target"] = "target"
# Many equal values, many that differ, zero, and few that are odd.
_POINTS = (0, 1000, 1000, 1500, 2000, 2500, 3000, 3001)
_LP = (8000, 8000, 2100, 1900, 1001)
_AMOUNTS = (500, 1000, 1500, 2000)
_CLAUSES = {
    1: "inflicts_double",
    2: "both_players_take",
    4: "counts_as_effect_damage",
    5: "lp_gained_instead",
    6: "damage_becomes_zero",
    7: "damage_becomes_half",
    8: "damage_becomes_double",
    9: "damage_becomes_value",
    10: "damage_not_taken",
}
_MOVES = {
    "share": "opponent_also_takes_damage",
    "deflect": "opponent_takes_damage_instead",
    "absorb": "takes_damage_for_opponent",
}
# Levels that only show what they do in each other's company, besides all of them.
_ALL = tuple(range(1, 11))
_THEMES = (
    _ALL,
    _ALL,
    (1, 2, 3, 3, 3),
    (2, 3, 3, 3),
    (2, 4, 5, 6),
    (4, 5, 6),
    (6, 9),
    (7, 8),
    (7, 9),
    (9, 10),
    (9, 10, 10),
)


@dataclass(frozen=True, slots=True)
class Scene:
    """A battle and, modifier by modifier, where each effect comes from.

    `by_value` tells which level 9 and 10 effects say "its original ATK" and "its ATK" rather than
    a number.
    """

    battle: Battle
    carriers: tuple[Carrier, ...]
    by_value: tuple[bool, ...]


def _monster_named(battle: Battle, name: str) -> Monster:
    return next(monster for monster in battle.monsters() if monster.name == name)


@st.composite
def battles(draw: st.DrawFn) -> Battle:
    """A battle without any effects on its damage, attacked by the turn player's monster."""
    points = st.sampled_from(_POINTS)
    in_defense = draw(st.integers(0, 7)) == 0
    attacker = Monster(
        ATTACKER,
        PLAYERS[0],
        draw(points),
        draw(points),
        "defense" if in_defense else "attack",
        in_defense and draw(st.booleans()),
    )
    kind = draw(st.sampled_from(["direct", "attack", "attack", "attack", "defense", "defense"]))
    target = None
    if kind != "direct":
        # A redirected attack can hit a monster of the attacking player.
        controller = draw(st.sampled_from([PLAYERS[1]] * 4 + [PLAYERS[0]]))
        target = Monster(
            TARGET,
            controller,
            draw(points),
            draw(points),
            "attack" if kind == "attack" else "defense",
        )
    piercing = draw(st.sampled_from([True, True, True, False]))
    lp = (draw(st.sampled_from(_LP)), draw(st.sampled_from(_LP)))
    return Battle(attacker, target, piercing, (), lp)


def _carriers(battle: Battle, owner: Player) -> list[Carrier]:
    found: list[Carrier] = ["bystander", "trap", "trap", "equip_attacker", "applied"]
    found.append("applied_attacker")
    if battle.target is not None:
        found += ["equip_target", "applied_target"]
    if battle.attacker.controller == owner:
        found += [ATTACKER, ATTACKER, ATTACKER]
    if battle.target is not None and battle.target.controller == owner:
        found += [TARGET, TARGET, TARGET]
    return found


def _named_by(carrier: Carrier) -> str | None:
    """The monster that the effect means by "this card", "the equipped monster", "that monster"."""
    if carrier in ("trap", "applied"):
        return None
    return "bystander" if carrier == "bystander" else carrier.split("_")[-1]


@st.composite
def modifiers(
    draw: st.DrawFn, battle: Battle, levels: tuple[int, ...]
) -> tuple[Modifier, Carrier, bool]:
    """An effect of one of the levels on the damage of a battle."""
    owner: Player = draw(st.sampled_from(PLAYERS))
    carrier = draw(st.sampled_from(_carriers(battle, owner)))
    modifier = Modifier(draw(st.sampled_from(levels)), owner)
    level = modifier.level
    if level == 3:
        modifier = replace(modifier, move=draw(st.sampled_from(["share", "deflect", "absorb"])))
    if draw(st.booleans()):
        modifier = draw(_conditions(modifier, carrier))
    by_value = level in (9, 10) and carrier in (ATTACKER, TARGET) and draw(st.booleans())
    if level == 9:
        if by_value:
            value = _original_atk(_monster_named(battle, carrier))
            modifier = replace(modifier, value=value)
        elif draw(st.booleans()):
            modifier = replace(modifier, recipient="own", half_lp=True)
        else:
            modifier = replace(modifier, value=draw(st.sampled_from(_AMOUNTS)))
    if level == 10:
        if by_value:
            modifier = replace(modifier, at_most=_monster_named(battle, carrier).atk)
        elif draw(st.booleans()):
            modifier = replace(modifier, at_most=draw(st.sampled_from(_AMOUNTS)))
        else:
            modifier = replace(modifier, at_least=draw(st.sampled_from(_AMOUNTS)))
    return modifier, carrier, by_value


@st.composite
def _conditions(draw: st.DrawFn, modifier: Modifier, carrier: Carrier) -> Modifier:
    """The effect with conditions of battle, recipient and source, perhaps only once."""
    name = _named_by(carrier)
    about = st.sampled_from(["any", "any", "own", *([name, name] if name else [])])
    modifier = replace(modifier, battle_of=draw(about))
    if draw(st.integers(0, 3)) == 0:
        modifier = replace(modifier, fight=draw(st.sampled_from(["with_monster", "direct"])))
    if modifier.level in (2, 3):
        return modifier
    modifier = replace(
        modifier,
        recipient=draw(st.sampled_from(["any", "own", "opponent"])),
        source=draw(about),
    )
    if modifier.source != "any" and draw(st.integers(0, 2)) == 0:
        modifier = replace(modifier, opposing=True)
    if modifier.level in (6, 7, 8, 9) and draw(st.booleans()):
        # Of an effect applied before, no state file says that it is used up: it is gone then.
        used = not carrier.startswith("applied") and draw(st.booleans())
        modifier = replace(modifier, once="used" if used else "unused")
    return modifier


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    """A battle with up to four effects on its damage at once."""
    battle = draw(battles())
    levels = draw(st.sampled_from(_THEMES))
    count = draw(st.sampled_from([0, 1, 2, 2, 3, 3, 4, 4, 4]))
    found = [draw(modifiers(battle, levels)) for _ in range(count)]
    return Scene(
        replace(battle, modifiers=tuple(modifier for modifier, _, _ in found)),
        tuple(carrier for _, carrier, _ in found),
        tuple(by_value for _, _, by_value in found),
    )


def plain_scene(battle: Battle) -> Scene:
    """The scene of a battle whose effects have been applied before or are those of the monsters
    that they name."""
    carriers: list[Carrier] = []
    for modifier in battle.modifiers:
        if modifier.source == ATTACKER and battle.attacker.controller == modifier.owner:
            carriers.append(ATTACKER)
        elif modifier.source == TARGET:
            carriers.append("applied_target")
        else:
            carriers.append("trap" if modifier.once == "used" else "applied")
    return Scene(battle, tuple(carriers), (False,) * len(carriers))


def _original_atk(monster: Monster) -> int:
    # Other than the present ATK, and never 0, which would be level 6.
    return monster.atk + 500


def _clause(modifier: Modifier, carrier: Carrier, by_value: bool) -> Data:
    me = "bearer" if carrier.startswith(("equip", "applied")) else "this"

    def filter_of(word: str) -> Data:
        return {"side": "own"} if word == "own" else {"is": me}

    arguments: Data = {}
    if modifier.recipient != "any":
        arguments["taken_by"] = modifier.recipient
    if modifier.source != "any":
        arguments["inflicted_by"] = filter_of(modifier.source)
    if modifier.battle_of != "any":
        arguments["battle_of"] = filter_of(modifier.battle_of)
    if modifier.fight != "any":
        arguments["battle"] = modifier.fight
    if modifier.opposing:
        arguments["opposing"] = {"side": "opponent"}
    if modifier.once != "no":
        arguments["once"] = True
    if modifier.level == 9:
        if modifier.half_lp:
            arguments["as"] = "half_lp"
        elif by_value:
            arguments["as"] = "original_atk"
        else:
            arguments["amount"] = modifier.value
    if modifier.level == 10:
        if by_value:
            arguments["at_most_own"] = "atk"
        elif modifier.at_most is not None:
            arguments["at_most"] = modifier.at_most
        else:
            arguments["at_least"] = modifier.at_least
    clause = _MOVES[modifier.move] if modifier.move else _CLAUSES[modifier.level]
    return {clause: arguments}


def board_of(scene: Scene) -> Data:
    """The data of a state file in which the battle is at its damage calculation."""
    battle = scene.battle
    board: Data = {"turn": 3, "step": "damage", "sub_step": "calculation", "applied": []}
    for player in PLAYERS:
        board[player] = {"lp": battle.lp_of(player), "monsters": [], "spells_traps": []}
    entries: dict[str, Data] = {}
    for monster in battle.monsters():
        entry = _monster(monster.name, monster.atk, monster.defense, monster.position)
        entry["original_atk"] = _original_atk(monster)
        entries[monster.name] = entry
        board[monster.controller]["monsters"].append(entry)
    attacker = entries[ATTACKER]
    if battle.attacker.position == "defense":
        using = {"using": "def"} if battle.attacker.uses_def else {}
        _says(attacker, {"attacks_in_defense": using})
    if battle.piercing:
        _says(attacker, {"pierces": {}})
    attack: Data = {"attacker": ATTACKER, "target": TARGET if battle.target else "player"}
    if battle.target and battle.target.controller == battle.attacker.controller:
        attack["declared_on"] = "player"
    board["attack"] = attack
    for number, (modifier, carrier, by_value) in enumerate(
        zip(battle.modifiers, scene.carriers, scene.by_value, strict=True), 1
    ):
        clause = _clause(modifier, carrier, by_value)
        side = board[modifier.owner]
        if carrier.startswith("applied"):
            card: Data = {"name": f"Effect {number}", "card": "spell"}
            card["effects"] = [{"nr": 1, "kind": "lingering", "says": [clause]}]
            applied = {"card": card, "effect": 1, "by": modifier.owner, "id": f"effect_{number}"}
            if carrier != "applied":
                applied["chosen"] = [_named_by(carrier)]
            board["applied"].append(applied)
            continue
        if carrier in (ATTACKER, TARGET):
            entry = entries[carrier]
        elif carrier == "bystander":
            entry = _monster(f"bystander_{number}", 1000, 1000, "defense")
            side["monsters"].append(entry)
        else:
            kinds, kind = (["continuous"], "trap") if carrier == "trap" else (["equip"], "spell")
            name = f"card_{number}"
            entry = {"id": name, "card": {"name": name, "card": kind, "kinds": kinds}}
            entry["card"]["effects"] = []
            entry["face"] = "up"
            if carrier != "trap":
                entry["equipped_to"] = _named_by(carrier)
            side["spells_traps"].append(entry)
        nr = _says(entry, clause)
        if modifier.once == "used":
            entry.setdefault("used", []).append(nr)
    return board


def state_of(scene: Scene) -> State:
    """The state of a scene, through the text of a file as a user would write it."""
    return state_from_text(json.dumps(board_of(scene)), "battle.yaml")


def _monster(name: str, atk: int, defense: int, position: str) -> Data:
    card: Data = {"name": name, "card": "monster", "race": "warrior", "effects": []}
    card |= {"atk": atk, "def": defense}
    return {"id": name, "position": position, "card": card}


def _says(entry: Data, clause: Data) -> int:
    """Give a card one more continuous effect; return its number."""
    effects = entry["card"]["effects"]
    effects.append({"nr": len(effects) + 1, "kind": "continuous", "says": [clause]})
    return len(effects)
