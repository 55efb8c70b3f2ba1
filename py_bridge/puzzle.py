"""Puzzles: boards as Lua files for simulators of the EDOPro/YGOPro family, and back.

A puzzle puts cards into their zones and begins in Main Phase 1 of a first turn in which attacks
are allowed; player 0, who begins, is the turn player. It has no words for anything that has
happened before. So only states before any attack can be exported, of Main Phase 1 or of the Battle
Step, and a comment line keeps what the puzzle itself cannot: the turn and which of the two moments
the question is about. Without that line a puzzle is read as Main Phase 1 of a later turn.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from py_bridge.errors import InputError, Problem, quoted
from py_bridge.states import PLAYERS, State, state_from_document
from py_bridge.writing import Moment, NotExpressible, inexpressible, moment_of, refuse_losses
from py_bridge.yaml_text import DataPath, Document

__all__ = ["NotExpressible", "puzzle_text", "read_puzzle"]

_FIELD_SEQUENCE = 5
_LOCATIONS = {
    "monster_zone": "MZONE",
    "spell_trap_zone": "SZONE",
    "field_zone": "SZONE",
    "hand": "HAND",
    "graveyard": "GRAVE",
    "banished": "REMOVED",
    "extra_deck": "EXTRA",
    "deck": "DECK",
}
_PILES = {
    "MZONE": "monsters",
    "SZONE": "spells_traps",
    "FZONE": "field_spell",
    "HAND": "hand",
    "GRAVE": "graveyard",
    "REMOVED": "banished",
    "EXTRA": "extra_deck",
    "DECK": "deck",
}
# How many places a player has there, the Extra Monster Zones included.
_NUMBERED = {"monster_zone": 7, "spell_trap_zone": 5}
_OPEN_PILES = ("graveyard", "banished")
_MOMENTS = {
    "Main Phase 1": {"phase": "main_1"},
    "Battle Step": {"phase": "battle", "step": "battle"},
}
_POSTURES = {
    ("up", "attack"): "FACEUP_ATTACK",
    ("up", "defense"): "FACEUP_DEFENSE",
    ("down", "defense"): "FACEDOWN_DEFENSE",
}


def puzzle_text(state: State) -> str:
    """Return the Lua file of a puzzle that shows the state.

    Raises NotExpressible, which says in one line what a puzzle has no words for: cards without
    passcode, anything that has happened or been applied, values other than the printed ones.
    """
    moment = moment_of(state.fluents)
    text = "".join(f"{line}\n" for line in _lines(state, moment))
    # In a zone of its own every card lies in the puzzle, whatever the state says.
    refuse_losses(state, read_puzzle(text, state.file), "a puzzle", free=("zone",))
    return text


# --- writing --------------------------------------------------------------------------------------


def _lines(state: State, moment: Moment) -> Iterator[str]:
    turn, name = _asked(state, moment)
    yield "--[[message Which attacks are legal?]]"
    yield f"-- question: turn {turn}, {name}"
    yield 'Debug.SetAIName("battlejudge")'
    yield "Debug.ReloadFieldBegin(DUEL_ATTACK_FIRST_TURN+DUEL_SIMPLE_AI,5)"
    for index, side in enumerate(PLAYERS):
        yield f"Debug.SetPlayerInfo({index},{moment.one('lp', side)},0,0)"
    yield "local cards={}"
    # What has no place in a puzzle is left out here, and missed when the puzzle is read back.
    places = dict(_places(state, moment))
    for one in state.texts:
        if one in places:
            owner, player = (PLAYERS.index(moment.one(of, one)) for of in ("owner", "controller"))
            card = f"{_passcode(state, one)},{owner},{player},{places[one]}"
            yield f'cards["{one}"]=Debug.AddCard({card})'
    for one, host in moment.rows("equipped"):
        if one in places and host in places:
            yield f'Debug.PreEquip(cards["{one}"],cards["{host}"])'
    yield "Debug.ReloadFieldEnd()"
    yield "aux.BeginPuzzle()"


def _asked(state: State, moment: Moment) -> tuple[int, str]:
    """Return the turn and the moment of the question."""
    now = {word: moment.one(word) for word in ("phase", "step") if moment.has(word)}
    name = next((name for name, when in _MOMENTS.items() if when == now), None)
    if name is None:
        saying = "a puzzle begins in Main Phase 1 or before the first attack of a Battle Step"
        raise inexpressible(state, "turn", f"{saying}; write one of the two")
    turn: int = moment.one("turn")
    if turn == 1:
        saying = "a puzzle allows attacks in its first turn, and this is turn 1; write a later one"
        raise inexpressible(state, "turn", saying)
    return turn, name


def _passcode(state: State, one: str) -> int:
    code = state.texts[one].data.get("passcode")
    if code is None:
        saying = f"a puzzle names cards by passcode, and {state.name_of(one)} has none"
        raise inexpressible(state, f"in({one})", f"{saying}; use a card of the library")
    return int(code)


def _places(state: State, moment: Moment) -> Iterator[tuple[str, str]]:
    """Yield each card with its location, sequence and position."""
    for player in PLAYERS:
        for zone, location in _LOCATIONS.items():
            there = [
                one
                for one in state.texts
                if moment.has("in", one, zone) and moment.has("controller", one, player)
            ]
            for one, sequence in _sequences(there, moment, zone):
                position = _position(one, moment, zone)
                if position is not None:
                    yield one, f"LOCATION_{location},{sequence},POS_{position}"


def _sequences(there: list[str], moment: Moment, zone: str) -> Iterator[tuple[str, int]]:
    """Yield each card of a zone and its sequence: its own place, from 0, or a free one."""
    if zone not in _NUMBERED:
        yield from ((one, _FIELD_SEQUENCE if zone == "field_zone" else 0) for one in there)
        return
    numbered = {one: moment.one("zone", one) - 1 for one in there if moment.has("zone", one)}
    free = [number for number in range(_NUMBERED[zone]) if number not in numbered.values()]
    for one in there:
        if one in numbered:
            yield one, numbered[one]
        elif free:
            yield one, free.pop(0)


def _position(one: str, moment: Moment, zone: str) -> str | None:
    face = moment.one("face", one)
    if zone == "monster_zone":
        return _POSTURES.get((face, moment.one("position", one)))
    return "FACEUP" if face == "up" or zone in _OPEN_PILES else "FACEDOWN"


# --- reading --------------------------------------------------------------------------------------

_HEADER = re.compile(r"\s*--\[\[message\b.*?\]\]", re.DOTALL)
_QUESTION = re.compile(r"-- question: *turn ([0-9]{1,3}), *(.+)")
_NUMBER = r"([0-9]{1,9})"
_CARD = r'cards\["([a-z][a-z0-9_]{0,39})"\]'


class _Statement:
    """A statement of a puzzle: how it is read, an example, and whether it stands there once."""

    def __init__(self, pattern: str, example: str, once: bool = True) -> None:
        self.pattern, self.example, self.once = re.compile(pattern), example, once


_BEGIN = _Statement(
    r"Debug\.ReloadFieldBegin\(([A-Z_+]+),5\)",
    "Debug.ReloadFieldBegin(DUEL_ATTACK_FIRST_TURN+DUEL_SIMPLE_AI,5)",
)
_INFO = tuple(
    _Statement(
        rf"Debug\.SetPlayerInfo\({number},{_NUMBER},0,0\)",
        f"Debug.SetPlayerInfo({number},8000,0,0)",
    )
    for number in (0, 1)
)
_ADD = _Statement(
    rf"{_CARD}=Debug\.AddCard\({_NUMBER},([01]),([01]),LOCATION_([A-Z]+),{_NUMBER},POS_([A-Z_]+)\)",
    'cards["a"]=Debug.AddCard(2460565,0,0,LOCATION_MZONE,0,POS_FACEUP_ATTACK)',
    once=False,
)
_EQUIP = _Statement(
    rf"Debug\.PreEquip\({_CARD},{_CARD}\)", 'Debug.PreEquip(cards["a"],cards["b"])', once=False
)
_END = _Statement(r"Debug\.ReloadFieldEnd\(\)", "Debug.ReloadFieldEnd()")
_PLAY = _Statement(r"aux\.BeginPuzzle\(\)", "aux.BeginPuzzle()")
_ORDER = (
    _Statement(r'Debug\.SetAIName\("[^"\\]*"\)', 'Debug.SetAIName("...")'),
    _BEGIN,
    *_INFO,
    _Statement(r"local cards=\{\}", "local cards={}"),
    _ADD,
    _EQUIP,
    _END,
    _PLAY,
)


def read_puzzle(text: str, file: str = "puzzle.lua") -> State:
    """Return the state that a puzzle of the structure of `puzzle_text` shows.

    `file` is what messages call it. Raises InputError for anything that is no such puzzle.
    """
    return _Reader(file).read(text)


class _Reader:
    """Reads one puzzle into the data of a state file, with the lines that its parts stand on."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.data: dict[str, Any] = {"phase": "main_1", **{player: {} for player in PLAYERS}}
        self.lines: dict[DataPath, int] = {(): 1}
        self._entries: dict[str, tuple[dict[str, Any], DataPath]] = {}
        self._place = 0

    def read(self, text: str) -> State:
        header = _HEADER.match(text)
        if header is None:
            raise self._refused(1, "this is no puzzle; one begins with --[[message ...]]")
        first = header[0].count("\n") + 1
        for number, line in enumerate(text[header.end() :].split("\n"), first):
            self._line(number, line.strip())
        if self._place < len(_ORDER):
            missing = next(one for one in _ORDER[self._place :] if one.once).example
            raise self._refused(None, f"the puzzle ends too early; it goes on with {missing}")
        return state_from_document(Document(self.file, self.data, self.lines))

    def _refused(self, line: int | None, message: str) -> InputError:
        return InputError([Problem(self.file, line, message)])

    def _line(self, number: int, line: str) -> None:
        if line.startswith("-- question:"):
            self._question(number, line)
        elif line and not line.startswith("--"):
            self._statement(number, re.sub(r"\s*([,=])\s*", r"\1", line))

    def _question(self, number: int, line: str) -> None:
        asked = _QUESTION.fullmatch(line)
        if asked is None or asked[2] not in _MOMENTS:
            right = " or ".join(f"-- question: turn 3, {moment}" for moment in _MOMENTS)
            raise self._refused(number, f"no puzzle asks {quoted(line)}; write {right}")
        self.data |= {"turn": int(asked[1]), **_MOMENTS[asked[2]]}
        self.lines |= {("turn",): number, ("phase",): number}

    def _statement(self, number: int, line: str) -> None:
        for place in range(self._place, len(_ORDER)):
            expected = _ORDER[place]
            if found := expected.pattern.fullmatch(line):
                self._place = place + expected.once
                self._take(expected, found.groups(), number)
                return
            if expected.once:
                wrong = f"{quoted(line)} does not belong here"
                raise self._refused(number, f"{wrong}; a puzzle goes on with {expected.example}")
        raise self._refused(number, f"{quoted(line)} follows the end; end with {_PLAY.example}")

    def _take(self, statement: _Statement, parts: tuple[str, ...], number: int) -> None:
        if statement is _BEGIN and "DUEL_ATTACK_FIRST_TURN" not in parts[0].split("+"):
            wrong = "nothing can attack in the only turn of this puzzle"
            raise self._refused(number, f"{wrong}; add the flag DUEL_ATTACK_FIRST_TURN")
        if statement in _INFO:
            player = PLAYERS[_INFO.index(statement)]
            self.data[player]["lp"] = int(parts[0])
            self.lines[player,] = number
        elif statement is _ADD:
            self._card(parts, number)
        elif statement is _EQUIP:
            self._equip(parts[0], parts[1], number)

    def _card(self, parts: tuple[str, ...], number: int) -> None:
        one, code, owner, player, location, place, position = parts
        if one in self._entries:
            raise self._refused(number, f"cards[{quoted(one)}] stands twice; use another word")
        pile, sequence = _PILES.get(location), int(place)
        if location == "SZONE" and sequence == _FIELD_SEQUENCE:
            pile, location = "field_spell", "FZONE"
        zones = {"MZONE": 7, "SZONE": 5}.get(location)
        if pile is None or (zones and sequence >= zones):
            wrong = f"there is no place LOCATION_{location},{sequence}"
            raise self._refused(number, f"{wrong}; right would be {_ADD.example}")
        entry: dict[str, Any] = {"card": int(code), "id": one, "owner": PLAYERS[int(owner)]}
        if zones:
            entry["zone"] = sequence + 1
        entry |= self._posture(location, position, number)
        self._put(one, entry, PLAYERS[int(player)], pile, number)

    def _posture(self, location: str, position: str, number: int) -> dict[str, str]:
        if location == "MZONE":
            for (face, way), word in _POSTURES.items():
                if word == position:
                    return {"face": face, "position": way}
        elif position in ("FACEUP", "FACEDOWN"):
            on_field = location in ("SZONE", "FZONE")
            return {"face": "up" if position == "FACEUP" else "down"} if on_field else {}
        right = [*_POSTURES.values()] if location == "MZONE" else ["FACEUP", "FACEDOWN"]
        wrong = f"POS_{position} is no position in LOCATION_{location}"
        raise self._refused(number, f"{wrong}; write POS_{' or POS_'.join(right)}")

    def _put(self, one: str, entry: dict[str, Any], player: str, pile: str, number: int) -> None:
        side: dict[str, Any] = self.data[player]
        path: DataPath = (player, pile)
        if pile != "field_spell":
            side.setdefault(pile, []).append(entry)
            path = (*path, len(side[pile]) - 1)
        elif pile in side:
            raise self._refused(number, "a player has one Field Spell; leave the second one out")
        else:
            side[pile] = entry
        self.lines[path] = number
        self._entries[one] = entry, path

    def _equip(self, one: str, host: str, number: int) -> None:
        if one not in self._entries:
            raise self._refused(number, f"there is no cards[{quoted(one)}]; add that card first")
        entry, path = self._entries[one]
        entry["equipped_to"] = host
        self.lines[*path, "equipped_to"] = number
