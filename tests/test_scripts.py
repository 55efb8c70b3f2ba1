"""Scripts: shorthands, what is implied, checks, and one clear line for whatever cannot be done."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from clingo.ast import ASTType
from lp_tree import nodes, rules_of

from py_bridge.errors import InputError
from py_bridge.knowledge import rule_files
from py_bridge.paths import base
from py_bridge.play import begin, look, step
from py_bridge.script_files import perform, read_script
from py_bridge.scripts import Line, ScriptError, run_script, waiting_for
from py_bridge.states import State, state_from_text
from py_bridge.vocabulary import wordings
from py_bridge.writing import state_text

EXAMPLES = sorted((base() / "facts" / "scripts").glob("*.yaml"))
BOARD = """\
turn: 3
phase: battle
turn_player:
  monsters: [{card: {name: Attacker, card: monster, atk: 2500, def: 0}, id: attacker}]
  hand: [{card: Forbidden Lance, id: lance}]
non_turn_player:
  monsters: [{card: {name: First, card: monster, atk: 1000, def: 0}, id: first}]
  spells_traps: [{card: Dimensional Prison, id: prison}]
"""


def board() -> State:
    return state_from_text(BOARD, "board.yaml")


def actions(*lines: Line) -> list[tuple[str, bool]]:
    """The actions that a script comes to, each with whether it was implied."""
    return [(one.step.words, one.implied) for one in run_script(board(), lines).performed]


def refused(*lines: Line) -> str:
    with pytest.raises(ScriptError) as error:
        run_script(board(), lines)
    return str(error.value)


# --- what is performed ----------------------------------------------------------------------------


def test_a_pass_that_alone_stands_against_an_action_is_implied() -> None:
    assert actions("attack attacker -> first", "activate prison 1 on attacker") == [
        ("attack attacker -> first", False),
        ("pass turn_player", True),
        ("activate prison 1 on attacker", False),
    ]


def test_resolve_goes_on_until_no_chain_is_left() -> None:
    told = run_script(
        board(), ["attack attacker -> first", "activate prison 1 on attacker", "resolve"]
    )
    assert "in(attacker,banished)" in told.state.fluents
    assert "in(prison,graveyard)" in told.state.fluents
    assert not any(fluent.startswith(("link(", "resolving(")) for fluent in told.state.fluents)


def test_resolve_link_stops_after_one_link() -> None:
    lines = ["attack attacker -> first", "activate prison 1 on attacker"]
    told = run_script(board(), [*lines, "activate lance 1 on attacker", "resolve link"])
    assert "resolving(1)" in told.state.fluents
    assert "value(attacker,atk,1700)" in told.state.fluents
    assert "in(attacker,monster_zone)" in told.state.fluents


def test_proceed_passes_and_enters() -> None:
    assert actions("attack attacker -> first", "proceed to the damage step") == [
        ("attack attacker -> first", False),
        ("pass turn_player", True),
        ("pass non_turn_player", True),
        ("enter damage_step", True),
    ]


def test_who_acts_is_on_record() -> None:
    told = run_script(board(), ["attack attacker -> first", "activate prison 1 on attacker"])
    assert [one.player for one in told.performed] == [
        "turn_player",
        "turn_player",
        "non_turn_player",
    ]


def test_a_script_stops_at_what_it_waits_for() -> None:
    lines = ["attack attacker -> first", "activate prison 1 on attacker", "resolve"]
    told = run_script(board(), lines, until=waiting_for("resolving(1)", wordings("en").fluents))
    assert told.stopped
    assert told.performed[-1].step.words == "pass non_turn_player"
    assert "in(attacker,monster_zone)" in told.state.fluents


COSTLY = """\
turn: 3
phase: battle
turn_player:
  monsters: [{card: {name: Attacker, card: monster, atk: 2500, def: 0}, id: attacker}]
non_turn_player:
  monsters: [{card: {name: First, card: monster, atk: 1000, def: 0}, id: first}]
  hand:
    - {card: {name: Left, card: monster}, id: left}
    - {card: {name: Right, card: monster}, id: right}
  spells_traps:
    - id: trap
      card:
        name: Costly
        card: trap
        effects:
          - nr: 1
            kind: activation
            event: attack_declared
            cost: [{discards: {what: {side: own, zone: hand}, count: 1}}]
            does: [{destroys: {what: {is: attacker}}}]
"""


def test_a_cost_is_paid_with_the_activation() -> None:
    state = state_from_text(COSTLY, "costly.yaml")
    lines: list[Line] = [
        "attack attacker -> first",
        {"do": "activate trap 1", "choose": ["right"]},
    ]
    told = run_script(state, lines)
    assert "in(right,graveyard)" in told.state.fluents
    assert "in(left,hand)" in told.state.fluents
    assert not any(fluent.startswith("paying(") for fluent in told.state.fluents)
    with pytest.raises(ScriptError) as error:
        run_script(state, [*lines, {"do": "resolve", "choose": ["left"]}])
    assert str(error.value) == (
        "line 3: nobody had to choose left; leave it out, or choose another"
    )


# --- checks ---------------------------------------------------------------------------------------


def test_checks_that_hold() -> None:
    lines: list[Line] = [
        {"expect": {"attack attacker": "may", "activate prison 1 on attacker": "cannot"}},
        {
            "do": "attack attacker -> first",
            "finds": ["attack(attacker, first)"],
            "finds_not": ["attack_over(negated)"],
        },
    ]
    assert run_script(board(), lines).wrong == ()


def test_checks_that_fail_are_told_and_stop_nothing() -> None:
    lines: list[Line] = [
        {"do": "attack attacker -> first", "expect": {"pass turn_player": "cannot"}},
        {"finds": ["in(first, graveyard)"], "finds_not": ["attack(attacker, first)"]},
        "activate prison 1 on attacker",
    ]
    told = run_script(board(), lines)
    assert [str(one) for one in told.wrong] == [
        "line 1: pass turn_player: expected cannot, the rules say may",
        "line 2: expected in(first, graveyard), which the rules do not find",
        "line 2: the rules find attack(attacker, first), which was not expected",
    ]
    assert len(told.performed) == 3


# --- what cannot be performed ---------------------------------------------------------------------


def test_an_illegal_action_says_what_forbids_it_and_what_is_legal() -> None:
    assert refused("attack attacker directly") == (
        "line 1: attack attacker directly is not legal: The opponent controls monsters, and no "
        "effect lets Attacker attack directly [bs-008, bs-009]; legal is attack attacker -> first, "
        "activate lance 1 on attacker, activate lance 1 on first, pass turn_player"
    )


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("activate lance 1", "activate lance 1 names no target; right would be "
         "activate lance 1 on attacker or activate lance 1 on first"),
        ("attack attaker -> first", 'no card has the id "attaker"; did you mean attacker?'),
        ("dance", '"dance" is no action; right would be attack A -> B'),
        ("proceed to the moon", 'there is nothing called "the moon" to proceed to; '
         "right would be start_step"),
        ("enter the_void", "enter the_void is not legal: there is no such action here; legal is"),
    ],
)  # fmt: skip
def test_one_line_for_each_slip(line: str, says: str) -> None:
    assert refused(line).removeprefix("line 1: ").replace("be: ", "be ").startswith(says)


# --- files ----------------------------------------------------------------------------------------


def script_file(folder: Path, text: str) -> Path:
    file = folder / "script.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def problems(folder: Path, text: str) -> list[str]:
    with pytest.raises(InputError) as error:
        perform(read_script(script_file(folder, text)))
    return [str(one).removeprefix(f"{folder}/") for one in error.value.problems]


INSIDE = "state:\n" + "".join(f"  {line}\n" for line in BOARD.splitlines())


def test_what_is_not_come_to_is_named() -> None:
    told = refused("attack attacker -> first", "proceed to the replay")
    assert told.startswith("line 2: it does not come to the replay before somebody has to decide;")
    assert "enter main_phase_2" in told


def test_another_reason_than_priority_comes_first() -> None:
    # The attacker is the turn player's to move; the Trap, for one, needs an attack declaration.
    told = refused("activate prison 1 on attacker")
    assert "Dimensional Prison" in told
    assert "holds priority" not in told


def test_checks_that_failed_before_an_illegal_line_are_told_too(tmp_path: Path) -> None:
    (tmp_path / "board.yaml").write_text(BOARD, encoding="utf-8")
    file = tmp_path / "script.yaml"
    file.write_text(
        "state: board.yaml\nscript:\n  - finds: [attack_goes_on]\n  - activate prison 1\n",
        encoding="utf-8",
    )
    with pytest.raises(InputError) as error:
        perform(read_script(file))
    first, second = str(error.value).splitlines()
    assert first.startswith(f"{file}:3: expected attack_goes_on, which the rules do not find")
    assert second.startswith(f"{file}:4: activate prison 1 is not legal")


def test_a_state_in_a_file_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "board.yaml").write_text(BOARD, encoding="utf-8")
    text = "state: board.yaml\nscript: [attack attacker -> first]\n"
    script = read_script(script_file(tmp_path, text))
    assert script.state.facts() == board().facts()
    assert script.lines == ("attack attacker -> first",)


def test_a_state_file_is_a_script_without_lines(tmp_path: Path) -> None:
    script = read_script(script_file(tmp_path, BOARD))
    assert (script.lines, script.state.facts()) == ((), board().facts())


def test_every_problem_of_the_words_is_told_with_its_line(tmp_path: Path) -> None:
    text = f"{INSIDE}script:\n  - attack attacker => first\n  - resolve\n  - activate prisn 1\n"
    told = problems(tmp_path, text)
    assert [line.partition(": ")[0] for line in told] == ["script.yaml:11", "script.yaml:13"]
    assert told[1].endswith('script[2]: no card has the id "prisn"; did you mean prison?')


def test_an_illegal_line_is_told_with_its_line_in_the_file(tmp_path: Path) -> None:
    text = f"{INSIDE}script:\n  - attack attacker -> first\n  - do: attack attacker -> first\n"
    (line,) = problems(tmp_path, text)
    assert line.startswith("script.yaml:12: attack attacker -> first is not legal: ")
    assert "; legal is " in line


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("script: []\n", "script.yaml:1: the key state is missing"),
        ("state: nowhere.yaml\n", 'script.yaml:1: state: there is no state file "nowhere.yaml"'),
        (
            f"{INSIDE}script: [{{do: resolve, wait: 1}}]\n",
            'script.yaml:10: script[0]: the key "wait"',
        ),
    ],
)
def test_the_shape_of_a_file(tmp_path: Path, text: str, says: str) -> None:
    (line,) = problems(tmp_path, text)
    assert line.startswith(says.split(" the key")[0])


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_an_example_script_comes_out_and_each_state_of_it_is_kept_by_its_file(file: Path) -> None:
    told = perform(read_script(file))
    assert told.wrong == ()
    assert {one.line for one in told.performed} >= {1}
    for one in told.performed:
        read = state_from_text(state_text(one.step.state), "again.yaml")
        assert set(read.fluents) == set(one.step.state.fluents)
        assert set(read.static) == set(one.step.state.static)


# --- written out and read back --------------------------------------------------------------------


def as_answers(state: State) -> list[tuple[str, str, Any]]:
    return [(one.words, one.how, one.reasons) for one in look(state).answers.actions]


def test_what_follows_is_the_same_from_a_state_read_back() -> None:
    """While a chain is built, while it resolves, and when it is settled."""
    lines = ["attack attacker -> first", "activate prison 1 on attacker"]
    told = run_script(board(), [*lines, "activate lance 1 on attacker", "resolve"])
    for one, after in zip(told.performed[2:], told.performed[3:], strict=False):
        read = state_from_text(state_text(one.step.state), "again.yaml")
        assert as_answers(begin(read)) == as_answers(one.step.state)
        assert set(step(read, after.step.action).state.fluents) == set(after.step.state.fluents)


# --- words ----------------------------------------------------------------------------------------


def test_everything_that_happens_has_words() -> None:
    places = {"occurs": 1, "event_of": 0, "names_event": 0, "just": 0, "before": 0}
    found = set()
    for rule in rules_of(rule_files()):
        for term in nodes(rule.head, ASTType.Function):
            if term.name in places and len(term.arguments) > places[term.name]:
                event = term.arguments[places[term.name]]
                if event.ast_type == ASTType.Function:
                    found.add(event.name)
    assert len(found) > 10
    assert found - set(wordings("en").happenings) == set()
    assert set(wordings("zh").happenings) == set(wordings("en").happenings)
