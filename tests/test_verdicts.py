"""Verdicts on rulings, the words of the vocabulary, blanks, days and problems."""

from __future__ import annotations

import datetime

import pytest

from py_bridge import pages, verdicts, vocabulary
from py_bridge.blanks import blanked
from py_bridge.cases import Case, cases_of
from py_bridge.dates import EDITION_2026, check_day
from py_bridge.errors import BattlejudgeError, InputError, Problem, at_most, nearest, printable
from py_bridge.register import find, load
from py_bridge.verdicts import RESULTS, Report, RulingResult, report
from py_bridge.yaml_text import parse

CASE = """\
cases:
  - rulings: [bs-008]
    shows: a board
    {more}
    state:
      turn: 3
      turn_player:
        monsters: [{{card: {{name: First, card: monster, atk: 1, def: 0{effect}}}, id: first}}]
      non_turn_player:
        monsters: [{{card: {{name: Second, card: monster, atk: 1, def: 0}}, id: second}}]
    expect: {{attack first -> second: {expected}}}
"""
UNMODELLED = ", effects: [{nr: 1, unmodelled: attacks}]"
# A text that asks for the name that the card has: the same with blanks.
NAMED = (
    ", effects: [{nr: 1, kind: continuous, while: [{this: {name: First}}], "
    "says: [{cannot_attack: {}}]}]"
)


def case(expected: str = "may", effect: str = "", more: str = "exception: false") -> Case:
    text = CASE.format(expected=expected, effect=effect, more=more)
    (found,) = cases_of(parse(text, "folder/some.yaml"))
    return found


def result(*cases: Case, ruling: str = "bs-008", blank_names: bool = False) -> RulingResult:
    (registered,) = find([ruling])
    return verdicts._result(registered, cases, verdicts._Outcomes(cases, blank_names))


@pytest.mark.parametrize(
    ("cases", "outcome"),
    [
        ([case()], "agrees"),
        ([case("cannot")], "contradicts"),
        ([case(), case("must")], "contradicts"),
        ([case(effect=UNMODELLED)], "outside"),
        ([case("outside", UNMODELLED)], "agrees"),
        ([], "not-yet"),
        ([case(more="awaits: damage")], "not-yet"),
        ([case(), case(more="awaits: damage")], "not-yet"),
    ],
)
def test_results(cases: list[Case], outcome: str) -> None:
    found = result(*cases)
    assert (found.result, found.cases) == (outcome, len(cases))


def test_what_is_wrong_is_told_with_its_place() -> None:
    assert result(case("cannot")).wrong == (
        "some.yaml:2: attack first -> second: expected cannot, the rules say may",
    )


def test_what_the_register_leaves_open() -> None:
    open_rulings = [one for one in load().values() if one.status != "decided"]
    assert open_rulings
    one = [case()]
    outcomes = verdicts._Outcomes(one, False)
    for ruling in open_rulings:
        found = verdicts._result(ruling, one, outcomes)
        assert found.result == ("disputed" if ruling.status == "disputed" else "undecided")


def test_blanks_keep_what_texts_ask_for() -> None:
    found = result(case("cannot", NAMED), blank_names=True)
    assert (found.result, found.changed, found.exception) == ("agrees", False, False)


def test_a_report_holds_unless_contradicted() -> None:
    (ruling,) = find(["bs-008"])
    for outcome in RESULTS:
        found = Report((RulingResult(ruling, outcome, 1),))
        assert found.holds == (outcome != "contradicts")
    changed = RulingResult(ruling, "agrees", 1, changed=True)
    assert not Report((changed,)).holds
    assert Report((RulingResult(ruling, "agrees", 1, changed=True, exception=True),)).holds


def test_totals() -> None:
    (first, second) = find(["bs-008", "bp-001"])
    found = Report((RulingResult(first, "agrees", 1), RulingResult(second, "not-yet", 0)))
    totals = found.totals()
    assert list(totals) == list(RESULTS)
    assert {name: count for name, count in totals.items() if count} == {"agrees": 1, "not-yet": 1}
    assert set(found.by_topic()) == {first.topic, second.topic}
    assert found.by_topic()[first.topic]["agrees"] == 1


@pytest.fixture(scope="module")
def blank_report() -> Report:
    """The report on one ruling, with and without card names."""
    return report(["bs-049"], blank_names=True)


def test_a_report_as_data(blank_report: Report) -> None:
    data = verdicts.as_data(blank_report)
    assert set(data) == {"rulings", "totals", "topics"}
    (one,) = data["rulings"]
    assert (one["id"], one["edition"], one["kind"], one["result"]) == (
        "bs-049",
        2026,
        "rule",
        "agrees",
    )
    assert one["wrong"] == []
    assert one["changed_by_blank_names"] is False
    plain = Report(blank_report.results)
    assert "changed_by_blank_names" not in verdicts.as_data(plain)["rulings"][0]


def test_a_report_in_words(blank_report: Report) -> None:
    lines = pages.rulings(blank_report, True, "en")
    assert lines[0].startswith("bs-049: agrees (")
    chinese = pages.rulings(blank_report, True, "zh")
    assert "一致" in chinese[0]


def test_what_a_report_cannot_be_about() -> None:
    with pytest.raises(InputError, match="no ruling"):
        report(["bs-9999"])
    with pytest.raises(BattlejudgeError, match='--edition: no ruling has "2000"'):
        report(edition=2000)


# --- vocabulary -----------------------------------------------------------------------------------


def test_words_are_sorted_classes_before_operations() -> None:
    words = vocabulary.words()
    classes = [word.name for word in words if not word.operation]
    operations = [word.name for word in words if word.operation]
    assert [word.name for word in words] == classes + operations
    assert classes == sorted(classes)
    assert operations == sorted(operations)
    assert {"must_attack", "cannot_target"} <= set(classes)
    assert {"destroys", "applies"} <= set(operations)


def test_a_word() -> None:
    (word,) = [one for one in vocabulary.words() if one.name == "cannot_attack"]
    assert (word.en, word.zh, word.operation) == ("cannot attack", "不能攻击", False)
    assert "bs-088" in word.rulings


@pytest.mark.parametrize(
    ("language", "player", "step", "fluent"),
    [
        ("en", "the turn player", "End Step", "{1} is attacking {2}"),
        ("zh", "回合玩家", "结束步骤", "{1}正在攻击{2}"),
    ],
)
def test_wordings(language: str, player: str, step: str, fluent: str) -> None:
    found = vocabulary.wordings(language)
    assert found.terms["turn_player"] == player
    assert found.fluent_terms["step", "end"] == step
    assert found.fluents["attack"] == fluent


# --- blanks ---------------------------------------------------------------------------------------


def test_names_become_blanks() -> None:
    facts = [
        'holds(trait(one,name("Marauding Captain")))',
        'holds(trait(one,archetype("Hero")))',
        'want(f(captain_text,1,1,targets),trait(name("Marauding Captain")))',
        'want(f(captain_text,1,1,targets),trait(archetype("Say \\"Hero\\"")))',
        "has_text(captain,captain_text)",
    ]
    assert blanked(facts, ["captain_text"]) == [
        'holds(trait(one,name("blank 1")))',
        'holds(trait(one,archetype("family 2")))',
        'want(f(text_1,1,1,targets),trait(name("blank 1")))',
        'want(f(text_1,1,1,targets),trait(archetype("family 3")))',
        "has_text(captain,text_1)",
    ]


def test_a_name_that_is_an_archetype_too_has_one_number() -> None:
    facts = ['trait(a,name("Yubel"))', 'trait(b,archetype("Yubel"))', 'trait(c,name("Other"))']
    assert blanked(facts, []) == [
        'trait(a,name("blank 1"))',
        'trait(b,archetype("family 1"))',
        'trait(c,name("blank 2"))',
    ]


# --- days -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("day", [None, "2026-03-19", "2026-12-31", "20260401"])
def test_days_that_can_be_asked_of(day: str | None) -> None:
    assert datetime.date(2026, 3, 19) == EDITION_2026
    check_day(day)


@pytest.mark.parametrize("day", ["", "today", "2026-02-30", "19.3.2026", "２０２６-03-19"])
def test_what_is_no_day(day: str) -> None:
    with pytest.raises(BattlejudgeError) as error:
        check_day(day)
    assert str(error.value) == f'--as-of: "{day}" is no date; right would be 2026-03-19'


def test_days_before_the_edition() -> None:
    with pytest.raises(BattlejudgeError) as error:
        check_day("2026-03-18")
    assert str(error.value) == (
        "--as-of: 2026-03-18 lies before the edition that the rules state; "
        "right would be 2026-03-19 or later"
    )


# --- problems -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (Problem("a.yaml", 3, "wrong; right"), "a.yaml:3: wrong; right"),
        (Problem("a.yaml", None, "wrong; right"), "a.yaml: wrong; right"),
        (Problem("a.yaml", 3, "wrong; right", "x[0].y"), "a.yaml:3: x[0].y: wrong; right"),
        (Problem("a\n.yaml", 3, "wr\x1bong"), "a\\n.yaml:3: wr\\x1bong"),
    ],
)
def test_a_problem_is_one_line(problem: Problem, text: str) -> None:
    assert str(problem) == text


def test_many_problems_are_counted() -> None:
    problems = [Problem("a.yaml", line, "wrong") for line in range(1, 24)]
    shown = [str(one) for one in at_most(problems)]
    assert len(shown) == 21
    assert shown[-1] == "a.yaml: 3 more problems not listed; put the ones above right first"
    assert at_most(problems[:20]) == problems[:20]
    assert str(at_most(problems[:3], 2)[-1]).startswith("a.yaml: 1 more problem not listed; ")


def test_what_is_shown_is_printable_and_short() -> None:
    assert printable("a\tb") == "a\\tb"
    assert printable("abcdef", 4) == "abc…"
    assert printable("攻击") == "攻击"


@pytest.mark.parametrize(
    ("word", "close"),
    [
        ("Battle Step", ["battle_step"]),
        ("batle_step", ["battle_step"]),
        ("battle-step", ["battle_step"]),
        ("xyzzy", []),
    ],
)
def test_the_nearest_words(word: str, close: list[str]) -> None:
    assert nearest(word, ["battle_step", "damage_step", "yubel"]) == close


def test_an_empty_case_file_is_refused() -> None:
    with pytest.raises(InputError) as error:
        cases_of(parse("cases: []\n", "some.yaml"))
    (line,) = str(error.value).splitlines()
    assert line.startswith("some.yaml:1: cases: ")
