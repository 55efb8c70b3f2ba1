"""`battlejudge play`: the timeline as page and data, playing on by hand, writing, counting."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from broken import broken_texts
from click.testing import CliRunner, Result

from py_bridge.cli import main
from py_bridge.errors import InputError
from py_bridge.interactive import play_on
from py_bridge.paths import base
from py_bridge.script_files import perform, script_of
from py_bridge.states import read_state
from py_bridge.yaml_text import decode, parse

SCRIPTS = base() / "facts" / "scripts"
CHAINED = SCRIPTS / "prison_and_lance.yaml"
BOARD = """\
turn: 3
phase: battle
turn_player: {monsters: [{card: {name: First, card: monster, atk: 1500, def: 0}, id: first}]}
non_turn_player:
  monsters: [{card: {name: Second, card: monster, atk: 1000, def: 0}, id: second}]
  spells_traps: [{card: Dimensional Prison, id: prison}]
"""
LINES = "script:\n  - attack first -> second\n  - activate prison 1 on first\n  - resolve\n"


def run(*arguments: str | Path, typed: str = "") -> Result:
    return CliRunner().invoke(main, ["play", *map(str, arguments)], input=typed)


def shown(*arguments: str | Path, typed: str = "", status: int = 0) -> str:
    result = run(*arguments, typed=typed)
    assert result.exit_code == status, result.output
    assert result.stderr == ""
    return result.stdout


def refused(*arguments: str | Path) -> str:
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    return line


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """A script in which Dimensional Prison banishes the attacking monster."""
    (tmp_path / "board.yaml").write_text(BOARD, encoding="utf-8")
    file = tmp_path / "script.yaml"
    file.write_text(f"state: board.yaml\n{LINES}", encoding="utf-8")
    return file


# --- the timeline ---------------------------------------------------------------------------------


def test_the_page(script: Path) -> None:
    page = shown(script).splitlines()
    assert page[0] == "  1  attack: First -> Second (the turn player)"
    assert page[3] == "  2  (give up priority: the turn player)"
    assert (
        "     = chain link 1 is effect 1 of Dimensional Prison, activated by the non-turn player"
        in (page)
    )
    assert "  3  resolve" in page
    assert "     (give up priority: the turn player, the non-turn player)" in page
    assert "     - First goes to the banished cards (Dimensional Prison ①)" in page
    ended = next(line for line in page if line.startswith("     - the battle of First ends: "))
    assert "The attacking monster left the field" in ended
    assert page.index("Legal:") > page.index("  3  resolve")


def test_the_page_in_chinese(script: Path) -> None:
    page = shown(script, "--lang", "zh").splitlines()
    assert page[0] == "  1  攻击：First → Second (回合玩家)"
    assert "     （回合玩家、非回合玩家放弃优先权）" in page
    assert "可以进行:" in page


def test_the_data(script: Path) -> None:
    data = json.loads(shown(script, "--json"))
    assert set(data) == {"timeline", "failed", "stopped", "halt", "legal", "never_came"}
    assert data["halt"] is None
    first, passed, prison, *rest = data["timeline"]
    assert (first["action"], first["answer"], first["player"], first["line"]) == (
        "attack first -> second",
        "may",
        "turn_player",
        3,
    )
    assert first["reasons"][0]["rulings"] == ["bs-008"]
    assert (passed["action"], passed["implied"], passed["number"]) == ("pass turn_player", True, 2)
    assert "link(1,prison,1,non_turn_player)" in prison["begins"]
    events = [event["event"] for one in rest for event in one["events"]]
    assert "sent(first,banished)" in events
    assert {one["action"] for one in data["legal"]["actions"]} >= {"pass turn_player"}


def test_a_failed_check_is_shown_and_tells_by_the_status(script: Path) -> None:
    text = f'state: board.yaml\n{LINES}  - finds: ["in(first, graveyard)"]\n'
    script.write_text(text, encoding="utf-8")
    page = shown(script, status=1)
    assert "Not as expected:\n  line 6: expected in(first, graveyard)" in page
    data = json.loads(shown(script, "--json", status=1))
    assert [one["line"] for one in data["failed"]] == [6]


def test_what_is_undecided_is_performed_and_said(tmp_path: Path) -> None:
    effects = "[{nr: 1, unmodelled: attacks, note: anything}]"
    odd = f"{{name: Odd, card: monster, kinds: [effect], atk: 0, def: 0, effects: {effects}}}"
    text = BOARD.replace(
        "monsters: [{card: {name: Second", f"monsters: [{{card: {odd}}}, {{card: {{name: Second"
    )
    file = tmp_path / "script.yaml"
    inside = "".join(f"  {line}\n" for line in text.splitlines())
    lines = "script: [attack first -> second, proceed to after_calculation]\n"
    file.write_text(f"state:\n{inside}{lines}", encoding="utf-8")
    page = " ".join(shown(file).split())
    assert "outside the model: " in page
    assert "(performed although it is outside the model)" in page
    # Whether the attack could be made is not known, and so nothing that comes of it is.
    told = page.partition("2 proceed to after_calculation")[2]
    assert "LP of the non-turn player not known: It rests on something else" in told
    assert "whether Second is destroyed is not known: It rests on something else" in told
    assert "(this rests on Odd ①, outside the model)" in told
    assert "LP of the turn player" not in told


# --- what is not known ----------------------------------------------------------------------------

UNKNOWN = """\
state:
  turn: 3
  turn_player: {monsters: [{id: a, card: {name: A, card: monster, atk: 2000, def: 0}}]}
  non_turn_player:
    monsters:
      - id: t
        card:
          name: T
          card: monster
          kinds: [effect]
          atk: 1500
          def: 0
          effects: [{nr: 1, kind: continuous, unmodelled: damage, note: anything}]
script:
  - attack a -> t
  - proceed to end_of_damage_step
  - proceed to battle_step
"""


@pytest.fixture
def unknown(tmp_path: Path) -> Path:
    """A script with a battle whose result an effect outside the vocabulary could touch."""
    file = tmp_path / "unknown.yaml"
    file.write_text(UNKNOWN, encoding="utf-8")
    return file


def test_what_is_not_known_is_told_and_nothing_of_it_as_a_fact(unknown: Path) -> None:
    page = " ".join(shown(unknown).split())
    because = "T ① has an effect outside the vocabulary that could touch the result."
    assert f"- LP of the non-turn player not known: {because}" in page
    assert f"- whether T is destroyed is not known: {because}" in page
    assert "become" not in page
    assert "T is destroyed " not in page.replace("whether T is destroyed ", "")
    assert "T goes to" not in page
    assert "(this rests on T ①, outside the model)" in page.partition("3 proceed to battle_step")[2]
    end = page.partition("Legal:")[2]
    assert "the LP of the non-turn player are not known" in end
    assert "all that follows rests on effect 1 of T, which is outside the model" in end


def test_what_is_not_known_in_chinese(unknown: Path) -> None:
    page = "".join(shown(unknown, "--lang", "zh").split())
    assert "-非回合玩家的基本分未知:T①有词汇之外的效果，可能影响结果。" in page
    assert "（取决于T①（模型之外））" in page
    assert "此后的一切取决于T的效果1（模型之外）" in page


def test_what_is_not_known_as_data(unknown: Path) -> None:
    data = json.loads(shown(unknown, "--json"))
    (calculation,) = [
        one for one in data["timeline"] if "sub_step(after_calculation)" in one["begins"]
    ]
    assert calculation["assumed"] == {
        "begins": ["determined(t)", "lp(non_turn_player,7500)"],
        "ends": ["lp(non_turn_player,8000)"],
    }
    assert not any(fluent.startswith(("lp(", "determined(")) for fluent in calculation["begins"])
    assert calculation["rests_on"] == []
    assert data["timeline"][-1]["rests_on"] == [{"source": "t", "effect": 1, "how": "outside"}]
    assert {"rests_on(t,1,outside)", "lp_unknown(turn_player)", "fate_unknown(t)"} <= set(
        data["legal"]["findings"]
    )


def test_damage_knows_what_is_not_known_of_a_state(unknown: Path, tmp_path: Path) -> None:
    file = tmp_path / "reached.yaml"
    shown(unknown, "--until", "after_calculation", "--write", file)
    done = CliRunner().invoke(main, ["damage", str(file)])
    assert done.exit_code == 0
    assert "LP 8000 ->" not in done.stdout
    assert "Not known:\n  whether A is destroyed is not known" in done.stdout


# --- the end of the duel --------------------------------------------------------------------------

LAST = """\
state:
  turn: 3
  phase: battle
  turn_player: {monsters: [{id: a, card: {name: A, card: monster, atk: 2000, def: 0}}]}
  non_turn_player: {lp: 1000}
script:
  - attack a directly
  - proceed to end_of_damage_step
  - proceed to main_phase_2
"""


def test_the_end_of_the_duel_is_told_and_is_no_error(tmp_path: Path) -> None:
    file = tmp_path / "last.yaml"
    file.write_text(LAST, encoding="utf-8")
    page = shown(file)
    assert "     - the duel is over: the turn player has won: A player whose LP" in page
    assert page.endswith("Legal:\n  nothing\nAlso:\n  the duel is over: the turn player has won\n")
    assert "决斗结束：回合玩家获胜" in shown(file, "--lang", "zh")
    events = [
        e["event"] for t in json.loads(shown(file, "--json"))["timeline"] for e in t["events"]
    ]
    assert events == ["lp_becomes(non_turn_player,0)", "won(turn_player)"]
    by_hand = shown(file, "--interactive", typed="q\n")
    assert "the duel is over: the turn player has won\n" in by_hand
    assert "Nothing is left to do." not in by_hand


def test_nothing_can_be_done_when_the_duel_is_over(tmp_path: Path) -> None:
    file = tmp_path / "last.yaml"
    file.write_text(f"{LAST}  - pass turn_player\n", encoding="utf-8")
    result = run(file)
    assert result.exit_code == 2
    assert result.stderr == (
        f"{file}:10: pass turn_player is not legal: the duel is over: the turn player has won "
        "[dm-062]; legal is nothing\n"
    )


@pytest.mark.parametrize(
    ("own", "others", "effects", "says"),
    [
        (8000, 1000, "", "The duel is over: the turn player wins."),
        (900, 1000, "{opponent_also_takes_damage: {}}", "The duel is over: it is a draw."),
        (8000, 1001, "", ""),
    ],
)
def test_damage_tells_who_wins(
    tmp_path: Path, own: int, others: int, effects: str, says: str
) -> None:
    text = f"""\
turn: 3
turn_player:
  lp: {own}
  monsters: [{{id: a, card: {{name: A, card: monster, atk: 2000, def: 0}}}}]
non_turn_player:
  lp: {others}
  monsters:
    - id: t
      card:
        name: T
        card: monster
        kinds: [effect]
        atk: 1000
        def: 0
        effects: [{{nr: 1, kind: continuous, says: [{effects or "{can_attack_directly: {}}"}]}}]
attack: {{attacker: a, target: t}}
"""
    file = tmp_path / "board.yaml"
    file.write_text(text, encoding="utf-8")
    page = CliRunner().invoke(main, ["damage", str(file)]).stdout
    assert [line.strip() for line in page.splitlines() if "duel is over" in line] == [
        *([says] if says else [])
    ]
    data = json.loads(CliRunner().invoke(main, ["damage", str(file), "--json"]).stdout)
    result = {"The duel is over: the turn player wins.": "won(turn_player)", "": None}
    assert data["duel"] == {"over": False, "result": result.get(says, "draw")}


def test_a_state_in_which_the_duel_is_over(tmp_path: Path) -> None:
    file = tmp_path / "board.yaml"
    file.write_text(BOARD.replace("turn_player: {", "turn_player: {lp: 0, ", 1), encoding="utf-8")
    legal = CliRunner().invoke(main, ["legal", "--all", str(file)]).stdout
    assert "Also:\n  the duel is over: the non-turn player has won" in legal
    refused_because = [line.strip() for line in legal.partition("Refused:")[2].splitlines()[2::2]]
    assert len(refused_because) > 5
    assert set(refused_because) == {"A player has no LP left, so the duel is over. [dm-062]"}
    attack = "attack: {attacker: first, target: second}\n"
    file.write_text(file.read_text(encoding="utf-8") + attack, encoding="utf-8")
    page = CliRunner().invoke(main, ["damage", str(file)]).stdout
    assert page == (
        "First attacks Second.\n"
        "No damage calculation is performed: The duel is over: the non-turn player wins.\n"
    )


# --- a script that stops --------------------------------------------------------------------------


@pytest.fixture
def halted(script: Path) -> Path:
    """A script whose last line cannot be performed, after a check that fails."""
    wrong = '  - finds: ["in(first, graveyard)"]\n  - proceed to damage_step\n'
    script.write_text(f"state: board.yaml\n{LINES}{wrong}", encoding="utf-8")
    return script


def test_a_script_that_stops_shows_what_came_before_and_what_is_missing(halted: Path) -> None:
    result = run(halted)
    assert result.exit_code == 2
    says = (
        "it does not come to damage_step: enter damage_step is not legal: The attack has been "
        "negated or terminated [bs-113, bs-100]; legal is pass turn_player"
    )
    assert result.stderr == f"{halted}:7: {says}\n"
    page = " ".join(result.stdout.split())
    assert page.startswith("1 attack: First -> Second (the turn player)")
    assert f"5 proceed to damage_step Stopped here: {says} Not as expected:" in page
    assert "line 6: expected in(first, graveyard), which the rules do not find" in page
    assert "Legal: may give up priority: the turn player" in page


def test_a_script_that_stops_in_chinese(halted: Path) -> None:
    result = run(halted, "--lang", "zh")
    assert "在此停止：不会进行到伤害步骤：不能进行“enterdamage_step”" in "".join(
        result.stdout.split()
    )


def test_a_script_that_stops_as_data(halted: Path) -> None:
    result = run(halted, "--json")
    assert result.exit_code == 2
    data = json.loads(result.stdout)
    assert data["timeline"][0]["action"] == "attack first -> second"
    assert [one["line"] for one in data["failed"]] == [6]
    halt = data["halt"]
    assert (halt["line"], halt["kind"], halt["place"]) == (7, "refused", "damage_step")
    assert halt["missing"] == [
        {
            "action": "enter damage_step",
            "reason": "stop_negated",
            "rulings": ["bs-113", "bs-100"],
        }
    ]
    assert result.stderr.startswith(f"{halted}:7: {halt['text']}")


def test_an_illegal_line_as_data(script: Path) -> None:
    script.write_text("state: board.yaml\nscript: [attack first directly]\n", encoding="utf-8")
    result = run(script, "--json")
    halt = json.loads(result.stdout)["halt"]
    assert (halt["line"], halt["kind"], halt["action"]) == (2, "illegal", "attack first directly")
    assert "[bs-008, bs-009]" in halt["text"]
    assert run(script, "--perft", "2").stdout == ""


# --- stopping -------------------------------------------------------------------------------------


def test_until_a_number_of_lines(script: Path) -> None:
    page = shown(script, "--until", "1")
    assert "  1  attack: First -> Second (the turn player)" in page
    assert "Prison ① on" not in page.partition("Legal:")[0]


@pytest.mark.parametrize("words", ["resolving(1)", "in(first, banished)"])
def test_until_something_holds(script: Path, words: str) -> None:
    page = shown(script, "--until", words)
    assert "Stopped here, before the end of the script." in page
    assert ("banished cards" in page) == (words != "resolving(1)")


def test_until_what_never_comes(script: Path) -> None:
    assert shown(script, "--until", "damage step", status=1).startswith(
        'it never came to "damage step"\n'
    )


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("9", "--until: the script has no line number 9; right would be 0 to 3"),
        ("steppe(damage)", '--until: "steppe(damage)" is nothing that can come; right would be '),
        ("damage(", '--until: "damage(" is no finding; right would be '),
    ],
)
def test_until_nonsense(script: Path, words: str, says: str) -> None:
    assert refused(script, "--until", words).startswith(says)


# --- by hand --------------------------------------------------------------------------------------


def test_stepping_through(script: Path) -> None:
    page = shown(
        script, "--until", "0", "--interactive", typed="1\nactivate prison 1 on first\nq\n"
    )
    assert "   1  may  attack: First -> Second" in page
    assert "  1  attack: First -> Second (the turn player)" in page
    assert "  2  (give up priority: the turn player)" in page
    assert page.rstrip().endswith("q (quit):")


def test_what_cannot_be_done_is_said_and_changes_nothing(script: Path) -> None:
    typed = "99\nattack first directly\nhop\n\nu\n"
    page = shown(script, "--until", "0", "--interactive", typed=typed)
    assert "there is no number 99; right would be 1 to 2" in page
    assert "attack first directly is not legal: The opponent controls monsters" in page
    assert '"hop" is no action; right would be' in page
    assert "nothing to undo" in page
    assert page.count("   1  may  attack: First -> Second") == 6


def test_undoing(script: Path) -> None:
    typed = iter(["1\n", "u\n", ""])
    said: list[str] = []
    state = read_state(script.parent / "board.yaml")
    assert play_on(state, 0, "en", lambda: next(typed), said.append) is state
    assert "(undone)" in said


# --- writing --------------------------------------------------------------------------------------


def test_the_state_reached_is_written_and_read_back(script: Path, tmp_path: Path) -> None:
    file = tmp_path / "reached.yaml"
    shown(script, "--until", "resolving(1)", "--write", file)
    written = read_state(file)
    assert {"resolving(1)", "link(1,prison,1,non_turn_player)"} <= set(written.fluents)
    shown(file, "--interactive", "--write", file, typed="resolve\n")
    assert "in(first,banished)" in read_state(file).fluents
    assert sorted(one.name for one in tmp_path.iterdir()) == [
        "board.yaml",
        "reached.yaml",
        "script.yaml",
    ]


def test_writing_where_nothing_can_be_written(script: Path, tmp_path: Path) -> None:
    result = run(script, "--write", tmp_path / "no" / "such.yaml")
    assert result.exit_code == 2
    assert "right would be a file in a folder that exists" in result.stderr
    assert not (tmp_path / "no").exists()


# --- counting, and what does not go together ------------------------------------------------------


def test_perft(script: Path) -> None:
    assert shown(script, "--until", "0", "--perft", "3").splitlines() == [
        " 1  2",
        " 2  2",
        " 3  3",
        "By first action:",
        "    2  attack first -> second",
        "    1  pass turn_player",
    ]


def test_perft_against_the_numbers_of_the_file(script: Path) -> None:
    script.write_text("state: board.yaml\nperft: [2, 5]\n", encoding="utf-8")
    page = shown(script, "--perft", "2", status=1)
    assert " 2  2   the file says 5" in page
    data = json.loads(shown(script, "--perft", "2", "--json", status=1))
    assert (data["perft"], data["stated"], data["agrees"]) == ([2, 2], [2, 5], False)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--interactive", "--json"], "--json: "),
        (["--interactive", "--perft", "2"], "--perft: "),
        (["--as-of", "2019-12-20"], "--as-of: "),
        (["--as-of", "soon"], '--as-of: "soon" is no date'),
    ],
)
def test_options_that_are_refused(script: Path, options: list[str], says: str) -> None:
    assert refused(script, *options).startswith(says)


def test_files_that_are_refused(tmp_path: Path) -> None:
    assert "no such file" in refused(tmp_path / "nothing.yaml")
    result = run(base() / "facts" / "rulings" / "cases" / "probes.yaml")
    assert result.exit_code == 2
    assert all(line.startswith(str(base())) for line in result.stderr.splitlines())


GOOD = """\
state:
  turn: 3
  phase: battle
  turn_player:
    lp: 4000
    monsters:
      - {card: Marauding Captain, id: captain}
  non_turn_player:
    monsters:
      - {card: Mystic Lamp, id: lamp}
script:
  - attack captain -> lamp
  - do: proceed to damage_step
  - expect: {attack captain -> lamp: cannot}
"""


def said_of(data: bytes) -> list[str]:
    """What is said of a script that cannot be performed; nothing of another one."""
    try:
        perform(script_of(parse(decode(data, "script.yaml"), "script.yaml")))
    except InputError as error:
        return list(map(str, error.problems))
    return []


def test_no_broken_script_comes_through() -> None:
    tried = 0
    for name, data in broken_texts(GOOD):
        told = said_of(data)
        # A word that names something else which is there makes another good script.
        assert told or name.startswith("word"), name
        for line in told:
            assert line.startswith("script.yaml"), name
            assert "\n" not in line, name
            assert "; " in line, name
        tried += bool(told)
    assert tried >= 200


def test_the_schema_of_a_script() -> None:
    result = CliRunner().invoke(main, ["schema", "script"])
    assert result.exit_code == 0
    assert set(json.loads(result.stdout)["properties"]) == {"title", "state", "script", "perft"}


@pytest.mark.slow
def test_the_command_outside_the_repository(script: Path, tmp_path: Path) -> None:
    folder = tmp_path / "env"
    venv.create(folder, with_pip=True)
    done = subprocess.run(
        [folder / "bin/python", "-m", "pip", "install", "--quiet", str(base())],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    played = subprocess.run(
        [folder / "bin/battlejudge", "play", "script.yaml", "--interactive"],
        cwd=script.parent,
        env={**environment, "PYTHONIOENCODING": "utf-8"},
        input="q\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert played.returncode == 0, played.stderr
    assert "First goes to the banished cards (Dimensional Prison ①)" in played.stdout
    assert sys.executable not in played.stdout
