"""Two rule bases side by side: renaming, boards of a scope, planted faults, properties."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from clingo import Control

from py_bridge import differences
from py_bridge.answers import ask
from py_bridge.apart import affected, renamed_apart
from py_bridge.bases import rule_base
from py_bridge.compare import compare
from py_bridge.errors import BattlejudgeError
from py_bridge.knowledge import KnowledgeBase, as_program, ground, knowledge_base, rule_files
from py_bridge.labels import parse_rules
from py_bridge.paths import base
from py_bridge.properties import hold, names, read_property
from py_bridge.scopes import Scope, read_scope
from py_bridge.search import over_all_boards
from py_bridge.states import read_state

Plant = Callable[[str, str, str], KnowledgeBase]
SMALL = {"monsters": 2, "texts": 1, "back": 1, "applied": 1}
TWO_MONSTERS = {"monsters": 2, "texts": 1, "back": 0, "applied": 0}
# Two boards for each question, not one: these take longest.
_TWICE = ("one_more_attacker", "one_more_defender")

# --- renaming apart -------------------------------------------------------------------------------

BEFORE = """\
able(A) :- holds(in(A, monster_zone)), not barred(A).
barred(A) :- bars(_, A).
bars(by(position, rule, 0), A) :- holds(position(A, defense)).
limit(A, I) :- able(A), I = #max { J : permits(A, J) }.
permits(A, 1) :- able(A).
"""
AFTER = """\
a__able(A) :- holds(in(A,monster_zone)); not a__barred(A).
a__barred(A) :- a__bars(_,A).
a__bars(by(position,rule,0),A) :- holds(position(A,defense)).
a__limit(A,I) :- a__able(A); I = #max { J: a__permits(A,J) }.
a__permits(A,1) :- a__able(A).
"""
ALL = frozenset({"able", "barred", "bars", "limit", "permits"})


def test_renaming_apart_changes_predicates_and_nothing_else() -> None:
    renamed = renamed_apart(parse_rules("before", BEFORE), "a__", ALL)
    assert "".join(f"{rule}\n" for rule in renamed) == AFTER


def test_a_renamed_program_concludes_the_same_under_its_prefix() -> None:
    state = read_state(base() / "facts" / "boards" / "two_captains.yaml")
    facts = as_program(state.facts())
    # A control has to live as long as its atoms are read.
    plain, given = ground(knowledge_base().statements, facts), ground((), facts)
    inputs = {name for name, _, _ in given.symbolic_atoms.signatures}
    names = frozenset(name for name, _, _ in plain.symbolic_atoms.signatures) - inputs
    renamed = ground(renamed_apart(knowledge_base().statements, "z__", names), facts)
    expected = {f"z__{a.symbol}" for a in plain.symbolic_atoms if a.symbol.name in names}
    got = {str(a.symbol) for a in renamed.symbolic_atoms if a.symbol.name.startswith("z__")}
    assert expected
    assert got == expected


def test_only_what_depends_on_a_changed_rule_may_differ() -> None:
    changed = BEFORE.replace("holds(position(A, defense))", "holds(face(A, down))")
    assert affected(parse_rules("a", BEFORE), parse_rules("b", changed)) == ALL
    less = BEFORE.replace("permits(A, 1)", "permits(A, 2)")
    assert affected(parse_rules("a", BEFORE), parse_rules("b", less)) == {"permits", "limit"}
    shuffled = "\n".join(reversed(BEFORE.splitlines()))
    assert affected(parse_rules("a", BEFORE), parse_rules("b", shuffled)) == frozenset()


# --- the boards of a scope ------------------------------------------------------------------------


def _tiny(monsters: int, texts: int) -> Scope:
    scope = read_scope("targets", {"monsters": monsters, "texts": texts, "back": 0, "applied": 0})
    data = {**scope.data, "postures": ["attack", "defense"], "races": ["warrior"], "atk": [1000]}
    return replace(scope, data=data, monster_texts=scope.monster_texts[:2])


def _count(control: Control) -> int:
    control.configuration.solve.models = 0  # type: ignore[union-attr]
    found = 0
    with control.solve(yield_=True) as models:
        for _ in models:
            found += 1
    return found


@pytest.mark.parametrize(
    ("monsters", "texts", "boards"),
    [
        # A monster lies in one of 2 ways: none or one of them on each side.
        (1, 0, 3 * 3),
        # Two alike monsters of one side may change places: 1 + 2 + 3 boards a side.
        (2, 0, 6 * 6),
        # One text out of two, or none: 6 kinds of monsters, so 1 + 6 + 21 boards a side.
        (2, 1, 28 * 28),
        # Up to two texts out of two, whatever their order: 8 kinds, so 1 + 8 + 36 boards a side.
        (2, 2, 45 * 45),
    ],
)
def test_boards_that_differ_in_the_order_of_a_side_are_made_once(
    monsters: int, texts: int, boards: int
) -> None:
    scope = _tiny(monsters, texts)
    control = over_all_boards(scope, (), ())
    assert _count(control) == boards
    assert scope.states() == boards


def test_every_board_of_a_scope_is_a_state() -> None:
    scope = read_scope("targets", SMALL)
    control = over_all_boards(scope, parse_rules("none", "invalid(0, 0) :- 1 = 0."), ())
    control.configuration.solve.models = 40  # type: ignore[union-attr]
    seen = 0
    with control.solve(yield_=True) as models:
        for model in models:
            state = scope.state(model.symbols(atoms=True))
            assert len({answer.action for answer in ask(state).actions}) > 0
            seen += 1
    assert seen == 40


def test_a_scope_that_does_not_exist_is_named() -> None:
    with pytest.raises(BattlejudgeError, match='no scope "target"; right would be targets'):
        read_scope("target")


# --- planted faults -------------------------------------------------------------------------------


@pytest.fixture
def plant(tmp_path: Path) -> Plant:
    """Return a function that gives the rule base with one text in one file replaced."""

    def planted(file: str, old: str, new: str) -> KnowledgeBase:
        for part in ("rules", "facts", "queries"):
            shutil.copytree(base() / part, tmp_path / part)
        path = tmp_path / file
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")
        return KnowledgeBase(rule_files(tmp_path))

    return planted


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("facts/rulings/priorities.lp", "level(must_attack, 2).", "level(must_attack, 3)."),
        ("facts/rulings/priorities.lp", "settles(2, one).", "settles(2, all)."),
        (
            "rules/battle_step/attackers.lp",
            "attacker_side(A), cannot_attack(X, N, A)",
            "attacker_side(A), cannot_attack(X, N, A), 1 = 0",
        ),
    ],
)
def test_a_planted_fault_is_found_on_a_small_board(
    plant: Plant, file: str, old: str, new: str
) -> None:
    found = compare(knowledge_base(), plant(file, old, new), read_scope("targets", SMALL))
    assert found.complete
    assert found.differences
    assert min(len(one.state.texts) for one in found.differences) <= 4


def test_rules_said_otherwise_are_equal(plant: Plant) -> None:
    old = "may_choose(A, T) :- could_target(A, T), not excluded(A, T)."
    new = (
        "may_choose(A, T) :- not gone(A, T), could_target(A, T).\n"
        "gone(Attacker, Target) :- excludes(_, Attacker, Target)."
    )
    other = plant("rules/battle_step/targets.lp", old, new)
    found = compare(knowledge_base(), other, read_scope("targets", SMALL))
    assert (found.complete, found.differences) == (True, ())


def test_a_planted_fault_is_told_with_both_answers_and_the_rulings(plant: Plant) -> None:
    other = plant("facts/rulings/priorities.lp", "level(must_attack, 2).", "level(must_attack, 3).")
    report = differences.differences(
        knowledge_base(), other, [read_scope("targets", TWO_MONSTERS)], limit=60
    )
    assert report.complete
    assert min(len(one.difference.state.texts) for one in report.told) <= 4
    data = differences.as_data(report)
    assert set(data) == {"differences", "scope", "complete", "states", "seconds"}
    assert any(one["a"] != one["b"] and "bs-050" in one["rulings"] for one in data["differences"])


def test_what_is_no_rule_base_is_said() -> None:
    with pytest.raises(BattlejudgeError, match="neither a folder nor a revision"), rule_base("nix"):
        pass


# --- properties -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] if name in _TWICE else [])
        for name in names()
        if read_property(name).scope == "targets"
    ],
)
def test_a_property_of_targets_holds_on_every_small_board(name: str) -> None:
    outcome = hold(read_property(name), knowledge_base(), read_scope("targets", SMALL))
    assert outcome.state is None


def test_there_are_properties_enough() -> None:
    assert len(names()) >= 20


def test_the_smallest_board_that_violates_a_property(tmp_path: Path) -> None:
    file = tmp_path / "nobody_is_bound.lp"
    rule = "violated(A) :- answer(attack(A, _), must)."
    file.write_text(f"% en: Nobody has to attack.\n% scope: targets\n{rule}\n")
    outcome = hold(read_property(str(file)), knowledge_base(), read_scope("targets", SMALL))
    assert outcome.state is not None
    # One monster that has to attack suffices: the opponent can be attacked directly.
    assert len(outcome.state.texts) == 1
    assert any(answer.how == "must" for answer in ask(outcome.state).actions)


def test_a_file_that_is_no_property_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "nothing.lp"
    file.write_text("fine(A) :- able(A).\n")
    with pytest.raises(BattlejudgeError, match="no rule concludes violated"):
        read_property(str(file))
