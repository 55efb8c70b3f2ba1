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


# --- going on -------------------------------------------------------------------------------------

DUEL = """\
turn: 3
phase: main_1
turn_player: {monsters: [{card: {name: Attacker, card: monster, atk: 2000, def: 0}, id: a}]}
non_turn_player: {monsters: [{card: {name: Target, card: monster, atk: 1000, def: 0}, id: t}]}
"""
# How far a script has got, and the places that it comes to from there.
FROM = {
    "main_1": [],
    "start_step": ["enter battle_phase"],
    "battle_step": ["proceed to battle_step"],
    "attack": ["proceed to battle_step", "attack a -> t"],
    "calculation": ["proceed to battle_step", "attack a -> t", "proceed to calculation"],
    "end_step": ["proceed to end_step"],
    "main_2": ["proceed to end_step", "enter main_phase_2"],
}
WITHIN = ["damage_step", "before_calculation", "calculation", "after_calculation",
          "end_of_damage_step"]  # fmt: skip
AFTER = ["end_step", "main_phase_2", "end_phase"]
COMES_TO = {
    "main_1": ["battle_phase", "start_step", "battle_step", "end_step", "end_phase"],
    "start_step": ["battle_phase", "start_step", "battle_step", *AFTER],
    "battle_step": ["battle_phase", "battle_step", *AFTER],
    "attack": ["battle_phase", "battle_step", *WITHIN, *AFTER],
    "calculation": ["battle_phase", "battle_step", "damage_step", *WITHIN[2:], *AFTER],
    "end_step": ["battle_phase", *AFTER],
    "main_2": ["main_phase_2", "end_phase"],
}


def duel(*lines: Line) -> State:
    return run_script(state_from_text(DUEL, "duel.yaml"), lines).state


def comes_to(state: State, place: str) -> bool | str:
    """Whether it comes to a place; what was done on the way, if it does not stop at once."""
    try:
        told = run_script(state, [f"proceed to {place}"])
    except ScriptError as error:
        return " ".join(one.step.words for one in error.so_far.performed)
    reached = waiting_for(place, wordings("en").fluents)
    return reached is not None and reached(told.state)


@pytest.mark.parametrize("begin_at", FROM)
def test_what_can_follow_is_come_to_and_nothing_else(begin_at: str) -> None:
    state = duel(*FROM[begin_at])
    places = ["battle_phase", "start_step", "battle_step", *WITHIN, *AFTER, "replay"]
    expected: dict[str, bool | str] = {one: one in COMES_TO[begin_at] or "" for one in places}
    assert {one: comes_to(state, one) for one in places} == expected


def test_passes_of_both_players_are_implied() -> None:
    lines = ["enter battle_phase", "enter battle_step", "attack a -> t", "enter damage_step"]
    told = run_script(state_from_text(DUEL, "duel.yaml"), [*lines, "go on"])
    passes = [("pass turn_player", True), ("pass non_turn_player", True)]
    performed = [(one.step.words, one.implied) for one in told.performed]
    assert performed == [
        *passes, ("enter battle_phase", False), *passes, ("enter battle_step", False),
        ("attack a -> t", False), *passes, ("enter damage_step", False), *passes, ("go on", False),
    ]  # fmt: skip


def test_what_is_not_a_matter_of_priority_is_not_passed_for() -> None:
    with pytest.raises(ScriptError) as error:
        run_script(duel("proceed to battle_step"), ["enter damage_step"])
    assert error.value.so_far.performed == ()
    assert "The Damage Step follows a declared attack that goes on" in str(error.value)


FORCING = "[{nr: 1, kind: continuous, says: [{must_attack: {targets: {is: this}}}]}]"
QUICK = "[{nr: 1, kind: quick, does: [{tosses_coin: {}}, {destroys: {what: {zone: monster_zone, "
QUICK += "side: opponent}, count: 1}}]}]"
AWAY = "[{nr: 1, kind: quick, does: [{returns_to_hand: {what: {is: this}}}]}]"


def _monster(one: str, effects: str = "[]") -> str:
    card = f"{{name: {one.title()}, card: monster, kinds: [effect], atk: 1000, def: 0"
    return f"{{id: {one}, card: {card}, effects: {effects}}}}}"


@pytest.mark.parametrize(
    ("own", "others", "phase", "lines", "says"),
    [
        (
            ["a"], [("t", FORCING)], "battle", ["proceed to main_phase_2"],
            "it does not come to main_phase_2: enter end_step is not legal: Target ①: an attack "
            "that has to be made has not been made yet [bp-005, bp-010, bs-051, bs-069]; first it "
            "has to come to: attack a -> target; legal is attack a -> target",
        ),
        (
            ["a"], [("t", FORCING)], "main_1", ["proceed to end_phase"],
            "it does not come to end_phase: enter end_phase is not legal: Target ①: a monster that "
            "is able to attack has to attack, so the Battle Phase cannot be passed over [bp-005]; "
            "first it has to come to: enter battle_phase; legal is",
        ),
        (
            [("a", QUICK)], ["t", "u"], "battle", ["activate a 1", "resolve"],
            "it does not come to the end of the chain: the result has to be stated: heads or "
            "tails; legal is toss heads, toss tails",
        ),
        (
            [("a", QUICK)], ["t", "u"], "battle",
            ["activate a 1", {"do": "resolve", "result": "heads"}],
            "it does not come to the end of the chain: it has to be chosen (the turn player): "
            "target or u; legal is choose target, choose u",
        ),
        (
            ["a"], ["t", ("u", AWAY)], "battle",
            ["attack a -> target", "activate u 1", "resolve", "proceed to damage_step"],
            "it does not come to damage_step: somebody has to decide: give up a or attack a -> "
            "target; legal is attack a -> target, give up a",
        ),
        (
            ["a"], ["t"], "main_1", ["proceed to main_phase_2"],
            "it does not come to main_phase_2: enter main_phase_2 is not legal: Main Phase 2 "
            "follows a Battle Phase; without one the turn goes on to the End Phase",
        ),
        (
            ["a"], ["t"], "main_1", ["proceed to calculation"],
            "it does not come to calculation: The Damage Step follows an attack, which has to be "
            "declared first [bs-112, bs-113]; legal is",
        ),
        (
            ["a"], ["t"], "battle",
            ["attack a -> target", "proceed to calculation", "proceed to before_calculation"],
            "it does not come to before_calculation: This Damage Step does not come to that any "
            "more; legal is pass turn_player",
        ),
        (
            ["a"], ["t"], "main_2", ["proceed to start_step"],
            "it does not come to start_step: enter battle_phase is not legal: That does not follow "
            "the present phase or step [bp-046, bp-043]; legal is",
        ),
    ],
)  # fmt: skip
def test_what_stands_in_the_way_is_told(
    own: list[Any], others: list[Any], phase: str, lines: list[Line], says: str
) -> None:
    def side(ones: list[Any]) -> str:
        pairs = [one if isinstance(one, tuple) else (one, "[]") for one in ones]
        return ", ".join(_monster("target" if one == "t" else one, fx) for one, fx in pairs)

    text = f"turn: 3\nphase: {phase}\nturn_player: {{monsters: [{side(own)}]}}\n"
    text += f"non_turn_player: {{monsters: [{side(others)}]}}\n"
    with pytest.raises(ScriptError) as error:
        run_script(state_from_text(text, "board.yaml"), lines)
    assert error.value.told.startswith(says)
    assert error.value.line == len(lines)


def test_no_link_of_no_chain_is_come_to() -> None:
    assert refused("resolve link").startswith(
        "line 1: it does not come to the end of the chain link: Nothing leads there; legal is"
    )


def test_a_mandatory_effect_stands_in_the_way() -> None:
    avenger = (
        "[{nr: 1, kind: trigger, event: battle_phase_starts, mandatory: true, "
        "does: [{gains_lp: {amount: 100}}]}]"
    )
    text = "turn: 3\nphase: main_1\nnon_turn_player: {}\n"
    text += f"turn_player: {{monsters: [{_monster('a', avenger)}]}}\n"
    with pytest.raises(ScriptError) as error:
        run_script(
            state_from_text(text, "board.yaml"), ["enter battle_phase", "proceed to end_step"]
        )
    assert "A ① is mandatory" in error.value.told
    assert "first it has to come to: activate a 1; legal is activate a 1" in error.value.told


def test_a_shorthand_ends_where_the_duel_does() -> None:
    text = DUEL.replace("id: a", "id: a, position: attack").replace(
        "phase: main_1", "phase: battle"
    )
    state = state_from_text(text.replace("non_turn_player: {", "non_turn_player: {lp: 1000, "), "b")
    lines: list[Line] = [
        "attack a -> t",
        {"do": "proceed to end_step", "finds": ["won(turn_player)"]},
    ]
    told = run_script(state, [*lines, "resolve", "proceed to main_phase_2"])
    assert told.wrong == ()
    assert [str(event.what) for event in told.performed[-1].step.events] == [
        "determined(t)", "lp_becomes(non_turn_player,0)", "won(turn_player)",
    ]  # fmt: skip
    with pytest.raises(ScriptError) as error:
        run_script(state, [*lines, "pass turn_player"])
    assert error.value.told == (
        "pass turn_player is not legal: the duel is over: the turn player has won [dm-062]; "
        "legal is nothing"
    )


# --- what is not known ----------------------------------------------------------------------------

ODD = "[{nr: 1, kind: continuous, unmodelled: damage, note: anything}]"


def unknown(*lines: Line) -> Any:
    text = "turn: 3\nturn_player: {monsters: [" + _monster("a") + "]}\n"
    text += "non_turn_player: {monsters: [" + _monster("target", ODD) + "]}\n"
    return run_script(state_from_text(text, "board.yaml"), lines)


def test_neither_lp_nor_destruction_is_told_where_they_are_not_known() -> None:
    told = unknown("attack a -> target", "proceed to end_of_damage_step")
    events = [str(event.what) for one in told.performed for event in one.step.events]
    assert events == [
        *("fate_unknown(a)", "fate_unknown(target)"),
        *("lp_unknown(non_turn_player)", "lp_unknown(turn_player)"),
        *("fate_unknown(a)", "fate_unknown(target)"),
    ]
    calculation = next(one for one in told.performed if one.step.events)
    assert calculation.step.assumed >= {"determined(a)", "determined(target)"}
    assert "battled(a,target)" not in calculation.step.assumed
    last = told.performed[-1].step
    assert {"in(a,graveyard)", "in(target,graveyard)", "in(a,monster_zone)"} <= last.assumed
    assert "sub_step(end)" not in last.assumed


def test_a_check_of_what_is_not_known_fails() -> None:
    told = unknown(
        "attack a -> target",
        {
            "do": "proceed to after_calculation",
            "finds": ["lp(turn_player, 8000)", "determined(target)", "battled(a, target)"],
        },
    )
    assert [str(one) for one in told.wrong] == [
        "line 2: expected lp(turn_player, 8000), which is not known",
        "line 2: expected determined(target), which is not known",
    ]


def test_what_is_not_known_is_kept_by_the_file() -> None:
    state = unknown("attack a -> target", "proceed to after_calculation").state
    read = state_from_text(state_text(state), "again.yaml")
    assert {"rests_on(target,1,outside)", "lp_unknown(turn_player)", "fate_unknown(target)"} <= set(
        read.fluents
    )
    assert set(read.fluents) == set(state.fluents)


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
    assert told == (
        "line 2: it does not come to the replay: Nothing makes a replay follow; legal is activate "
        "lance 1 on attacker, activate lance 1 on first, pass turn_player"
    )


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
        events = [event.what for event in one.step.events if event.what.name == "left_undone"]
        parts = {str(what.arguments[0]) for what in events}
        assert parts == _left_undone(one.before, one.step.state)


def _left_undone(before: State, after: State) -> set[str]:
    """The parts that were processed without being carried out."""
    new = set(after.fluents) - set(before.fluents)
    done = {fluent.removeprefix("did(") for fluent in new if fluent.startswith("did(")}
    handled = {f.removeprefix("handled(") for f in new if f.startswith("handled(")}
    return {one.rstrip(")") for one in handled - done}


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
    places = {"occurs": 1, "told": 1, "event_of": 0, "names_event": 0, "just": 0, "before": 0}
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
