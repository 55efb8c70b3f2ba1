"""Equal rule bases proven part by part: what counts as equal, and what is no proof."""

from __future__ import annotations

import pytest

from py_bridge.equal_parts import equal_by_parts
from py_bridge.labels import parse_rules
from py_bridge.scopes import read_scope

RULES = """\
invalid(none, none) :- 1 = 0.
answer(attack(A), may) :- able(A), not tied(A).
able(A) :- holds(in(A, monster_zone)), not barred(A).
barred(A) :- holds(position(A, defense)).
tied(A) :- able(A), has_text(A, _).
"""


def _equal(changed: str) -> bool:
    scope = read_scope("targets", {"monsters": 2, "texts": 1, "back": 0, "applied": 0})
    return equal_by_parts(parse_rules("a", RULES), parse_rules("b", changed), scope)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("barred", "lies_in_defense"),
        ("able(A) :- ", "able(A) :- holds(face(A, _)), "),
        ("not barred(A)", "not holds(position(A, defense))"),
        ("able(A), has_text(A, _)", "has_text(A, _), able(A)"),
        ("tied(A) :- able(A), has", "tied(A) :- able(A), carries(A).\ncarries(A) :- has"),
        ("able(A), not tied(A)", "able(A), not bound(A).\nbound(A) :- tied(A)"),
    ],
)
def test_rules_said_otherwise_are_equal(old: str, new: str) -> None:
    assert old in RULES
    assert _equal(RULES.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("position(A, defense)", "position(A, attack)"),
        ("able(A), has_text", "has_text"),
        ("answer(attack(A), may)", "answer(attack(A), must)"),
        ("answer(attack(A), may)", "other(attack(A), may)"),
        ("barred(A) :- holds", "lies(A) :- holds"),
    ],
)
def test_other_rules_are_not_taken_for_equal(old: str, new: str) -> None:
    assert old in RULES
    assert not _equal(RULES.replace(old, new))
