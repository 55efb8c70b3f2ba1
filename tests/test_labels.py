"""Label blocks: what is read, what covers which rule, and every refusal with its message."""

from pathlib import Path

import pytest

from py_bridge.labels import (
    Label,
    LabelError,
    RuleSyntaxError,
    check_labels,
    fill,
    labelled_statements,
    parse_rules,
    placeholders,
    read_labels,
    rule_labels,
)

LP = Path(__file__).parent / "lp"
KNOWN = {"bs-048", "bs-053"}
ALLOWED = {"source", "target", "attacker"}

GOOD = """\
% @rule shielded : bs-048 bs-053
% en: {source} shields {target}.
% zh: {source}保护{target}。
shielded(T, by(shielded, S, 1)) :- shield(S), target(T).
"""


def write(folder: Path, text: str, name: str = "a.lp") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def check(tmp_path: Path, text: str) -> list[str]:
    """The problems of one file below rules/, without the folder in front."""
    path = write(tmp_path / "rules", text)
    problems = check_labels([path], KNOWN, ALLOWED)
    return [problem.removeprefix(f"{path.parent}/") for problem in problems]


def test_reads_a_block() -> None:
    path = LP / "shields.lp"
    labels = read_labels([path])
    assert labels["shield_given"] == Label(
        name="shield_given",
        rulings=("bs-048", "bs-053"),
        en="{source} shields {target}.",
        zh="{source}保护{target}。",
        file=str(path),
        line=5,
    )
    assert labels["word_open"].rulings == ()
    assert list(labels) == ["shield_given", "word_open", "house_shields"]


def test_a_block_covers_the_rules_up_to_the_blank_line() -> None:
    path = LP / "shields.lp"
    covered = {line: label.name for (_, line), label in rule_labels([path]).items()}
    assert covered == {
        8: "shield_given",
        13: "shield_given",
        19: "word_open",
        24: "house_shields",
        25: "house_shields",
    }


def test_the_fixture_has_no_problem() -> None:
    assert check_labels([LP / "shields.lp"], KNOWN, ALLOWED) == []


def test_a_label_in_a_string_or_block_comment_is_no_label() -> None:
    text = '%*\n% @rule a : bs-1\n*%\np("% @rule b : bs-1") :- q.\n'
    assert [(line, label) for _, line, label in labelled_statements("a.lp", text)] == [(4, None)]


def test_statements_other_than_rules_need_no_label(tmp_path: Path) -> None:
    text = "#defined shield/1.\n#const most = 3.\n#program base.\n#show shielded/2.\n"
    assert check(tmp_path, text) == []


def test_a_statement_without_meaning_for_labels_does_not_end_the_block(tmp_path: Path) -> None:
    assert check(tmp_path, GOOD.replace("shielded(T", "#defined shield/1.\nshielded(T")) == []


def test_facts_need_a_label_only_below_rules(tmp_path: Path) -> None:
    data = write(tmp_path / "facts", "p(1). p(2..3).\n")
    assert check_labels([data], KNOWN, ALLOWED) == []
    assert check(tmp_path, "p(1).\n") == [
        "a.lp:1: rule without a label; put a '% @rule NAME : IDS' block directly above it"
    ]


def test_a_rule_with_a_body_needs_a_label_everywhere(tmp_path: Path) -> None:
    data = write(tmp_path / "facts", "p(1).\n:- q.\nr :- q.\n")
    assert [problem.rpartition("/")[2] for problem in check_labels([data], KNOWN, ALLOWED)] == [
        f"a.lp:{line}: rule without a label; put a '% @rule NAME : IDS' block directly above it"
        for line in (2, 3)
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param(
            GOOD.replace("bs-053", "bs-999"),
            "a.lp:1: label shielded cites bs-999, which is not in the register",
            id="unknown ruling",
        ),
        pytest.param(
            GOOD.replace("% en: {source} shields {target}.\n", ""),
            "a.lp:1: label shielded has no sentence; add a line '% en: ...' below it",
            id="no English sentence",
        ),
        pytest.param(
            GOOD.replace("% zh: {source}保护{target}。", "% zh:"),
            "a.lp:1: label shielded has no sentence; add a line '% zh: ...' below it",
            id="empty Chinese sentence",
        ),
        pytest.param(
            GOOD.replace("% zh", "% en: Again.\n% zh"),
            "a.lp:3: second 'en' sentence for label shielded; write one sentence",
            id="second sentence",
        ),
        pytest.param(
            GOOD.replace("% zh: {source}", "% zh: {owner}"),
            "a.lp:1: 'zh' sentence of label shielded has the unknown placeholder {owner}; "
            "allowed: attacker, source, target",
            id="unknown placeholder",
        ),
        pytest.param(
            GOOD.replace("by(shielded, S", "by(other, S"),
            "a.lp:4: reason by(other, ...) under label shielded; write by(shielded, ...)",
            id="reason of another label",
        ),
        pytest.param(
            GOOD.replace("by(shielded, S", "by(shielded; other, S"),
            "a.lp:4: reason by(other, ...) under label shielded; write by(shielded, ...)",
            id="reason of another label in a pool",
        ),
        pytest.param(
            GOOD.replace("shielded : bs-048 bs-053", "shielded : definition bs-048"),
            "a.lp:1: label shielded mixes 'definition' with ruling ids; give one or the other",
            id="definition and ids",
        ),
        pytest.param(
            GOOD.replace("@rule shielded :", "@rule Shielded.x :"),
            "a.lp:1: label block cannot be read; write '% @rule lower_case_name : ID ID ...', "
            "or 'definition' instead of the ids",
            id="bad name",
        ),
        pytest.param(
            GOOD.replace(" bs-048 bs-053", ""),
            "a.lp:1: label block cannot be read; write '% @rule lower_case_name : ID ID ...', "
            "or 'definition' instead of the ids",
            id="no ids",
        ),
        pytest.param(
            GOOD + "% en: Afterwards.\n",
            "a.lp:5: 'en' sentence belongs to no label; put it below a '% @rule' line",
            id="stray sentence",
        ),
        pytest.param(
            GOOD + "\n" + GOOD.replace("bs-048 ", ""),
            "a.lp:6: label shielded is already used at {folder}/a.lp:1; choose another name",
            id="name used twice",
        ),
        pytest.param(
            "\nshielded(T :- target(T).\n",
            "a.lp:2: syntax error, unexpected :-, expecting ) or ;",
            id="syntax",
        ),
    ],
)
def test_refusals(tmp_path: Path, text: str, problem: str) -> None:
    assert check(tmp_path, text) == [problem.replace("{folder}", str(tmp_path / "rules"))]


def test_a_blank_line_parts_label_and_rule(tmp_path: Path) -> None:
    assert check(tmp_path, GOOD.replace("shielded(T", "\nshielded(T")) == [
        "a.lp:1: label shielded covers no rule; "
        "put the rule directly below it, without a blank line",
        "a.lp:5: rule without a label; put a '% @rule NAME : IDS' block directly above it",
    ]


def test_a_name_is_unique_across_files(tmp_path: Path) -> None:
    first = write(tmp_path, GOOD, "first.lp")
    second = write(tmp_path, GOOD, "second.lp")
    message = f"{second}:1: label shielded is already used at {first}:1; choose another name"
    assert check_labels([first, second], KNOWN, ALLOWED) == [message]
    with pytest.raises(LabelError) as caught:
        read_labels([first, second])
    assert str(caught.value) == message


def test_a_reason_may_carry_a_variable_label(tmp_path: Path) -> None:
    assert check(tmp_path, GOOD.replace("by(shielded, S, 1)", "by(Why, S, 1)")) == []


def test_reading_refuses_half_a_label(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD.replace("% en: {source} shields {target}.\n", ""))
    with pytest.raises(LabelError) as caught:
        read_labels([path])
    assert str(caught.value) == (
        f"{path}:1: label shielded has no sentence; add a line '% en: ...' below it"
    )


def test_a_syntax_error_names_the_file_and_line() -> None:
    with pytest.raises(RuleSyntaxError) as caught:
        parse_rules("rules/a.lp", "a :- b.\nc :- d e.\n")
    assert str(caught.value) == "rules/a.lp:2: syntax error, unexpected <IDENTIFIER>"


def test_a_file_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.lp"
    path.write_bytes(b"p(1).\n% \xb9\xfe\n")
    assert check_labels([path], KNOWN, ALLOWED) == [
        f"{path}:2: not UTF-8 text; save the file as UTF-8"
    ]


def test_sentences_are_filled() -> None:
    sentence = "{source} shields {target} from {attacker}."
    assert placeholders(sentence) == ("source", "target", "attacker")
    values = {"source": "Avramax", "target": "Sangan"}
    assert fill(sentence, values) == "Avramax shields Sangan from {attacker}."
