"""States: one moment of a duel, read from a YAML file.

What a file does not say takes the value that a player would assume; each such assumption is kept,
so that an answer can name those that it rests on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from clingo import SymbolType, parse_term

from py_bridge import cards
from py_bridge.errors import InputError, Problem, nearest, quoted
from py_bridge.formats import effect_faults, schema
from py_bridge.structure import check
from py_bridge.texts import STATS, Definition, definition_facts, key, slug, traits
from py_bridge.vocabulary import places, wordings
from py_bridge.yaml_text import DataPath, Document, parse, path_text, read_text

PLAYERS = ("turn_player", "non_turn_player")
FULL_LP = 8000
# The keys of a side, in the order in which its cards are read, and the zones that they stand for.
PILES = {
    "monsters": "monster_zone",
    "spells_traps": "spell_trap_zone",
    "field_spell": "field_zone",
    "pendulums": "pendulum_zone",
    "hand": "hand",
    "graveyard": "graveyard",
    "banished": "banished",
    "extra_deck": "extra_deck",
    "deck": "deck",
    "attached": "attached",
}
_ON_FIELD = ("monster_zone", "spell_trap_zone", "field_zone", "pendulum_zone")
_BATTLE_STATS = ("atk", "def")
# What can be going on, as fluents with a number, with a list of them, with a card, or plain.
_GOING_ON = ("paying", "resolving")
_PARTS = ("handled", "did", "picked")
_PENDING = ("settling", "replay_due")
_RECORDED = ("just", "before")
_OVERRIDES = ("race", "attribute", "archetypes")
_RECORDS = ("attacked", "battled", "done_with", "attacked_beside")
_FLAGS = ("attempted", "gave_up", "determined", "attacked_directly", "direct_chosen")
# Face-up in its zone unless the file says otherwise; other Spells and Traps are taken as Set.
_STAYS = {"continuous", "equip", "field"}
# What the rules mean by these constants is no card; `not` is none at all.
_RESERVED = {"not", "player", "rule", "turn", *PLAYERS}
# Shorter than the longest id that a file may write, so that a number can follow.
_LONGEST_STEM = 36


@dataclass(frozen=True, slots=True)
class Assumption:
    """Something that the file leaves open: the fluent assumed, and what it could be instead."""

    fluent: str
    instead: str


@dataclass(frozen=True, slots=True)
class State:
    """One moment of a duel.

    `fluents` are the terms that hold; `texts` maps every card and applied effect, by id, to the
    definition whose text it carries; `attack` is the attack in progress:
    attacker and target. `lines` tells where in the file an id stands.
    """

    file: str
    fluents: tuple[str, ...]
    texts: Mapping[str, Definition]
    static: tuple[str, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    attack: tuple[str, str] | None = None
    lines: Mapping[str, int] = field(default_factory=dict)

    def facts(self) -> list[str]:
        """Return the state as facts for the rules, each a term without its full stop."""
        found = [f"holds({fluent})" for fluent in self.fluents]
        found += [f"has_text({one},{text.key})" for one, text in self.texts.items()]
        found += self.static
        for text in dict.fromkeys(self.texts.values()):
            found += _text_facts(text)
        return found

    def lp(self, player: str) -> int:
        """Return a player's LP."""
        prefix = f"lp({player},"
        return next(int(f[len(prefix) : -1]) for f in self.fluents if f.startswith(prefix))

    def name_of(self, one: str, language: str = "en") -> str:
        """Return the card name behind an id; the id itself if there is none."""
        text = self.texts.get(one)
        return text.names[language] if text else one


def read_state(path: str | Path) -> State:
    """Read a state file. Raises InputError with every problem of the file."""
    return state_from_text(read_text(path), str(path))


def state_from_text(text: str, file: str) -> State:
    """Read the text of a state file; `file` is what messages call it."""
    return state_from_document(parse(text, file))


def state_from_document(document: Document) -> State:
    """Return the state that a document describes. Raises InputError with every problem."""
    problems = check(document, schema())
    if problems:
        raise InputError(problems)
    return state_at(document, ())


def state_at(document: Document, at: DataPath) -> State:
    """Return the state at the path `at` of a document whose shape has been checked.

    Raises InputError with every problem of what the words mean.
    """
    data = document.data
    for step in at:
        data = data[step]
    reader = _Reader(document, at, data)
    state = reader.state()
    if reader.problems:
        raise InputError(reader.problems)
    return state


def default_id(text: Definition, applied: bool = False) -> str:
    """Return the id of a card, or of an effect that goes on applying, to which a file gives none.

    The second of its name gets a number.
    """
    ending = "_effect" if applied else ""
    return slug(text.names["en"])[: _LONGEST_STEM - len(ending)].rstrip("_") + ending


def default_face(text: Definition, zone: str) -> str:
    """Return how a card lies in a zone of the field where its file does not say it: up or down."""
    stays = text.card == "monster" or _STAYS & set(text.data.get("kinds", ()))
    return "up" if stays or zone != "spell_trap_zone" else "down"


@lru_cache(maxsize=2048)
def _text_facts(text: Definition) -> tuple[str, ...]:
    return definition_facts(text, _canonical)


def _canonical(name: str) -> str:
    card = cards.find(name)
    return card.names["en"] if card else name


class _Reader:
    """Turns the data of one state into fluents, collecting what is wrong with it."""

    def __init__(self, document: Document, at: DataPath, data: Mapping[str, Any]) -> None:
        self.document, self.file, self.at, self.data = document, document.file, at, data
        self.problems: list[Problem] = []
        self.fluents: list[str] = []
        self.static: list[str] = []
        self.texts: dict[str, Definition] = {}
        self.lines: dict[str, int] = {}
        self.assumptions: list[Assumption] = []
        self.attack: tuple[str, str] | None = None
        self._described: dict[str, Definition] = {}
        self._references: list[tuple[str, DataPath, bool]] = []

    def state(self) -> State:
        self._moment()
        for player in PLAYERS:
            self._side(player)
        for index, one in enumerate(self.data.get("applied", ())):
            self._applied(one, index)
        self._attack()
        self._chain()
        self._progress()
        for name, path, or_player in self._references:
            if name not in self.texts and not (or_player and name == "player"):
                self._unknown_id(name, path, or_player)
        return State(
            self.file,
            tuple(self.fluents),
            self.texts,
            tuple(self.static),
            tuple(self.assumptions),
            self.attack,
            self.lines,
        )

    def _problem(self, path: DataPath, message: str) -> None:
        whole = (*self.at, *path)
        line = self.document.line_of(whole)
        self.problems.append(Problem(self.file, line, message, path_text(path)))

    def _unknown_id(self, name: str, path: DataPath, or_player: bool) -> None:
        close = nearest(name, self.texts)
        known = ", ".join(list(self.texts)[:6]) or "no cards"
        hint = f"did you mean {' or '.join(close)}?" if close else f"there are {known}"
        if or_player and not close and path[0] != "chain":
            hint += ", and player for a direct attack"
        self._problem(path, f"no card has the id {quoted(name)}; {hint}")

    def _refer(self, name: str, path: DataPath, or_player: bool = False) -> str:
        self._references.append((name, path, or_player))
        return name

    def _assume(self, fluent: str, instead: str) -> None:
        self.fluents.append(fluent)
        self.assumptions.append(Assumption(fluent, instead))

    def _moment(self) -> None:
        data = self.data
        if "turn" in data:
            self.fluents.append(f"turn({data['turn']})")
        else:
            self._assume("turn(2)", "turn(1)")
        step, phase = data.get("step"), data.get("phase")
        if phase is None:
            self._assume("phase(battle)", "phase(main_1)")
        else:
            self.fluents.append(f"phase({phase})")
        if phase not in (None, "battle"):
            if step is not None:
                self._problem(("step",), "steps belong to the Battle Phase; write phase: battle")
        elif step is None:
            self._assume("step(battle)", "step(start)")
        else:
            self.fluents.append(f"step({step})")
        if "sub_step" in data:
            self.fluents.append(f"sub_step({data['sub_step']})")
            if step != "damage":
                self._problem(
                    ("sub_step",),
                    "sub-steps belong to the Damage Step; write step: damage, or leave it out",
                )
        self.fluents += [word for word in ("after_chain", "chance_over") if data.get(word)]
        if "direct_attacks" in data:
            self.fluents.append(f"direct_attacks({data['direct_attacks']})")
        passed = {p: (data[p] or {}).get("passed") for p in PLAYERS}
        self.fluents += [f"passed({player})" for player in PLAYERS if passed[player]]
        if any(value is not None for value in passed.values()):
            self.fluents.append("passes_tracked")
        self.fluents += [f"declined({p})" for p in PLAYERS if (data[p] or {}).get("declined")]

    def _side(self, player: str) -> None:
        side = self.data[player] or {}
        self.fluents.append(f"lp({player},{side.get('lp', FULL_LP)})")
        for pile, zone in PILES.items():
            entries = side.get(pile, ())
            if pile == "field_spell" and pile in side:
                self._entry(entries, (player, pile), player, zone)
                continue
            for index, entry in enumerate(entries):
                self._entry(entry, (player, pile, index), player, zone)

    def _entry(self, entry: Any, path: DataPath, player: str, zone: str) -> None:
        data: dict[str, Any] = entry if isinstance(entry, dict) else {"card": entry}
        text = self._definition(data["card"], (*path, "card") if isinstance(entry, dict) else path)
        if text is None:
            return
        one = self._name(data, text, default_id(text), path)
        self.fluents += [
            f"in({one},{zone})",
            f"controller({one},{player})",
            f"owner({one},{data.get('owner', player)})",
        ]
        if "zone" in data:
            self.fluents.append(f"zone({one},{data['zone']})")
        printed = dict(text.data)
        printed.update((word, data[word]) for word in _OVERRIDES if word in data)
        name = _canonical(data["name"]) if "name" in data else text.names["en"]
        self.fluents += [f"trait({one},{trait})" for trait in traits(printed, name)]
        for stat in STATS:
            value = data.get(stat, data.get(f"changed_{stat}", text.data.get(stat)))
            if value is not None:
                self.fluents.append(f"value({one},{stat},{value})")
            original = data.get(f"original_{stat}", text.data.get(stat))
            if stat in _BATTLE_STATS and original is not None:
                self.fluents.append(f"original({one},{stat},{original})")
            if stat in _BATTLE_STATS and stat in data:
                self.fluents.append(f"written({one},{stat})")
        if "materials" in data or ("xyz" in text.data.get("kinds", ()) and zone in _ON_FIELD):
            self.fluents.append(f"value({one},materials,{data.get('materials', 0)})")
        if "counters" in data:
            self.fluents.append(f"value({one},counters,{data['counters']})")
        if zone in _ON_FIELD:
            self._posture(one, data, text, zone)
        self._relations(one, data, path)
        self._record(one, data, path, zone)

    def _name(self, data: Mapping[str, Any], text: Definition, stem: str, path: DataPath) -> str:
        """Give the card its id: the written one, or `stem` with a number where that is taken."""
        one = str(data.get("id", stem))
        if "id" in data and one in self.texts:
            taken = f"the id {quoted(one)} is taken (line {self.lines[one]})"
            self._problem((*path, "id"), f"{taken}; give each card its own")
        if "id" in data and one in _RESERVED:
            meant = f"{quoted(one)} means something else to the rules"
            self._problem((*path, "id"), f"{meant}; give the card another id")
        number = 1
        while one in self.texts or one in _RESERVED:
            number += 1
            one = f"{stem}_{number}"
        self.texts[one] = text
        self.lines[one] = self.document.line_of((*self.at, *path))
        return one

    def _definition(self, card: Any, path: DataPath) -> Definition | None:
        if isinstance(card, dict):
            for place, message in effect_faults(card):
                self._problem((*path, *place), message)
            name = str(card["name"])
            stem, number = key(f"{name} as described"), 1
            constant = stem
            while constant in self._described and self._described[constant].data != card:
                number += 1
                constant = f"{stem}_{number}"
            names = dict.fromkeys(cards.LANGUAGES, name)
            return self._described.setdefault(constant, Definition(constant, names, card))
        known = cards.find(card)
        if known is None:
            line = self.document.line_of((*self.at, *path))
            self.problems.append(cards.unknown(str(card), self.file, line, path_text(path)))
        return known

    def _posture(self, one: str, data: Mapping[str, Any], text: Definition, zone: str) -> None:
        monster = zone == "monster_zone"
        face = data.get("face", default_face(text, zone))
        self.fluents.append(f"face({one},{face})")
        if not monster:
            return
        if "position" in data:
            self.fluents.append(f"position({one},{data['position']})")
        elif face == "down":
            self.fluents.append(f"position({one},defense)")
        else:
            self._assume(f"position({one},attack)", f"position({one},defense)")

    def _relations(self, one: str, data: Mapping[str, Any], path: DataPath) -> None:
        if "equipped_to" in data:
            host = self._refer(data["equipped_to"], (*path, "equipped_to"))
            self.fluents.append(f"equipped({one},{host})")
        for index, other in enumerate(data.get("chosen", ())):
            self.fluents.append(f"chosen({one},{self._refer(other, (*path, 'chosen', index))})")
        self.fluents += [f"summoned({one},{how})" for how in data.get("summoned", ())]
        if "came" in data:
            self.fluents.append(f"came({one},{data['came']})")
        if data.get("negated"):
            self.fluents.append(f"negated({one})")
        for index, held in enumerate(data.get("held_to", ())):
            source = self._refer(held["card"], (*path, "held_to", index, "card"))
            self.fluents.append(f"held_to({one},{source},{held['effect']})")

    def _record(self, one: str, data: Mapping[str, Any], path: DataPath, zone: str) -> None:
        if zone == "monster_zone" or "declared" in data:
            self.fluents.append(
                f"declared({one},{data.get('declared', self._declared_by_attack(one))})"
            )
        for word in _FLAGS:
            if data.get(word):
                self.fluents.append(f"{word}({one})")
        if "substitutes" in data:
            how = "substitutes" if data["substitutes"] else "declines"
            self.fluents.append(f"{how}({one})")
        for word in _RECORDS:
            for index, other in enumerate(data.get(word, ())):
                self.fluents.append(
                    f"{word}({one},{self._refer(other, (*path, word, index), True)})"
                )
        self.fluents += [f"used({one},{number})" for number in data.get("used", ())]
        self.fluents += [
            f"entry_count({one},{nr},{count})" for nr, count in data.get("entry_count", {}).items()
        ]

    def _declared_by_attack(self, one: str) -> int:
        return int(self.data.get("attack", {}).get("attacker") == one)

    def _applied(self, data: Mapping[str, Any], index: int) -> None:
        path = ("applied", index)
        text = self._definition(data["card"], (*path, "card"))
        if text is None:
            return
        one = self._name(data, text, default_id(text, applied=True), path)
        if not self._has_effect(text, data["effect"], (*path, "effect")):
            return
        self.static.append(f"lingers({one},{data['effect']})")
        self.fluents += [f"applied({one})", f"applied_by({one},{data['by']})"]
        self.fluents.append(f"applied_order({one},{index + 1})")
        if data.get("used"):
            self.fluents.append(f"used({one},{data['effect']})")
        if data.get("oath"):
            self.fluents.append(f"sworn({one})")
        if "source" in data:
            source = self._refer(data["source"], (*path, "source"))
            self.fluents.append(f"applied_from({one},{source})")
        for place, other in enumerate(data.get("chosen", ())):
            self.fluents.append(f"chosen({one},{self._refer(other, (*path, 'chosen', place))})")
        given_to = [*data.get("chosen", ()), *([data["source"]] if "source" in data else ())]
        if "attacks_at" in data and given_to:
            self.fluents.append(f"attacks_at({one},{given_to[0]},{data['attacks_at']})")
        self.fluents += [f"lapsed({one},{part})" for part in data.get("lapsed", ())]

    def _has_effect(self, text: Definition, number: int, path: DataPath) -> bool:
        """Tell whether a card has the effect `number`; complain if it has not."""
        known = [effect["nr"] for effect in text.effects()]
        if number in known:
            return True
        has = ", ".join(map(str, known)) or "none"
        where = "" if text.key in self._described else " in the library"
        self._problem(path, f"{text.names['en']} has no effect {number}{where}; it has {has}")
        return False

    def _attack(self) -> None:
        attack = self.data.get("attack")
        if attack is None:
            return
        attacker = self._refer(attack["attacker"], ("attack", "attacker"))
        if "target" in attack:
            target = self._refer(attack["target"], ("attack", "target"), True)
            self.fluents.append(f"attack({attacker},{target})")
            self.attack = (attacker, target)
        stage = attack.get("stage", "open")
        if stage != "past":
            self.fluents.append(f"stage({stage})")
        if "declared_in" in attack:
            self.fluents.append(f"declared_in({attacker},{attack['declared_in']})")
        if "declared_on" in attack:
            first = self._refer(attack["declared_on"], ("attack", "declared_on"), True)
            self.fluents.append(f"declared_on({attacker},{first})")
        if "by" in attack:
            self.fluents.append(f"direct_by({self._refer(attack['by'], ('attack', 'by'))})")
        if "over" in attack:
            self.fluents.append(f"attack_over({attack['over']})")

    def _chain(self) -> None:
        for index, link in enumerate(self.data.get("chain", ())):
            one = self._refer(link["card"], ("chain", index, "card"))
            text = self.texts.get(one)
            # 0 is the activation of the card, which needs no words of its own.
            if text is not None and text.effects() and link["effect"] != 0:
                self._has_effect(text, link["effect"], ("chain", index, "effect"))
            by = link.get("by") or self._player_of(one)
            self.fluents.append(f"link({index + 1},{one},{link['effect']},{by})")
            for place, target in enumerate(link.get("targets", ())):
                aimed = self._refer(target, ("chain", index, "targets", place), True)
                self.fluents.append(f"link_target({index + 1},{aimed})")
            if link.get("negated"):
                self.fluents.append(f"link_negated({index + 1})")

    def _progress(self) -> None:
        data = self.data.get("progress", {})
        for word in _GOING_ON:
            if word in data:
                self.fluents.append(f"{word}({data[word]})")
                if data[word] > len(self.data.get("chain", ())):
                    told = f"the chain has no link {data[word]}"
                    self._problem(("progress", word), f"{told}; write it under chain:")
        for word in _PARTS:
            for index, one in enumerate(data.get(word, ())):
                name = self._refer(one, ("progress", word, index)) if word == "picked" else one
                self.fluents.append(f"{word}({name})")
        self.fluents += [word for word in _PENDING if data.get(word)]
        for word in _RECORDED:
            for index, event in enumerate(data.get(word, ())):
                self._happened(word, event, ("progress", word, index))
        for index, text in enumerate(data.get("also", ())):
            self._also(text, ("progress", "also", index))

    def _happened(self, word: str, event: Mapping[str, Any], path: DataPath) -> None:
        ((name, about),) = event.items()
        known = wordings("en").happenings
        parts = about if isinstance(about, list) else [about]
        if name not in known:
            close = " or ".join(nearest(name, known)) or "destroyed"
            self._problem((*path, name), f"nothing called {quoted(name)} happens; write {close}")
        elif (needed := places(known[name])) != len(parts):
            self._problem(
                (*path, name), f"{name} is about {needed}, not {len(parts)}; name as many"
            )
        terms = ",".join(self._refer(str(one), (*path, name), True) for one in parts)
        self.fluents.append(f"{word}({name}({terms}))")

    def _also(self, text: str, path: DataPath) -> None:
        """Take in a fluent for which the format has no words of its own."""
        known = wordings("en")
        name = text.partition("(")[0].strip()
        try:
            term = parse_term(text)
        except RuntimeError:
            right = "right would be a fluent such as gave_up(neos)"
            self._problem(path, f"{quoted(text)} is no fluent; {right}")
            return
        arguments = term.arguments if term.type is SymbolType.Function else []
        if name not in known.fluents or places(known.fluents[name]) != len(arguments):
            close = (
                " or ".join(nearest(name, known.fluents)) or "one of facts/vocabulary/fluents.lp"
            )
            self._problem(path, f"nothing called {quoted(text)} can hold; right would be {close}")
            return
        constants = {*known.terms, *(word for _, word in known.fluent_terms)}
        for one in arguments:
            plain = one.type is SymbolType.Function and not one.arguments
            if plain and str(one) not in constants:
                self._refer(str(one), path)
        self.fluents.append(str(term))

    def _player_of(self, one: str) -> str:
        for player in PLAYERS:
            if f"controller({one},{player})" in self.fluents:
                return player
        return "turn_player"
