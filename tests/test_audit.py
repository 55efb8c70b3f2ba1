"""The audit: its checks, what it remembers, and what it says."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from small_base import CASES, small_base

from py_bridge import audit, audit_page, register
from py_bridge.audit import Check, Memory, Source, Tried, audited
from py_bridge.cli import main
from py_bridge.errors import BattlejudgeError


class AtOnce(Executor):
    """Runs each task when it is submitted; Ctrl-C after `most` of them."""

    def __init__(self, most: int = 1_000) -> None:
        self.left = most
        self.done = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        if self.left == 0:
            raise KeyboardInterrupt
        self.left -= 1
        self.done += 1
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Nothing waits here."""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Source:
    return small_base(tmp_path_factory.mktemp("base"))


def _tried(result: str, kind: str = "drop") -> Tried:
    return Tried("rules/a.lp:1", "a :- b.", kind, "a.", result)


# --- mutants --------------------------------------------------------------------------------------


def test_every_mutant_comes_to_something(source: Source, tmp_path: Path) -> None:
    memory = Memory(tmp_path / "state", source)
    done: list[int] = []
    tried, complete = audit.sweep(source, memory, AtOnce(), progress=done.append)
    results = {(one.rule, one.text): one.result for one in tried}
    assert complete
    assert len(tried) == len(audited(source).mutants) == sum(done)
    answer = "answer(attack(A,T),may) :- could(A,T); not barred(A)."
    assert results[answer, ""] == "killed"
    idle = "idle(A) :- could(A,_); not could(A,A)."
    assert results[idle, "idle(A) :- could(A,_)."] == "open"  # no scope looks at findings
    refused = "answer(attack(A,T),cannot) :- could(A,T); barred(A)"
    assert results[f"{refused}; monster(T).", f"{refused}."] == "equivalent"
    barred = "barred(A) :- holds(position(A,defense)); not holds(face(A,down))."
    assert results[barred, "barred(A) :- holds(position(A,defense))."] == "alive"
    assert results["loud(A) :- holds(value(A,atk,_)).", ""] == "unseen"


def test_a_survivor_comes_with_a_board(source: Source, tmp_path: Path) -> None:
    tried, _ = audit.sweep(source, Memory(tmp_path / "state", source), AtOnce())
    alive = [one for one in tried if one.result == "alive"]
    assert alive
    assert all(one.board and one.differs for one in alive)
    assert all(one.by for one in tried if one.result == "killed")


def test_ctrl_c_keeps_what_was_found(
    source: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit, "_CHUNK_WITH_SCRIPTS", 5)
    broken_off = AtOnce(2)
    tried, complete = audit.sweep(source, Memory(tmp_path / "state", source), broken_off)
    assert not complete
    assert tried == []
    memory = Memory(tmp_path / "state", source)
    memory.keep(audit.examine(source, range(10)))
    again = Memory(tmp_path / "state", source)
    again.recall()
    executor = AtOnce()
    tried, complete = audit.sweep(source, again, executor)
    assert complete
    assert executor.done == -(-(len(tried) - 10) // 5)


def test_a_sample_is_every_nth_mutant(source: Source, tmp_path: Path) -> None:
    everything, _ = audit.sweep(source, Memory(tmp_path / "all", source), AtOnce())
    some, complete = audit.sweep(source, Memory(tmp_path / "some", source), AtOnce(), every=4)
    assert complete
    assert some == everything[::4]


def test_other_rules_are_not_remembered(source: Source, tmp_path: Path) -> None:
    memory = Memory(tmp_path / "state", source)
    memory.keep([("a :- b. => a.", _tried("killed"))])
    (tmp_path / "other").mkdir()
    other = small_base(tmp_path / "other", CASES.replace("atk: 1800", "atk: 1900"))
    fresh = Memory(tmp_path / "state", other)
    fresh.recall()
    assert fresh.known == {}


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"digest": 1}', "\0"])
def test_a_broken_memory_is_no_memory(source: Source, tmp_path: Path, text: str) -> None:
    (tmp_path / "state").write_text(text, encoding="utf-8")
    memory = Memory(tmp_path / "state", source)
    memory.recall()
    assert memory.known == {}


def test_a_memory_that_cannot_be_written(source: Source, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    memory = Memory(tmp_path / "file" / "state", source)
    with pytest.raises(BattlejudgeError, match="right would be a file in a folder"):
        memory.keep([])


def test_the_score_leaves_out_what_no_board_tells() -> None:
    tried = [_tried("killed")] * 19 + [_tried("alive"), _tried("equivalent"), _tried("open")]
    check = audit.check_mutants(tried, True)
    assert check.ok
    assert check.numbers["score"] == 0.95
    assert (check.numbers["killed"], check.numbers["alive"], check.numbers["equivalent"]) == (
        19,
        1,
        1,
    )
    assert not audit.check_mutants([*tried, _tried("alive")], True).ok


def test_dead_rules_are_those_that_nothing_misses() -> None:
    tried = [_tried("killed", "remove"), _tried("alive", "remove"), _tried("equivalent")]
    assert audit.check_dead_rules(tried, True).ok
    check = audit.check_dead_rules([*tried, _tried("equivalent", "remove")], True)
    assert not check.ok
    assert check.found == ({"rule": "rules/a.lp:1", "text": "a :- b.", "proof": True},)


# --- the other checks -----------------------------------------------------------------------------


def test_cases_agree(source: Source) -> None:
    check = audit.check_rulings(audited(source))
    assert check.ok
    assert check.numbers["rulings"] == 1


def test_what_no_case_exercises_is_listed(source: Source) -> None:
    check = audit.check_citations(audited(source))
    idle = [one["text"] for one in check.found if "rule" in one]
    assert idle == []
    uncited = {one["ruling"] for one in check.found if "ruling" in one}
    assert "bs-049" in uncited
    assert "bs-048" not in uncited
    assert check.numbers["labels"]["small_could"] == {"rulings": ["bs-048"], "cases": 2}


def _register(monkeypatch: pytest.MonkeyPatch, ruling: str, reason: str | None) -> None:
    entries = register.load()
    entries[ruling] = replace(entries[ruling], shown_by_none=reason)
    monkeypatch.setattr(register, "load", lambda: entries)


def test_a_ruling_that_its_case_needs_is_shown(source: Source) -> None:
    done: list[int] = []
    check = audit.check_shown(source, AtOnce(), done.append)
    assert check.ok
    assert check.numbers["by_case"] == {"bs-048": "cases.yaml:2"}
    assert sum(done) == 1


def test_a_ruling_that_no_case_shows_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = small_base(tmp_path, CASES.replace("bs-048", "bs-049", 1))
    with (tmp_path / "rules" / "small.lp").open("a", encoding="utf-8") as file:
        file.write("\n% @rule small_aside : bs-049\naside(A) :- could(A, _).\n")
    check = audit.check_shown(source, AtOnce())
    assert not check.ok
    missing = {"ruling": "bs-049", "labels": ["small_aside"], "cases": ["cases.yaml:2"]}
    assert check.found == (missing,)
    _register(monkeypatch, "bs-049", "Nothing rests on it.")
    check = audit.check_shown(source, AtOnce())
    assert check.ok
    assert check.figure.endswith("1 of 2 rulings shown by a case, 1 registered as shown by none")


def test_a_ruling_registered_as_shown_by_none_may_be_shown(
    source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    _register(monkeypatch, "bs-048", "Nothing rests on it.")
    check = audit.check_shown(source, AtOnce())
    assert not check.ok
    (found,) = check.found
    assert found["shown_by_none"] == "Nothing rests on it."
    assert found["shown_by"] == "cases.yaml:2"


def test_ctrl_c_keeps_what_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "_RULINGS", 1)
    source = small_base(tmp_path, CASES.replace("bs-048", "bs-049", 1))
    check = audit.check_shown(source, AtOnce(1))
    assert not check.complete


def test_blank_names_change_nothing(source: Source) -> None:
    assert audit.check_blank_names(audited(source)).ok


def test_a_rule_that_knows_a_card_is_found(tmp_path: Path) -> None:
    source = small_base(tmp_path)
    rules = tmp_path / "rules" / "small.lp"
    text = rules.read_text(encoding="utf-8")
    named = 'strong(1500) :- holds(trait(_, name("One"))).'
    rules.write_text(text.replace("strong(1500).", named), encoding="utf-8")
    check = audit.check_blank_names(audited(source))
    assert not check.ok
    assert [one["case"] for one in check.found] == ["cases.yaml:2"]


def test_every_action_has_one_answer(source: Source) -> None:
    found = audit.check_one_answer(audited(source)).found
    assert [one for one in found if "case" in one or "circle" in one] == []


def test_two_answers_are_found(tmp_path: Path) -> None:
    source = small_base(tmp_path)
    with (tmp_path / "rules" / "small.lp").open("a", encoding="utf-8") as file:
        file.write("answer(attack(A, T), must) :- could(A, T).\n")
    found = audit.check_one_answer(audited(source)).found
    both = [(one["action"], one["answers"]) for one in found if "case" in one]
    assert ("attack(one,two)", ["may", "must"]) in both


# --- what it says ---------------------------------------------------------------------------------


def test_the_page_is_short_and_the_data_whole() -> None:
    found = [{"rule": f"rules/a.lp:{n}", "text": "a."} for n in range(100)]
    checks = [
        Check("rulings", True, "3 of 3 rulings"),
        Check("citations", False, "0 of 100", tuple(found)),
        Check("mutants", True, "1 of 2", numbers={"killed": 1}, complete=False),
    ]
    page = audit_page.page(checks, "en")
    assert len(page) < 24
    assert any("97 more" in line for line in page)
    data = audit_page.as_data(checks)
    assert [one["name"] for one in data["checks"]] == ["rulings", "citations", "mutants"]
    assert len(data["checks"][1]["found"]) == 100
    assert data["checks"][2]["killed"] == 1
    assert data["ok"] is False


def test_checks_by_name() -> None:
    assert audit.chosen_checks((), True) == [one for one in audit.CHECKS if one != "mutants"]
    assert audit.chosen_checks(("mutants", "rulings"), False) == ["rulings", "mutants"]
    with pytest.raises(BattlejudgeError, match="right would be citations"):
        audit.chosen_checks(("citation",), False)


def test_the_command(source: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "Source", lambda **_: source)
    monkeypatch.setattr("concurrent.futures.ProcessPoolExecutor", _at_once)
    file = tmp_path / "report.json"
    arguments = ["audit", "--only", "mutants", "--json", "--output", str(file)]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 1
    (check,) = json.loads(file.read_text(encoding="utf-8"))["checks"]
    assert check["name"] == "mutants"
    assert check["killed"] > check["alive"] > 0
    assert (tmp_path / "report.json.state").is_file()


def test_wrong_usage_is_one_line() -> None:
    result = CliRunner().invoke(main, ["audit", "--only", "mutant"])
    assert result.exit_code == 2
    assert result.stderr == '--only: no check "mutant"; right would be mutants\n'


def _at_once(_workers: int | None, initializer: Callable[[], None]) -> AtOnce:
    return AtOnce()
