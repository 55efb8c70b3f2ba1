"""Boards without names: every card name replaced by a blank that keeps the card's effects.

A rule that answers otherwise for blanks has memorised a card. Names that a text itself asks for
("while you control Umi") are replaced alike on both sides, so that they still mean each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_NAME = re.compile(r'(name|archetype)\("((?:[^"\\]|\\.)*)"\)')
_CONSTANT = re.compile(r"\b[a-z]\w*\b")
_WORDS = {"name": "blank", "archetype": "family"}


def blanked(facts: Iterable[str], keys: Iterable[str]) -> list[str]:
    """Return the facts of a state without card names.

    Names, archetypes and the constants `keys` of card texts become numbered blanks; the ids of
    the cards on the board stay, since questions and answers use them.
    """
    numbers: dict[str, int] = {}

    def cover(match: re.Match[str]) -> str:
        number = numbers.setdefault(match[2], len(numbers) + 1)
        return f'{match[1]}("{_WORDS[match[1]]} {number}")'

    constants = {key: f"text_{number}" for number, key in enumerate(dict.fromkeys(keys), 1)}
    return [
        _CONSTANT.sub(lambda word: constants.get(word[0], word[0]), _NAME.sub(cover, fact))
        for fact in facts
    ]
