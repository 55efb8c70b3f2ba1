"""Rulings left out: which of their cases show them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from small_base import CASES, PLAYED_RULES, SCRIPT, SMALL_RULES, small_base

from py_bridge.audit import Audited
from py_bridge.knowledge import KnowledgeBase
from py_bridge.omissions import Omissions, labels, stating
from py_bridge.running import run

MORE_RULES = """
source(strong(1500), bs_050).

% @rule small_aside : bs-049
% en: What nobody asks about.
% zh: 无人问及。
aside(A) :- could(A, _).
"""
COULD = "could(A,T) :- holds(controller(A,turn_player)); monster(T); "
PLAYED = PLAYED_RULES.replace("small_played : definition", "small_played : bs-006")


def _shown(folder: Path, cases: str, rules: str) -> Mapping[str, int]:
    """Return the line of the case that shows each ruling; 0 if none does."""
    about = Audited(small_base(folder, cases, rules))
    shown = Omissions(about.rules, about.cases_by_ruling).by_boards()
    return {one: shown[one].line if one in shown else 0 for one in about.cases_by_ruling}


def test_what_states_a_ruling(tmp_path: Path) -> None:
    about = Audited(small_base(tmp_path, rules=SMALL_RULES + MORE_RULES))
    stated = {
        ruling: [str(about.rules[number].statement) for number in sorted(numbers)]
        for ruling, numbers in stating(about.rules).items()
    }
    assert stated == {
        "bs-048": [
            f"{COULD}holds(controller(T,non_turn_player)).",
            "monster(T) :- holds(in(T,monster_zone)).",
        ],
        "bs-049": ["aside(A) :- could(A,_)."],
        "bs-050": ["strong(1500)."],
    }
    assert labels(about.rules, "bs-049") == ["small_aside"]
    assert labels(about.rules, "bs-050") == ["small_found"]


@pytest.mark.parametrize(
    ("cited", "line"),
    [
        ("bs-048", 2),  # the rules under a label
        ("bs-049", 0),  # a rule that no answer rests on
        ("bs-050", 2),  # a fact with a source
        ("bs-051", 0),  # what no rule cites
    ],
)
def test_a_case_shows_a_ruling_that_it_needs(tmp_path: Path, cited: str, line: int) -> None:
    cases = CASES.replace("bs-048", cited)
    assert _shown(tmp_path, cases, SMALL_RULES + MORE_RULES) == {cited: line}


@pytest.mark.parametrize(
    ("label", "ruling"),
    [("small_could", "bs-048"), ("small_played", "bs-006"), ("small_found", "bs-053")],
)
def test_scripts_show_what_they_show_played_one_by_one(
    tmp_path: Path, label: str, ruling: str
) -> None:
    rules = (SMALL_RULES + PLAYED).replace("small_found : definition", "small_found : bs-053")
    about = Audited(small_base(tmp_path, SCRIPT.replace("bs-048", ruling), rules))
    shown = Omissions(about.rules, about.cases_by_ruling).by_scripts()
    kept = [one for one in about.rules if one.label is None or one.label.name != label]
    file = tmp_path / "kept.lp"
    file.write_text("\n".join(str(one.statement) for one in kept), encoding="utf-8")
    assert run(about.cases[0], about.knowledge).agrees
    assert bool(shown) is not run(about.cases[0], KnowledgeBase([file])).agrees
    assert bool(shown) is (label != "small_found")
