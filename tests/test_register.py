"""The register of rulings: complete, consistent, and the same whichever way it is read."""

import re
from collections import Counter
from datetime import date
from pathlib import Path

import pytest
import yaml

from py_bridge import register
from py_bridge.coverage import cases_to_run
from py_bridge.errors import InputError
from py_bridge.paths import base
from py_bridge.register import Ruling, find, ids, load

COUNTS = {
    (2026, "ac"): 34,
    (2026, "an"): 9,
    (2026, "bd"): 112,
    (2026, "bp"): 62,
    (2026, "bs"): 110,
    (2026, "dm"): 124,
    (2026, "ds"): 157,
    (2026, "ed"): 35,
    (2026, "es"): 6,
    (2026, "ma"): 63,
    (2026, "rc"): 46,
    (2026, "rp"): 46,
    (2026, "ss"): 36,
    (2019, "o19"): 65,
    (2009, "o09"): 128,
}
LAST_OF_2019 = date(2019, 12, 20)
FILES = sorted((base() / register.FOLDER).glob("*/*.yaml"))


@pytest.fixture(scope="module")
def rulings() -> dict[str, Ruling]:
    return load()


def test_is_complete(rulings: dict[str, Ruling]) -> None:
    assert len(rulings) == 1033
    assert Counter((r.edition, r.id.split("-")[0]) for r in rulings.values()) == COUNTS


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_file_is_plain_yaml_in_order(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    data = yaml.load(text, Loader=yaml.CSafeLoader)
    entries = list(data["rulings"])
    assert entries == sorted(set(entries))
    assert entries == re.findall(rf"^  ({path.stem}-\d\d\d):$", text, re.MULTILINE)
    assert set(data["headings"]) == {entry["section"] for entry in data["rulings"].values()}
    assert data["edition"] == int(path.parent.name)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_entries_say_what_the_file_says(path: Path, rulings: dict[str, Ruling]) -> None:
    data = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    for one, entry in data["rulings"].items():
        ruling = rulings[one]
        assert (ruling.id, ruling.edition) == (one, data["edition"])
        assert ruling.heading == data["headings"][entry["section"]]
        for name, value in entry.items():
            read = getattr(ruling, name)
            assert (list(read) if isinstance(read, tuple) else read) == value, f"{one}.{name}"


def test_every_id_that_is_named_exists(rulings: dict[str, Ruling]) -> None:
    named = {i for r in rulings.values() for i in r.replaces + r.replaced_by + r.disputes}
    assert named
    assert named <= set(rulings)


def test_only_a_decided_ruling_with_a_case_is_said_to_be_shown_by_none(
    rulings: dict[str, Ruling],
) -> None:
    said = {one for one, ruling in rulings.items() if ruling.shown_by_none}
    assert said
    assert said <= {one for case in cases_to_run() for one in case.rulings}
    assert {rulings[one].status for one in said} == {"decided"}


def test_replacing_is_told_from_both_sides_and_goes_forward(rulings: dict[str, Ruling]) -> None:
    forward = {(r.id, new) for r in rulings.values() for new in r.replaced_by}
    assert forward == {(old, r.id) for r in rulings.values() for old in r.replaces}
    assert all(rulings[old].edition < rulings[new].edition for old, new in forward)


def test_what_2026_answers_otherwise_is_replaced(rulings: dict[str, Ruling]) -> None:
    otherwise = {"changed", "reversed", "resolved-later"}
    assert not [r.id for r in rulings.values() if r.relation in otherwise and not r.replaced_by]
    unchanged = [r for r in rulings.values() if r.relation in {"same", "renamed"}]
    assert not [r.id for r in unchanged if r.replaced_by]


def test_dates(rulings: dict[str, Ruling]) -> None:
    for ruling in rulings.values():
        assert list(ruling.dates) == sorted(set(ruling.dates)), ruling.id
        assert all(date(1999, 2, 4) <= day <= date(2026, 3, 19) for day in ruling.dates)
        if ruling.edition < 2026:
            assert all(day.year <= ruling.edition for day in ruling.dates), ruling.id


def test_since_is_later_than_the_answer_that_was_replaced(rulings: dict[str, Ruling]) -> None:
    dated = [r for r in rulings.values() if r.since]
    assert {r.id for r in dated} >= {"bs-101", "ma-022", "ac-003", "ds-149"}
    for ruling in dated:
        assert ruling.replaces, ruling.id
        assert ruling.since is not None
        assert ruling.since > LAST_OF_2019
        if ruling.dates:
            assert ruling.since == max(ruling.dates), ruling.id


def test_status_of_what_is_not_simply_decided(rulings: dict[str, Ruling]) -> None:
    by_status: dict[str, set[str]] = {status: set() for status in register.STATUSES}
    for ruling in rulings.values():
        by_status[ruling.status].add(ruling.id)
    assert by_status["pending"] == {r.id for r in rulings.values() if r.kind == "pending"}
    assert by_status["pending"] == {"bd-026", "o19-008", "o19-009", "o19-027", "o09-052"}
    assert by_status["elsewhere"] == {"bp-034"}
    assert {i for i in by_status["disputed"] if not i.startswith("o")} == {
        *("dm-011", "dm-063", "dm-072", "dm-105", "dm-108", "dm-113"),
        *("ma-014", "ma-016", "ma-056", "ma-061"),
    }


def test_a_dispute_is_explained(rulings: dict[str, Ruling]) -> None:
    for ruling in rulings.values():
        if ruling.status == "disputed":
            assert ruling.note, ruling.id
        else:
            assert not ruling.disputes, ruling.id
        assert ruling.id not in ruling.disputes


def test_closed_vocabularies(rulings: dict[str, Ruling]) -> None:
    assert {r.kind for r in rulings.values()} == {"rule", "example", "note", "pending"}
    for ruling in rulings.values():
        assert (ruling.hardness is None) == (ruling.edition < 2026), ruling.id
        assert (ruling.relation is None) == (ruling.edition == 2026), ruling.id


def test_one_entry(rulings: dict[str, Ruling]) -> None:
    ruling = rulings["bs-101"]
    assert ruling.cards == ("次元幽闭", "魔族之链")
    assert ruling.dates == (date(2026, 3, 19),)
    assert ruling.since == date(2026, 3, 19)
    assert ruling.replaces == ("o19-014",)
    assert (ruling.section, ruling.heading) == ("Battle Step", "战斗步骤")
    assert ruling.verdict.startswith("Yes. Until the chain has finished resolving")
    assert ruling.hardness == 3


def test_found_entries_equal_loaded_ones(rulings: dict[str, Ruling]) -> None:
    assert find(rulings) == list(rulings.values())
    assert ids() == tuple(rulings)


def test_find_keeps_the_order_and_repeats() -> None:
    wanted = ["o09-128", "bs-001", "o09-128"]
    assert [ruling.id for ruling in find(wanted)] == wanted
    assert find([]) == []


def test_load_some() -> None:
    assert Counter(i.split("-")[0] for i in load(prefixes=["an", "o19"])) == {"an": 9, "o19": 65}
    assert len(load(editions=[2019, 2009])) == 65 + 128
    assert load(editions=[2019], prefixes=["an"]) == {}


def test_unknown_ids_are_all_named_with_the_nearest() -> None:
    with pytest.raises(InputError) as error:
        find(["bs-001", "bs_054", "dm-999", "??"])
    lines = str(error.value).splitlines()
    assert len(lines) == 3
    assert lines[0] == 'facts/rulings/register: no ruling "bs_054"; did you mean bs-054?'
    assert 'no ruling "dm-999"; did you mean d' in lines[1]
    assert lines[2] == 'facts/rulings/register: no ruling "??"; an id looks like ac-001'


def test_unknown_edition_and_prefix() -> None:
    with pytest.raises(InputError, match='no edition "2020"; there are 2009, 2019, 2026'):
        load(editions=[2020])
    with pytest.raises(InputError, match='no prefix "xx"; there are ac, an, bd'):
        load(prefixes=["xx"])


ENTRY = """\
  xx-001:
    kind: rule
    status: decided
    section: Battle Step
    topic: replay
    situation: An attack.
    question: Is there a replay?
    verdict: No.
"""
HEAD = "edition: 2026\nheadings:\n  Battle Step: 战斗步骤\nrulings:\n\n"


def write(monkeypatch: pytest.MonkeyPatch, folder: Path, text: str) -> None:
    file = folder / register.FOLDER / "2026" / "xx.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")
    monkeypatch.setattr(register, "base", lambda: folder)


def test_smallest_register(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    write(monkeypatch, tmp_path, HEAD + ENTRY)
    assert load() == {
        "xx-001": Ruling(
            id="xx-001",
            edition=2026,
            kind="rule",
            status="decided",
            section="Battle Step",
            heading="战斗步骤",
            topic="replay",
            situation="An attack.",
            question="Is there a replay?",
            verdict="No.",
        )
    }


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (HEAD + ENTRY + "    dates: [2026-02-30]\n", 6, 'xx-001.dates: "2026-02-30" is no date; '),
        (HEAD + ENTRY + "    dates: 2026-02-20\n", 6, "xx-001.dates: is no list; write [A, B]"),
        (HEAD + ENTRY + "    since: [1]\n", 6, "xx-001.since: \"['1']\" is no date; write YYYY"),
        (HEAD + ENTRY + "    hardness: 4\n", 6, 'xx-001.hardness: "4" is no hardness; write 1, 2'),
        (HEAD + ENTRY + "    note:\n", 6, "xx-001.note: is no text; write one or leave"),
        (HEAD + ENTRY + "    replace: [a]\n", 6, 'xx-001: unknown field "replace"; there is repl'),
        (HEAD + ENTRY.replace("decided", "open"), 6, 'xx-001.status: "open" is no status; write'),
        (HEAD + ENTRY.replace("Battle Step", "End"), 6, 'xx-001.section: "End" is none of the he'),
        (HEAD + ENTRY.replace("    topic: replay\n", ""), 6, "xx-001: no topic; every ruling"),
        (HEAD + ENTRY + "  xx-2 :\n    kind: rule\n", 6, "xx-001: is not one list of fields; "),
        (HEAD + "  xx-001:\n", 6, "xx-001: is not one list of fields; check its indentation"),
        (HEAD + ENTRY + "    note: 'open\n", 15, "not YAML: found unexpected end of stream; che"),
        (HEAD + ENTRY + ENTRY, 14, "xx-001: stands twice; give one of them a new id"),
        (HEAD + ENTRY.replace("xx", "yy"), 6, "yy-001: belongs to another file than xx.yaml"),
        (HEAD.replace("2026", "2019") + ENTRY, 1, "needs 'edition: 2026', like its folder, and"),
        (ENTRY, None, "no line 'rulings:'; put one above the first"),
    ],
)
def test_broken_register(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str, line: int | None, message: str
) -> None:
    write(monkeypatch, tmp_path, text)
    with pytest.raises(InputError) as error:
        load()
    (problem,) = error.value.problems
    assert problem.line == line
    assert message in str(problem)
