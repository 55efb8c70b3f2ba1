"""Actions in words and back."""

from __future__ import annotations

import pytest
from clingo import String, Symbol, parse_term
from hypothesis import given
from hypothesis import strategies as st

from py_bridge.phrases import FORMS, PhraseError, action, attacker_of, finding, in_words, is_text


@pytest.mark.parametrize(
    ("words", "term"),
    [
        ("attack neos -> captain", "attack(neos,captain)"),
        ("attack neos ->captain", "attack(neos,captain)"),
        ("attack neos on captain", "attack(neos,captain)"),
        ("attack neos directly", "attack(neos,player)"),
        ("  Attack   NEOS  directly ", "attack(neos,player)"),
        ("attack directly directly", "attack(directly,player)"),
        ("attack on on on", "attack(on,on)"),
        ("give up neos", "give_up(neos)"),
        ("enter battle_phase", "enter(battle_phase)"),
        ("enter the battle phase", "enter(battle_phase)"),
        ("enter main phase 2", "enter(main_phase_2)"),
        ("enter the end step", "enter(end_step)"),
        ("enter end phase", "enter(end_phase)"),
        ("enter Damage Step", "enter(damage_step)"),
        ("activate drident 2", "activate(drident,2)"),
        ("activate drident 2 on neos", "activate(drident,2,neos)"),
        ("activate trap_2 0", "activate(trap_2,0)"),
        ("pass turn_player", "pass(turn_player)"),
        ("pass non_turn_player", "pass(non_turn_player)"),
    ],
)
def test_words_of_an_action(words: str, term: str) -> None:
    assert action(words) == parse_term(term)


@pytest.mark.parametrize(
    "words",
    [
        "",
        "attack",
        "attack neos",
        "attack neos captain",
        "attack neos -> captain -> yubel",
        "attack 7 -> captain",
        "attack neos -> Ca-ptain",
        "activate drident",
        "activate drident two",
        "activate drident 100",
        "activate drident -1",
        "give neos up",
        "pass",
        "pass player",
        "enter",
        "attack neos →captain",
        "holds(turn(1))",
    ],
)
def test_words_that_are_no_action(words: str) -> None:
    with pytest.raises(PhraseError) as error:
        action(words)
    assert str(error.value) == f'"{words}" is no action; right would be: {FORMS}'


def test_a_long_text_is_shown_in_part() -> None:
    with pytest.raises(PhraseError) as error:
        action("attack " * 100)
    assert len(str(error.value)) < 250
    with pytest.raises(PhraseError) as error:
        action("a\nb\x1b")
    assert str(error.value).isprintable()


@pytest.mark.parametrize(
    ("words", "attacker"),
    [
        ("attack", ""),
        (" Attack ", ""),
        ("attack neos", "neos"),
        ("attack  NEOS", "neos"),
        ("attack neos directly", None),
        ("attack neos -> captain", None),
        ("enter end_step", None),
    ],
)
def test_the_attacker_alone(words: str, attacker: str | None) -> None:
    assert attacker_of(words) == attacker


@pytest.mark.parametrize(
    ("term", "words"),
    [
        ("attack(neos,captain)", "attack neos -> captain"),
        ("attack(neos,player)", "attack neos directly"),
        ("give_up(neos)", "give up neos"),
        ("enter(end_step)", "enter end_step"),
        ("activate(drident,2)", "activate drident 2"),
        ("activate(drident,2,neos)", "activate drident 2 on neos"),
        ("pass(turn_player)", "pass turn_player"),
    ],
)
def test_actions_in_words(term: str, words: str) -> None:
    assert in_words(parse_term(term)) == words


IDS = st.from_regex(r"[a-z][a-z0-9_]{0,5}", fullmatch=True)


@given(
    st.one_of(
        st.builds("attack({},{})".format, IDS, IDS),
        st.builds("give_up({})".format, IDS),
        st.builds("activate({},{})".format, IDS, st.integers(0, 99)),
        st.builds("activate({},{},{})".format, IDS, st.integers(0, 99), IDS),
    ).filter(lambda text: "not" not in text)
)
def test_words_are_read_back(text: str) -> None:
    act: Symbol = parse_term(text)
    assert action(in_words(act)) == act


def test_findings() -> None:
    assert str(finding("chooses(turn_player, target(neos))")) == (
        "chooses(turn_player,target(neos))"
    )
    assert str(finding("attack_goes_on")) == "attack_goes_on"


@pytest.mark.parametrize("text", ["chooses(", "a b", ")", "a, b:-"])
def test_what_is_no_finding(text: str) -> None:
    with pytest.raises(PhraseError) as error:
        finding(text)
    assert str(error.value) == (
        f'"{text}" is no finding; right would be chooses(turn_player, target(neos))'
    )


def test_texts_among_terms() -> None:
    assert is_text(String("neos"))
    assert not is_text(parse_term("neos"))
