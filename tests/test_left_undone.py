"""No part of an effect is left undone without a reason: every script of the cases, step by step."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from py_bridge.answers import Speaker
from py_bridge.cases import Case, case_files, read_cases
from py_bridge.knowledge import knowledge_base
from py_bridge.labels import read_labels
from py_bridge.paths import base
from py_bridge.rehearsals import rehearse
from py_bridge.scripts import run_script
from py_bridge.timeline import reason_text

FILE = base() / "facts" / "rulings" / "cases" / "left_undone.yaml"
RULES = base() / "rules" / "chain" / "left_undone.lp"
# What each case of that file leaves undone, and why: card, effect, part, label.
EXPECTED = {
    "The target is unaffected by the effect.": ["a 1 1 undone_unaffected", "a 1 2 undone_then"],
    "The only monster that is there cannot be destroyed by effects.": ["a 1 1 undone_proof"],
    "The first part has sent away what the second would turn.": [
        "a 1 2 undone_impossible", "a 1 3 undone_impossible",
    ],
    "The target has left before the effect resolves, as a target of a text about counters does, "
    "too.": ["a 1 1 undone_target", "a 1 2 undone_target"],
    "There are fewer counters than the effect takes away.": ["a 1 1 undone_stock"],
    "No card is there to take counters, or to be destroyed.": [
        "a 1 1 undone_nothing_there", "a 1 2 undone_nothing_there",
    ],
    "No Monster Zone is free for the only monster that could be Summoned.": [
        "a 1 1 undone_no_room",
    ],
    "The text lets its player destroy up to two cards, and its player takes none.": [
        "a 1 1 undone_none_chosen",
    ],
    "The attacking monster is unaffected by the Trap that would stop its attack, or make it a "
    "direct attack.": [
        "wall 1 1 undone_attacker_unaffected", "wall 1 2 undone_attacker_unaffected",
        "wall 1 3 undone_attacker_unaffected",
    ],
    "A shift with damage calculation onto its own card, which has changed sides.": [
        "u 1 1 undone_shift_lost",
    ],
    "The attacking monster must attack another monster, and whether the attack can be shifted all "
    "the same is stated nowhere.": ["bait 1 2 undone_shift_unstated"],
    "The attacking monster cannot attack directly, so its attack does not become a direct one.": [
        "a 2 1 undone_not_directly",
    ],
    "The attack is a direct one already.": ["a 1 1 undone_already_direct", "a 1 2 undone_then"],
    "The attack has been negated further up in the chain, so there is none to negate.": [
        "wall 1 1 undone_no_attack", "wall 1 2 undone_then",
    ],
    "The only other monster has left, so there is nothing to shift the attack to.": [
        "bait 1 1 undone_nowhere",
    ],
    "A monster that can attack twice gains nothing from being able to attack twice; the other part "
    "is carried out.": ["a 2 2 undone_useless"],
    "The coin comes to the other side.": ["a 1 2 undone_result"],
    "What would be applied to the target, or to the card itself, finds neither any more.": [
        "a 1 1 undone_target", "b 1 1 undone_nothing_there",
    ],
    "What would be applied to the target, and to the monsters that the text names, finds only one "
    "that is unaffected.": ["a 1 1 undone_unaffected", "a 1 2 undone_unaffected"],
}  # fmt: skip


def left_undone(cases: Sequence[Case]) -> dict[str, tuple[set[str], set[str]]]:
    """What scripts leave undone, by what each shows: the parts with a reason, and those without.

    A part is left undone if it is processed (`handled`) and not carried out (`did`).
    """
    rules = knowledge_base()
    steps = {
        passed.step.facts: rehearsed.case.shows
        for rehearsed in rehearse(cases, rules)
        for passed in rehearsed.passed
        if passed.step
    }
    found: dict[str, tuple[set[str], set[str]]] = {case.shows: (set(), set()) for case in cases}
    models = rules.models(list(steps), ("starts", "told"))
    for shows, model in zip(steps.values(), models, strict=True):
        reasons = {}
        for by, what in model["told"]:
            if what.name == "left_undone":
                label, card, effect = map(str, by.arguments)
                part = str(what.arguments[0])
                reasons[part] = f"{card} {effect} {part} {label}"
        started = [fluent for (fluent,) in model["starts"]]
        processed, done = (
            {str(one.arguments[0]) for one in started if one.name == name}
            for name in ("handled", "did")
        )
        found[shows][0].update(reasons.values())
        found[shows][1].update((processed - done) ^ set(reasons))
    return found


def _scripts() -> list[Case]:
    cases = [case for file in case_files() for case in read_cases(file)]
    return [case for case in cases if case.script and not case.awaits]


def test_each_reason_has_its_case() -> None:
    found = left_undone(read_cases(FILE))
    assert {shows: sorted(told) for shows, (told, _) in found.items()} == EXPECTED
    assert [shows for shows, (_, without) in found.items() if without] == []
    told = {one.split()[-1] for reasons in EXPECTED.values() for one in reasons}
    assert told == set(read_labels([RULES])) - {"undone_part"}


def test_no_part_of_some_scripts_is_left_undone_without_a_reason() -> None:
    sample = _scripts()[::60]
    assert len(sample) > 5
    assert [shows for shows, (_, without) in left_undone(sample).items() if without] == []


@pytest.mark.slow
def test_no_part_is_left_undone_without_a_reason() -> None:
    found = left_undone(_scripts()[::4])
    assert [shows for shows, (_, without) in found.items() if without] == []
    assert sum(len(told) for told, _ in found.values()) > 9


@pytest.mark.parametrize(
    ("language", "says"),
    [("en", "T is unaffected by A ①."), ("zh", "T不受A ①影响。")],
)
def test_the_reason_names_the_card(language: str, says: str) -> None:
    (case,) = [one for one in read_cases(FILE) if one.shows.startswith("The target is unaff")]
    told = run_script(case.state, case.script)
    events = [event for one in told.performed for event in one.step.events]
    event = next(one for one in events if one.what.name == "left_undone")
    assert reason_text(event.reason, event.what, Speaker(case.state, language)) == says
