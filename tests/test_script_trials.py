"""Mutants that scripts of cases notice, and states of scripts as boards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from small_base import PLAYED_RULES, SCRIPT, SMALL_RULES, small_base

from py_bridge import audit
from py_bridge.audit import Audited, audited
from py_bridge.knowledge import Atoms, KnowledgeBase
from py_bridge.lockstep import in_step
from py_bridge.mutants import Mutant
from py_bridge.running import run
from py_bridge.trials import stirred

PLAYED = SMALL_RULES + PLAYED_RULES
COUNTED = "starts(declared(A,1)) :- do(attack(A,_))."


@pytest.fixture(scope="module")
def about(tmp_path_factory: pytest.TempPathFactory) -> Audited:
    folder = tmp_path_factory.mktemp("base")
    return audited(replace(small_base(folder, SCRIPT, PLAYED), scopes=()))


def _killers(about: Audited, made: dict[int, Mutant]) -> dict[int, int | None]:
    return about.script_trial.killers(made, stirred(about.bench, made))


def _rule(about: Audited, mutant: Mutant) -> str:
    return str(about.rules[mutant.rule].statement)


def test_a_script_is_performed(about: Audited) -> None:
    (played,) = about.rehearsals
    assert played.agrees
    assert [one.line for one in played.passed] == [0, 1, 1]
    assert any(fact == "do(attack(one,two))" for fact in played.passed[0].board)
    assert "holds(declared(one,1))" in played.passed[1].board
    assert len(about.bench.states) == 3


def test_a_rule_of_what_follows_is_noticed_missing(about: Audited) -> None:
    removed = {_rule(about, m): n for n, m in enumerate(about.mutants) if m.kind == "remove"}
    killers = _killers(about, dict(enumerate(about.mutants)))
    assert killers[removed[COUNTED]] == 0
    assert killers[removed["barred(A) :- holds(declared(A,1))."]] == 0
    assert killers[removed["starts(declared_in(A,attack)) :- do(attack(A,_))."]] is None


def test_scripts_kill_as_if_played_one_by_one(about: Audited, tmp_path: Path) -> None:
    made = dict(enumerate(about.mutants))
    killed = {number for number, one in _killers(about, made).items() if one is not None}
    one_by_one = set()
    for number, mutant in made.items():
        rules = [str(one.statement) for n, one in enumerate(about.rules) if n != mutant.rule]
        file = tmp_path / f"{number}.lp"
        file.write_text("\n".join([*rules, mutant.text or ""]), encoding="utf-8")
        if not run(about.cases[0], KnowledgeBase([file])).agrees:
            one_by_one.add(number)
    assert killed == one_by_one
    assert 0 < len(killed) < len(made)


def test_rules_are_exercised_by_scripts(about: Audited) -> None:
    fired = {str(r.statement): c for r, c in zip(about.rules, about.fired, strict=True)}
    assert len(fired[COUNTED]) == 1
    assert fired["barred(A) :- holds(position(A,defense)); not holds(face(A,down))."] == set()


def test_the_checks_take_in_scripts(about: Audited) -> None:
    assert audit.check_rulings(about).ok
    assert audit.check_blank_names(about).ok
    assert [one for one in audit.check_one_answer(about).found if "case" in one] == []


def test_a_script_that_cannot_be_performed_is_told(tmp_path: Path) -> None:
    again = SCRIPT.replace("attack three -> two\n", "attack one -> two\n", 1)
    check = audit.check_rulings(audited(small_base(tmp_path, again, PLAYED)))
    assert not check.ok
    assert "line 2: attack one -> two is not legal" in check.found[0]["wrong"][0]


def test_a_mutant_says_which_script_killed_it(about: Audited) -> None:
    numbers = [n for n, m in enumerate(about.mutants) if _rule(about, m) == COUNTED]
    tried = [one for _, one in audit.examine(about.source, numbers)]
    assert {one.by for one in tried if one.kind == "remove"} == {"cases.yaml:2"}


# --- tasks in step --------------------------------------------------------------------------------


def _counting(upto: int) -> Callable[[Callable[[str], Atoms]], int]:
    def work(ask: Callable[[str], Atoms]) -> int:
        return sum(len(ask(f"n({n})")["n"]) for n in range(upto))

    return work


def test_tasks_in_step_are_answered_together() -> None:
    rounds: list[list[str]] = []

    def answers(questions: Sequence[tuple[int, str]]) -> list[Atoms]:
        rounds.append([f"{key}:{question}" for key, question in questions])
        return [{"n": [()]} for _ in questions]

    tasks = ((key, _counting(key)) for key in (1, 3, 0))
    assert dict(in_step(tasks, answers, 2, kind=len)) == {0: 0, 1: 1, 3: 3}
    assert rounds == [["1:n(0)", "3:n(0)"], ["3:n(1)"], ["3:n(2)"]]


def test_questions_of_one_kind_are_answered_together() -> None:
    rounds: list[list[str]] = []

    def asking(*questions: str) -> Callable[[Callable[[str], Atoms]], int]:
        return lambda ask: sum(len(ask(one)) for one in questions)

    def answers(questions: Sequence[tuple[int, str]]) -> list[Atoms]:
        rounds.append([question for _, question in questions])
        return [{} for _ in questions]

    tasks = enumerate([asking("a1", "b1"), asking("b2"), asking("a3", "b3")])
    assert dict(in_step(tasks, answers, 3, kind=lambda one: one[0])) == {0: 0, 1: 0, 2: 0}
    assert rounds == [["a1", "a3"], ["b1", "b2", "b3"]]


def test_an_error_in_a_task_ends_all_of_them() -> None:
    ended: list[str] = []

    def waits(ask: Callable[[str], Atoms]) -> None:
        try:
            ask("first")
            ask("second")
        finally:
            ended.append("waits")

    def fails(ask: Callable[[str], Atoms]) -> None:
        ask("first")
        raise ValueError("no such thing")

    tasks = iter([("waits", waits), ("fails", fails)])
    with pytest.raises(ValueError, match="no such thing"):
        list(in_step(tasks, lambda questions: [{} for _ in questions], 2, kind=len))
    assert ended == ["waits"]
