"""Card texts as facts: definitions of cards and effects, written for the rules.

A definition is what a card library entry or a state file says of one card: its printed values and
its effects, in the words of the vocabulary (facts/vocabulary). Here it becomes the facts that
rules/effects reads; nothing of what they mean for the game is decided here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Data = Mapping[str, Any]
NameOf = Callable[[str], str]

STATS = ("level", "rank", "link", "atk", "def")
_RANGES = (*STATS, "materials", "counters")
_TRAITS = ("race", "attribute", "kind", "card")
_DEFAULT_FROM = {
    "monster": ("monster_zone",),
    "spell": ("spell_trap_zone", "field_zone", "hand"),
    "trap": ("spell_trap_zone",),
}
# `while`: when an effect can be used or holds; `lasts_while`: how long what it applied goes on.
_CONDITIONS = {"while": "condition", "lasts_while": "duration"}
# What an effect's text says of it with one word, and the fact for it.
_MARKS = {
    "mandatory": "mandatory",
    "answerless": "answerless",
    "misses_timing": "needs_last",
    "optional_targets": "optional_targets",
}
# How often an effect can be used in a turn: by the card, by its name; or one of several.
_LIMITS = {
    True: "once_a_turn",
    "name": "once_by_name",
    "one_effect": "one_effect_a_turn",
    "one_effect_of_name": "one_effect_by_name",
}
# What an operation has beside itself: how it hangs together with the others, and with a coin.
_ASIDE = ("role", "on")
# The parts of a cost are numbered apart from those of the resolution.
_FIRST_COST = 51
# Spells and Traps that stay on the field.
_STAYING = {"continuous", "field", "equip"}
_ACTIVATED = {"trigger", "quick", "ignition", "activation"}
_DEFAULT_SPEED = {
    "trigger": 1,
    "quick": 2,
    "ignition": 1,
    "unclassified": 1,
    "lingering": 1,
}


@dataclass(frozen=True, slots=True, eq=False)
class Definition:
    """What one card says: `key` is its constant in the rules, `data` the entry as it was read.

    `names` maps the languages en, zh, ja to the card's names; a card described in a state file
    has its one name under every language.
    """

    key: str
    names: Mapping[str, str]
    data: Data

    @property
    def card(self) -> str:
        """Monster, spell or trap."""
        return str(self.data["card"])

    def effects(self) -> list[Data]:
        """The effects in the order of the entry."""
        return list(self.data.get("effects", ()))


def slug(name: str) -> str:
    """Return a constant of the rules made of the letters of `name`; `card` if it has none."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    words = re.sub(r"[^a-z0-9]+", "_", plain.replace("'", "")).strip("_")
    if not words:
        return "card"
    return words if words[0].isalpha() else f"c_{words}"


def key(name: str) -> str:
    """Return the constant of the card text of the card called `name`."""
    return f"{slug(name)}_text"


def quote(text: str) -> str:
    """Return `text` as a string of the rules."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def traits(data: Data, name: str) -> list[str]:
    """Return the trait terms of a card called `name` with these printed or written values."""
    found = [f"card({data['card']})", f"name({quote(name)})"]
    found += [f"{key}({data[key]})" for key in ("race", "attribute") if key in data]
    found += [f"kind({kind})" for kind in data.get("kinds", ())]
    found += [f"archetype({quote(tag)})" for tag in data.get("archetypes", ())]
    return found


def definition_facts(definition: Definition, name_of: NameOf) -> tuple[str, ...]:
    """Return the facts of a definition, each a term without its full stop.

    `name_of` turns a card name in any language into the one that the rules use.
    """
    return tuple(_facts(definition, name_of))


def _facts(definition: Definition, name_of: NameOf) -> Iterator[str]:
    card = definition.card
    yield f"prints({definition.key},card({card}))"
    yield f"named({definition.key},name({quote(definition.names['en'])}))"
    for effect in definition.effects():
        yield from _effect_facts(definition.key, card, effect, name_of)
    if _is_activated_bare(definition):
        yield from _effect_facts(definition.key, card, _bare_activation(definition), name_of)


def _is_activated_bare(definition: Definition) -> bool:
    """Whether the card is activated without an effect that would be its activation."""
    if definition.card == "monster" or not _STAYING & set(definition.data.get("kinds", ())):
        return False
    return not any(
        effect["nr"] == 0
        or effect.get("kind") == "activation"
        or (effect.get("kind") == "continuous" and "targets" in effect)
        for effect in definition.effects()
    )


def _bare_activation(definition: Definition) -> Data:
    """The activation of a card that only has to lie on the field; an Equip Spell has a target."""
    bare: dict[str, Any] = {"nr": 0, "kind": "activation"}
    if "equip" in definition.data.get("kinds", ()):
        bare["targets"] = {"face": "up", "zone": "monster_zone"}
    return bare


def _effect_facts(owner: str, card: str, effect: Data, name_of: NameOf) -> Iterator[str]:
    place = f"{owner},{effect['nr']}"
    filters = _Filters(owner, name_of)
    if "unmodelled" in effect:
        yield f"unmodelled({place},{effect['unmodelled']})"
        if effect.get("kind") in _ACTIVATED:
            yield f"has_to_be_activated({place})"
        if effect["unmodelled"] != "activation" or "does" not in effect:
            yield from _reach_facts(place, effect, filters)
            return
    kind = effect["kind"]
    yield f"effect({place},{kind})"
    yield f"speed({place},{effect.get('speed', _speed(kind, card))})"
    for zone in effect.get("from", _DEFAULT_FROM[card]):
        yield f"usable_from({place},{zone})"
    for moment in effect.get("usable_in", ()):
        yield f"usable_in({place},{moment})"
    for word, fact in _MARKS.items():
        if effect.get(word):
            yield f"{fact}({place})"
    if "once_per_turn" in effect:
        yield f"{_LIMITS[effect['once_per_turn']]}({place})"
    if "event" in effect:
        yield f"event({place},{effect['event']})"
    for party in ("attacker", "target", "inflicter"):
        if party in effect:
            name = yield from filters.emit(f"{place},{party}", effect[party])
            yield f"event_filter({place},{party},{name})"
    if "subject" in effect:
        name = yield from filters.emit(f"{place},subject", effect["subject"])
        yield f"subject({place},{name})"
    if "damage_at_least" in effect:
        yield f"damage_at_least({place},{effect['damage_at_least']})"
    targets = effect.get("targets", [])
    for index, wanted in enumerate(targets if isinstance(targets, list) else [targets]):
        name = yield from filters.emit(f"{place},targets({index})", wanted)
        yield f"effect_target({place},{name})"
        if len(targets) > 1 and isinstance(targets, list):
            yield f"target_slot({place},{index},{name})"
    yield from _conditions_facts(place, effect, filters)
    number = 0
    for clause in effect.get("says", ()):
        number += 1
        yield from _clause_facts(f"{place},{number}", clause, filters)
    for operation in effect.get("does", ()):
        number += 1
        yield from _operation_facts(f"{place},{number}", operation, filters)
    for number, cost in enumerate(effect.get("cost", ()), _FIRST_COST):
        ((word, arguments),) = cost.items()
        yield f"cost({place},{number},{word})"
        yield from _argument_facts(f"{place},{number}", arguments, filters)


def _reach_facts(place: str, effect: Data, filters: _Filters) -> Iterator[str]:
    """What is said of an effect that is not modelled: from where, when and on what it works."""
    for zone in effect.get("from", ()):
        yield f"usable_from({place},{zone})"
    if "touches" in effect:
        name = yield from filters.emit(f"{place},touches", effect["touches"])
        yield f"touches({place},{name})"
    yield from _conditions_facts(place, effect, filters)


def _conditions_facts(place: str, effect: Data, filters: _Filters) -> Iterator[str]:
    for word, relation in _CONDITIONS.items():
        for index, condition in enumerate(effect.get(word, ())):
            yield from _condition_facts(relation, place, index, condition, filters)


def _speed(kind: str, card: str) -> int:
    if kind in ("activation", "continuous"):
        return 2 if card == "trap" else 1
    return _DEFAULT_SPEED[kind]


def _condition_facts(
    relation: str, place: str, index: int, condition: Data, filters: _Filters
) -> Iterator[str]:
    ((word, value),) = condition.items()
    spot = f"{place},{relation}({index})"
    if word in ("attacks", "battles", "battles_monster", "outnumbered"):
        yield f"{relation}({place},{word})"
    elif word in ("at_least", "counted_at_entry"):
        name = yield from filters.emit(spot, value["of"])
        yield f"{relation}({place},{word}({name},{value['count']}))"
    elif isinstance(value, Mapping):
        name = yield from filters.emit(spot, value)
        yield f"{relation}({place},{word}({name}))"
    else:
        yield f"{relation}({place},{word}({value}))"


def _clause_facts(place: str, clause: Data, filters: _Filters) -> Iterator[str]:
    ((word, arguments),) = clause.items()
    yield f"clause({place},{word})"
    yield from _argument_facts(place, arguments, filters)


def _operation_facts(place: str, operation: Data, filters: _Filters) -> Iterator[str]:
    role = operation.get("role", "main")
    ((word, arguments),) = ((key, value) for key, value in operation.items() if key not in _ASIDE)
    yield f"operation({place},{word})"
    yield f"role({place},{role})"
    for result in operation.get("on", ()):
        yield f"on_result({place},{result})"
    if word == "inflicts_damage" and "player" not in (arguments or {}):
        yield f"argument({place},player,opponent)"
    if word == "applies":
        yield from _clause_facts(place, arguments, filters)
    else:
        yield from _argument_facts(place, arguments, filters)


def _argument_facts(place: str, arguments: Data, filters: _Filters) -> Iterator[str]:
    for word, value in (arguments or {}).items():
        if isinstance(value, Mapping):
            name = yield from filters.emit(f"{place},{word}", value)
            yield f"argument({place},{word},filter({name}))"
        elif isinstance(value, list):
            for item in value:
                yield f"argument({place},{word},{item})"
        elif isinstance(value, bool):
            yield f"argument({place},{word},{'yes' if value else 'no'})"
        elif word == "name":
            yield f"argument({place},name,name({quote(filters.name_of(value))}))"
        else:
            yield f"argument({place},{word},{value})"


class _Filters:
    """Emits the filters of one definition, each under the name of the place where it stands."""

    def __init__(self, owner: str, name_of: NameOf) -> None:
        self._key = owner
        self.name_of = name_of

    def emit(self, place: str, words: Data) -> Generator[str, None, str]:
        """Yield the facts of the filter `words`; the generator's value is the filter's name."""
        name = f"f({place})"
        yield f"filter({name},{self._key})"
        for word, value in words.items():
            if word in ("any_of", "except"):
                relation = "option" if word == "any_of" else "excepted"
                for index, inner in enumerate(value):
                    part = yield from self.emit(f"{place},{relation}({index})", inner)
                    yield f"{relation}({name},{part})"
            else:
                for want in self._wants(word, value):
                    yield f"want({name},{want})"
        return name

    def _wants(self, word: str, value: Any) -> Iterator[str]:
        if word in _RANGES:
            bounds = value if isinstance(value, Mapping) else {"at_least": value, "at_most": value}
            yield from (f"{bound}({word},{number})" for bound, number in bounds.items())
        elif word == "name":
            yield f"trait(name({quote(self.name_of(value))}))"
        elif word == "archetype":
            yield f"trait(archetype({quote(value)}))"
        elif word in _TRAITS:
            yield f"trait({word}({value}))"
        elif value is True:
            yield f"{word}(yes)"
        else:
            yield f"{word}({value})"
