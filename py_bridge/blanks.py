"""Boards without names: every card name replaced by a blank that keeps the card's effects.

A rule that answers otherwise for blanks has memorised a card. Names that a text itself asks for
("while you control Umi") are replaced alike on both sides, so that they still mean each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from py_bridge.knowledge import Atoms, Rules
from py_bridge.states import State

_NAME = re.compile(r'(name|archetype)\("((?:[^"\\]|\\.)*)"\)')
_CONSTANT = re.compile(r"\b[a-z]\w*\b")
_WORDS = {"name": "blank", "archetype": "family"}


def blanked(
    facts: Iterable[str], keys: Iterable[str], numbers: dict[str, int] | None = None
) -> list[str]:
    """Return the facts of a state without card names.

    Names, archetypes and the constants `keys` of card texts become numbered blanks; the ids of
    the cards on the board stay, since questions and answers use them. `numbers` remembers the
    blanks that names have got.
    """
    numbers = {} if numbers is None else numbers

    def cover(match: re.Match[str]) -> str:
        if match[2].startswith(_WORDS[match[1]] + " ") and match[2][-1].isdigit():
            return match[0]
        number = numbers.setdefault(match[2], len(numbers) + 1)
        return f'{match[1]}("{_WORDS[match[1]]} {number}")'

    constants = {key: f"text_{number}" for number, key in enumerate(dict.fromkeys(keys), 1)}
    return [
        _CONSTANT.sub(lambda word: constants.get(word[0], word[0]), _NAME.sub(cover, fact))
        for fact in facts
    ]


class WithoutNames:
    """Rules that are told no card name, from one state of a duel to the next.

    A name that has become a blank stays that blank.
    """

    def __init__(self, rules: Rules, facts: Iterable[str], keys: Iterable[str]) -> None:
        self._rules = rules
        self._keys = list(keys)
        self._numbers: dict[str, int] = {}
        self.covered(facts)

    def covered(self, facts: Iterable[str]) -> list[str]:
        """Return facts with blanks for names."""
        return blanked(facts, self._keys, self._numbers)

    def model(self, facts: Sequence[str], wanted: Sequence[str]) -> Atoms:
        """Return what the rules conclude of the facts without names."""
        return self._rules.model(self.covered(facts), wanted)


def without_names(state: State, rules: Rules) -> tuple[State, WithoutNames]:
    """Return a state to play from and its rules, both without card names."""
    covering = WithoutNames(rules, state.facts(), [text.key for text in state.texts.values()])
    # What ends under a blank has to hold under it.
    return replace(state, fluents=tuple(covering.covered(state.fluents))), covering
