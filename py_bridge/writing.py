"""States as files: the YAML text of a state, the way a person would write it.

The reverse of py_bridge/states.py: only what differs from the defaults, cards of the library by
their English name. What the reader would count as an assumption is written unless the state
assumes it too. Also states that the rules have led to can be written, since everything is taken
from the fluents.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from clingo import Symbol, SymbolType, parse_term

from py_bridge.errors import BattlejudgeError, InputError, Problem
from py_bridge.states import (
    FULL_LP,
    PILES,
    PLAYERS,
    State,
    default_face,
    default_id,
    state_from_text,
)
from py_bridge.texts import STATS, Definition
from py_bridge.vocabulary import wordings

WIDTH = 100
_ON_FIELD = ("monster_zone", "spell_trap_zone", "field_zone", "pendulum_zone")
# Relations of a card to others, and what happened to it, in the order in which they are written.
_LISTS = (
    "summoned", "chosen", "attacked", "battled", "used", "done_with", "attacked_beside",
)  # fmt: skip
_FLAGS = (
    "negated", "attempted", "gave_up", "determined", "attacked_directly", "direct_chosen",
)  # fmt: skip
# A text that begins with a letter and has nothing in it that YAML reads as its own.
_PLAIN = re.compile(r"[^\W\d_](?:[^\[\]{},#:\\]*[^\[\]{},#:\\\s])?")
# The piles with a line for each card, however short.
_OPEN = ("monsters", "spells_traps")
_WORDS = ("true", "false", "null")
# What a written value would say more than a changed one: that all that applies is part of it.
_CHANGED = ("atk", "def")
# What a file says in words of its own, so that it cannot be said a second time as a bare fluent.
_SAID_OTHERWISE = frozenset(
    (
        "turn", "phase", "step", "sub_step", "lp", "in", "zone", "controller", "owner", "face",
        "position", "trait", "value", "original", "written", "equipped", "applied", "applied_by",
        "applied_from", "applied_order", "attack", "stage", "direct_by", "attack_over",
        "declared_in", "declared_on", "declared", "link", "link_target", "has_text", "lingers",
    )
)  # fmt: skip


class NotExpressible(BattlejudgeError):
    """A state that a format cannot say; the message names the part, in one line."""


class Moment:
    """The fluents of a state, to be looked up by name and by card."""

    def __init__(self, fluents: Iterable[str]) -> None:
        self._rows: dict[tuple[str, ...], list[list[Any]]] = {}
        self._traits: dict[str, dict[str, list[Any]]] = {}
        for fluent in fluents:
            term = parse_term(fluent)
            row = [_value(one) for one in term.arguments]
            for length in range(len(row) + 1):
                key = (term.name, *map(str, row[:length]))
                self._rows.setdefault(key, []).append(row[length:])
            if term.name == "trait":
                trait = term.arguments[1]
                kinds = self._traits.setdefault(row[0], {})
                kinds.setdefault(trait.name, []).append(_value(trait.arguments[0]))

    def rows(self, name: str, *first: str) -> list[list[Any]]:
        """Return the arguments of the fluents `name` that begin with `first`, without these."""
        return self._rows.get((name, *first), [])

    def of(self, name: str, *first: str) -> list[Any]:
        """Return the argument that follows `first` in each of the fluents `name`."""
        return [row[0] for row in self.rows(name, *first)]

    def one(self, name: str, *first: str) -> Any:
        """Return the argument that follows `first`, None if there is none."""
        return next(iter(self.of(name, *first)), None)

    def has(self, name: str, *first: str) -> bool:
        """Whether a fluent `name` holds whose arguments begin with `first`."""
        return (name, *first) in self._rows

    def traits(self, one: str) -> dict[str, list[Any]]:
        """Return the traits of a card by kind: race, attribute, name, .."""
        return self._traits.get(one, {})


@lru_cache(maxsize=4)
def moment_of(fluents: tuple[str, ...]) -> Moment:
    """Return the fluents of a state, to be looked up."""
    return Moment(fluents)


def _value(term: Symbol) -> Any:
    """Return a term as a number or a text."""
    if term.type is SymbolType.Number:
        return term.number
    return term.string if term.type is SymbolType.String else str(term)


def state_text(state: State) -> str:
    """Return the text of a file that says the state.

    Reading it gives the same facts, ids and assumptions. A card that has left the duel and an
    effect that no longer applies are left out. Raises NotExpressible if the format lacks words
    for something that holds.
    """
    data = _data(state)
    text, read = _written(state, data)
    if also := _bare(state, read):
        data.setdefault("progress", {})["also"] = also
        text, read = _written(state, data)
    refuse_losses(state, read, "a state file")
    return text


def _written(state: State, data: Mapping[str, Any]) -> tuple[str, State]:
    """Return the text of a file with the data, and the state that it says."""
    text = "".join(f"{line}\n" for line in _document(data))
    try:
        return text, state_from_text(text, state.file)
    except InputError as error:
        problem = error.problems[0]
        place = f"{problem.path}: " if problem.path else ""
        saying = f"a state file cannot say it: {place}{problem.message}"
        raise NotExpressible(str(Problem(state.file, None, saying))) from error


def _bare(state: State, read: State) -> list[str]:
    """Return the fluents that hold and are missing, for which the format has no other words."""
    known, said = wordings("en").fluents, set(read.fluents)
    kept = _relevant(state, _present(state))
    names = {fluent: fluent.partition("(")[0] for fluent in kept if fluent not in said}
    return [f for f, name in names.items() if name in known and name not in _SAID_OTHERWISE]


def refuse_losses(state: State, read: State, what: str, free: Collection[str] = ()) -> None:
    """Raise NotExpressible, with the first loss, if `read` is another state than `state`.

    `read` is what was read back from the format that messages call `what`. Fluents of the names
    `free` may be added.
    """
    there = _present(state)
    kept, said = _relevant(state, there), _relevant(read, read.texts)
    for fluent in kept:
        if fluent not in said:
            raise inexpressible(state, fluent, f"{what} cannot say that {_words(state, fluent)}")
    for fluent in said:
        if fluent not in kept and parse_term(fluent).name not in free:
            saying = f"{what} would also say that {_words(state, fluent)}"
            raise inexpressible(state, fluent, saying)
    for one in there:
        if not _same_text(read.texts[one], state.texts[one]):
            name = state.name_of(one)
            raise inexpressible(state, f"has_text({one})", f"{what} cannot say what card {name} is")


def inexpressible(state: State, about: str, saying: str) -> NotExpressible:
    """Return the error that says so, with the line of the card that the fluent `about` is about."""
    line = next((state.lines[one] for one in _parts(about) if one in state.lines), None)
    return NotExpressible(str(Problem(state.file, line, saying)))


def _present(state: State) -> list[str]:
    """Return the ids of what takes part: cards that lie somewhere, effects that apply."""
    moment = moment_of(state.fluents)
    return [one for one in state.texts if moment.has("in", one) or moment.has("applied", one)]


def _same_text(one: Definition, other: Definition) -> bool:
    return one.names == other.names and one.data == other.data


def _relevant(state: State, there: Iterable[str]) -> dict[str, None]:
    """Return the fluents and the rest of the board, without what is about absent cards."""
    gone = set(state.texts) - set(there)
    every = (*state.fluents, *state.static)
    if not gone:
        return dict.fromkeys(every)
    return dict.fromkeys(term for term in every if gone.isdisjoint(_parts(term)[:1]))


def _parts(fluent: str) -> list[str]:
    return [str(one) for one in parse_term(fluent).arguments]


def _words(state: State, fluent: str) -> str:
    """Return a fluent in English words."""
    known = wordings("en")
    term = parse_term(fluent)
    sentence = known.fluents.get(term.name)
    if sentence is None:
        return f"{fluent} holds"
    for place, argument in enumerate(term.arguments, 1):
        word = str(argument)
        said = known.fluent_terms.get((term.name, word)) or known.terms.get(word, word)
        said = state.name_of(word) if word in state.texts else said
        sentence = sentence.replace(f"{{{place}}}", said)
    return sentence


# --- what a file says -----------------------------------------------------------------------------


def _data(state: State) -> dict[str, Any]:
    """Return the data of the state file."""
    moment = moment_of(state.fluents)
    assumed = {one.fluent for one in state.assumptions}
    data: dict[str, Any] = {}
    for word in ("turn", "phase", "step", "sub_step"):
        value = moment.one(word)
        if value is not None and f"{word}({value})" not in assumed:
            data[word] = value
    attack = _attack(state, moment)
    attacker = attack.get("attacker")
    for player in PLAYERS:
        data[player] = _side(state, moment, player, attacker, assumed)
    if applied := _applied(state, moment):
        data["applied"] = applied
    if attack:
        data["attack"] = attack
    if chain := list(_chain(moment)):
        data["chain"] = chain
    data |= {word: True for word in ("after_chain", "chance_over") if moment.has(word)}
    if (count := moment.one("direct_attacks")) is not None:
        data["direct_attacks"] = count
    if progress := _progress(moment):
        data["progress"] = progress
    return data


def _progress(moment: Moment) -> dict[str, Any]:
    """Return what is being processed, and what has happened."""
    said: dict[str, Any] = {word: moment.one(word) for word in ("paying", "resolving")}
    said |= {word: sorted(moment.of(word)) or None for word in ("handled", "did")}
    said["picked"] = moment.of("picked") or None
    said |= {word: True for word in ("settling", "replay_due") if moment.has(word)}
    said |= {word: list(map(_event, moment.of(word))) or None for word in ("just", "before")}
    return _given(said)


def _event(text: str) -> dict[str, Any]:
    """Return something that has happened, such as destroyed(neos), as a file says it."""
    parts = _parts(text)
    return {parse_term(text).name: parts[0] if len(parts) == 1 else parts}


def _side(
    state: State, moment: Moment, player: str, attacker: str | None, assumed: Collection[str]
) -> dict[str, Any]:
    side: dict[str, Any] = {}
    lp = moment.one("lp", player)
    if lp not in (None, FULL_LP):
        side["lp"] = lp
    for pile, zone in PILES.items():
        entries = [
            _entry(state.texts[one], one, moment, zone, attacker, assumed)
            for one in state.texts
            if moment.has("in", one, zone) and moment.has("controller", one, player)
        ]
        if entries:
            side[pile] = entries[0] if pile == "field_spell" else entries
    if moment.has("passes_tracked"):
        side["passed"] = moment.has("passed", player)
    if moment.has("declined", player):
        side["declined"] = True
    return side


def _entry(
    text: Definition,
    one: str,
    moment: Moment,
    zone: str,
    attacker: str | None,
    assumed: Collection[str],
) -> Any:
    """Return what a file says of a card: its name alone, if that is all."""
    entry: dict[str, Any] = {"card": _card(text)}
    if one != default_id(text):
        entry["id"] = one
    entry |= _posture(text, one, moment, zone, assumed)
    entry |= _values(text, one, moment)
    entry |= _relations(one, moment)
    declared = moment.one("declared", one)
    usual = int(one == attacker) if zone == "monster_zone" else None
    if declared != usual:
        entry["declared"] = declared
    return entry["card"] if len(entry) == 1 and isinstance(entry["card"], str) else entry


def _card(text: Definition) -> Any:
    """Return the English name of a card of the library, the description of another one."""
    return text.data if "name" in text.data else text.names["en"]


def _posture(
    text: Definition, one: str, moment: Moment, zone: str, assumed: Collection[str]
) -> dict[str, Any]:
    said: dict[str, Any] = {"zone": moment.one("zone", one)}
    if zone not in _ON_FIELD:
        return _given(said)
    face, position = moment.one("face", one), moment.one("position", one)
    by_face = position == "defense" and face == "down"
    if not by_face and f"position({one},{position})" not in assumed:
        said["position"] = position
    if face != default_face(text, zone):
        said["face"] = face
    return _given(said)


def _values(text: Definition, one: str, moment: Moment) -> dict[str, Any]:
    said: dict[str, Any] = {}
    owner = moment.one("owner", one)
    if owner != moment.one("controller", one):
        said["owner"] = owner
    traits = moment.traits(one)
    if (name := traits.get("name", [None])[0]) != text.names["en"]:
        said["name"] = name
    for word in ("race", "attribute"):
        if (value := traits.get(word, [None])[0]) != text.data.get(word):
            said[word] = value
    archetypes = traits.get("archetype", [])
    if set(archetypes) != set(text.data.get("archetypes", ())):
        said["archetypes"] = archetypes
    for stat in STATS:
        value = moment.one("value", one, stat)
        written = moment.has("written", one, stat)
        if written or value != text.data.get(stat):
            word = stat if written or stat not in _CHANGED else f"changed_{stat}"
            said[word] = value
    for stat in _CHANGED:
        if (value := moment.one("original", one, stat)) != text.data.get(stat):
            said[f"original_{stat}"] = value
    materials = moment.one("value", one, "materials")
    counted = "xyz" in text.data.get("kinds", ()) and moment.one("in", one) in _ON_FIELD
    if materials != (0 if counted else None):
        said["materials"] = materials
    if (counters := moment.one("value", one, "counters")) is not None:
        said["counters"] = counters
    return _given(said)


def _relations(one: str, moment: Moment) -> dict[str, Any]:
    said: dict[str, Any] = {
        "came": moment.one("came", one),
        "equipped_to": moment.one("equipped", one),
    }
    said |= {word: moment.of(word, one) or None for word in _LISTS}
    said |= {word: True for word in _FLAGS if moment.has(word, one)}
    if moment.has("substitutes", one):
        said["substitutes"] = True
    if moment.has("declines", one):
        said["substitutes"] = False
    held = moment.rows("held_to", one)
    said["held_to"] = [{"card": card, "effect": effect} for card, effect in held] or None
    counts = moment.rows("entry_count", one)
    said["entry_count"] = {str(number): count for number, count in counts} or None
    return _given(said)


def _given(said: Mapping[str, Any]) -> dict[str, Any]:
    return {word: value for word, value in said.items() if value is not None}


def _applied(state: State, moment: Moment) -> list[dict[str, Any]]:
    """Return the effects that go on applying, in the order in which they were applied."""
    numbers = {
        str(term.arguments[0]): term.arguments[1].number
        for term in map(parse_term, state.static)
        if term.match("lingers", 2)
    }
    there = [one for one in state.texts if moment.has("applied", one) and one in numbers]
    there.sort(key=lambda one: moment.one("applied_order", one) or 0)
    return [_applied_effect(state.texts[one], one, numbers[one], moment) for one in there]


def _applied_effect(text: Definition, one: str, number: int, moment: Moment) -> dict[str, Any]:
    said = {
        "card": _card(text),
        "effect": number,
        "by": moment.one("applied_by", one),
        "id": one if one != default_id(text, applied=True) else None,
        "source": moment.one("applied_from", one),
        "chosen": moment.of("chosen", one) or None,
        "used": True if moment.has("used", one) else None,
        "oath": True if moment.has("sworn", one) else None,
        "attacks_at": next((number for _, number in moment.rows("attacks_at", one)), None),
        "lapsed": moment.of("lapsed", one) or None,
    }
    return _given(said)


def _attack(state: State, moment: Moment) -> dict[str, Any]:
    """Return what the file says of the attack in progress, nothing if there is none."""
    parts = {
        "stage": moment.one("stage"),
        "by": moment.one("direct_by"),
        "over": moment.one("attack_over"),
    }
    attacks = moment.rows("attack")
    if not attacks and not _given(parts):
        return {}
    if parts["stage"] is None:
        parts["stage"] = "past"
    attacker, target = attacks[0] if attacks else (_attacker(state, moment), None)
    said = {
        "attacker": attacker,
        "target": target,
        "stage": parts["stage"] if parts["stage"] != "open" else None,
        "declared_in": moment.one("declared_in", attacker),
        "declared_on": moment.one("declared_on", attacker),
        "by": parts["by"],
        "over": parts["over"],
    }
    return _given(said)


def _attacker(state: State, moment: Moment) -> str:
    """Return a monster that can be the attacking one where no attack names it."""
    for word in ("declared_in", "declared_on"):
        if moment.has(word):
            return str(moment.one(word))
    there = _present(state)
    return next((one for one in there if moment.one("declared", one)), next(iter(there), "none"))


def _chain(moment: Moment) -> Iterator[dict[str, Any]]:
    for number, one, effect, by in sorted(moment.rows("link")):
        usual = moment.one("controller", one) or PLAYERS[0]
        said = {
            "card": one,
            "effect": effect,
            "by": by if by != usual else None,
            "targets": moment.of("link_target", str(number)) or None,
            "negated": True if moment.has("link_negated", str(number)) else None,
        }
        yield _given(said)


# --- the lines of a file --------------------------------------------------------------------------


def _document(data: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of a file: the board open, everything else on one line where it fits."""
    for key, value in data.items():
        if key in PLAYERS and value:
            yield f"{key}:"
            yield from _side_lines(value)
        else:
            yield from _lines(f"{key}:", value, "")


def _side_lines(side: Mapping[str, Any]) -> Iterator[str]:
    for key, value in side.items():
        if key in _OPEN:
            yield f"  {key}:"
            for item in value:
                yield from _item(item, "    ")
        else:
            yield from _lines(f"  {key}:", value, "  ")


def _lines(head: str, value: Any, pad: str) -> Iterator[str]:
    """Yield the lines of a value behind `head`, which stands there already indented."""
    if _on_one_line(value) and len(line := f"{head} {_flow(value)}") <= WIDTH:
        yield line
    elif isinstance(value, Mapping) and value:
        yield head
        yield from _mapping(value, f"{pad}  ")
    elif isinstance(value, list) and value:
        yield head
        for item in value:
            yield from _item(item, f"{pad}  ")
    else:
        yield f"{head} {_flow(value)}"


def _on_one_line(value: Any) -> bool:
    """Whether a value is wanted on one line: anything but a list of more than scalars."""
    return not (isinstance(value, list) and any(isinstance(one, Mapping) for one in value))


def _mapping(data: Mapping[str, Any], pad: str) -> Iterator[str]:
    for key, value in data.items():
        yield from _lines(f"{pad}{key}:", value, pad)


def _item(value: Any, pad: str) -> Iterator[str]:
    line = f"{pad}- {_flow(value)}"
    if len(line) <= WIDTH or not isinstance(value, Mapping) or not value:
        yield line
        return
    first = f"{pad}- "
    for line in _mapping(value, f"{pad}  "):
        yield first + line[len(first) :]
        first = ""


def _flow(value: Any) -> str:
    if isinstance(value, Mapping):
        inside = ", ".join(f"{key}: {_flow(one)}" for key, one in value.items())
        return f"{{{inside}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_flow, value))}]"
    return _scalar(value)


def _scalar(value: Any) -> str:
    """Return a scalar as YAML, in quotes where it would be read as something else."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return str(value)
    if _PLAIN.fullmatch(value) and value.isprintable() and value.lower() not in _WORDS:
        return value
    return f'"{"".join(map(_letter, value))}"'


def _letter(letter: str) -> str:
    if letter in '"\\':
        return f"\\{letter}"
    return letter if letter.isprintable() else f"\\U{ord(letter):08x}"
