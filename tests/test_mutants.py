"""Mutants, the cases that notice them, and the boards that would."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from clingo import Control
from clingo.ast import ASTType
from small_base import SMALL_RULES, small_base

from py_bridge.cases import Case, complaints, facts_of
from py_bridge.coverage import Bench, cases_to_run, exercised, rules_with_places
from py_bridge.labels import parse_rules
from py_bridge.mutants import Dependencies, Mutant, mutants
from py_bridge.nearby import crowded, near
from py_bridge.scopes import read_scope
from py_bridge.survivors import Yardstick
from py_bridge.trials import Trial, stirred

Made = set[tuple[str, str | None]]


def _mutants(text: str) -> list[Mutant]:
    return mutants([s for s in parse_rules("rules", text) if s.ast_type == ASTType.Rule])


def _made(text: str, rule: int = 0) -> Made:
    return {(one.kind, one.text) for one in _mutants(text) if one.rule == rule}


# --- which mutants there are ----------------------------------------------------------------------


def test_mutants_of_a_rule() -> None:
    rule = "barred(A) :- able(A), not spared(A), turns(A, J), J < 2.\n"
    assert _made(rule) == {
        ("remove", None),
        ("drop", "barred(A) :- not spared(A); turns(A,J); J < 2."),
        ("drop", "barred(A) :- able(A); turns(A,J); J < 2."),
        ("drop", "barred(A) :- able(A); not spared(A); turns(A,J)."),
        ("negate", "barred(A) :- not able(A); not spared(A); turns(A,J); J < 2."),
        ("negate", "barred(A) :- able(A); spared(A); turns(A,J); J < 2."),
        ("compare", "barred(A) :- able(A); not spared(A); turns(A,J); J <= 2."),
        ("compare", "barred(A) :- able(A); not spared(A); turns(A,J); J >= 2."),
        ("constant", "barred(A) :- able(A); not spared(A); turns(A,J); J < 3."),
    }


def test_constants_change_into_others_of_their_place() -> None:
    rules = """\
low(A) :- holds(position(A, defense)).
high(A) :- holds(position(A, attack)).
down(A) :- holds(face(A, down)).
"""
    swapped = {text for kind, text in _made(rules) if kind == "constant"}
    assert swapped == {"low(A) :- holds(position(A,attack))."}
    # Nothing else stands where `down` does.
    assert _made(rules, 2) == {("remove", None)}


def test_functors_change_and_reasons_do_not() -> None:
    rules = """\
bars(by(position, rule, 0), A) :- wants(A, all(A)).
bars(by(turn, rule, 0), A) :- wants(A, none(A)).
"""
    assert _made(rules) == {
        ("remove", None),
        ("constant", "bars(by(position,rule,0),A) :- wants(A,none(A))."),
    }


def test_parts_of_an_aggregate_change() -> None:
    made = _made("last(J) :- on, J = #max { I : link(I), not gone(I) }.\n")
    assert ("compare", "last(J) :- on; J = #min { I: link(I), not gone(I) }.") in made
    assert ("negate", "last(J) :- on; J = #max { I: link(I), gone(I) }.") in made
    assert ("drop", "last(J) :- on; J = #max { I: link(I) }.") in made


def test_facts_are_removed_and_changed_but_not_words() -> None:
    facts = 'level(must_attack, 2).\nlevel(cannot_target, 3).\nwording(must_attack, "a", "b").\n'
    assert _made(facts) == {
        ("remove", None),
        ("constant", "level(cannot_target,2)."),
        ("constant", "level(must_attack,3)."),
    }
    assert _made(facts, 2) == set()


def test_no_circle_through_negation_is_made() -> None:
    rules = "p(X) :- d(X), q(X).\nq(X) :- d(X), p(X).\nr(X) :- d(X), p(X).\n"
    assert ("negate", "p(X) :- d(X); not q(X).") not in _made(rules)
    assert ("negate", "r(X) :- d(X); not p(X).") in _made(rules, 2)


def test_no_recursion_without_end_is_made() -> None:
    rules = "n(0) :- on.\nn(I + 1) :- n(I), below(I), on.\n"
    kept = {text for kind, text in _made(rules, 1) if kind in ("drop", "negate")}
    assert kept == {"n((I+1)) :- below(I); on."}


def test_dependencies() -> None:
    rules = parse_rules("rules", "a(X) :- b(X), not c(X).\nc(X) :- d(X).\nb(X) :- b(Y), e(X, Y).\n")
    depends = Dependencies(rule for rule in rules if rule.ast_type == ASTType.Rule)
    assert depends.rests_on(("a", 1)) == {(one, 1) for one in "abcd"} | {("e", 2)}
    assert depends.supports(("d", 1)) == {("d", 1), ("c", 1), ("a", 1)}
    assert depends.is_recursive(("b", 1))
    assert not depends.is_recursive(("a", 1))


# --- which cases notice them ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Trial:
    source = small_base(tmp_path_factory.mktemp("base"))
    cases = cases_to_run(source.cases)
    rules = rules_with_places(source.folder)
    return Trial(Bench(rules, [facts_of(case) for case in cases]), cases)


def _asked_one_by_one(program: Iterable[str], case: Case) -> bool:
    """Whether a program, grounded for one case alone, meets what the case expects."""
    control = Control(["--warn=none"])
    facts = "".join(f"{fact}.\n" for fact in facts_of(case))
    control.add("base", [], "\n".join(program) + "\n" + facts)
    control.ground([("base", [])])
    names = ("answer", "finding", "next", "forbids", "allows", "obliges", "invalid")
    atoms = {
        name: [
            tuple(atom.symbol.arguments)
            for got, arity, _ in control.symbolic_atoms.signatures
            if got == name
            for atom in control.symbolic_atoms.by_signature(name, arity)
        ]
        for name in names
    }
    return not list(complaints(case, atoms))


def test_mutants_are_killed_as_if_tried_one_by_one(trial: Trial) -> None:
    rules = [rule.statement for rule in trial.bench.rules]
    made = dict(enumerate(mutants(rules)))
    killed = {number for number, case in trial.killers(made).items() if case is not None}
    one_by_one = set()
    for number, mutant in made.items():
        program = [str(rule) for n, rule in enumerate(rules) if n != mutant.rule]
        program += [mutant.text] if mutant.text else []
        if not all(_asked_one_by_one(program, case) for case in trial.cases):
            one_by_one.add(number)
    assert killed == one_by_one
    assert 0 < len(killed) < len(made)


def test_the_case_named_notices_the_mutant(trial: Trial) -> None:
    rules = [rule.statement for rule in trial.bench.rules]
    made = dict(enumerate(mutants(rules)))
    for number, case in trial.killers(made).items():
        if case is not None:
            program = [str(rule) for n, rule in enumerate(rules) if n != made[number].rule]
            program += [made[number].text or ""]
            assert not _asked_one_by_one(program, trial.cases[case]), made[number]


def test_what_changes_is_what_the_changed_rules_conclude(trial: Trial) -> None:
    rules = [rule.statement for rule in trial.bench.rules]
    made = dict(enumerate(mutants(rules)))
    states = range(len(trial.cases))
    pairs = [(number, state) for number in made for state in states]
    changed = dict(trial.changes(made, pairs, ("answer", "finding")))
    assert changed
    for number, state in pairs:
        program = [str(rule) for n, rule in enumerate(rules) if n != made[number].rule]
        now = _concluded_alone([*program, made[number].text or ""], trial.cases[state])
        before = _concluded_alone(map(str, rules), trial.cases[state])
        other = {name: atoms for name, atoms in now.items() if atoms != before[name]}
        found = changed.get((number, state), {})
        assert {name: set(map(str, atoms)) for name, atoms in found.items()} == other


def _concluded_alone(program: Iterable[str], case: Case) -> dict[str, set[str]]:
    """Return the answers and findings of a program grounded for one case."""
    control = Control(["--warn=none"])
    control.add("base", [], "\n".join([*program, *(f"{fact}." for fact in facts_of(case))]))
    control.ground([("base", [])])
    return {
        name: {
            str(tuple(atom.symbol.arguments))
            for atom in control.symbolic_atoms.by_signature(name, arity)
        }
        for name, arity in (("answer", 2), ("finding", 1))
    }


def test_more_is_asked_on_top_of_what_holds(trial: Trial) -> None:
    for _ in range(2):
        read = trial.bench.ask("__my_met(A,S) :- could(A,_,S), not barred(A,S).")
        assert [tuple(map(str, atom.arguments)) for atom in read("met", 2)] == [("one", "0")]


def test_where_a_rule_concludes_the_same_nothing_is_tried(trial: Trial) -> None:
    rules = [rule.statement for rule in trial.bench.rules]
    useless = [
        (number, one)
        for number, one in enumerate(mutants(rules))
        if one.text == "idle(A) :- could(A,_)."
    ]
    ((number, mutant),) = useless
    assert stirred(trial.bench, {number: mutant}) == {number: []}


def test_what_no_case_can_expect_is_told(trial: Trial) -> None:
    unseen = {
        str(rule.statement)
        for number, rule in enumerate(trial.bench.rules)
        if not trial.is_observed(number)
    }
    assert unseen == {"loud(A) :- holds(value(A,atk,_))."}


def test_which_rules_a_case_exercises(trial: Trial) -> None:
    fired = {
        str(rule.statement): cases
        for rule, cases in zip(trial.bench.rules, exercised(trial.bench), strict=True)
    }
    assert fired["barred(A) :- holds(position(A,defense)); not holds(face(A,down))."] == {1}
    assert fired["answer(attack(A,T),may) :- could(A,T); not barred(A)."] == {0}
    assert fired["strong(1500)."] == {0, 1}


# --- which boards would ---------------------------------------------------------------------------


def _told(text: str, changed: str | None) -> tuple[str, str]:
    """Return what the smallest boards say of the first rule of a text and a change of it."""
    rules = [s for s in parse_rules("rules", text) if s.ast_type == ASTType.Rule]
    statement = parse_rules("changed", changed)[-1] if changed else None
    yardstick = Yardstick(rules, read_scope("targets", {"monsters": 1}))
    (told,) = yardstick.tell({7: Mutant(0, "drop", changed, statement)}).values()
    return told.result, told.board


def test_a_board_tells_a_mutant() -> None:
    result, board = _told(SMALL_RULES.replace("\n\n", "\n"), None)
    assert result == "told"
    assert board.count("id:") == 2


def test_equal_on_every_board() -> None:
    rules = "answer(attack(A, player), may) :- holds(face(A, up)), holds(in(A, monster_zone)).\n"
    same = "answer(attack(A, player), may) :- holds(face(A, up)), holds(controller(A, _)), "
    same += "holds(in(A, monster_zone)).\n"
    assert _told(rules, same) == ("equal", "")


def test_a_rule_that_no_board_uses() -> None:
    rules = "answer(attack(A, player), may) :- holds(direct_by(A)).\n"
    assert _told(rules, None) == ("unused", "")


def test_the_folder_of_the_small_base_is_read(tmp_path: Path) -> None:
    rules = rules_with_places(small_base(tmp_path).folder)
    assert rules[0].place == "rules/small.lp:4"
    assert rules[0].label is not None
    assert rules[0].label.name == "small_could"


# --- boards near a case ---------------------------------------------------------------------------


def test_boards_near_one_differ_in_one_fact() -> None:
    facts = ["holds(position(a,attack))", "holds(used(a,1))", "has_text(a,t)", "want(f,is(this))"]
    told = {board.words: set(board.facts) ^ set(facts) for board in near("x", facts)}
    assert told == {
        "like x, but holds(position(a,defense))": {
            "holds(position(a,attack))",
            "holds(position(a,defense))",
        },
        "like x, but without holds(used(a,1))": {"holds(used(a,1))"},
        "like x, but without want(f,is(this))": {"want(f,is(this))"},
        "like x, but holds(negated(a))": {"holds(negated(a))"},
    }


def test_a_crowded_board_keeps_its_own_texts() -> None:
    facts = ["has_text(a,t)", "clause(t,1,1,pierces)"]
    other = ["holds(in(b,monster_zone))", "has_text(b,t)", "want(f(t,1),is(this))"]
    board = crowded("x", facts, other)
    assert set(facts) < set(board.facts)
    assert "has_text(aside0,aside_t)" in board.facts
    assert "want(f(aside_t,1),is(this))" in board.facts
    assert "holds(in(aside0,graveyard))" in board.facts
    assert not any("(b," in fact for fact in board.facts)
