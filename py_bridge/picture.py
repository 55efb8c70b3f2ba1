"""Pictures: a board as lines for a terminal, the turn player's side below.

What a picture shows is what the state says; values that effects would make of it are answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import Any

from py_bridge.answers import Speaker
from py_bridge.errors import printable
from py_bridge.pages import columns, wrapped
from py_bridge.states import PILES, PLAYERS, State
from py_bridge.writing import Moment, moment_of

# Five zones a row; with the indent and a blank between two cells, 98 columns.
_ROW = 5
_CELL = 18
_INDENT = "  "
_ARROW = "--->"
_ALWAYS_COUNTED = ("hand", "graveyard")
_COUNTED = (*_ALWAYS_COUNTED, "banished", "extra_deck", "deck")
_BACK_ROW = ("spell_trap_zone", "field_zone", "pendulum_zone")
_WORDS = {
    "en": {
        "turn": "Turn {0}: {1}",
        "side": "{0}: {1} LP, {2}",
        "count": "{0} {1}",
        "attack": "Attack",
        "defense": "Defense",
        "down": "Set",
        "set": "{0} (Set)",
        "in": "{0} ({1})",
        "declared": "declared {0}",
        "negated": "negated",
        "determined": "to be destroyed",
        "passed": "has passed",
        "applied": "applied: {0}",
        "monsters": "no monsters",
        "link": "Chain link {0}: {1}",
        "on": "{0} on {1}",
        "start": "start",
        "before_calculation": "before damage calculation",
        "calculation": "damage calculation",
        "after_calculation": "after damage calculation",
        "end": "end",
        "comma": ", ",
    },
    "zh": {
        "turn": "第{0}回合：{1}",
        "side": "{0}：基本分{1}，{2}",
        "count": "{0}{1}",
        "attack": "攻击表示",
        "defense": "守备表示",
        "down": "里侧守备表示",
        "set": "{0}（盖放）",
        "in": "{0}（{1}）",
        "declared": "宣言{0}次",
        "negated": "效果无效",
        "determined": "确定被破坏",
        "passed": "已放弃优先权",
        "applied": "适用中：{0}",
        "monsters": "没有怪兽",
        "link": "连锁{0}：{1}",
        "on": "{0}（对象：{1}）",
        "start": "开始时",
        "before_calculation": "伤害计算前",
        "calculation": "伤害计算时",
        "after_calculation": "伤害计算后",
        "end": "结束时",
        "comma": "，",
    },
}


def picture(state: State, language: str) -> list[str]:
    """Return the board in English (en) or Chinese (zh), in lines of at most 100 columns.

    A monster stands with its position, ATK/DEF, and below them what is equipped (+) and applied
    (~) to it; an arrow joins the attacking monster and its target.
    """
    return [printable(line) for line in _Painter(state, language).lines()]


class _Painter:
    """Paints one state in one language."""

    def __init__(self, state: State, language: str) -> None:
        self.state = state
        self.language = language
        self.moment: Moment = moment_of(state.fluents)
        self.speaker = Speaker(state, language)
        self.words = _WORDS[language]

    def lines(self) -> Iterator[str]:
        turn_player, other = PLAYERS
        yield from wrapped(self._moment(), len(_INDENT))
        yield from self._head(other)
        yield from self._back_row(other)
        yield from self._monsters(other)
        yield ""
        if battle := list(self._battle()):
            for line in battle:
                yield from wrapped(_INDENT + line, 2 * len(_INDENT))
            yield ""
        yield from self._monsters(turn_player)
        yield from self._back_row(turn_player)
        yield from self._head(turn_player)

    def _say(self, word: str, *parts: object) -> str:
        return self.words[word].format(*parts)

    def _joined(self, parts: Iterable[str]) -> str:
        return self.words["comma"].join(parts)

    def _term(self, fluent: str, word: Any) -> str:
        wordings = self.speaker.wordings
        known = wordings.fluent_terms.get((fluent, word)) or wordings.terms.get(word)
        return known or self.words.get(word, str(word))

    def _moment(self) -> str:
        said = [
            self._term(word, value)
            for word in ("phase", "step", "sub_step")
            if (value := self.moment.one(word)) is not None
        ]
        return self._say("turn", self.moment.one("turn"), self._joined(said))

    # --- one side ---------------------------------------------------------------------------------

    def _in(self, zone: str, player: str) -> list[str]:
        """Return the ids of the cards of a player in a zone, by the numbers of their zones."""
        found = [
            one
            for one in self.state.texts
            if self.moment.has("in", one, zone) and self.moment.has("controller", one, player)
        ]
        return sorted(found, key=lambda one: self.moment.one("zone", one) or 0)

    def _head(self, player: str) -> list[str]:
        counts = {zone: len(self._in(zone, player)) for zone in _COUNTED}
        said = [
            self._say("count", self.speaker.card(zone), count)
            for zone, count in counts.items()
            if count or zone in _ALWAYS_COUNTED
        ]
        if self.moment.has("passed", player):
            said.append(self.words["passed"])
        name = self.speaker.card(player)
        head = self._say("side", name, self.moment.one("lp", player), self._joined(said))
        return wrapped(head[0].upper() + head[1:], len(_INDENT))

    def _back_row(self, player: str) -> list[str]:
        said = []
        for zone in (zone for zone in PILES.values() if zone in _BACK_ROW):
            for one in self._in(zone, player):
                name = self.speaker.card(one)
                if self.moment.has("face", one, "down"):
                    name = self._say("set", name)
                if zone != "spell_trap_zone":
                    name = self._say("in", name, self.speaker.card(zone))
                said.append(name)
        lines = [_INDENT + self._joined(said)] if said else []
        loose = [
            self.speaker.card(one)
            for one in self.state.texts
            if self.moment.has("applied_by", one, player) and not self.moment.has("chosen", one)
        ]
        if loose:
            lines.append(_INDENT + self._say("applied", self._joined(loose)))
        return [part for line in lines for part in wrapped(line, 2 * len(_INDENT))]

    def _monsters(self, player: str) -> Iterator[str]:
        cells = [self._cell(one) for one in self._in("monster_zone", player)]
        if not cells:
            yield f"{_INDENT}({self.words['monsters']})"
        for first in range(0, len(cells), _ROW):
            if first:
                yield ""
            for line in zip_longest(*cells[first : first + _ROW], fillvalue=""):
                yield (_INDENT + " ".join(map(_padded, line))).rstrip()

    def _cell(self, one: str) -> list[str]:
        """Return the lines of one monster."""
        named = [self.state.name_of(one, self.language)]
        if self.speaker.card(one) != named[0]:
            # Whole, since it is what questions about the board are asked with.
            shown = f"[{one}]"
            named += [shown[at : at + _CELL] for at in range(0, len(shown), _CELL)]
        face_down = self.moment.has("face", one, "down")
        posture = "down" if face_down else self.moment.one("position", one) or "attack"
        values = [self.moment.one("value", one, stat) for stat in ("atk", "def")]
        stats = "/".join("-" if value is None else str(value) for value in values)
        marks = [
            self.words[word] for word in ("negated", "determined") if self.moment.has(word, one)
        ]
        if declared := self.moment.one("declared", one):
            marks.append(self._say("declared", declared))
        equipped = [f"+ {name}" for name in self._names("equipped", one)]
        chosen = [f"~ {name}" for name in self._names("chosen", one)]
        return [*named, self.words[posture], stats, *marks, *equipped, *chosen]

    def _names(self, relation: str, monster: str) -> list[str]:
        """Return the cards and effects that stand in a relation to a monster."""
        return [
            self.state.name_of(one, self.language)
            for one, other in self.moment.rows(relation)
            if other == monster
        ]

    # --- what goes on between the sides -----------------------------------------------------------

    def _battle(self) -> Iterator[str]:
        stage = self.moment.one("stage")
        said = [] if stage is None else [self._term("stage", stage)]
        said += [self._term("attack_over", over) for over in self.moment.of("attack_over")]
        for attacker, target in self.moment.rows("attack"):
            arrow = f"{self.speaker.card(attacker)} {_ARROW} {self.speaker.card(target)}"
            yield self._joined([arrow, *said])
            said = []
        if said:
            yield self._joined(said)
        for number, one, effect, _ in sorted(self.moment.rows("link")):
            shown = self.speaker.effect(one, effect)
            if targets := self.moment.of("link_target", str(number)):
                shown = self._say("on", shown, self._joined(map(self.speaker.card, targets)))
            yield self._say("link", number, shown)
        if self.moment.has("after_chain"):
            yield self.speaker.wordings.fluents["after_chain"]


def _padded(text: str) -> str:
    """Return a text of exactly the width of a cell, cut with an ellipsis where it is longer."""
    if columns(text) > _CELL:
        while columns(text) > _CELL - 1:
            text = text[:-1]
        text = text.rstrip() + "…"
    return text + " " * (_CELL - columns(text))
