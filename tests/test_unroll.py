"""Scripts over all boards: the unrolled rules, two readings told apart, properties of steps."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from clingo import Function, Number, Symbol

from py_bridge import differences
from py_bridge.compare import compare
from py_bridge.knowledge import KnowledgeBase, knowledge_base, rule_files
from py_bridge.labels import parse_rules
from py_bridge.paths import base
from py_bridge.phrases import action
from py_bridge.play import begin, step
from py_bridge.properties import hold, read_property
from py_bridge.scopes import Scope, read_scope
from py_bridge.search import smallest
from py_bridge.unroll import depending, moments, over_all_scripts, script_of, steps

BEFORE = """\
next(F) :- holds(F), not ends(F).
next(F) :- starts(F).
ends(face(C, down)) :- do(attack(C, T)), holds(face(C, down)).
starts(attack(A, T)) :- do(attack(A, T)), reachable(T).
reachable(player).
"""
AFTER = """\
next(F,__S) :- __state(__S); holds(F,__S); not ends(F,__S).
next(F,__S) :- __state(__S); starts(F,__S).
ends(face(C,down),__S) :- __state(__S); do(attack(C,T),__S); holds(face(C,down),__S).
starts(attack(A,T),__S) :- __state(__S); do(attack(A,T),__S); reachable(T).
reachable(player).
"""
# Which of the Set cards of the scope attack_chains: one banishes the attacker, one binds a monster.
BANISHES, BINDS = 0, 1
SCRIPT = (
    "attack a1 directly", "pass turn_player", "activate sd1 1 on a1", "activate sa1 1 on a1",
    "pass non_turn_player", "pass turn_player", "go on", "go on", "go on", "go on",
)  # fmt: skip


def _scope(length: int, cards: Sequence[int] = (BANISHES, BINDS)) -> Scope:
    scope = read_scope("attack_chains", {"script": length})
    return replace(scope, set_texts=tuple(scope.set_texts[card] for card in cards))


def test_every_predicate_that_depends_on_the_moment_bears_its_number() -> None:
    scope = read_scope("attack_chains", {"script": 4})
    lifted = moments(parse_rules("before", BEFORE), scope, ("next",))
    assert sorted(map(str, lifted)) == sorted(AFTER.splitlines())
    assert ("next", 1) in depending(parse_rules("before", BEFORE)[1:])


def _by_moment(atoms: Sequence[Symbol], last: int) -> list[set[str]]:
    found: list[set[str]] = [set() for _ in range(last + 1)]
    for atom in atoms:
        if atom.match("holds", 2):
            found[atom.arguments[1].number].add(str(atom.arguments[0]))
    return found


def test_the_unrolled_rules_go_through_a_script_as_single_steps_do() -> None:
    scope = _scope(len(SCRIPT))
    given = "".join(
        f"gen_can({action(w)}, {n}).\ngen_do({action(w)}, {n}).\n" for n, w in enumerate(SCRIPT)
    )
    board = "gen_carries(sa1, set_text_2). gen_carries(sd1, set_text_1). :- not gen_present(a1)."
    program = [*moments(knowledge_base().statements, scope), *steps("", ())]
    control = over_all_scripts(scope, [*program, *parse_rules("given", given + board)], ())
    atoms = smallest(control, Function("gen_do", [Function("go_on"), Number(len(SCRIPT) - 1)]))
    assert atoms is not None
    assert script_of(atoms) == SCRIPT
    unrolled = _by_moment(atoms, len(SCRIPT))
    state = begin(scope.state([a for a in atoms if not a.match("holds", 2)]))
    for number, words in enumerate(SCRIPT):
        state = step(state, action(words)).state
        assert _told(unrolled[number + 1]) == _told(state.fluents)
    assert "in(a1,banished)" in state.fluents


def _told(fluents: Iterable[str]) -> set[str]:
    """Return fluents without the names of cards, which boards of a scope have none of."""
    return {fluent for fluent in fluents if not fluent.startswith("trait(")}


def _changed(folder: Path, name: str, old: str, new: str) -> KnowledgeBase:
    """Return the rules of the package with one text in one file replaced by another."""
    for part in ("rules", "facts", "queries"):
        shutil.copytree(base() / part, folder / part)
    file = folder / "rules" / name
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
    return KnowledgeBase(rule_files(folder))


@pytest.fixture
def stops_at_its_link(tmp_path: Path) -> KnowledgeBase:
    """Return rules by which an attack stops at the chain link that forbids it."""
    old = "want(F, is(attacker)), not attacking(M)."
    also = "asks_still(C, N, F, M), want(F, is(attacker)), cannot_attack(_, _, M)."
    return _changed(tmp_path, "chain/targeting.lp", old, f"{old}\nslot_lost(C, N, F, M) :- {also}")


@pytest.mark.slow
def test_when_an_attack_stops_is_told_by_two_cards_in_one_chain(
    stops_at_its_link: KnowledgeBase,
) -> None:
    report = differences.differences(knowledge_base(), stops_at_its_link, [_scope(10)], limit=300)
    assert report.complete
    moved = next(one for one in report.told if str(one.difference.kind) == "moved")
    assert ("in(a1,banished)", "holds", "does not hold") in moved.answers
    first, second = [words for words in moved.difference.script if words.startswith("activate")]
    texts = moved.difference.state.texts
    does = [texts[words.split()[1]].effects()[0] for words in (first, second)]
    assert "does" in does[0]
    assert "says" in does[1]


@pytest.mark.slow
def test_rules_said_otherwise_come_to_the_same_by_every_script(tmp_path: Path) -> None:
    said_otherwise = _changed(
        tmp_path,
        "battle_step/attack_stop.lp",
        "over :- holds(attack_over(_)).",
        "over :- ended.\nended :- holds(attack_over(_)).",
    )
    found = compare(knowledge_base(), said_otherwise, _scope(7))
    assert (found.complete, found.differences) == (True, ())


def test_a_property_that_fails_comes_with_its_script(tmp_path: Path) -> None:
    file = tmp_path / "never_banished.lp"
    file.write_text("violated(C) :- next(in(C, banished)).\n", encoding="utf-8")
    found = hold(read_property(str(file)), knowledge_base(), _scope(7))
    assert found.state is not None
    assert [words.split()[0] for words in found.script][-1] == "go"
    assert any(words.startswith("activate") for words in found.script)
    assert {str(atom.arguments[0]) for atom in found.where} == {"a1"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["one_place", "one_controller", "never_stuck", "one_holds_priority"]
)
def test_properties_of_every_step_hold(name: str) -> None:
    assert hold(read_property(name), knowledge_base(), _scope(7)).state is None
