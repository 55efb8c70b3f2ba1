"""Battle damage worked out by hand-written arithmetic, to check the rules against.

The order of the ten levels is written down here once more, without the rules: a battle makes one
list of single damages, and that list goes through levels 1 to 10 once. Where the rulings leave
open how something is done, every reading is gone through; a player for whom two readings give
different results is undecided.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal

Player = Literal["turn_player", "non_turn_player"]
Position = Literal["attack", "defense"]
Move = Literal["share", "deflect", "absorb"]
Kind = Literal["battle", "effect", "heal"]
Count = Literal["once", "each"]
BothTake = Literal["once", "each", "again"]
CutOff = Literal["damage", "battle"]
Half = Literal["down", "up"]

PLAYERS: tuple[Player, Player] = ("turn_player", "non_turn_player")


def other(player: Player) -> Player:
    """Return the other player."""
    return PLAYERS[1 - PLAYERS.index(player)]


@dataclass(frozen=True, slots=True)
class Monster:
    """A battling monster; `uses_def`: it attacks in Defense Position with its DEF as ATK."""

    name: str
    controller: Player
    atk: int
    defense: int
    position: Position = "attack"
    uses_def: bool = False


@dataclass(frozen=True, slots=True)
class Modifier:
    """One effect on battle damage, read from the side of its owner.

    `move` is what a level 3 effect does: share (the opponent also takes what the owner takes),
    deflect (the opponent takes it instead), absorb (the owner takes what the opponent would).
    `recipient` is whose damage is meant, `source` whose: that of any monster, of the owner's, or
    of the monster of that name. `battle_of` and `fight` say which battles the effect is about;
    `opposing` asks that the monster inflicting the damage battles one of the owner's opponent.
    `once` says that it applies only one time, and whether that is still ahead. `value` belongs to
    level 9 (half of the owner's LP with `half_lp`), `at_most` and `at_least` to level 10.
    """

    level: int
    owner: Player
    move: Move | None = None
    recipient: Literal["any", "own", "opponent"] = "any"
    source: str = "any"
    battle_of: str = "any"
    fight: Literal["any", "with_monster", "direct"] = "any"
    opposing: bool = False
    once: Literal["no", "unused", "used"] = "no"
    value: int = 0
    half_lp: bool = False
    at_most: int | None = None
    at_least: int | None = None


@dataclass(frozen=True, slots=True)
class Battle:
    """A battle at its damage calculation; without a target a direct attack on the opponent."""

    attacker: Monster
    target: Monster | None
    piercing: bool = False
    modifiers: tuple[Modifier, ...] = ()
    lp: tuple[int, int] = (8000, 8000)

    def monsters(self) -> tuple[Monster, ...]:
        """Return the battling monsters."""
        return (self.attacker,) if self.target is None else (self.attacker, self.target)

    def lp_of(self, player: Player) -> int:
        """Return the LP of a player before the battle damage."""
        return self.lp[PLAYERS.index(player)]


@dataclass(frozen=True, slots=True)
class Damage:
    """One single damage: its source stays what it is, all else may change."""

    source: Monster
    recipient: Player
    amount: int
    kind: Kind = "battle"


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read what the rulings do not say.

    `doubled`: two effects "inflicts double" multiply by 2 or by 4. `both_take`: two effects "both
    players take" make one copy, a copy each, or the second copies the copy as well. `movers`,
    `copies`: what two of them make of one damage. `cut_off`: levels 4 and 5 end the order for the
    single damage or for the whole battle. `half`: how an odd number is halved.
    """

    doubled: Count
    both_take: BothTake
    movers: Count
    copies: Count
    cut_off: CutOff
    half: Half

    def half_of(self, number: int) -> int:
        """Return half of a number."""
        return (number + (self.half == "up")) // 2


_COUNTS: tuple[Count, ...] = ("once", "each")
_BOTH_TAKE: tuple[BothTake, ...] = ("once", "each", "again")
_CUT_OFFS: tuple[CutOff, ...] = ("damage", "battle")
_HALVES: tuple[Half, ...] = ("down", "up")
_READINGS = tuple(
    Reading(*choice)
    for choice in product(_COUNTS, _BOTH_TAKE, _COUNTS, _COUNTS, _CUT_OFFS, _HALVES)
)


@dataclass(frozen=True, slots=True)
class Result:
    """What one player gets from a battle: single battle damages other than 0 as (source, amount),
    their sum, effect damage and LP gained."""

    single: tuple[tuple[str, int], ...]
    taken: int
    effect: int
    gained: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """The names of the monsters that the calculation destroys, and each player's result; None for
    a player for whom the rulings leave it open."""

    destroyed: frozenset[str]
    results: tuple[Result | None, Result | None]

    def of(self, player: Player) -> Result | None:
        """Return the result of a player, None if it is undecided."""
        return self.results[PLAYERS.index(player)]


def outcome(battle: Battle) -> Outcome:
    """Return the outcome of a battle by everything that the rulings say."""
    base, destroyed = calculation(battle)
    lists = [_through_the_levels(battle, base, reading) for reading in _READINGS]

    def result_of(player: Player) -> Result | None:
        found = {_result(damages, player) for damages in lists}
        return found.pop() if len(found) == 1 else None

    return Outcome(destroyed, (result_of(PLAYERS[0]), result_of(PLAYERS[1])))


def calculation(battle: Battle) -> tuple[Damage | None, frozenset[str]]:
    """Return the damage before all levels, and the names of the monsters destroyed."""
    attacker, target = battle.attacker, battle.target
    strength = attacker.defense if attacker.uses_def else attacker.atk
    if target is None:
        attacked = other(attacker.controller)
        return (Damage(attacker, attacked, strength) if strength > 0 else None), frozenset()
    if target.position == "attack":
        difference = strength - target.atk
        if difference > 0:
            return Damage(attacker, target.controller, difference), frozenset({target.name})
        if difference < 0:
            return Damage(target, attacker.controller, -difference), frozenset({attacker.name})
        both = {attacker.name, target.name} if strength > 0 else set()
        return None, frozenset(both)
    difference = strength - target.defense
    if difference < 0:
        return Damage(target, attacker.controller, -difference), frozenset()
    if difference == 0:
        return None, frozenset()
    base = Damage(attacker, target.controller, difference) if battle.piercing else None
    return base, frozenset({target.name})


def _through_the_levels(battle: Battle, base: Damage | None, reading: Reading) -> list[Damage]:
    if base is None:
        return []
    damages = _level_2(battle, _level_1(battle, base, reading), reading)
    damages = [one for damage in damages for one in _level_3(battle, damage, reading)]
    endings: tuple[tuple[int, Kind], ...] = ((4, "effect"), (5, "heal"))
    for level, kind in endings:
        changed = [_levels_4_5(battle, damage, level, kind) for damage in damages]
        if reading.cut_off == "battle" and changed != damages:
            return changed
        damages = changed
    return [
        _levels_6_to_10(battle, damage, reading) if damage.kind == "battle" else damage
        for damage in damages
    ]


def _level_1(battle: Battle, base: Damage, reading: Reading) -> Damage:
    # The recipient is that of the base damage: nothing has been moved yet.
    count = len(_applicable(battle, 1, base))
    if reading.doubled == "once":
        count = min(count, 1)
    return replace(base, amount=base.amount * 2**count)


def _level_2(battle: Battle, damage: Damage, reading: Reading) -> list[Damage]:
    damages = [damage]
    for _ in _applicable(battle, 2, damage):
        copied = damages if reading.both_take == "again" else [damage]
        damages = damages + [replace(one, recipient=other(one.recipient)) for one in copied]
        if reading.both_take == "once":
            break
    return damages


def _level_3(battle: Battle, damage: Damage, reading: Reading) -> Iterator[Damage]:
    # Only what levels 1 and 2 have left is looked at, so no product is ever moved or copied again.
    copies = movers = 0
    for modifier in _applicable(battle, 3, damage):
        to_owner = damage.recipient == modifier.owner
        if modifier.move == "share" and to_owner:
            copies += 1
        elif (modifier.move == "deflect" and to_owner) or (
            modifier.move == "absorb" and not to_owner
        ):
            movers += 1
    if reading.copies == "once":
        copies = min(copies, 1)
    if reading.movers == "once":
        movers = min(movers, 1)
    if not movers:
        yield damage
    for _ in range(copies + movers):
        yield replace(damage, recipient=other(damage.recipient))


def _levels_4_5(battle: Battle, damage: Damage, level: int, kind: Kind) -> Damage:
    if damage.kind == "battle" and _applicable(battle, level, damage):
        return replace(damage, kind=kind)
    return damage


def _levels_6_to_10(battle: Battle, damage: Damage, reading: Reading) -> Damage:
    def applicable(level: int) -> list[Modifier]:
        return _applicable(battle, level, damage)

    amount = damage.amount
    if applicable(6):
        amount = 0
    halves, doubles = bool(applicable(7)), bool(applicable(8))
    if halves and not doubles:
        amount = reading.half_of(amount)
    if doubles and not halves:
        amount = amount * 2
    values = [_value(battle, modifier, reading) for modifier in applicable(9)]
    if values and amount != 0:
        amount = min(values)
    for modifier in applicable(10):
        if modifier.at_most is not None and amount <= modifier.at_most:
            amount = 0
        if modifier.at_least is not None and amount >= modifier.at_least:
            amount = 0
    return replace(damage, amount=amount)


def _value(battle: Battle, modifier: Modifier, reading: Reading) -> int:
    if modifier.half_lp:
        return reading.half_of(battle.lp_of(modifier.owner))
    return modifier.value


def _applicable(battle: Battle, level: int, damage: Damage) -> list[Modifier]:
    return [m for m in battle.modifiers if m.level == level and _applies(battle, m, damage)]


def _applies(battle: Battle, modifier: Modifier, damage: Damage) -> bool:
    owner, source = modifier.owner, damage.source
    if modifier.once == "used":
        return False
    if modifier.recipient == "own" and damage.recipient != owner:
        return False
    if modifier.recipient == "opponent" and damage.recipient == owner:
        return False
    if not _meant(modifier.source, owner, [source]):
        return False
    if not _meant(modifier.battle_of, owner, battle.monsters()):
        return False
    if modifier.fight != "any" and (modifier.fight == "direct") != (battle.target is None):
        return False
    if modifier.opposing:
        return any(m != source and m.controller != owner for m in battle.monsters())
    return True


def _meant(word: str, owner: Player, monsters: Sequence[Monster]) -> bool:
    """Whether one of the monsters is meant by "any", "own" or a name."""
    return any(
        word in ("any", m.name) or (word == "own" and m.controller == owner) for m in monsters
    )


def _result(damages: Sequence[Damage], player: Player) -> Result:
    mine = [damage for damage in damages if damage.recipient == player]

    def total(kind: Kind) -> int:
        return sum(damage.amount for damage in mine if damage.kind == kind)

    single = sorted((d.source.name, d.amount) for d in mine if d.kind == "battle" and d.amount)
    return Result(tuple(single), total("battle"), total("effect"), total("heal"))
