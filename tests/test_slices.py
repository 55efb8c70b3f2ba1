"""A slice of the rule base answers as the whole of it does."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from functools import lru_cache

import pytest
from boards import Data, boards, state_of
from clingo import Symbol
from hypothesis import HealthCheck, given, settings

from py_bridge.cases import Case, case_files, read_cases
from py_bridge.errors import InputError
from py_bridge.knowledge import KnowledgeBase, as_program, ground, knowledge_base, rule_files
from py_bridge.labels import parse_rules
from py_bridge.slices import Slicer
from py_bridge.states import read_state

WANTED = ("answer", "finding", "next", "forbids", "allows", "obliges", "invalid", "uses")
PAIRS = (("answer",), ("finding",), ("next",), ("precedence", "forbids"), ("chooses",))

settings.register_profile(
    "slices",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@lru_cache(maxsize=1)
def _cases() -> list[Case]:
    found = []
    for file in case_files():
        try:
            found += read_cases(file)
        except InputError:  # told by the tests of the case files
            continue
    return found


def _whole(facts: Sequence[str]) -> dict[str, set[tuple[Symbol, ...]]]:
    """The model of the whole rule base, by predicate."""
    found: dict[str, set[tuple[Symbol, ...]]] = {}
    control = ground(knowledge_base().statements, as_program(facts))
    for atom in control.symbolic_atoms:
        found.setdefault(atom.symbol.name, set()).add(tuple(atom.symbol.arguments))
    return found


def _differing(facts: Sequence[str], wanted: Sequence[str]) -> dict[str, set[tuple[Symbol, ...]]]:
    """What is in the model of the slice alone, or of the whole alone, by wanted predicate."""
    sliced, whole = knowledge_base().model(facts, wanted), _whole(facts)
    return {
        name: difference
        for name in wanted
        if (difference := set(sliced[name]) ^ whole.get(name, set()))
    }


def _case_facts(case: Case) -> list[str]:
    from py_bridge.phrases import action

    extra = [f"do({action(case.data['do'])})"] if "do" in case.data else []
    return [*case.state.facts(), *extra]


def _some(cases: Iterable[Case], count: int) -> list[Case]:
    cases = list(cases)
    return random.Random(3).sample(cases, min(count, len(cases)))


def test_of_some_cases() -> None:
    cases = _some(_cases(), 6)
    assert cases
    for case in cases:
        assert _differing(_case_facts(case), WANTED) == {}, (case.file, case.line)


@pytest.mark.slow
def test_of_many_cases() -> None:
    cases = _some(_cases(), 25)
    assert cases
    for case in cases:
        assert _differing(_case_facts(case), WANTED) == {}, (case.file, case.line)


@pytest.mark.slow
@pytest.mark.parametrize("wanted", PAIRS, ids=" ".join)
def test_of_other_questions_on_some_cases(wanted: tuple[str, ...]) -> None:
    for case in _some(_cases(), 10):
        assert _differing(_case_facts(case), wanted) == {}, (case.file, case.line)


@settings(settings.get_profile("slices"), max_examples=5)
@given(board=boards())
def test_of_random_boards(board: Data) -> None:
    assert _differing(state_of(board).facts(), WANTED) == {}


@pytest.mark.slow
@settings(settings.get_profile("slices"), max_examples=15)
@given(board=boards())
def test_of_many_random_boards(board: Data) -> None:
    assert _differing(state_of(board).facts(), WANTED) == {}


@pytest.mark.parametrize("wanted", PAIRS[:2], ids=" ".join)
def test_of_other_questions(wanted: tuple[str, ...]) -> None:
    state = read_state(rule_files()[0].parents[2] / "facts" / "boards" / "two_captains.yaml")
    assert _differing(state.facts(), wanted) == {}


# --- which rules are kept -------------------------------------------------------------------------

RULES = """\
bars(A) :- clause(X, cannot), binds(X, A).
bars(A) :- holds(negated(A)).
binds(X, A) :- holds(chosen(X, A)).
able(A) :- holds(in(A, zone)), not bars(A).
other(A) :- able(A).
"""


@pytest.mark.parametrize(
    ("wanted", "facts", "kept"),
    [
        ("able", ["holds(in(a,zone))"], {"able"}),
        ("able", ["holds(in(a,zone))", "holds(negated(a))"], {"able", "bars"}),
        # No clause that bars anything: whom it binds does not matter.
        ("able", ["holds(in(a,zone))", "clause(x,may)", "holds(chosen(x,a))"], {"able"}),
        (
            "able",
            ["holds(in(a,zone))", "clause(x,cannot)", "holds(chosen(x,a))"],
            {"able", "binds", "bars"},
        ),
        # Nobody in the zone: nobody is able, barred or not.
        ("able", ["holds(in(a,hand))", "holds(negated(a))"], set()),
        ("binds", ["holds(in(a,zone))", "holds(chosen(x,a))"], {"binds"}),
    ],
)
def test_what_a_question_can_need(wanted: str, facts: list[str], kept: set[str]) -> None:
    slicer = Slicer(parse_rules("some.lp", RULES), (wanted,))
    rules = [str(statement) for statement in slicer.of(facts)]
    assert {rule.partition("(")[0] for rule in rules if ":-" in rule} == kept


def test_states_of_one_profile_share_a_slice() -> None:
    slicer = Slicer(parse_rules("some.lp", RULES), ("able",))
    first = slicer.of(["holds(in(a,zone))"])
    assert slicer.of(["holds(in(b,zone))", "holds(in(c,zone))"]) is first
    assert slicer.of(["holds(negated(b))"]) is not first


def test_a_rule_base_without_the_question_finds_nothing() -> None:
    assert KnowledgeBase(()).model(["holds(a)"], ("able",)) == {"able": []}
