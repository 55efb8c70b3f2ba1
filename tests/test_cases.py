"""Documented rulings against the rules, and the case files and the card library as data."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from clingo import Symbol, SymbolType
from clingo.ast import ASTType
from lp_tree import nodes, rules_of

from py_bridge import register
from py_bridge.answers import ask
from py_bridge.cases import Case, Dispute, case_files, cases_of, read_cases
from py_bridge.errors import InputError
from py_bridge.formats import card_schema
from py_bridge.knowledge import labels, rule_files
from py_bridge.paths import base
from py_bridge.phrases import attacker_of, finding
from py_bridge.running import run, run_all
from py_bridge.scripts import line_data
from py_bridge.structure import check
from py_bridge.yaml_text import Document, parse, parse_documents

FILES = case_files()
CARD_FILES = sorted((base() / "facts" / "cards").glob("*.yaml"))
WORD = re.compile(r"[a-z][a-z0-9_]*")
VERBS = {"attack", "directly", "on", "give", "up", "enter", "activate", "pass"}


def _readable(file: Path) -> list[Case]:
    """The cases of a file; none if it cannot be read, which a test of its own shows."""
    try:
        return read_cases(file)
    except InputError:
        return []


CASES = [case for file in FILES for case in _readable(file)]
READY = [case for case in CASES if not case.awaits]
BOARDS = [case for case in READY if not case.script]
SCRIPTS = [case for case in READY if case.script]
# Scripts of at most so many lines are played every day, the others by the slow tests.
SHORT = 4
SHORTEST = [case for case in SCRIPTS if len(case.script) <= 2]
# Groundings into which the boards are put, for two processes to share.
PARTS = 6


def _id(case: Case) -> str:
    return f"{Path(case.file).stem}:{case.line} {' '.join(case.rulings)}"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_case_file_can_be_read(file: Path) -> None:
    problems: tuple[Any, ...] = ()
    try:
        assert read_cases(file)
    except InputError as error:
        problems = error.problems
    assert problems == ()


# Scripts are played in step: the rules are asked again as long as the longest of them goes on.
@pytest.mark.slow
def test_the_rules_agree_with_the_long_scripts() -> None:
    _assert_agreed([case for case in SCRIPTS if not _is_short(case)])


def test_the_rules_agree_with_the_short_scripts() -> None:
    _assert_agreed([case for case in SCRIPTS if _is_short(case)])


def _is_short(case: Case) -> bool:
    """Whether a script has few lines, and none that goes on into the Damage Step or past it."""
    done = [str(line_data(line).get("do", "")) for line in case.script]
    return len(done) <= SHORT and not any("damage_step" in words for words in done)


@pytest.mark.parametrize(
    "blanks", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["named", "blank"]
)
@pytest.mark.parametrize("part", range(PARTS))
def test_the_rules_agree_with_the_boards(part: int, blanks: bool) -> None:
    boards = [case for case in BOARDS if not (blanks and case.exception)]
    _assert_agreed(boards[part::PARTS], blanks=blanks)


# One by one they come to the same as many together.
@pytest.mark.parametrize("case", [*BOARDS[::400], *SHORTEST[::8]], ids=_id)
def test_the_rules_agree(case: Case) -> None:
    assert run(case).wrong == ()


@pytest.mark.slow
@pytest.mark.parametrize("case", [*BOARDS[::120], *SCRIPTS[::120]], ids=_id)
def test_the_rules_agree_with_more_cases_one_by_one(case: Case) -> None:
    assert run(case).wrong == ()


# Far from the other long test, so that two processes have one each.
@pytest.mark.slow
def test_the_rules_agree_with_the_scripts_with_blanks() -> None:
    _assert_agreed([case for case in SCRIPTS if not case.exception], blanks=True)


def _assert_agreed(cases: list[Case], *, blanks: bool = False) -> None:
    assert len(cases) > 90
    verdicts = run_all(cases, blanks=blanks)
    assert [(_id(one.case), one.wrong) for one in verdicts if not one.agrees] == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_rulings_of_cases_are_registered(file: Path) -> None:
    cited = {one for case in _readable(file) for one in case.rulings}
    assert cited - set(register.ids()) == set()


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_each_case_says_what_it_shows(file: Path) -> None:
    shows = [case.shows for case in _readable(file)]
    assert [text for text in shows if not re.fullmatch(r"\S.{15,}[.?]\"?", text)] == []
    assert [text for text, count in Counter(shows).items() if count > 1] == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_refusals_of_cases_are_labels_and_cards(file: Path) -> None:
    refused = [
        (case, label, one)
        for case in _readable(file)
        for label, ones in case.invalid.items()
        for one in ones
    ]
    assert [(c.line, label) for c, label, _ in refused if label not in labels()] == []
    assert [(c.line, one) for c, _, one in refused if one not in {*_ids_of(c), "turn"}] == []


def _ids_of(case: Case) -> set[str]:
    return {*case.state.texts, "player"}


def _named(case: Case) -> Iterator[str]:
    """The ids that the expectations about actions name."""
    for key in ("expect", "reasons", "reasons_not", "targets"):
        for phrase, value in case.data.get(key, {}).items():
            if phrase.startswith(("enter", "pass")):
                continue
            yield from set(WORD.findall(phrase)) - VERBS
            yield from value if key == "targets" else ()


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_expectations_name_cards_of_the_state(file: Path) -> None:
    # `attack nobody: cannot` would agree whatever the rules say.
    missing = [
        (case.line, one)
        for case in _readable(file)
        if not case.awaits
        for one in _named(case)
        if one not in _ids_of(case)
    ]
    assert missing == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_whole_attackers_are_the_turn_players(file: Path) -> None:
    # `attack A` is about the attacks that A could make, so A has to be one of those who attack.
    wrong = [
        (case.line, attacker)
        for case in _readable(file)
        if not case.awaits
        for phrase in case.data.get("expect", {})
        if (attacker := attacker_of(phrase))
        and f"controller({attacker},turn_player)" not in case.state.fluents
    ]
    assert wrong == []


@lru_cache
def _concluded_inside(predicates: tuple[str, ...]) -> set[str]:
    """Names of the terms that rules conclude as the argument of these predicates."""
    found = set()
    for rule in rules_of(rule_files()):
        for head in nodes(rule.head, ASTType.SymbolicAtom):
            term = head.symbol
            if term.ast_type == ASTType.Function and term.name in predicates:
                argument = term.arguments[0]
                if argument.ast_type == ASTType.Function:
                    found.add(argument.name)
                elif argument.ast_type == ASTType.SymbolicTerm:
                    found.add(argument.symbol.name)
    return found


def _name(term: Symbol) -> str:
    return term.name if term.type == SymbolType.Function else ""


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_findings_of_cases_are_ones_that_rules_give(file: Path) -> None:
    # A misspelt finding is never found, so `finds_not` would agree whatever the rules say.
    possible = _concluded_inside(("finding",))
    unknown = [
        (case.line, text)
        for case in _readable(file)
        if not case.awaits
        for key in ("finds", "finds_not")
        for text in case.data.get(key, ())
        if _name(finding(text)) not in possible
    ]
    assert unknown == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_reasons_of_cases_are_labels(file: Path) -> None:
    unknown = [
        (case.line, label)
        for case in _readable(file)
        for key in ("reasons", "reasons_not")
        for wanted in case.data.get(key, {}).values()
        for label in wanted
        if label not in labels()
    ]
    assert unknown == []


# --- reading and running cases --------------------------------------------------------------------

BOARD = """\
    state:
      turn: 3
      turn_player: {monsters: [{card: {name: First, card: monster, atk: 1000, def: 0}, id: first}]}
      non_turn_player:
        monsters: [{card: {name: Second, card: monster, atk: 1000, def: 0}, id: second}]
"""


def _one(more: str, state: str = BOARD) -> list[Case]:
    text = f"cases:\n  - rulings: [bs-008]\n    shows: a board\n{state}{more}"
    return cases_of(parse(text, "some.yaml"))


def _refusal(more: str, state: str = BOARD) -> list[str]:
    with pytest.raises(InputError) as error:
        _one(more, state)
    return str(error.value).splitlines()


def test_a_case_knows_where_it_stands() -> None:
    (case,) = _one("    expect: {attack first -> second: may}\n    awaits: damage\n")
    assert (case.file, case.line, case.rulings) == ("some.yaml", 2, ("bs-008",))
    assert (case.shows, case.awaits, case.exception) == ("a board", "damage", False)


@pytest.mark.parametrize(
    ("expectation", "wrong"),
    [
        ("expect: {attack first -> second: may}", ()),
        (
            "expect: {attack first -> second: cannot}",
            ("attack first -> second: expected cannot, the rules say may",),
        ),
        (
            "expect: {attack first directly: may}",
            ("attack first directly: expected may, the rules say cannot",),
        ),
        (
            "expect: {enter the_kitchen: may}",
            ("enter the_kitchen: expected may, the rules say nothing",),
        ),
        ("expect: {attack first: may, attack: may}", ()),
        ("targets: {first: [second]}", ()),
        (
            "targets: {first: [player]}",
            ("targets of first: expected ['player'], the rules say ['second']",),
        ),
        (
            'finds: ["chooses(turn_player, target(first))"]\n    finds_not: [attack_goes_on]',
            (),
        ),
        ("finds: [attack_goes_on]", ("expected attack_goes_on, which the rules do not find",)),
        (
            'finds_not: ["chooses(turn_player, target(first))"]',
            ("the rules find chooses(turn_player, target(first)), which was not expected",),
        ),
        (
            'do: attack first -> second\n    then: ["attack(first,second)"]\n'
            '    then_not: ["stage(replay)"]',
            (),
        ),
        (
            'do: attack first -> second\n    then: ["stage(replay)"]',
            ("expected stage(replay), which the rules do not find",),
        ),
    ],
)
def test_every_kind_of_expectation(expectation: str, wrong: tuple[str, ...]) -> None:
    (case,) = _one(f"    {expectation}\n")
    verdict = run(case)
    assert verdict.wrong == wrong
    assert verdict.agrees == (not wrong)
    assert run(case, blanks=True).wrong == wrong


def test_reasons_are_compared() -> None:
    (case,) = _one(
        "    expect: {attack first directly: cannot}\n"
        "    reasons: {attack first directly: [targets_direct_needs_leave, phase_chain_first]}\n"
    )
    (wrong,) = run(case).wrong
    assert wrong.startswith("attack first directly: expected a reason phase_chain_first, the rules")
    assert "targets_direct_needs_leave" in wrong


def test_reasons_that_must_not_be_given_are_compared() -> None:
    (case,) = _one(
        "    expect: {attack first directly: cannot}\n"
        "    reasons_not:\n"
        "      attack first directly: [phase_chain_first, targets_direct_needs_leave]\n"
    )
    assert run(case).wrong == (
        "attack first directly: the rules give the reason targets_direct_needs_leave, "
        "which was not expected",
    )


def test_a_disputed_case_gives_both_answers() -> None:
    (case,) = _one(
        "    expect: {attack first -> second: may}\n"
        "    disputed: {printed: it cannot, derived: it may, rules: derived}\n"
    )
    assert case.dispute == Dispute("it cannot", "it may", "derived")
    (plain,) = _one("    expect: {attack first -> second: may}\n")
    assert plain.dispute is None


def test_each_disputed_case_is_of_a_disputed_ruling() -> None:
    disputed = {one.id for one in register.load().values() if one.status == "disputed"}
    stated = {one for case in CASES if case.dispute for one in case.rulings}
    assert stated
    assert stated <= disputed


def test_an_impossible_state_agrees_with_nothing() -> None:
    state = BOARD.replace("turn: 3", "turn: 1")
    (case,) = _one("    expect: {attack first -> second: may}\n", state)
    assert run(case).wrong == (
        "the state is not well formed: wellformed_battle_phase_on_turn_1 (turn)",
    )


FIRST_TURN = BOARD.replace("turn: 3", "turn: 1")


def _unruled(more: str, state: str = FIRST_TURN) -> Case:
    (case,) = cases_of(parse(f"cases:\n  - shows: a board\n{state}{more}", "some.yaml"))
    return case


@pytest.mark.parametrize("blanks", [False, True])
@pytest.mark.parametrize(
    ("state", "refused", "wrong"),
    [
        (FIRST_TURN, "wellformed_battle_phase_on_turn_1: [turn]", ()),
        (
            BOARD,
            "wellformed_battle_phase_on_turn_1: [turn]",
            (
                "expected the state to be refused for wellformed_battle_phase_on_turn_1 (turn), "
                "which the rules do not",
            ),
        ),
        (
            FIRST_TURN,
            "wellformed_battle_phase_on_turn_1: [first]",
            (
                "the state is not well formed: wellformed_battle_phase_on_turn_1 (turn)",
                "expected the state to be refused for wellformed_battle_phase_on_turn_1 (first), "
                "which the rules do not",
            ),
        ),
    ],
)
def test_a_case_can_expect_that_its_state_is_refused(
    state: str, refused: str, wrong: tuple[str, ...], blanks: bool
) -> None:
    case = _unruled(f"    invalid: {{{refused}}}\n", state)
    assert case.rulings == ()
    assert run(case, blanks=blanks).wrong == wrong
    assert run_all([case], blanks=blanks)[0].wrong == wrong


def test_a_state_that_a_case_expects_to_be_refused_is_refused() -> None:
    case = _unruled("    invalid: {wellformed_battle_phase_on_turn_1: [turn]}\n")
    with pytest.raises(InputError, match="Battle Phase on turn 1"):
        ask(case.state)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            "    expect: {attack first -> second: may}\n",
            "the case names no ruling; give rulings, or invalid for a state that is refused",
        ),
        (
            "    invalid: {wellformed_equip: [first]}\n    targets: {first: [second]}\n",
            "a state that is refused is asked nothing; leave out invalid, or targets",
        ),
    ],
)
def test_only_a_refused_state_needs_no_ruling(more: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        _unruled(more)
    assert str(error.value) == f"some.yaml:2: {message}"


def test_outside_is_told_from_wrong() -> None:
    state = BOARD.replace(
        "def: 0}, id: first", "def: 0, effects: [{nr: 1, unmodelled: attacks}]}, id: first"
    )
    (case,) = _one("    expect: {attack first -> second: may}\n", state)
    verdict = run(case)
    assert verdict.wrong == ("attack first -> second: expected may, the rules say outside",)
    assert verdict.outside


@pytest.mark.parametrize(
    ("more", "line", "message"),
    [
        (
            "    expect: {jump first: may}\n",
            2,
            '"jump first" is no action; right would be: attack A -> B, attack A directly, '
            "give up A, enter battle_phase, activate C 1, activate C 1 on B, turn B, "
            "pass turn_player, go on, choose B, toss heads",
        ),
        (
            '    finds: ["chooses(turn_player"]\n',
            2,
            '"chooses(turn_player" is no finding; '
            "right would be chooses(turn_player, target(neos))",
        ),
        (
            "    exception: true\n",
            2,
            "the case expects nothing; give expect, targets, finds or then",
        ),
    ],
)
def test_what_a_case_cannot_say(more: str, line: int, message: str) -> None:
    assert _refusal(more) == [f"some.yaml:{line}: {message}"]


def test_every_problem_of_a_case_file_is_told() -> None:
    state = BOARD.replace("turn: 3", "turn: 3\n      phase: main_1\n      step: battle")
    lines = _refusal("    expect: {attack first -> second: may}\n", state)
    assert lines == ["some.yaml:7: step: steps belong to the Battle Phase; write phase: battle"]
    assert len(_refusal("    expect: {attack first -> second: perhaps}\n    colour: red\n")) == 2


# --- the library ----------------------------------------------------------------------------------


def _documents(file: Path) -> list[Document]:
    return [
        document
        for document in parse_documents(file.read_text(encoding="utf-8"), file.name)
        if document.data is not None
    ]


@pytest.mark.parametrize("file", CARD_FILES, ids=lambda file: file.name)
def test_card_file_fits_the_schema(file: Path) -> None:
    documents = _documents(file)
    assert documents
    assert [str(problem) for one in documents for problem in check(one, card_schema())] == []


@pytest.mark.parametrize("file", CARD_FILES, ids=lambda file: file.name)
def test_card_begins_with_its_names(file: Path) -> None:
    # The library finds a card by these lines alone.
    for document in _documents(file):
        keys = list(document.data)
        names = [key for key in ("en", "zh", "ja", "passcode") if key in keys]
        assert keys[: len(names)] == names, document.data["en"]


@pytest.mark.parametrize("file", CARD_FILES, ids=lambda file: file.name)
def test_effects_are_numbered_once(file: Path) -> None:
    for document in _documents(file):
        numbers = [effect["nr"] for effect in document.data.get("effects", ())]
        assert len(set(numbers)) == len(numbers), document.data["en"]


def test_no_two_cards_share_a_name_or_passcode() -> None:
    found = Counter(
        str(value)
        for file in CARD_FILES
        for document in _documents(file)
        for value in {document.data.get(key) for key in ("en", "zh", "ja", "passcode")}
        if value is not None
    )
    assert [name for name, count in found.items() if count > 1] == []


def test_no_two_cards_share_a_constant() -> None:
    # Punctuation and accents are lost in constants; two such cards would be taken for one.
    plain = Counter(
        re.sub(r"[^a-z0-9]", "", document.data["en"].lower().replace("é", "e"))
        for file in CARD_FILES
        for document in _documents(file)
    )
    assert [name for name, count in plain.items() if count > 1] == []
