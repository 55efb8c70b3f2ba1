"""The damage ledger: what the battle in progress comes to, line by line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from clingo import Symbol

from py_bridge.answers import Reason, Speaker, impossible, refuse_impossible
from py_bridge.errors import BattlejudgeError
from py_bridge.knowledge import Atoms, KnowledgeBase, knowledge_base
from py_bridge.states import PLAYERS, State
from py_bridge.vocabulary import NOT_KNOWN

_PREDICATES = (
    "battle", "settled_by", "contribution", "halts", "first_damage", "beaten", "spared",
    "substituted", "substituted_late", "choice_open", "choice_open_late", "destroyed_by_battle",
    "original", "part", "after_3", "after_5", "after_10", "damage", "passed_over", "taken",
    "effect_damage", "gained", "known_lp_after", "would_lose", "unsettled",
    "damage_beyond", "uses_up", "duel_result", "would_end",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Contribution:
    """Effect `effect` of `source` adds `amount` to a value or, if `sets`, makes it that."""

    source: str
    effect: int
    sets: bool
    amount: int


@dataclass(frozen=True, slots=True)
class Value:
    """The value, in ATK or DEF, with which a monster is settled."""

    monster: str
    stat: str
    amount: int
    contributions: tuple[Contribution, ...]


@dataclass(frozen=True, slots=True)
class Damage:
    """One single damage of the battle, in LP: its letter, inflicting monster and recipient.

    `made_from` is the letter of the damage that it was copied or moved from on level 3.
    """

    letter: str
    source: str
    recipient: str
    amount: int
    made_from: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the ledger: on `level`, a text turned a damage of `before` into `after` LP."""

    level: int
    damage: Damage
    before: int
    after: int
    reason: Reason


@dataclass(frozen=True, slots=True)
class Passed:
    """A text about battle damage that was not applied, to one damage or at all, and why."""

    source: str
    effect: int
    damage: Damage | None
    why: str


@dataclass(frozen=True, slots=True)
class Total:
    """What one player takes and gains, in LP; `battle` is None where the sources leave it open."""

    player: str
    battle: int | None
    parts: tuple[int, ...]
    effect: int
    gained: int
    lp_before: int
    lp_after: int | None
    loses: bool


@dataclass(frozen=True, slots=True, order=True)
class Choice:
    """Effect `effect` of `source` can do something else instead of the destruction of `monster`,
    and the state does not say whether its player has it do so."""

    source: str
    effect: int
    monster: str


@dataclass(frozen=True, slots=True)
class Ledger:
    """The outcome of the battle in progress.

    `target` is a monster's id or `player`; `values` is empty, and `halted` says why, where no
    damage calculation follows. `first` is the damage before any modifier. `used_up`
    are the once-only effects, by card and number, that the battle uses up; `beyond` those outside
    the vocabulary that could touch the result, each with the area that it belongs to. `result` is
    how the duel came out, or would by this battle: won(P), draw, or result_open where what the
    other player has left is not known; `over` tells that it is over already. `unknown` are the
    fluents that say what is not known of the state itself.
    """

    state: State
    attacker: str
    target: str
    calculated: bool
    halted: tuple[Reason, ...]
    values: tuple[Value, ...]
    beaten: tuple[str, ...]
    spared: tuple[tuple[str, Reason], ...]
    choices: tuple[Choice, ...]
    destroyed: tuple[str, ...]
    first: Damage | None
    entries: tuple[Entry, ...]
    passed: tuple[Passed, ...]
    totals: tuple[Total, ...]
    unsettled: tuple[Reason, ...]
    used_up: tuple[tuple[str, int], ...]
    beyond: tuple[tuple[str, int, str], ...]
    result: Symbol | None
    over: bool
    unknown: tuple[str, ...]


def reckon(state: State, rules: KnowledgeBase | None = None) -> Ledger:
    """Take the attack in progress through damage calculation.

    Raises BattlejudgeError if no attack is in progress, InputError if no duel can look like the
    state. Rulings: dm-001 to dm-136.
    """
    _attack_of(state)
    base, facts = rules or knowledge_base(), state.facts()
    refuse_impossible(state, impossible(base, tuple(facts)))
    return _ledger(state, base.model(facts, _PREDICATES))


def reckon_all(states: Sequence[State], rules: KnowledgeBase | None = None) -> list[Ledger]:
    """Take the attacks of many states through damage calculation, grounded together.

    Some three times as fast as `reckon` for states that have little in common. Raises what
    `reckon` raises.
    """
    for state in states:
        _attack_of(state)
    wanted = (*_PREDICATES, "invalid")
    models = (rules or knowledge_base()).models([state.facts() for state in states], wanted)
    for state, model in zip(states, models, strict=True):
        refuse_impossible(state, model["invalid"])
    return [_ledger(state, model) for state, model in zip(states, models, strict=True)]


def _attack_of(state: State) -> tuple[str, str]:
    if state.attack is None:
        raise BattlejudgeError(
            f"{state.file}: no attack is in progress; right would be a line such as "
            "attack: {attacker: ID, target: ID}, with target: player for a direct attack"
        )
    return state.attack


def _ledger(state: State, model: Atoms) -> Ledger:
    attack = _attack_of(state)
    damages = _damages(model)
    entries = [
        Entry(level.number, damages[one], before.number, after.number, Reason.of(by))
        for level, one, before, after, by in model["damage"]
    ]
    entries.sort(key=lambda e: (e.level, e.damage.letter, str(e.reason), e.before, e.after))
    first = model["first_damage"]
    return Ledger(
        state,
        *attack,
        calculated=bool(model["battle"]),
        halted=tuple(sorted({Reason.of(by) for by, _ in model["halts"]}, key=str)),
        values=tuple(sorted(_values(model), key=lambda value: value.monster != attack[0])),
        beaten=_names(model["beaten"]),
        spared=tuple(sorted(_spared(model), key=str)),
        choices=tuple(sorted(_choices(model))),
        destroyed=_names(model["destroyed_by_battle"]),
        first=_first(min(first)) if first else None,
        entries=tuple(entries),
        passed=tuple(_passed(model, damages)),
        totals=tuple(_totals(state, model, damages)),
        unsettled=tuple(sorted({Reason.of(by) for by, _ in model["unsettled"]}, key=str)),
        used_up=tuple(sorted((str(one), effect.number) for one, effect in model["uses_up"])),
        beyond=tuple(
            sorted((str(one), nr.number, str(area)) for one, nr, area in model["damage_beyond"])
        ),
        result=next((how for (how,) in (*model["duel_result"], *model["would_end"])), None),
        over=bool(model["duel_result"]),
        unknown=tuple(one for one in state.fluents if one.partition("(")[0] in NOT_KNOWN),
    )


def _spared(model: Atoms) -> Iterable[tuple[str, Reason]]:
    for name in ("spared", "substituted", "substituted_late"):
        yield from ((str(monster), Reason.of(by)) for by, monster in model[name])


def _choices(model: Atoms) -> Iterable[Choice]:
    for name in ("choice_open", "choice_open_late"):
        for source, effect, monster in model[name]:
            yield Choice(str(source), effect.number, str(monster))


def _names(rows: Iterable[Sequence[Symbol]]) -> tuple[str, ...]:
    return tuple(sorted(str(row[0]) for row in rows))


def _first(row: Sequence[Symbol]) -> Damage:
    source, recipient, amount = row
    return Damage("a", str(source), str(recipient), amount.number)


def _values(model: Atoms) -> Iterable[Value]:
    for monster, stat, amount in sorted(model["settled_by"]):
        yield Value(
            str(monster),
            str(stat),
            amount.number,
            tuple(
                Contribution(str(source), effect.number, str(how) == "set", change.number)
                for one, kind, source, effect, how, change in sorted(model["contribution"])
                if (one, kind) == (monster, stat)
            ),
        )


def _damages(model: Atoms) -> dict[Symbol, Damage]:
    """Return every single damage by its term, lettered in the order in which they come about."""
    rows: dict[Symbol, tuple[Symbol, Symbol, int]] = {
        one: (source, recipient, amount.number)
        for one, source, recipient, amount in model["original"]
    }
    # Where the sources leave several amounts open, the smallest stands for them.
    amounts = {one: amount.number for one, amount in sorted(model["after_3"], reverse=True)}
    rows |= {one: (source, to, amounts[one]) for one, source, to in model["part"]}
    order = sorted(rows, key=lambda one: (one.name != "base", one.name != "copy", one))
    letters = {one: _letter(index) for index, one in enumerate(order)}
    return {
        one: Damage(
            letters[one],
            str(rows[one][0]),
            str(rows[one][1]),
            rows[one][2],
            letters[one.arguments[0]] if one.arguments else None,
        )
        for one in order
    }


def _letter(index: int) -> str:
    return chr(ord("a") + index) if index < 26 else f"d{index + 1}"


def _passed(model: Atoms, damages: dict[Symbol, Damage]) -> list[Passed]:
    found = {
        Passed(str(source), effect.number, damages.get(one), str(why))
        for source, effect, _, one, why in model["passed_over"]
    }
    return sorted(
        found, key=lambda p: (p.source, p.effect, p.damage.letter if p.damage else "", p.why)
    )


def _totals(state: State, model: Atoms, damages: dict[Symbol, Damage]) -> Iterable[Total]:
    taken = {str(player): amount.number for player, amount in model["taken"]}
    effect = {str(player): amount.number for player, amount in model["effect_damage"]}
    gained = {str(player): amount.number for player, amount in model["gained"]}
    after = {str(player): amount.number for player, amount in model["known_lp_after"]}
    losers = {str(player) for (player,) in model["would_lose"]}
    finals = sorted((damages[one].letter, one, amount.number) for one, amount in model["after_10"])
    for player in PLAYERS:
        parts = [n for _, one, n in finals if n and damages[one].recipient == player]
        yield Total(
            player,
            taken.get(player),
            tuple(parts),
            effect.get(player, 0),
            gained.get(player, 0),
            state.lp(player),
            after.get(player),
            player in losers,
        )


def as_data(ledger: Ledger, speaker: Speaker) -> dict[str, Any]:
    """Return a ledger as plain data: the stable shape of `battlejudge damage --json`."""

    def reason(one: Reason) -> dict[str, Any]:
        return {
            "label": one.label,
            "rulings": list(speaker.rulings(one)),
            "source": one.source,
            "effect": one.effect if one.source else None,
        }

    def damage(one: Damage | None) -> dict[str, Any] | None:
        if one is None:
            return None
        return {
            "damage": one.letter,
            "source": one.source,
            "recipient": one.recipient,
            "amount": one.amount,
            "made_from": one.made_from,
        }

    return {
        "attacker": ledger.attacker,
        "target": ledger.target,
        "calculated": ledger.calculated,
        "halted": [reason(one) for one in ledger.halted],
        "values": [
            {
                "monster": value.monster,
                "stat": value.stat,
                "amount": value.amount,
                "contributions": [
                    {
                        "source": part.source,
                        "effect": part.effect,
                        "sets": part.sets,
                        "amount": part.amount,
                    }
                    for part in value.contributions
                ],
            }
            for value in ledger.values
        ],
        "beaten": list(ledger.beaten),
        "spared": [{"monster": one, **reason(why)} for one, why in ledger.spared],
        "choices": [
            {"source": one.source, "effect": one.effect, "monster": one.monster}
            for one in ledger.choices
        ],
        "destroyed": list(ledger.destroyed),
        "base": damage(ledger.first),
        "levels": [
            {
                "level": entry.level,
                **(damage(entry.damage) or {}),
                "before": entry.before,
                "after": entry.after,
                **reason(entry.reason),
            }
            for entry in ledger.entries
        ],
        "not_applied": [
            {
                "source": one.source,
                "effect": one.effect,
                "damage": one.damage.letter if one.damage else None,
                "why": one.why,
            }
            for one in ledger.passed
        ],
        "totals": {
            total.player: {
                "battle_damage": total.battle,
                "single_damages": list(total.parts),
                "effect_damage": total.effect,
                "lp_gained": total.gained,
                "lp_before": total.lp_before,
                "lp_after": total.lp_after,
                "loses": total.loses,
            }
            for total in ledger.totals
        },
        "undecided": [reason(one) for one in ledger.unsettled],
        "used_up": [{"source": one, "effect": effect} for one, effect in ledger.used_up],
        "duel": {"over": ledger.over, "result": str(ledger.result) if ledger.result else None},
        "unknown": list(ledger.unknown),
        "outside": [
            {"source": one, "effect": effect, "about": area} for one, effect, area in ledger.beyond
        ],
    }
