"""YAML texts: what is read, what is refused, and on which line."""

from __future__ import annotations

import os
import pickle
import socket
import string
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from py_bridge import yaml_text
from py_bridge.errors import InputError, Problem, at_most, nearest, printable
from py_bridge.yaml_text import (
    MAX_BYTES,
    MAX_NODES,
    decode,
    parse,
    parse_documents,
    path_text,
    read_text,
    slip,
)

BOARD = """\
# A board.
turn_player:
  lp: 8000

  monsters:
    - card: Marauding Captain
      atk: 1200
    -
      card: Yubel
    - Neos
phase: battle
"""


@pytest.fixture(params=["CBaseLoader", "BaseLoader"], autouse=True)
def loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything holds with PyYAML's loader in C, and with the one in Python."""
    monkeypatch.setattr(yaml_text, "_LOADER", getattr(yaml, request.param))


def refused(text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        parse(text, "f.yaml")
    return str(caught.value).splitlines()


def problems_of(text: str) -> tuple[Problem, ...]:
    try:
        parse(text, "f.yaml")
    except InputError as error:
        return error.problems
    return ()


def refused_file(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        read_text(path)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("8000", 8000),
        ("-500", -500),
        ("+500", 500),
        ("0100", 100),
        ("02460565", 2460565),
        ("000000000000012", 12),
        ("999999999", 999999999),
        ("-0", 0),
        ("4000.0", 4000),
        ("4e3", 4000),
        ("0.5", 0.5),
        (".5", 0.5),
        ("true", True),
        ("True", True),
        ("false", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("yes", "yes"),
        ("no", "no"),
        ("on", "on"),
        ("off", "off"),
        ("2026-01-31", "2026-01-31"),
        ("12:30", "12:30"),
        ("0x10", "0x10"),
        ("0o10", "0o10"),
        ("1_000", "1_000"),
        (".inf", ".inf"),
        (".nan", ".nan"),
        ("-a", "-a"),
        ("1.2.3", "1.2.3"),
        ("八千", "八千"),
        ("１２", "１２"),
        ("'8000'", "8000"),
        ('"true"', "true"),
        ("'null'", "null"),
        ("''", ""),
        ("|\n  8000\n", "8000\n"),
        (">\n  a\n  b\n", "a b\n"),
        ("[a, [1, {b: 2}]]", ["a", [1, {"b": 2}]]),
        ("{}", {}),
    ],
)
def test_values(text: str, value: Any) -> None:
    found = parse(f"key: {text}", "f.yaml").data["key"]
    assert found == value
    assert type(found) is type(value)


def test_numbers_as_keys_are_texts() -> None:
    assert parse("1: a\n007: b\n2.5: c\n'true': d", "f").data == {
        "1": "a",
        "007": "b",
        "2.5": "c",
        "true": "d",
    }


def test_lines() -> None:
    document = parse(BOARD, "board.yaml")
    assert document.file == "board.yaml"
    assert document.line_of(()) == 2
    assert document.line_of(("turn_player",)) == 2
    assert document.line_of(("turn_player", "lp")) == 3
    assert document.line_of(("turn_player", "monsters")) == 5
    assert document.line_of(("turn_player", "monsters", 0)) == 6
    assert document.line_of(("turn_player", "monsters", 0, "atk")) == 7
    assert document.line_of(("turn_player", "monsters", 1, "card")) == 9
    assert document.line_of(("turn_player", "monsters", 2)) == 10
    assert document.line_of(("phase",)) == 11


def test_the_line_of_something_missing_is_that_of_what_it_is_missing_from() -> None:
    document = parse(BOARD, "board.yaml")
    assert document.line_of(("turn_player", "monsters", 0, "def")) == 6
    assert document.line_of(("turn_player", "monsters", 7, "def")) == 5
    assert document.line_of(("step",)) == 2


def test_several_documents_keep_the_lines_of_the_whole_file() -> None:
    documents = parse_documents("# cards\n---\nen: A\n---\n---\nen: B\natk: 1\n---\n", "cards.yaml")
    assert [document.data for document in documents] == [{"en": "A"}, {"en": "B", "atk": 1}]
    assert [document.line_of(("en",)) for document in documents] == [3, 6]
    assert documents[1].line_of(("atk",)) == 7


def test_no_documents() -> None:
    assert parse_documents("# nothing\n---\n", "f") == []


def test_problems_of_all_documents_are_told() -> None:
    with pytest.raises(InputError) as caught:
        parse_documents("a: &x 1\n---\na: 1\na: 2\n", "f")
    assert [problem.line for problem in caught.value.problems] == [1, 4]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 1, "nothing in it"),
        ("# only a comment\n", 1, "nothing in it"),
        ("a: 1\n---\nb: 2\n", 3, "a second document"),
        ("a: 1\n...\nand more\n", 3, "behind the end of the document"),
        ("a: 1\nb: *x\n", 2, '"*x" is an alias'),
        ("a: &x 1\n", 1, '"&x" is an anchor'),
        ("a: &x [1]\n", 1, '"&x" is an anchor'),
        ("a: !!str 1\n", 1, '"!!str" is a tag'),
        ("a: !own {b: 1}\n", 1, '"!own" is a tag'),
        ("a: ! 1\n", 1, '"!" is a tag'),
        ("<<: {a: 1}\n", 1, "merge key"),
        ("a: 1\nb: 2\na: 3\n", 3, 'a: the key "a" stands on line 1 already'),
        ("a:\n- b: 1\n  'b': 2\n", 3, 'a[0].b: the key "b" stands on line 2 already'),
        ("~: 1\n", 1, '"~" cannot be a key'),
        ("true: 1\n", 1, '"true" cannot be a key'),
        ("? [a]\n: 1\n", 1, "a list or a mapping cannot be a key"),
        ("? {a: 1}\n: 1\n", 1, "a list or a mapping cannot be a key"),
        ("? *a\n: 1\n", 1, '"*a" is an alias'),
        ("{? : 1}\n", 1, "without a key"),
        ("a: 1234567890\n", 1, "the number 1234567890 is too long"),
        ("a: -1e400\n", 1, "the number -1e400 is too long"),
        (f"a: {'9' * 5000}\n", 1, "is too long; give one of at most 9 digits"),
        (f"a: 0.{'9' * 5000}\n", 1, "is too long"),
        (f"a:\n  {'[' * 40}{']' * 40}\n", 2, "more than 32 levels"),
        (f"a: {'[' * 3000}\n", 1, "more than 32 levels"),
        (f"[{'1, ' * MAX_NODES}]\n", 1, f"more than {MAX_NODES} values"),
        ("a: 'x\nb: 1\n", 1, "quotation mark is opened here and not closed"),
        ("b: 1\na: [1,\n  2\n", 2, "a bracket is opened here and not closed"),
        ("a: {b: 1\nc: 2\n", 1, "a bracket is opened here and not closed"),
        ("a: 1\n\tb: 2\n", 2, "a tab is used for indentation"),
        ("a:\n\t- b\n", 2, "a tab is used for indentation"),
        ("a: |\n\tb\n", 2, "a tab is used for indentation"),
        ("a: b: c\n", 1, 'a ":" stands where no key can be'),
        ("a: 1\n  b: 2\n", 2, 'a ":" stands where no key can be'),
        ("a: 1\nb\n", 2, 'a line has no ":"'),
        ("- a\nb: 1\n", 2, "a list goes on with a line that is no item"),
        ("a: - b\n", 1, 'a "- " stands where no list can begin'),
        ("a:\n  - b\n c\n", 3, "the line does not fit"),
        ("a: 'b' c\n", 1, "the line does not fit"),
        ("a: @b\n", 1, "a text cannot begin with @"),
        ("a: ]\n", 1, "a bracket or a comma stands where a value belongs"),
        ('a: "\\q"\n', 1, "a backslash in double quotes"),
        ("a: * b\n", 1, "begins with one of & * !"),
        ("a: >b\n", 1, "begins with > or |"),
        ("%YAML 3.0\n---\na: 1\n", 1, "a line begins with %"),
        ("lp：8000\nb: 1\n", 2, "line 1: the full-width ： is a mere letter"),
        ("a: 1\nlp:8000\nb: 1\n", 2, 'line 2: no blank follows the ":"'),
        ("a: 1\nb: \x07\n", 2, "control character \\x07"),
        ("a: 1\r\nb: \x00\r\n", 2, "control character \\x00"),
        ("a: 1\rb: \x85\r", 2, "control character \\x85"),
        ("a: \ud800\n", 1, "control character \\ud800"),
        ('a: "x\\e[2J"\n', 1, "control character \\x1b"),
    ],
)
def test_refused(text: str, line: int, words: str) -> None:
    (message,) = refused(text)
    assert message.startswith(f"f.yaml:{line}: ")
    assert words in message
    assert "; " in message


def test_a_number_too_long_for_a_character_is_refused() -> None:
    (message,) = refused('a: "\\UFFFFFFFF"')
    assert message.startswith("f.yaml:1: ") or message.startswith("f.yaml: ")


def test_all_problems_are_told_and_the_error_of_syntax_comes_last() -> None:
    assert [line.split(": ")[0] for line in refused("a: &x 1\nb: *x\na: 2\nc: [1\n")] == [
        "f.yaml:1",
        "f.yaml:2",
        "f.yaml:3",
        "f.yaml:4",
    ]


def test_no_more_than_twenty_problems_are_listed() -> None:
    lines = refused("a: [" + "*x, " * 33 + "]")
    assert len(lines) == 21
    assert lines[-1] == "f.yaml: 13 more problems not listed; put the ones above right first"


def test_problems_say_the_column() -> None:
    with pytest.raises(InputError) as caught:
        parse("a: {b: *x}", "f")
    assert [(problem.line, problem.column) for problem in caught.value.problems] == [(1, 8)]


@given(st.text() | st.text(alphabet="abA01.-+:#,[]{}&*!|>'\"%@`? \t\n\\~<=eyn", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    problems = problems_of(text)
    # Other blanks, a no-break space for one, are a word to YAML.
    assert problems or text.strip(string.whitespace)
    assert all(str(problem).isprintable() for problem in problems)


PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-999_999_999, 999_999_999)
    | st.text(alphabet=st.characters(exclude_categories=["C", "Zl", "Zp"]), max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(alphabet=st.characters(categories=["Ll", "Lo"]), min_size=1, max_size=8),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(st.dictionaries(st.sampled_from(["a", "b", "c"]), PLAIN, min_size=1))
def test_what_is_written_is_read(data: dict[str, Any]) -> None:
    text = yaml.dump(data, Dumper=Unaliased, allow_unicode=True, sort_keys=False)
    assert parse(text, "f").data == data


class Unaliased(yaml.SafeDumper):
    """Writes a value out each time, where YAML would refer to the first one."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        text = decode(data, "f")
    except InputError:
        return
    assert text.encode() == data.removeprefix(b"\xef\xbb\xbf")


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "board.yaml"
    path.write_bytes(b"\xef\xbb\xbf# \xe7\x89\x8c\r\na: 1\r\n")
    assert read_text(path) == "# 牌\r\na: 1\r\n"
    assert read_text(str(path)) == read_text(path)


@pytest.mark.parametrize(
    ("data", "place", "words"),
    [
        (b"a: 1\nb: \xff\n", ":2", "byte 0xFF at offset 8 is not UTF-8"),
        (b"a: \xe4\xb8", ":1", "byte 0xE4 at offset 3 is not UTF-8"),
        ("a: 攻击".encode("gbk"), ":1", "is not UTF-8; save the file as UTF-8"),
        ("a: 1".encode("utf-16"), "", "its encoding is UTF-16"),
        (b"a: 1\nb: \x00\n", ":2", "control character \\x00"),
        (b"\x1b[2J", ":1", "control character \\x1b"),
        (b"#" * (MAX_BYTES + 1), "", f"longer than {MAX_BYTES} bytes"),
    ],
)
def test_bytes_that_are_refused(tmp_path: Path, data: bytes, place: str, words: str) -> None:
    path = tmp_path / "board.yaml"
    path.write_bytes(data)
    message = refused_file(path)
    assert message.startswith(f"{path}{place}: ")
    assert words in message


def test_a_file_of_the_greatest_length_is_read(tmp_path: Path) -> None:
    path = tmp_path / "board.yaml"
    path.write_bytes(b"#" * MAX_BYTES)
    assert len(read_text(path)) == MAX_BYTES


def test_a_missing_file(tmp_path: Path) -> None:
    assert "there is no such file" in refused_file(tmp_path / "board.yaml")


def test_a_folder(tmp_path: Path) -> None:
    assert "this is a folder" in refused_file(tmp_path)


def test_a_pipe(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    assert "this is a pipe" in refused_file(path)


def test_a_device() -> None:
    assert "this is a device" in refused_file(Path(os.devnull))


def test_a_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The name of a socket must be short, that of the folder is not.
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        assert "no ordinary file" in refused_file(Path("socket"))


@pytest.mark.parametrize("name", ["a\0b", "x" * 5000, "a\nb", "board.yaml/inside"])
def test_names_that_cannot_be(tmp_path: Path, name: str) -> None:
    (tmp_path / "board.yaml").write_text("a: 1")
    message = refused_file(tmp_path / name)
    assert message.isprintable()
    assert "; give" in message


def test_a_problem_is_one_line() -> None:
    problem = Problem("a\nb.yaml", 3, "wrong\x1b; right", path="side.monsters[0]")
    assert str(problem) == "a\\nb.yaml:3: side.monsters[0]: wrong\\x1b; right"


def test_an_error_survives_pickling() -> None:
    error = InputError([Problem("f", 1, "wrong; right")])
    assert pickle.loads(pickle.dumps(error)).problems == error.problems


def test_at_most() -> None:
    problems = [Problem("f", line, "wrong; right") for line in range(1, 5)]
    assert at_most(problems, 4) == problems
    assert at_most(problems, 3)[:3] == problems[:3]
    assert str(at_most(problems, 3)[3]).startswith("f: 1 more problem not listed")
    assert at_most([]) == []


def test_printable() -> None:
    assert printable("攻击 a") == "攻击 a"
    assert printable("a\tb\u202e") == "a\\tb\\u202e"
    assert printable("abcdef", 4) == "abc…"
    assert printable("\n\n\n", 4) == "\\n\\…"


def test_nearest() -> None:
    known = ["battle_step", "damage_step", "end_step", "main_phase"]
    assert nearest("Battle Step", known) == ["battle_step"]
    assert nearest("battel_step", known) == ["battle_step"]
    assert nearest("xyzzy", known) == []
    assert nearest("step", known)[0] == "end_step"


def test_path_text() -> None:
    assert path_text(("turn_player", "monsters", 1, "atk")) == "turn_player.monsters[1].atk"
    assert path_text((2, "atk")) == "[2].atk"
    assert path_text(()) == ""
    assert len(path_text(("x" * 5000,))) == 40


def test_slips() -> None:
    assert "full-width" in slip("lp：8000")
    assert "no blank" in slip("- lp:8000")
    assert slip("lp: 8000") == ""
    assert slip("see a::b") == ""
