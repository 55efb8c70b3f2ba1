"""The card library: found by any name, and what it says of a card that it does not have."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from py_bridge import cards, catalogue
from py_bridge.errors import InputError
from py_bridge.texts import key, quote, slug

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
