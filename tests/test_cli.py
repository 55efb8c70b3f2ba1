"""The command line: exit status, pages, JSON, and one clear line for whatever can be wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from py_bridge.cli import main
from py_bridge.paths import base

BOARD = base() / "facts" / "boards" / "two_captains.yaml"
PLAIN = """\
turn: 3
turn_player: {monsters: [{card: {name: First, card: monster, atk: 1000, def: 0}, id: first}]}
non_turn_player: {monsters: [{card: {name: Second, card: monster, atk: 1000, def: 0}, id: second}]}
"""
# Every command that reads a state file, with what else it needs.
ON_A_STATE = (("legal",), ("legal", "--json"), ("why",), ("why", "--json"))


def run(*arguments: str | Path) -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def answered(*arguments: str | Path, status: int = 0) -> str:
    """What a command prints that succeeds, or says no."""
    result = run(*arguments)
    assert result.exit_code == status, result.output
    assert result.stderr == ""
    return result.stdout


def refused(*arguments: str | Path) -> list[str]:
    """The lines of a command that refuses its input."""
    result = run(*arguments)
    assert isinstance(result.exception, SystemExit)
    assert result.exit_code == 2
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert lines
    assert not any("Traceback" in line for line in lines)
    return lines


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """A state file with two monsters."""
    file = tmp_path / "plain.yaml"
    file.write_text(PLAIN, encoding="utf-8")
    return file


def _ask(command: tuple[str, ...], file: str | Path) -> list[str | Path]:
    more = ["attack first -> second"] if command[0] == "why" else []
    return [command[0], *command[1:], file, *more]


# --- answers --------------------------------------------------------------------------------------


def test_legal(plain: Path) -> None:
    page = answered("legal", plain)
    assert page.splitlines()[:2] == ["Legal:", "  may       attack: First -> Second"]
    assert "attack directly" not in page
    assert page.splitlines()[-1].startswith("Assumed: ")


def test_legal_with_what_is_refused(plain: Path) -> None:
    page = answered("legal", "--all", plain)
    assert "Refused:\n  cannot    attack directly: First\n" in page
    assert "[bs-008]" in page


def test_legal_in_chinese(plain: Path) -> None:
    page = answered("legal", "--lang", "zh", plain)
    assert page.splitlines()[:2] == ["可以进行:", "  可以      攻击：First → Second"]


def test_legal_as_json(plain: Path) -> None:
    data = json.loads(answered("legal", "--json", plain))
    assert set(data) >= {"actions", "findings", "assumptions"}
    first = data["actions"][0]
    assert (first["action"], first["answer"]) == ("attack first -> second", "may")


def test_the_board_of_the_repository() -> None:
    page = answered("legal", "--all", BOARD)
    assert "Refused:" in page


@pytest.mark.parametrize(
    ("action", "status"),
    [
        ("attack first -> second", 0),
        ("attack first on second", 0),
        ("Attack  FIRST -> second", 0),
        ("attack first directly", 1),
        ("enter end step", 0),
        ("enter damage_step", 1),
    ],
)
def test_why_tells_yes_and_no_by_its_status(plain: Path, action: str, status: int) -> None:
    page = answered("why", plain, *action.split(" "), status=status)
    how = "cannot: " if status else "may: "
    assert page.startswith(how)
    assert "\n1. " in page


@pytest.mark.parametrize("words", [["attack first -> second"], ["attack", "first", "->", "second"]])
def test_why_reads_one_word_or_many(plain: Path, words: list[str]) -> None:
    assert answered("why", plain, *words).startswith("may: attack: First -> Second\n")


def test_why_as_json(plain: Path) -> None:
    data = json.loads(answered("why", "--json", plain, "attack first directly", status=1))
    assert data["action"] == "attack first directly"
    assert data["answer"] == "cannot"
    (reason,) = data["reasons"]
    assert reason["label"] == "targets_direct_needs_leave"
    assert reason["rulings"] == ["bs-008", "bs-009"]
    assert reason["source"] is None
    assert reason["derivation"]["kind"] == "rule"


def test_rulings_by_id() -> None:
    page = answered("rulings", "bs-049")
    assert page.startswith("bs-049: agrees (")


def test_rulings_as_json() -> None:
    data = json.loads(answered("rulings", "--json", "--blank-names", "bs-049", "bs-060"))
    assert [one["id"] for one in data["rulings"]] == ["bs-049", "bs-060"]
    assert {one["result"] for one in data["rulings"]} == {"agrees"}
    assert {one["changed_by_blank_names"] for one in data["rulings"]} == {False}


def test_cards() -> None:
    page = answered("cards", "marauding", "captain")
    assert page.startswith("Marauding Captain / 冲锋陷阵的队长 / 切り込み隊長 (02460565)\n")
    assert "cannot_target" in page
    assert "Marauding Captain" in answered("cards", "冲锋陷阵的队长")
    assert "Marauding Captain" in answered("cards", "2460565")


def test_no_cards() -> None:
    assert answered("cards", "xyzzy", status=1) == "nothing found\n"
    assert answered("cards", "--lang", "zh", "xyzzy", status=1) == "没有找到\n"


def test_classes() -> None:
    page = answered("cards", "--classes")
    assert "\nmust_attack: " in page
    assert "Captain" not in page
    data = json.loads(answered("cards", "--classes", "--json", "must_attack_directly"))
    assert data["cards"] == []
    (word,) = data["classes"]
    assert (word["name"], word["operation"]) == ("must_attack_directly", False)
    assert word["zh"] == "必须直接攻击"


def test_schema_is_json() -> None:
    assert json.loads(answered("schema"))["title"] == "A battlejudge state file"


def test_help() -> None:
    page = answered("--help")
    for command in ("legal", "why", "rulings", "cards", "schema"):
        assert f"\n  {command} " in page
        assert answered(command, "-h").startswith(f"Usage: main {command} ")


# --- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ON_A_STATE, ids=" ".join)
@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, ": there is no such file; give the path of a file that exists"),
        ("", ":1: there is nothing in it; write at least one key with its value"),
        ("\n\n", ":1: there is nothing in it; write at least one key with its value"),
        ("turn: [", ":1: a bracket or a comma stands where a value belongs; write the value, "),
        ("just words", ':1: found the text "just words"; expected a mapping (lines "key: value")'),
    ],
)
def test_a_file_that_is_no_state(
    tmp_path: Path, command: tuple[str, ...], content: str | None, says: str
) -> None:
    file = tmp_path / "some.yaml"
    if content is not None:
        file.write_text(content, encoding="utf-8")
    (line,) = refused(*_ask(command, file))
    assert line.startswith(f"{file}{says}")


@pytest.mark.parametrize("command", ON_A_STATE, ids=" ".join)
def test_a_folder_is_no_state(tmp_path: Path, command: tuple[str, ...]) -> None:
    (line,) = refused(*_ask(command, tmp_path))
    assert line == f"{tmp_path}: this is a folder; give the path of a file"


@pytest.mark.parametrize("command", ON_A_STATE, ids=" ".join)
def test_every_problem_is_one_line(tmp_path: Path, command: tuple[str, ...]) -> None:
    file = tmp_path / "some.yaml"
    file.write_text("turn: 0\nphase: fight\nturn_player: {}\n", encoding="utf-8")
    lines = refused(*_ask(command, file))
    assert len(lines) == 3
    assert lines[0].startswith(f"{file}:1: ")


@pytest.mark.parametrize("command", ON_A_STATE, ids=" ".join)
def test_an_impossible_board_is_refused(tmp_path: Path, command: tuple[str, ...]) -> None:
    file = tmp_path / "some.yaml"
    file.write_text(PLAIN.replace("turn: 3", "turn: 1"), encoding="utf-8")
    (line,) = refused(*_ask(command, file))
    assert line.startswith(str(file))
    assert "turn 1" in line


def test_words_that_are_no_action(plain: Path) -> None:
    (line,) = refused("why", plain, "jump", "first")
    assert line.startswith('"jump first" is no action; right would be: attack A -> B, ')


def test_an_action_of_another_board(plain: Path) -> None:
    (line,) = refused("why", plain, "attack first -> secnd")
    assert line == (
        '"attack first -> secnd" is no action of this state; '
        'right would be "attack first -> second"'
    )
    (line,) = refused("why", plain, "enter the_kitchen")
    assert line.startswith('"enter the_kitchen" is no action of this state; right would be ')


@pytest.mark.parametrize("odd", ["", " ", "\x00", "→", "attack " * 500, "--", "attack -1 -> x"])
def test_odd_words_are_no_action(plain: Path, odd: str) -> None:
    result = run("why", plain, "attack first", odd)
    assert result.exit_code == 2
    assert isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert len(result.stderr) < 400


@pytest.mark.parametrize("command", ON_A_STATE, ids=" ".join)
@pytest.mark.parametrize(
    ("day", "says"),
    [
        ("yesterday", '--as-of: "yesterday" is no date; right would be 2026-03-19'),
        ("2026-13-01", '--as-of: "2026-13-01" is no date; right would be 2026-03-19'),
        ("", '--as-of: "" is no date; right would be 2026-03-19'),
        (
            "2019-12-20",
            "--as-of: 2019-12-20 lies before the edition that the rules state; "
            "right would be 2026-03-19 or later",
        ),
    ],
)
def test_a_day_that_cannot_be_asked_of(
    plain: Path, command: tuple[str, ...], day: str, says: str
) -> None:
    assert refused(*_ask((*command, "--as-of", day), plain)) == [says]


@pytest.mark.parametrize("command", ON_A_STATE, ids=" ".join)
def test_a_day_that_can_be_asked_of(plain: Path, command: tuple[str, ...]) -> None:
    with_day = answered(*_ask((*command, "--as-of", "2026-03-19"), plain))
    assert with_day == answered(*_ask(command, plain))


@pytest.mark.parametrize("command", ["legal", "why", "rulings", "cards"])
def test_another_language(command: str) -> None:
    lines = refused(command, "--lang", "fr", "x", "y")
    assert "'fr' is not one of 'en', 'zh'" in lines[-1]


def test_an_unknown_ruling() -> None:
    lines = refused("rulings", "bs-001", "bs-0001", "xx-001")
    assert len(lines) == 2
    assert 'no ruling "bs-0001"; did you mean bs-001' in lines[0]
    assert 'no ruling "xx-001"' in lines[1]


@pytest.mark.parametrize(
    "arguments",
    [
        ["legal"],
        ["why"],
        ["why", "x.yaml"],
        ["judge"],
        ["legal", "--loud"],
    ],
    ids=" ".join,
)
def test_wrong_usage(arguments: list[str]) -> None:
    lines = refused(*arguments)
    assert lines[0].startswith("Usage: ")
    assert lines[-1].startswith("Error: ")


def test_an_unknown_edition_or_topic() -> None:
    (line,) = refused("rulings", "--edition", "1999")
    assert line == '--edition: no ruling has "1999"; right would be 2009 or 2019 or 2026'
    (line,) = refused("rulings", "--topic", "attack-target")
    assert line.startswith('--topic: no ruling has "attack-target"; right would be attack-')


# --- as installed ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command of a fresh virtual environment, outside the repository."""
    folder = tmp_path_factory.mktemp("command")
    build = [sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), str(base())]
    subprocess.run(build, check=True, capture_output=True, cwd=folder)
    (wheel,) = folder.glob("*.whl")
    venv.create(folder / "env", with_pip=True)
    python = folder / "env" / "bin" / "python"
    install = [str(python), "-m", "pip", "install", "--quiet", str(wheel)]
    subprocess.run(install, check=True, capture_output=True, cwd=folder)
    return folder / "env" / "bin" / "battlejudge"


def _installed(command: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [command, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (["legal", "plain.yaml"], 0, "Legal:\n  may       attack: First -> Second\n"),
        (
            ["legal", "--lang", "zh", "plain.yaml"],
            0,
            "可以进行:\n  可以      攻击：First → Second\n",
        ),
        (["why", "plain.yaml", "attack", "first", "->", "second"], 0, "may: attack: First -> "),
        (["why", "plain.yaml", "attack first directly"], 1, "cannot: attack directly: First\n"),
        (["rulings", "bs-049"], 0, "bs-049: agrees ("),
        (["cards", "marauding"], 0, "Marauding Captain / "),
        (["cards", "xyzzy"], 1, "nothing found\n"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_installed_command_answers(
    command: Path, tmp_path: Path, arguments: list[str], status: int, says: str
) -> None:
    (tmp_path / "plain.yaml").write_text(PLAIN, encoding="utf-8")
    done = _installed(command, tmp_path, *arguments)
    assert (done.returncode, done.stderr) == (status, "")
    assert done.stdout.startswith(says)


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ["legal", "--json", "plain.yaml"],
        ["why", "--json", "plain.yaml", "attack first -> second"],
        ["rulings", "--json", "bs-049"],
        ["cards", "--json", "captain"],
        ["schema"],
    ],
    ids=" ".join,
)
def test_installed_command_prints_json(command: Path, tmp_path: Path, arguments: list[str]) -> None:
    (tmp_path / "plain.yaml").write_text(PLAIN, encoding="utf-8")
    done = _installed(command, tmp_path, *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    data: Any = json.loads(done.stdout)
    assert isinstance(data, dict)
    # Byte for byte what the checkout prints.
    here = CliRunner().invoke(
        main, [str(tmp_path / one) if one == "plain.yaml" else one for one in arguments]
    )
    assert done.stdout == here.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [["legal", "missing.yaml"], ["why", "plain.yaml", "jump"], ["rulings", "bs-9"], ["legal", "."]],
    ids=" ".join,
)
def test_installed_command_refuses(command: Path, tmp_path: Path, arguments: list[str]) -> None:
    (tmp_path / "plain.yaml").write_text(PLAIN, encoding="utf-8")
    done = _installed(command, tmp_path, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert "; " in done.stderr
