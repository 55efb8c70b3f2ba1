"""What a class reads: the declarations, the rules that read it, the check and the page of it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from clingo.ast import AST, ASTType
from lp_tree import nodes, rules_of

from py_bridge import cards, catalogue, vocabulary
from py_bridge.answers import ask
from py_bridge.cases import cases_of
from py_bridge.errors import InputError
from py_bridge.formats import schema
from py_bridge.knowledge import rule_files
from py_bridge.pages import WIDTH, columns
from py_bridge.paths import base
from py_bridge.script_files import script_of
from py_bridge.states import State, state_from_text
from py_bridge.vocabulary import Argument, Reading
from py_bridge.yaml_text import parse

DECLARED = base() / "facts" / "vocabulary" / "arguments.lp"
READINGS = vocabulary.readings()
CHINESE = re.compile(r"[\u4e00-\u9fff]")


# --- states and what is said of them --------------------------------------------------------------


def card(effect: str) -> str:
    return f"{{name: A, card: monster, atk: 2000, def: 0, effects: [{{nr: 1, {effect}}}]}}"


def board(effect: str) -> State:
    """A monster with this effect attacks; a copy of it goes on applying."""
    return state_from_text(
        f"turn: 3\nturn_player:\n  lp: 8000\n  monsters:\n    - id: a\n      card: {card(effect)}\n"
        "non_turn_player:\n  monsters:\n    - {id: b, card: {name: B, card: monster, atk: 1000, "
        "def: 0}}\nattack: {attacker: a, target: b, stage: declaration}\n"
        f"applied:\n  - {{card: {card(effect)}, effect: 1, by: turn_player, chosen: [a]}}\n",
        "board.yaml",
    )


def says(clause: str) -> str:
    return f"kind: continuous, says: [{clause}]"


def does(operation: str) -> str:
    return f"kind: quick, targets: {{side: opponent}}, does: [{operation}]"


def refused(effect: str) -> list[str]:
    """What is said of an effect, without where it stands."""
    with pytest.raises(InputError) as error:
        board(effect)
    place = re.compile(r"board\.yaml:\d+: \S+?: ")
    lines = [place.sub("", line, count=1) for line in str(error.value).splitlines()]
    return list(dict.fromkeys(lines))


# --- the declarations -----------------------------------------------------------------------------


@lru_cache
def _heads(predicate: str) -> tuple[tuple[AST, ...], ...]:
    """The arguments of the facts of a predicate in the declarations."""
    return tuple(
        tuple(rule.head.atom.symbol.arguments)
        for rule in rules_of([DECLARED])
        if not rule.body and rule.head.atom.symbol.name == predicate
    )


def _all_arguments() -> Iterator[tuple[str, Argument]]:
    for name, reading in READINGS.items():
        for argument in reading.arguments:
            yield name, argument


def test_an_argument_is_read_once_by_a_class() -> None:
    found = Counter((name, argument.name) for name, argument in _all_arguments())
    assert [pair for pair, count in found.items() if count > 1] == []


@pytest.mark.parametrize("predicate", ["argument", "place", "example", "reads_clause"])
def test_nothing_is_declared_twice(predicate: str) -> None:
    found = Counter(str(row[0]) for row in _heads(predicate))
    assert found
    assert [name for name, count in found.items() if count > 1] == []


def test_what_is_said_of_an_argument_is_about_one_that_is_read() -> None:
    read = {(name, argument.name) for name, argument in _all_arguments()}
    loaded = vocabulary._loaded()
    for predicate, arity in (("means", 4), ("range", 4), ("takes", 3), ("usual", 3), ("needs", 2)):
        rows = loaded[predicate, arity]
        assert rows
        assert {(str(row[0]), str(row[1])) for row in rows} - read == set(), predicate
    assert {(str(one), str(name)) for one, name in loaded["needs_some", 2]} - read == set()
    said = Counter((str(row[0]), str(row[1])) for row in loaded["means", 4])
    assert [pair for pair, count in said.items() if count > 1] == []


def test_words_stand_where_words_are_taken() -> None:
    for name, argument in _all_arguments():
        takes_words = argument.kind in ("word", "words", "word_or_words")
        assert bool(argument.words) == takes_words, (name, argument.name)
        assert (argument.high > argument.low) == (argument.kind == "number"), (name, argument.name)
    words = {(str(row[0]), str(row[1])) for row in vocabulary._loaded()["word", 4]}
    for predicate in ("takes", "usual"):
        rows = vocabulary._loaded()[predicate, 3]
        assert {(str(row[1]), str(row[2])) for row in rows} - words == set(), predicate


def test_everything_is_said_in_both_languages() -> None:
    rows: list[tuple[str, str]] = [(one.en, one.zh) for _, one in _all_arguments()]
    rows += [(word.en, word.zh) for _, one in _all_arguments() for word in one.words]
    rows += [(key.en, key.zh) for key in vocabulary.keys().values()]
    rows += [(word.en, word.zh) for key in vocabulary.keys().values() for word in key.words]
    for en, zh in rows:
        assert re.search("[A-Za-z]", en)
        assert not CHINESE.search(en), en
        assert CHINESE.search(zh), zh


# --- the rules read it ----------------------------------------------------------------------------


@lru_cache
def _rules() -> tuple[AST, ...]:
    return tuple(rules_of(rule_files()))


def _atoms(predicate: str) -> list[AST]:
    found = [atom.symbol for rule in _rules() for atom in nodes(rule, ASTType.SymbolicAtom)]
    return [term for term in found if term.ast_type == ASTType.Function and term.name == predicate]


@lru_cache
def _read() -> Mapping[str, set[str]]:
    """The arguments that the rules read, each with its words; "*" where a rule reads any word."""
    found: dict[str, set[str]] = {}
    for predicate in ("argument", "detail"):
        for term in _atoms(predicate):
            key, value = term.arguments[3:]
            if key.ast_type == ASTType.SymbolicTerm:
                any_word = value.ast_type == ASTType.Variable
                found.setdefault(str(key), set()).add("*" if any_word else str(value))
    # What `values_becomes` reads of a value that becomes another, through a variable.
    for term in _atoms("sets"):
        key, value = term.arguments[3:]
        if key.ast_type == ASTType.SymbolicTerm:
            found.setdefault(str(key), set()).add(str(value))
    return found


def test_every_declared_argument_is_read_by_a_rule() -> None:
    assert {argument.name for _, argument in _all_arguments()} - set(_read()) == set()


def test_every_argument_that_rules_read_is_declared() -> None:
    assert set(_read()) - {argument.name for _, argument in _all_arguments()} == set()


def test_every_declared_word_is_read_by_a_rule() -> None:
    for name, argument in _all_arguments():
        read = _read()[argument.name]
        unread = [w.name for w in argument.words if not w.usual and not {"*", w.name} & read]
        assert unread == [], (name, argument.name)


def test_every_word_that_rules_read_is_declared() -> None:
    declared: dict[str, set[str]] = {}
    for _, argument in _all_arguments():
        found = declared.setdefault(argument.name, set())
        found |= {str(word.name) for word in argument.words}
    for name, words in _read().items():
        plain = {word for word in words if re.fullmatch("[a-z_0-9]+", word)} - {"yes", "no"}
        assert plain - declared[name] == set(), name


def _words(key: str) -> set[str]:
    return {str(word.name) for word in vocabulary.keys()[key].words}


def _nth(predicate: str, index: int) -> set[str]:
    return {str(term.arguments[index]) for term in _atoms(predicate)}


def test_the_words_of_filters_are_those_that_rules_read() -> None:
    wanted = [term.arguments[1] for term in _atoms("want")]
    read = {str(term.arguments[0]) for term in wanted if getattr(term, "name", "") == "is"}
    assert _words("is") == {word for word in read if word.islower()}
    assert _words("has") == {word for word in _nth("record", 1) if word.islower()}
    assert _words("filter") == set(schema()["$defs"]["filter"]["properties"])


def test_the_words_of_effects_are_those_that_rules_read() -> None:
    assert _words("while") == set(schema()["$defs"]["condition"]["properties"])
    asked = [term.arguments[2] for term in _atoms("asked")]
    assert _words("while") <= {getattr(term, "name", "") or str(term) for term in asked}
    assert _words("usable_in") == {word for word in _nth("now", 0) if word.islower()}
    assert _words("role") - {"also"} <= _nth("role", 3)
    results = _nth("result_of", 1)
    assert {"heads", "tails"} <= results
    assert _words("on") == {word for word in results if word.islower()} | set("123456")
    assert "(1..6)" in results
    # What an effect of that event waits for is not looked at.
    read = _nth("event", 2) | _nth("recorded_event", 0) | _nth("sub_step_event", 0)
    assert _words("event") - {"other"} <= read | _nth("damage_event_kind", 0)
    limits = schema()["$defs"]["effect"]["properties"]["once_per_turn"]["enum"]
    assert _words("once_per_turn") == {str(limit).lower() for limit in limits}


def test_the_keys_read_with_an_event_are_those_that_rules_read() -> None:
    recorded = {word for word in _nth("recorded_event", 0) if word.islower()}
    of_damage = {word for word in _nth("damage_event_kind", 0) if word.islower()}
    read = vocabulary.event_keys()
    # An activation is no event that is recorded: it is what the last chain link is.
    with_subject = {event for event, found in read.items() if "subject" in found}
    assert with_subject == recorded | {"card_activated"}
    assert {event for event, found in read.items() if "inflicter" in found} == of_damage
    assert {event for event, found in read.items() if "damage_at_least" in found} == of_damage


def test_no_rule_about_a_duel_has_the_declarations() -> None:
    assert DECLARED.is_file()
    assert DECLARED not in rule_files()


# --- examples -------------------------------------------------------------------------------------


def _example_names(operation: bool) -> list[str]:
    return [name for name, reading in READINGS.items() if reading.operation == operation]


@pytest.mark.parametrize("name", _example_names(operation=False))
def test_the_example_of_a_clause(name: str) -> None:
    example = READINGS[name].example
    assert set(parse(example, "example").data) == {name}
    state = board(says(example))
    assert f"clause(a_as_described_text,1,1,{name})" in state.facts()
    assert ask(state).actions
    applied = board(does(f"{{applies: {example}}}"))
    assert ask(applied).actions


@pytest.mark.parametrize("name", _example_names(operation=True))
def test_the_example_of_an_operation(name: str) -> None:
    example = READINGS[name].example
    assert set(parse(example, "example").data) == {name}
    cost = f", cost: [{example}]" if READINGS[name].cost else ""
    state = board(does(example) + cost)
    assert f"operation(a_as_described_text,1,1,{name})" in state.facts()
    assert ask(state).actions
    assert (f"cost(a_as_described_text,1,51,{name})" in state.facts()) == READINGS[name].cost


# --- everything that is declared is accepted ------------------------------------------------------


def _value(argument: Argument) -> Iterator[str]:
    plain = {
        "filter": ["{side: own}"],
        "yes_no": ["true", "false"],
        "name": ["Yubel"],
        "number": [str(argument.low), str(argument.high)],
        "like_filter": ["warrior" if argument.name == "race" else "dark"],
    }
    for word in argument.words:
        if argument.kind != "words":
            yield str(word.name)
        if argument.kind != "word":
            yield f"[{word.name}]"
    yield from plain.get(argument.kind, ())


def _needed(reading: Reading) -> dict[str, str]:
    """The shortest way to write a class: what it cannot do without."""
    needed = {one.name: next(_value(one)) for one in reading.arguments if one.needed}
    some = [one for one in reading.arguments if one.name in reading.one_of[:1]]
    return needed | {one.name: next(_value(one)) for one in some}


@pytest.mark.parametrize("name", READINGS)
def test_what_is_declared_is_accepted(name: str) -> None:
    reading = READINGS[name]
    if reading.clause:
        return
    for argument in reading.arguments:
        for value in _value(argument):
            arguments = _needed(reading) | {argument.name: value}
            inside = ", ".join(f"{key}: {one}" for key, one in arguments.items())
            if reading.operation:
                found = [does(f"{{{name}: {{{inside}}}}}")]
            else:
                found = [does(f"{{applies: {{{name}: {{{inside}}}}}}}")]
                if argument.where != "applied":
                    found.append(f"kind: lingering, says: [{{{name}: {{{inside}}}}}]")
                if argument.where == "says":
                    found.append(says(f"{{{name}: {{{inside}}}}}"))
            for effect in found:
                (fact,) = {
                    fact.partition("(")[0]
                    for fact in board(effect).facts()
                    if re.match(rf"argument\(a_as_described_text,1,1,{argument.name},", fact)
                }
                assert fact == "argument"


@pytest.mark.parametrize("name", READINGS)
def test_a_class_needs_what_it_is_said_to_need(name: str) -> None:
    reading = READINGS[name]
    wrap = does if reading.operation else says
    if not (_needed(reading) or reading.clause):
        board(wrap(f"{{{name}: {{}}}}"))
        return
    lines = refused(wrap(f"{{{name}: {{}}}}"))
    for argument in reading.arguments:
        told = [line for line in lines if f'the key "{argument.name}" is missing' in line]
        assert bool(told) == argument.needed
    if reading.one_of:
        assert f"a key is missing; add one of {', '.join(reading.one_of)}" in lines


# --- what is not read is an error -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("effect", "line"),
    [
        (
            says("{cannot_attack: {at_least: 2500}}"),
            'cannot_attack reads no argument "at_least"; right would be monsters',
        ),
        (
            does("{applies: {cannot_attack: {at_least: 2500}}}"),
            'cannot_attack reads no argument "at_least"; right would be count, monsters, until, '
            "up_to, what",
        ),
        (
            says("{calculates_with_originals: {once: true}}"),
            'calculates_with_originals reads no argument "once"; it reads none, leave it out',
        ),
        (
            says("{gains_value: {stat: atk, amount: 500, as: double}}"),
            'gains_value reads no argument "as"; right would be amount, during, each, if, '
            "monsters, stat",
        ),
        (
            says("{damage_becomes_half: {takenby: own}}"),
            'damage_becomes_half reads no argument "takenby"; did you mean "taken_by"? right '
            "would be attacker, battle, battle_of, by_own_permission, damage, inflicted_by, once, "
            "opposing, taken_by, with_substitution",
        ),
        (
            does("{banishes: {face: down}}"),
            'banishes reads no argument "face"; right would be count, from, later, until, up_to, '
            "what",
        ),
        (
            f"{does('{draws: {}}')}, cost: [{{pays_lp: {{lp: 500}}}}]",
            'pays_lp reads no argument "lp"; right would be amount, as, each, per, player',
        ),
        (
            says("{cannot_attack: {until: this_turn}}"),
            'cannot_attack reads "until" only under applies, and in an effect of the kind '
            "lingering; leave it out",
        ),
        (
            "kind: lingering, says: [{cannot_attack: {what: {side: own}}}]",
            'cannot_attack reads "what" only under applies; leave it out',
        ),
        (
            does("{applies: {value_becomes: {stat: atk, as: half_lp}}}"),
            'the text "half_lp" is not known here; did you mean "half"?',
        ),
        (
            says("{gains_value: {stat: rank, amount: 500}}"),
            'the text "rank" is not known here; known here: atk, def',
        ),
        (
            says("{damage_not_taken: {taken_by: own}}"),
            "a key is missing; add one of at_least, at_most, at_most_own",
        ),
        (
            says("{cannot_attack: yes}"),
            'found the text "yes"; expected arguments, as in '
            "{cannot_attack: {monsters: {side: opponent, level: {at_least: 5}}}}",
        ),
        (
            "kind: trigger, event: attack_declared, subject: {is: this}, does: [{draws: {}}]",
            '"subject" is not read with the event attack_declared; right would be the event '
            "attack_negated, destroyed_by_battle, destroys_by_battle, destroyed, "
            "sent_to_graveyard, banished, left_field, flipped, summoned, card_activated",
        ),
        (
            "kind: quick, damage_at_least: 500, does: [{draws: {}}]",
            '"damage_at_least" is not read without an event; right would be the event '
            "inflicts_battle_damage, takes_battle_damage, would_take_battle_damage",
        ),
        ("says: [{cannot_attack: {}}]", "a key is missing; add one of kind, unmodelled"),
    ],
)
def test_what_is_said_of_an_argument_that_is_not_read(effect: str, line: str) -> None:
    assert refused(effect) == [line]


WRONG = "{banishes: {face: down}}"
SIDES = (
    "turn_player: {}\n{0}non_turn_player:\n{0}  monsters:\n{0}    - card:\n"
    "{0}        name: A\n{0}        card: monster\n{0}        effects:\n"
    "{0}          - nr: 1\n{0}            kind: quick\n{0}            does:\n"
    "{0}              - {1}\n"
)
SAID = 'banishes reads no argument "face"; right would be count, from, later, until, up_to, what'
PLACE = "non_turn_player.monsters[0].card.effects[0].does[0].banishes"


def _sides(indent: str) -> str:
    return SIDES.replace("{0}", indent).replace("{1}", WRONG)


def test_the_line_of_a_state() -> None:
    with pytest.raises(InputError) as error:
        state_from_text(_sides(""), "board.yaml")
    assert str(error.value) == f"board.yaml:11: {PLACE}: {SAID}"


def test_the_line_of_a_script() -> None:
    text = f"state:\n  {_sides('  ')}script: []\n"
    with pytest.raises(InputError) as error:
        script_of(parse(text, "script.yaml"))
    assert str(error.value) == f"script.yaml:12: state.{PLACE}: {SAID}"


def test_the_line_of_a_case() -> None:
    text = (
        f"cases:\n  - rulings: [bs-008]\n    shows: a case\n    state:\n      {_sides('      ')}"
        "    finds: [attack_goes_on]\n"
    )
    with pytest.raises(InputError) as error:
        cases_of(parse(text, "cases.yaml"))
    assert str(error.value) == f"cases.yaml:15: cases[0].state.{PLACE}: {SAID}"


def test_the_line_of_a_card_of_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "facts" / "cards"
    folder.mkdir(parents=True)
    text = (
        "---\nen: Alpha\ncard: spell\n---\nen: Beta\ncard: spell\neffects:\n  - nr: 1\n"
        f"    kind: activation\n    does:\n      - {WRONG}\n---\nen: Gamma\ncard: trap\n"
        "effects:\n  - {nr: 1, kind: activation, subject: {is: this}, does: [{draws: {}}]}\n"
    )
    (folder / "some.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(cards, "base", lambda: tmp_path)
    remembered = (cards._entries, cards._index, cards._names, cards._definition)
    for one in remembered:
        one.cache_clear()
    try:
        assert cards.find("Alpha") is not None
        with pytest.raises(InputError) as error:
            cards.find("Beta")
        assert str(error.value) == f"some.yaml:11: effects[0].does[0].banishes: {SAID}"
        with pytest.raises(InputError, match=r"^some\.yaml:16: effects\[0\]\.subject: \"subject"):
            cards.find("Gamma")
    finally:
        monkeypatch.undo()
        for one in remembered:
            one.cache_clear()


def test_the_library_reads_what_it_says() -> None:
    assert len(cards.everything()) > 200


# --- the schema -----------------------------------------------------------------------------------


def test_the_schema_tells_the_same() -> None:
    defs = schema()["$defs"]
    clauses = {name for name, reading in READINGS.items() if not reading.operation}
    for part, where in (
        ("clause", {"says"}),
        ("lasting_clause", {"says", "lasting"}),
        ("applied_clause", {"says", "lasting", "applied"}),
    ):
        assert set(defs[part]["properties"]) == clauses
        for name in clauses:
            read = {one.name for one in READINGS[name].arguments if one.where in where}
            assert set(defs[part]["properties"][name]["properties"]) == read
    costs = {name for name, reading in READINGS.items() if reading.cost}
    assert set(defs["cost"]["properties"]) == costs
    assert "x-words" not in json.dumps(schema())
    assert "x-classes" not in json.dumps(schema())


# --- the page -------------------------------------------------------------------------------------


def _page(*words: str, language: str = "en") -> list[str]:
    return catalogue.page(catalogue.search(words, classes_only=True), language)


def test_the_page_of_a_class() -> None:
    assert _page("makes_attack") == [
        "makes_attack: make a monster attack another",
        "  arguments:",
        "    attacker (a filter; needed): the monster that attacks",
        "    to (a filter; needed): the monster that it attacks",
        "  example: {makes_attack: {attacker: {is: chosen}, to: {is: this}}}",
    ]
    assert _page("attacks_in_defense")[3:6] == [
        "    using (one of these): the value that it attacks with",
        "      atk: ATK (as without it)",
        "      def: DEF",
    ]
    assert _page("cannot_attack")[3:7:3] == [
        "  arguments read only under applies, and in an effect of the kind lingering:",
        "      battle_phase: until the end of the Battle Phase",
    ]
    lines = _page("declaration_cost")
    assert "  one at least is needed of: lp, pays" in lines
    assert "    lp (a number from 0 to 1000000): LP to be paid" in lines
    lines = _page("pays_lp", language="zh")
    assert lines[0] == "pays_lp: 支付基本分"
    assert "  也可以作为代价" in lines
    assert "      own: 自己（与未写明时相同）" in lines
    assert lines[-1] == "  例：{pays_lp: {amount: 800}}"
    assert _page("negates_attack")[1] == "  no arguments"
    assert _page("applies")[1] == "  reads one clause with its arguments"


def test_the_page_of_a_key() -> None:
    assert _page("is")[:2] == [
        "is: which card a filter means",
        "  answered: the card whose activation or effect it is chained to",
    ]
    assert "  destroyed: the subject is destroyed" in _page("subject")
    assert "  attack_declared: an attack is declared" not in _page("subject")
    assert "  graveyard: 墓地" in _page("from", language="zh")


def test_several_words_or_none_that_is_a_name_give_the_list() -> None:
    names = [line.partition(":")[0] for line in _page("attack", "target") if line[0] != " "]
    assert {"cannot_target", "redirects"} <= set(names)
    assert "  arguments:" not in _page("attack", "target")
    assert "  arguments:" not in _page("must_att")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_page_is_too_wide(language: str) -> None:
    for name in (*READINGS, *vocabulary.keys()):
        lines = _page(name, language=language)
        assert len(lines) > 2, name
        assert [line for line in lines if columns(line) > WIDTH] == []


def test_a_class_as_data() -> None:
    (word,) = catalogue.as_data(catalogue.search(["redirects"], classes_only=True))["classes"]
    to: dict[str, Any] = {
        "name": "to",
        "value": "filter",
        "en": "the monsters the attack can be moved to; without it what the effect targets",
        "zh": "可以转移到的怪兽；未写明时为效果的对象",
        "read": "says",
        "range": None,
        "needed": False,
        "words": [],
    }
    assert to in word["arguments"]
    assert word["example"].startswith("{redirects: ")
    assert (word["needs_one_of"], word["clause"], word["cost"]) == ([], False, False)
    data = catalogue.as_data(catalogue.search(["on"], classes_only=True))
    assert data["classes"] == []
    (key,) = data["keys"]
    assert (key["name"], key["words"][0]["name"]) == ("on", 1)
