"""Scopes: which boards a question about all boards looks at, in words and numbers.

A scope is a YAML file in queries/scopes: how many monsters and cards a side has at most, what they
can be, and which texts they may carry, written as in the card library. From it come the facts for
queries/generator, and the way back from a model to a state.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import comb
from typing import Any

import yaml
from clingo import Symbol

from py_bridge.errors import InputError
from py_bridge.formats import schema
from py_bridge.paths import base, named_file, shipped
from py_bridge.states import PLAYERS, State, state_from_text
from py_bridge.structure import check
from py_bridge.texts import Definition, definition_facts
from py_bridge.yaml_text import parse, read_text

_LETTERS = {"turn_player": "a", "non_turn_player": "d"}
# What the generator chooses; the rule base has no predicates that begin so.
_PREFIX = "gen_"
_POSTURES = {"attack": ("attack", "up"), "defense": ("defense", "up"), "set": ("defense", "down")}
_SHOWN = ("present", "lies", "is_of", "has", "carries", "lies_on")


@dataclass(frozen=True, slots=True)
class Scope:
    """All boards of some size. `words` says it to a person, `data` is the file as it was read."""

    name: str
    data: Mapping[str, Any]
    monster_texts: tuple[Definition, ...]
    back_texts: tuple[Definition, ...]
    applied_texts: tuple[Definition, ...]
    set_texts: tuple[Definition, ...] = ()

    @property
    def script(self) -> int:
        """How many actions a script of the scope has at most; 0 if it is about single states."""
        return int(self.data.get("script", 0))

    def with_script(self, length: int) -> Scope:
        """Return the same scope with scripts of another length."""
        return replace(self, data={**self.data, "script": length})

    @property
    def words(self) -> str:
        """What the scope covers, in words and numbers."""
        data = self.data
        parts = [
            f"up to {data['monsters']} monsters a side",
            f"up to {data['texts']} texts a monster out of {len(self.monster_texts)}",
        ]
        if data["back"]:
            parts.append(f"up to {data['back']} cards behind them out of {len(self.back_texts)}")
        if data["applied"]:
            parts.append(
                f"up to {data['applied']} applied effects out of {len(self.applied_texts)}"
            )
        if data.get("set"):
            parts.append(f"up to {data['set']} Set cards a side out of {len(self.set_texts)}")
        for stat in ("atk", "def"):
            if data.get(stat):
                parts.append(f"{stat.upper()} {', '.join(map(str, data[stat]))}")
        parts.append(f"{len(data['races'])} Types")
        parts.append(f"positions: {', '.join(data['postures'])}")
        if self.script:
            parts.append(f"up to {self.script} actions: {', '.join(data['acts'])}")
        return f"{data['words']}: {'; '.join(parts)}"

    @property
    def observed(self) -> tuple[str, ...]:
        """The predicates that questions about this scope compare."""
        return tuple(self.data["observes"])

    def states(self) -> int:
        """Return how many boards the scope has, mirror images of one side's monsters once.

        Where cards behind the monsters or applied effects lie on a monster, each choice of the
        monster counts, as does each choice of attacker and target.
        """
        data = self.data
        shapes = len(data["postures"]) * len(data["races"])
        for stat in ("atk", "def"):
            shapes *= len(data.get(stat) or [None])
        texts = sum(comb(len(self.monster_texts), n) for n in range(data["texts"] + 1))
        kinds = shapes * texts
        sizes = range(data["monsters"] + 1)
        total = 0
        for own in sizes:
            for other in sizes:
                boards = comb(kinds + own - 1, own) * comb(kinds + other - 1, other)
                hosts = own + other
                behind = _choices(self.back_texts, data["back"], hosts, "host")
                applied = _choices(self.applied_texts, data["applied"], hosts, "chosen")
                attacks = own * hosts if data.get("attack") else 1
                lying = _choices(self.set_texts, data.get("set", 0), 0, "host", ordered=False)
                total += boards * behind**2 * applied**2 * lying**2 * attacks
        return total

    def facts(self) -> list[str]:
        """Return the scope as facts for queries/generator."""
        data = self.data
        found = [f"holds({fluent})" for fluent in data["moment"]]
        for player in PLAYERS:
            letter = _LETTERS[player]
            found.append(f"holds(lp({player},{data.get('lp', 8000)}))")
            for relation, stem, size in (
                ("slot", letter, "monsters"),
                ("back_slot", f"b{letter}", "back"),
                ("applied_slot", f"e{letter}", "applied"),
                ("set_slot", f"s{letter}", "set"),
            ):
                slots = range(1, data.get(size, 0) + 1)
                found += [f"{_PREFIX}{relation}({stem}{i},{player},{i})" for i in slots]
        chosen = ["posture({},{})".format(*_POSTURES[word]) for word in data["postures"]]
        chosen += [f"race({race})" for race in data["races"]]
        for stat in ("atk", "def"):
            chosen += [f"strength({stat},{value})" for value in data.get(stat, ())]
        chosen.append(f"most_texts({data['texts']})")
        if data.get("attack"):
            chosen.append("attack_wanted")
        if data.get("buried"):
            chosen += [f"buried(g{_LETTERS[player]}1,{player})" for player in PLAYERS]
        if self.script:
            chosen.append(f"length({self.script})")
            chosen += [f"act({act})" for act in data["acts"]]
        for relation, texts in (
            ("monster_text", self.monster_texts),
            ("back_text", self.back_texts),
            ("applied_text", self.applied_texts),
            ("set_text", self.set_texts),
        ):
            for text in texts:
                chosen.append(f"{relation}({text.key})")
                chosen += [f"back_kind({text.key},{kind})" for kind in text.data.get("kinds", ())]
                found += definition_facts(text, str)
        chosen += [f"needs_host({t.key})" for t in self.back_texts if _needs(t, "host")]
        chosen += [f"names_monster({t.key})" for t in self.applied_texts if _needs(t, "chosen")]
        chosen += [f"lingers_as({t.key},1)" for t in self.applied_texts]
        return found + [_PREFIX + fact for fact in chosen]

    def state(self, atoms: Iterable[Symbol], file: str = "found") -> State:
        """Return the state that a model of the generator describes."""
        text = yaml.dump(self._board(atoms), Dumper=_Plain, allow_unicode=True, sort_keys=False)
        return state_from_text(text, file)

    def _board(self, atoms: Iterable[Symbol]) -> dict[str, Any]:
        rows: dict[str, list[list[str]]] = {name: [] for name in _SHOWN}
        attacks: list[list[str]] = []
        for atom in atoms:
            name = atom.name.removeprefix(_PREFIX)
            if name in rows and name != atom.name:
                rows[name].append([str(argument) for argument in atom.arguments])
            elif atom.name == "holds" and atom.arguments[0].match("attack", 2):
                attacks.append([str(argument) for argument in atom.arguments[0].arguments])
        carried: dict[str, list[Definition]] = {}
        every = (*self.monster_texts, *self.back_texts, *self.applied_texts, *self.set_texts)
        texts = {t.key: t for t in every}
        for one, key in sorted(rows["carries"]):
            carried.setdefault(one, []).append(texts[key])
        board: dict[str, Any] = _moment(self.data["moment"])
        lies = {one: (pos, face) for one, pos, face in rows["lies"]}
        on = dict(rows["lies_on"])
        races = dict(rows["is_of"])
        for player in PLAYERS:
            letter = _LETTERS[player]
            side: dict[str, Any] = {}
            if "lp" in self.data:
                side["lp"] = self.data["lp"]
            monsters = sorted(one for (one,) in rows["present"] if one[0] == letter)
            if monsters:
                side["monsters"] = [
                    _monster(one, lies[one], races[one], rows["has"], carried.get(one, []))
                    for one in monsters
                ]
            behind = sorted(one for one in carried if one.startswith(f"b{letter}"))
            if behind:
                side["spells_traps"] = [
                    _behind(one, carried[one][0], on.get(one)) for one in behind
                ]
            lying = sorted(one for one in carried if one.startswith(f"s{letter}"))
            if lying:
                side["spells_traps"] = side.get("spells_traps", []) + [
                    {"id": one, "card": _described(carried[one][0], f"Set {one}"), "face": "down"}
                    for one in lying
                ]
            if self.data.get("buried"):
                side["graveyard"] = [_buried(f"g{letter}1", self.data)]
            board[player] = side
        lingering = sorted(one for one in carried if one[0] == "e")
        if lingering:
            board["applied"] = [_applied(one, carried[one][0], on.get(one)) for one in lingering]
        for attacker, target in attacks:
            board["attack"] = {"attacker": attacker, "target": target}
        return board


class _Plain(yaml.SafeDumper):
    """Writes a text that two cards carry twice; state files know no anchors."""

    def ignore_aliases(self, data: Any) -> bool:
        """Whether to write a value out each time: always."""
        return True


def _needs(text: Definition, word: str) -> bool:
    return bool(text.data.get(word))


def _choices(
    texts: Sequence[Definition], slots: int, hosts: int, word: str, *, ordered: bool = True
) -> int:
    one = sum(hosts if _needs(text, word) else 1 for text in texts)
    return sum(one**n if ordered else comb(max(one + n - 1, 0), n) for n in range(slots + 1))


def _moment(fluents: Sequence[str]) -> dict[str, Any]:
    words = dict(fluent.rstrip(")").split("(") for fluent in fluents if "(" in fluent)
    return {key: int(value) if value.isdigit() else value for key, value in words.items()}


def _monster(
    one: str,
    lies: tuple[str, str],
    race: str,
    values: Iterable[Sequence[str]],
    texts: Sequence[Definition],
) -> dict[str, Any]:
    side = "Attacker" if one[0] == "a" else "Defender"
    card: dict[str, Any] = {"name": f"{side} {one[1:]}", "card": "monster", "race": race}
    card |= {stat: int(value) for owner, stat, value in values if owner == one}
    effects = [{**text.effects()[0], "nr": number} for number, text in enumerate(texts, 1)]
    if effects:
        card["effects"] = effects
    entry: dict[str, Any] = {"id": one, "card": card}
    position, face = lies
    if position != "attack":
        entry["position"] = position
    if face != "up":
        entry["face"] = face
    return entry


def _buried(one: str, data: Mapping[str, Any]) -> dict[str, Any]:
    card = {"name": f"Fallen {one}", "card": "monster", "race": min(data["races"])}
    return {"id": one, "card": card | {stat: 1000 for stat in ("atk", "def") if data.get(stat)}}


def _described(text: Definition, name: str) -> dict[str, Any]:
    kept = {key: text.data[key] for key in ("card", "kinds", "effects") if key in text.data}
    return {"name": name, **kept}


def _behind(one: str, text: Definition, host: str | None) -> dict[str, Any]:
    entry: dict[str, Any] = {"id": one, "card": _described(text, f"Card {one}"), "face": "up"}
    if host:
        equip = "equip" in text.data.get("kinds", ())
        entry |= {"equipped_to": host} if equip else {"chosen": [host]}
    return entry


def _applied(one: str, text: Definition, chosen: str | None) -> dict[str, Any]:
    player = "turn_player" if one[1] == "a" else "non_turn_player"
    entry = {"id": one, "card": _described(text, f"Effect {one}"), "effect": 1, "by": player}
    return entry | ({"chosen": [chosen]} if chosen else {})


@lru_cache(maxsize=1)
def _scope_schema() -> dict[str, Any]:
    own = json.loads((base() / "facts/schema/scope.schema.json").read_text(encoding="utf-8"))
    own["$defs"] = {**schema()["$defs"], **own["$defs"]}
    found: dict[str, Any] = own
    return found


def names() -> list[str]:
    """Return the names of the scopes that come with the package."""
    return shipped("scopes", ".yaml")


def read_scope(name: str, changes: Mapping[str, int] | None = None) -> Scope:
    """Read a scope by its name or from a file; `changes` replace its numbers.

    Raises BattlejudgeError if there is no such scope, InputError with every problem of the file.
    """
    path = named_file("scope", name, "scopes", ".yaml")
    document = parse(read_text(path), str(path))
    problems = check(document, _scope_schema())
    if problems:
        raise InputError(problems)
    data = {**document.data, **(changes or {})}
    return Scope(
        path.stem,
        data,
        _texts("monster", data.get("monster_texts", ())),
        _texts("back", data.get("back_texts", ())),
        _texts("applied", data.get("applied_texts", ())),
        _set_cards(data.get("set_texts", ())),
    )


def _set_cards(entries: Iterable[Mapping[str, Any]]) -> tuple[Definition, ...]:
    found = []
    for number, entry in enumerate(entries, 1):
        key = f"set_text_{number}"
        data = {**entry, "effects": [{"nr": 1, **entry["effect"]}]}
        del data["effect"]
        found.append(Definition(key, {"en": key, "zh": key, "ja": key}, data))
    return tuple(found)


def _texts(place: str, entries: Iterable[Mapping[str, Any]]) -> tuple[Definition, ...]:
    found = []
    for number, entry in enumerate(entries, 1):
        effect: dict[str, Any] = {"nr": 1, "kind": "continuous"}
        effect |= {key: entry[key] for key in ("says", "while") if key in entry}
        if place == "applied":
            del effect["kind"]
            effect |= {"kind": "activation", "does": [{"applies": c} for c in effect.pop("says")]}
        data = {"card": entry.get("card", "monster"), "effects": [effect]}
        data |= {key: entry[key] for key in ("kinds", "host", "chosen") if key in entry}
        key = f"{place}_text_{number}"
        found.append(Definition(key, {"en": key, "zh": key, "ja": key}, data))
    return tuple(found)
