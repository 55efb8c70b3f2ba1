"""The card library: found by any name, and what it says of a card that it does not have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from py_bridge import cards, catalogue
from py_bridge.errors import InputError
from py_bridge.paths import base
from py_bridge.texts import key, quote, slug
from py_bridge.yaml_text import parse

SMALL = """\
# Two cards.
---
en: Alpha
zh: 甲
ja: アルファ
passcode: 123
card: monster
race: dragon
atk: 1000
def: 0
effects:
  - nr: 1
    kind: continuous
    says:
      - cannot_attack: {}
  - nr: 2
    kind: quick
    does:
      - destroys: {}
      - {applies: {cannot_attack: {}}, role: then}
  - nr: 3
    unmodelled: damage
    note: something about damage
---
en: 'Beta''s "Best"'
card: spell
"""


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A library of two cards in the place of the real one."""
    folder = tmp_path / "facts" / "cards"
    folder.mkdir(parents=True)
    file = folder / "small.yaml"
    file.write_text(SMALL, encoding="utf-8")
    monkeypatch.setattr(cards, "base", lambda: tmp_path)
    _forget()
    yield file
    monkeypatch.undo()
    _forget()


def _forget() -> None:
    for remembered in (cards._entries, cards._index, cards._names, cards._definition):
        remembered.cache_clear()


@pytest.mark.parametrize(
    "name", ["Alpha", "alpha", " ALPHA ", "Ａｌｐｈａ", "甲", "アルファ", "123", 123, "00000123"]
)
def test_a_card_by_any_of_its_names(library: Path, name: str | int) -> None:
    found = cards.find(name)
    assert found is not None
    assert found.names == {"en": "Alpha", "zh": "甲", "ja": "アルファ"}
    assert (found.card, found.key) == ("monster", "alpha_text")
    assert [effect["nr"] for effect in found.effects()] == [1, 2, 3]


def test_a_name_in_one_language_stands_for_all(library: Path) -> None:
    found = cards.find('Beta\'s "Best"')
    assert found is not None
    assert set(found.names.values()) == {'Beta\'s "Best"'}
    assert found.effects() == []


@pytest.mark.parametrize("name", ["Gamma", "", "1234", 0])
def test_a_card_that_is_not_there(library: Path, name: str | int) -> None:
    assert cards.find(name) is None


def test_everything_is_in_the_order_of_the_files(library: Path) -> None:
    assert [card.names["en"] for card in cards.everything()] == ["Alpha", 'Beta\'s "Best"']


def test_names_alike(library: Path) -> None:
    assert cards.alike("Alpa") == ["Alpha"]
    assert cards.alike("Omega") == []


def test_what_is_said_of_an_unknown_card(library: Path) -> None:
    described = (
        "a card that is not in it can be described in its place: "
        "card: {name: ..., card: monster, ..., effects: [...]}"
    )
    near = cards.unknown("Alpa", "some.yaml", 4, "hand[0]")
    assert str(near) == (
        f'some.yaml:4: hand[0]: no card "Alpa" in the library; did you mean "Alpha"? {described}'
    )
    far = cards.unknown("Omega", "some.yaml", 4, "")
    assert str(far) == f'some.yaml:4: no card "Omega" in the library; {described}'


def test_a_broken_entry_is_told_with_its_line(library: Path) -> None:
    library.write_text(SMALL.replace("race: dragon", "race: [dragon"), encoding="utf-8")
    _forget()
    with pytest.raises(InputError) as error:
        cards.find("Alpha")
    # The bracket stands in line 8; the next lines do not close it.
    assert str(error.value).startswith(("small.yaml:8: ", "small.yaml:9: "))
    assert cards.find('Beta\'s "Best"') is not None


@pytest.mark.parametrize(
    ("name", "constant"),
    [
        ("Number 39: Utopia", "number_39_utopia"),
        ("Dragon's  Rage", "dragons_rage"),
        ("7 Fish", "c_7_fish"),
        ("Ｄ－ＨＥＲＯ", "d_hero"),
        ("青眼の白龍", "card"),
        ("!?", "card"),
    ],
)
def test_constants(name: str, constant: str) -> None:
    assert slug(name) == constant
    assert key(name) == f"{constant}_text"


@pytest.mark.parametrize(
    ("text", "string"),
    [("a", '"a"'), ('a "b"', '"a \\"b\\""'), ("a\\b", '"a\\\\b"'), ("a\nb", '"a\\nb"')],
)
def test_strings(text: str, string: str) -> None:
    assert quote(text) == string


# --- searching ------------------------------------------------------------------------------------


def test_search(library: Path) -> None:
    found = catalogue.search(["alpha"])
    assert [card.names["en"] for card in found.cards] == ["Alpha"]
    assert found.words == ()
    assert catalogue.search(["ALP", "甲"]).cards == found.cards
    assert catalogue.search(["alpha", "beta"]).cards == ()


def test_search_for_classes() -> None:
    found = catalogue.search(["must_attack_directly"])
    assert [word.name for word in found.words] == ["must_attack_directly"]
    chinese = catalogue.search(["必须直接攻击"], classes_only=True)
    assert [word.name for word in chinese.words] == ["must_attack_directly"]
    assert chinese.cards == ()


def test_the_page_of_a_card(library: Path) -> None:
    lines = catalogue.page(catalogue.search(["alpha"]), "en")
    assert lines == [
        "Alpha / 甲 / アルファ (00000123)",
        "  1: continuous: cannot_attack",
        "  2: quick: destroys, applies cannot_attack",
        "  3: not modelled (damage); something about damage",
    ]
    lines = catalogue.page(catalogue.search(["beta"]), "zh")
    assert lines == ['Beta\'s "Best"', "  没有效果"]


def test_a_card_as_data(library: Path) -> None:
    data = catalogue.as_data(catalogue.search(["alpha"]))
    assert data["classes"] == []
    (card,) = data["cards"]
    assert card["names"] == {"en": "Alpha", "zh": "甲", "ja": "アルファ"}
    assert card["passcode"] == 123
    assert card["effects"] == [
        {
            "nr": 1,
            "modelled": True,
            "classes": ["cannot_attack"],
            "unmodelled": None,
            "note": None,
        },
        {
            "nr": 2,
            "modelled": True,
            "classes": ["destroys", "applies cannot_attack"],
            "unmodelled": None,
            "note": None,
        },
        {
            "nr": 3,
            "modelled": False,
            "classes": [],
            "unmodelled": "damage",
            "note": "something about damage",
        },
    ]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_whole_library_has_a_page(language: str) -> None:
    from py_bridge.pages import WIDTH, columns

    lines = catalogue.page(catalogue.search([]), language)
    assert len(lines) > len(cards.everything()) > 20
    assert [line for line in lines if columns(line) > WIDTH] == []


# --- what stands in a note only -------------------------------------------------------------------

# What a note can speak of, the words by which it does, and what the data of that effect then has
# to contain: one of its places, each written as its keys and its value, such as
# `does.applies.cannot_attack.until=this_turn`. How long a lingering effect goes on the state says.
PROMISES = (
    (
        "a limit of use",
        r"\b(once|twice) (per|a|each|in a)\b|\b(one|1) activation\b|\bone of its \w+ effects\b",
        r"^once_per_turn=|\.once=",
    ),
    (
        "a cost",
        r"\b(detach|discards|[Tt]ribut|material)|\bas cost\b|\bfor it\b|\b(is|are) paid\b"
        r"|\bfor \d+ LP\b|\bfor (a|an|another) [^;,]*\bsent\b",
        r"^cost\.|declaration_cost|substitutes_|detaches|discards|tributes|attaches|materials",
    ),
    ("a negation", r"\b[Nn]egat", r"negat"),
    (
        "a protection from being targeted",
        r"\b(nor can|cannot)\b[^;]*\btarget",
        r"cannot_be_targeted|cannot_target|can_only_target|unaffected",
    ),
    (
        "a restriction of the target",
        r"\b([Ii]ts|[Tt]he) target (is|was)\b",
        r"^targets\.(?!zone=|face=|side=|position=)",
    ),
    ("a number of targets", r"\bup to \d", r"up_to=|^optional_targets="),
    (
        "a protection from destruction",
        r"\b(nor is it|is not|are not|not) destroyed by\b",
        r"not_destroyed_by_",
    ),
    (
        "a duration",
        r"\buntil\b|\b(this|that|next|the rest of the) turn\b|\bfor the turn\b"
        r"|\bat the end of the (Damage Step|Battle Phase)\b|\bin the End Phase\b"
        r"|\bfor that (battle|damage calculation)\b",
        r"\.(until|later|during)=|^lasts_while\.|^while\.(attacks|battles|battles_monster)="
        r"|^while\..*=(battling|attacker|attack_target)$"
        r"|^event=(damage_step_ends|battle_phase_ends|end_phase)$"
        r"|^kind=lingering$|at_end_of_battle_phase|in_damage_step|handled_at_start",
    ),
)
CARD_FILES = sorted(file.name for file in (base() / "facts" / "cards").glob("*.yaml"))


def _written(data: Any, at: str = "") -> Iterator[str]:
    """Every place of `data` with its value, list items without a place of their own."""
    if isinstance(data, dict):
        for word, inner in data.items():
            yield from _written(inner, f"{at}.{word}" if at else str(word))
        if not data:
            yield f"{at}={{}}"
    elif isinstance(data, list):
        for inner in data:
            yield from _written(inner, at)
    else:
        yield f"{at}={data}"


def _only_noted(effect: dict[str, Any]) -> list[str]:
    """What the note of a modelled effect speaks of and its data does not have."""
    if "unmodelled" in effect or "note" not in effect:
        return []
    written = list(_written({word: value for word, value in effect.items() if word != "note"}))
    return [
        what
        for what, spoken, needed in PROMISES
        if re.search(spoken, effect["note"]) and not any(re.search(needed, one) for one in written)
    ]


@pytest.mark.parametrize("file", CARD_FILES)
def test_no_note_stands_for_data(file: str) -> None:
    text = (base() / "facts" / "cards" / file).read_text(encoding="utf-8")
    entries = [parse(entry, file).data for entry in text.split("---\n")[1:]]
    found = [
        f"{entry['en']} {effect['nr']}: {effect['note']} ({', '.join(missing)})"
        for entry in entries
        for effect in entry.get("effects", ())
        if (missing := _only_noted(effect))
    ]
    assert found == [], "\n".join(found)


TARGETED = {"nr": 1, "kind": "ignition", "targets": {"zone": "monster_zone"}}
SAYS = {"nr": 1, "kind": "continuous"}


@pytest.mark.parametrize(
    ("what", "note", "short", "whole"),
    [
        ("a limit of use", "its effect, once per turn", {}, {"once_per_turn": True}),
        ("a limit of use", "1 activation per turn", {}, {"once_per_turn": "name"}),
        ("a limit of use", "one of its two effects", {}, {"once_per_turn": "one_effect"}),
        ("a cost", "a card is discarded for it", {}, {"cost": [{"discards": {"count": 1}}]}),
        ("a cost", "2000 LP are paid", {}, {"cost": [{"pays_lp": {"amount": 2000}}]}),
        ("a cost", "all its materials", {}, {"cost": [{"detaches": {}}]}),
        (
            "a negation",
            "its effects are negated",
            {"does": [{"destroys": {}}]},
            {"does": [{"applies": {"negates_effects": {}}}]},
        ),
        (
            "a protection from being targeted",
            "nor can the opponent's effects target it",
            {"says": [{"not_destroyed_by_battle": {}}]},
            {"says": [{"cannot_be_targeted": {"of": "opponent"}}]},
        ),
        (
            "a restriction of the target",
            "its target is the monster that attacked",
            TARGETED,
            {"targets": {"zone": "monster_zone", "has": "attacked"}},
        ),
        (
            "a number of targets",
            "up to 2 Spells and Traps",
            {"targets": {"card": "spell"}},
            {"targets": [{"card": "spell"}, {"card": "spell"}], "optional_targets": True},
        ),
        (
            "a protection from destruction",
            "nor is it destroyed by effects",
            SAYS,
            {"says": [{"not_destroyed_by_effects": {}}]},
        ),
        (
            "a duration",
            "for the rest of the turn",
            {"does": [{"applies": {"cannot_attack": {}}}]},
            {"does": [{"applies": {"cannot_attack": {"until": "this_turn"}}}]},
        ),
    ],
)
def test_a_note_is_held_against_the_data(
    what: str, note: str, short: dict[str, Any], whole: dict[str, Any]
) -> None:
    assert _only_noted({"nr": 1, "note": note, **short}) == [what]
    assert _only_noted({"nr": 1, "note": note, **whole}) == []
    assert _only_noted({"nr": 1, "note": note, "unmodelled": "other"}) == []
