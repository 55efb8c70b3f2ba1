"""The shape of documents: every fault in one line that says what would be right."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from py_bridge.structure import check
from py_bridge.yaml_text import Document, parse

OPERATIONS = ("destroys", "banishes", "returns_to_hand")

SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$id": "https://battlejudge.example/state",
    "type": "object",
    "required": ["turn_player"],
    "additionalProperties": False,
    "properties": {
        "as_of": {"type": "string", "format": "date"},
        "phase": {"enum": ["battle_step", "damage_step", "end_step"]},
        "over": {"type": "boolean"},
        "turn_player": {"$ref": "#/$defs/side"},
        "chain": {"type": "array", "items": {"$ref": "#/$defs/operation"}},
        "clauses": {"type": "array", "items": {"$ref": "#/$defs/clause"}},
        "sources": {
            "type": "array",
            "uniqueItems": True,
            "minItems": 1,
            "items": {"type": "string", "minLength": 2, "maxLength": 5},
        },
        "pair": {"type": "array", "prefixItems": [{"type": "integer"}], "items": False},
        "steps": {"type": "integer", "multipleOf": 100, "exclusiveMinimum": 0},
        "version": {"const": 2},
        "not_this": {"not": {"const": 3}},
        "either": {"oneOf": [{"type": "integer"}, {"minimum": 5}]},
        "counters": {
            "type": "object",
            "minProperties": 1,
            "propertyNames": {"pattern": "^[a-z]+$", "x-hint": "a lower-case word"},
            "additionalProperties": {"type": "integer"},
        },
        "needs": {"dependentRequired": {"a": ["b"]}},
        "if_then": {"if": {"required": ["x"]}, "then": {"required": ["y"]}},
    },
    "$defs": {
        "number": {"type": "integer", "minimum": 0, "maximum": 99999},
        "side": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "lp": {"$ref": "#/$defs/number", "x-hint": "the life points, 0 to 99999"},
                "monsters": {
                    "type": "array",
                    "maxItems": 7,
                    "items": {
                        "oneOf": [{"type": "string"}, {"$ref": "#/$defs/monster"}],
                        "x-hint": "a card's name, or {card: ...}",
                    },
                },
            },
        },
        "monster": {
            "type": "object",
            "required": ["card"],
            "additionalProperties": False,
            "properties": {
                "card": {"type": ["string", "integer"]},
                "atk": {"oneOf": [{"$ref": "#/$defs/number"}, {"const": "?"}]},
                "position": {"enum": ["attack", "defense"]},
            },
        },
        "operation": {
            "oneOf": [
                {
                    "type": "object",
                    "required": [name],
                    "additionalProperties": False,
                    "properties": {
                        name: {
                            "type": "object",
                            "additionalProperties": False,
                            "required": ["what"],
                            "properties": {
                                "what": {"type": "string"},
                                "times": {"$ref": "#/$defs/number"},
                            },
                        }
                    },
                }
                for name in OPERATIONS
            ]
        },
        "clause": {
            "type": "object",
            "required": ["class"],
            "properties": {"note": {"type": "string"}},
            "unevaluatedProperties": False,
            "anyOf": [
                {"properties": {"class": {"const": "piercing"}}},
                {
                    "properties": {
                        "class": {"const": "cannot_attack"},
                        "scope": {"enum": ["self", "all"]},
                    }
                },
                {
                    "properties": {
                        "class": {"const": "cannot_target"},
                        "scope": {"enum": ["self", "others"]},
                        "atk": {"$ref": "#/$defs/number"},
                    }
                },
            ],
        },
    },
}

GOOD = """\
as_of: 2026-01-31
phase: battle_step
over: false
turn_player:
  lp: 8000
  monsters:
    - Marauding Captain
    - {card: 89631139, atk: 3000, position: attack}
    - {card: Slime, atk: "?"}
chain:
  - destroys: {what: attacker}
  - banishes: {what: attacker, times: 2}
clauses:
  - {class: piercing, note: unless negated}
  - {class: cannot_attack, scope: all}
  - {class: cannot_target, scope: others, atk: 5}
sources: [ab, cd]
pair: [1]
steps: 500
version: 2
not_this: 4
either: 3
counters: {spell: 1}
needs: {a: 1, b: 2}
if_then: {x: 1, y: 2}
"""


def told(text: str, schema: dict[str, Any] = SCHEMA) -> list[str]:
    return [str(problem) for problem in check(parse(text, "f.yaml"), schema)]


def told_of(text: str) -> list[str]:
    """Return what is told of a few lines that follow the least that a state needs."""
    return [line.removeprefix("f.yaml:") for line in told(f"turn_player: {{}}\n{text}")]


def test_good() -> None:
    assert told(GOOD) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("phse: 1", '2: unknown key "phse"; did you mean "phase"?'),
        (
            "turn_playr:",
            '2: unknown key "turn_playr"; did you mean "turn_player"?',
        ),
        (
            "phase: battel_step",
            '2: phase: the text "battel_step" is not known here; did you mean "battle_step"?',
        ),
        (
            "phase: Damage Step",
            '2: phase: the text "Damage Step" is not known here; did you mean "damage_step"?',
        ),
        (
            "phase: 7",
            "2: phase: the number 7 is not known here; known here: battle_step, "
            "damage_step, end_step",
        ),
        ("over: yes", '2: over: found the text "yes"; expected true or false'),
        ("over:", "2: over: found nothing; expected true or false"),
        (
            "as_of: 2026-02-30",
            '2: as_of: the text "2026-02-30" does not fit; expected a date such as 2026-01-31',
        ),
        ("as_of: true", "2: as_of: found true; expected a date such as 2026-01-31"),
        ("sources: []", "2: sources: the number of entries is 0; give at least 1"),
        ("sources: [a]", '2: sources[0]: the text "a" has 1 characters; give at least 2'),
        ("sources: [abcdef]", '2: sources[0]: the text "abcdef" has 6 characters; give at most 5'),
        (
            "sources:\n- ab\n- cd\n- ab",
            '5: sources: the text "ab" stands in the list twice; name it once',
        ),
        ("sources: ab", '2: sources: found the text "ab"; expected a list (lines "- item")'),
        ("pair:\n- 1\n- 2", "4: pair[1]: found the number 2; nothing may stand here, leave it out"),
        (
            "steps: 0",
            "2: steps: the number 0 is out of range; expected a whole number of more than 0",
        ),
        ("steps: 150", "2: steps: the number 150 is no multiple of 100; give one"),
        ("version: 3", "2: version: the number 3 is not known here; known here: 2"),
        ("not_this: 3", "2: not_this: the number 3 does not fit; expected something else"),
        (
            "either: 7",
            "2: either: the number 7 can be read in several ways; expected a whole number",
        ),
        ("counters: {}", "2: counters: the number of entries is 0; give at least 1"),
        (
            "counters:\n  a: 1\n  B1: 1",
            '4: counters: the key "B1" is no good; expected a lower-case word',
        ),
        ("counters: {a: b}", '2: counters.a: found the text "b"; expected a whole number'),
        (
            "needs: {a: 1}",
            '2: needs: the key "b" is missing; add it, or leave out the keys that need it',
        ),
        ("if_then: {x: 1}", '2: if_then: the key "y" is missing; add it'),
    ],
)
def test_messages(text: str, message: str) -> None:
    assert told_of(text) == [message]


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("[]", ['1: found an empty list; expected a mapping (lines "key: value")']),
        ("lp", ['1: found the text "lp"; expected a mapping (lines "key: value")']),
        (
            "lp：8000",
            [
                '1: found the text "lp：8000"; expected a mapping (lines "key: value") (the '
                "full-width ： is a mere letter; YAML needs :)"
            ],
        ),
        (
            "phase: end_step",
            ['1: the key "turn_player" is missing; add it: a mapping (lines "key: value")'],
        ),
        (
            "turn_player: 5",
            ['1: turn_player: found the number 5; expected a mapping (lines "key: value")'],
        ),
        (
            "turn_player:\n  lp: -1",
            [
                "2: turn_player.lp: the number -1 is out of range; expected "
                "the life points, 0 to 99999"
            ],
        ),
        (
            "turn_player:\n  lp: eight\nphse: 1",
            [
                '2: turn_player.lp: found the text "eight"; expected the life points, 0 to 99999',
                '3: unknown key "phse"; did you mean "phase"?',
            ],
        ),
        (
            "turn_player:\n  monsters:\n" + "  - A\n" * 9,
            ["10: turn_player.monsters: the number of entries is 9; give at most 7"],
        ),
        (
            "turn_player:\n  monsters:\n  - [A]\n  - {atk: 100000}\n  - {card: A, positon: attack}",
            [
                "3: turn_player.monsters[0]: found a list; expected a card's name, or {card: ...}",
                "4: turn_player.monsters[1].atk: the number 100000 is out of range; expected a "
                "whole number from 0 to 99999",
                '4: turn_player.monsters[1]: the key "card" is missing; add it: a text or a whole '
                "number",
                '5: turn_player.monsters[2]: unknown key "positon"; did you mean "position"?',
            ],
        ),
        (
            "turn_player: {monsters: [{card: A, atk: many}, {card: A, atk: [1]}]}",
            [
                '1: turn_player.monsters[0].atk: the text "many" is not known here; known here: ?',
                "1: turn_player.monsters[1].atk: found a list; expected a whole number from 0 to "
                "99999 or ?",
            ],
        ),
    ],
)
def test_messages_of_the_whole(text: str, messages: list[str]) -> None:
    assert [line.removeprefix("f.yaml:") for line in told(text)] == messages


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("{destory: {what: a}}", ['2: chain[0]: unknown key "destory"; did you mean "destroys"?']),
        (
            "{destroys: {waht: a}}",
            [
                '2: chain[0].destroys: unknown key "waht"; did you mean "what"?',
                '2: chain[0].destroys: the key "what" is missing; add it: a text',
            ],
        ),
        ("{banishes: {}}", ['2: chain[0].banishes: the key "what" is missing; add it: a text']),
        (
            "{banishes: {what: a, times: -5}}",
            [
                "2: chain[0].banishes.times: the number -5 is out "
                "of range; expected a whole number from 0 to 99999"
            ],
        ),
        ("{}", ["2: chain[0]: a key is missing; add one of destroys, banishes, returns_to_hand"]),
        ("foo", ['2: chain[0]: found the text "foo"; expected a mapping (lines "key: value")']),
        (
            "{destroys: {what: a}, banishes: {what: a}}",
            [
                '2: chain[0]: the key "banishes" does not '
                "go with the others here; leave out it or the others"
            ],
        ),
    ],
)
def test_the_form_with_the_right_key_was_meant(text: str, messages: list[str]) -> None:
    assert told_of(f"chain: [{text}]") == messages


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        (
            "{class: piercng}",
            ['2: clauses[0].class: the text "piercng" is not known here; did you mean "piercing"?'],
        ),
        (
            "{class: 7}",
            [
                "2: clauses[0].class: the number 7 is not known here; known here: "
                "piercing, cannot_attack, cannot_target"
            ],
        ),
        (
            "{class: cannot_target, scope: othrs}",
            ['2: clauses[0].scope: the text "othrs" is not known here; did you mean "others"?'],
        ),
        (
            "{class: cannot_attack, scope: others}",
            ['2: clauses[0].scope: the text "others" is not known here; known here: self, all'],
        ),
        ("{class: piercing, nte: a}", ['2: clauses[0]: unknown key "nte"; did you mean "note"?']),
        (
            "{scope: self}",
            [
                '2: clauses[0]: the key "class" is missing; add it: one of piercing, '
                "cannot_attack, cannot_target"
            ],
        ),
    ],
)
def test_the_form_with_the_right_mark_was_meant(text: str, messages: list[str]) -> None:
    found = told_of(f"clauses: [{text}]")
    assert found[: len(messages)] == messages


def test_keys_of_a_part_that_fails_elsewhere_are_not_called_unknown() -> None:
    assert told_of("clauses: [{class: cannot_target, scope: self, atk: -1, note: a}]") == [
        "2: clauses[0].atk: the number -1 is out of range; expected a whole number from 0 to 99999"
    ]


def test_problems_come_in_the_order_of_their_lines() -> None:
    lines = told_of("zz: 1\nphase: 1\nover: 1\nchain:\n- 1\n- {destroys: 1}\nversion: 1")
    assert [line.split(":")[0] for line in lines] == ["2", "3", "4", "6", "7", "8"]


def test_no_more_than_twenty_problems_are_listed() -> None:
    lines = told_of("".join(f"zz{n}: 1\n" for n in range(25)))
    assert len(lines) == 21
    assert lines[0].startswith('2: unknown key "zz0"; known here: as_of, chain, ')
    assert lines[-1] == (" at least 5 more problems not listed; put the ones above right first")


@pytest.mark.parametrize(
    "text",
    [
        "chain:\n" + "- {a: 1}\n" * 6000,
        "chain:\n- " + "  ".join(f"k{n}: 1\n" for n in range(9000)),
        "chain: [" + "[], " * 9000 + "]",
        "sources: [" + "[], " * 9000 + "]",
        "clauses: [" + "{class: 5}, " * 4000 + "]",
    ],
    ids=["forms", "keys of a form", "no forms", "items", "marks"],
)
def test_thousands_of_problems_are_told_as_twenty(text: str) -> None:
    assert len(told_of(text)) == 21


def test_long_values_and_control_characters_are_shortened() -> None:
    (line,) = told_of('phase: "' + "x\\n" * 500 + '"')
    assert line.isprintable()
    assert len(line) < 200
    (line,) = told_of("? " + "y" * 5000 + "\n: 1")
    assert len(line) < 300


def test_a_schema_is_left_as_it_is() -> None:
    schema = copy.deepcopy(SCHEMA)
    told("turn_player: 5", schema)
    assert schema == SCHEMA


def test_two_schemas_are_not_mixed_up() -> None:
    assert told("a: 1", {"properties": {"a": {"type": "string"}}})
    assert not told("a: 1", {"properties": {"a": {"type": "integer"}}})


def test_a_hint_beside_a_reference_counts_more_than_one_inside() -> None:
    schema = {
        "properties": {
            "a": {"$ref": "#/$defs/n", "x-hint": "the outer"},
            "b": {"$ref": "#/$defs/n"},
        },
        "$defs": {"n": {"type": "integer", "x-hint": "the inner"}},
    }
    assert told("a: x\nb: x", schema) == [
        'f.yaml:1: a: found the text "x"; expected the outer',
        'f.yaml:2: b: found the text "x"; expected the inner',
    ]


NESTED: dict[str, Any] = {
    "properties": {
        "a": {"anyOf": [{"$ref": "#/$defs/word"}, {"type": "array", "items": {"type": "string"}}]},
        "b": {"allOf": [{"$ref": "#/$defs/pair"}], "unevaluatedProperties": False},
        "c": {"oneOf": [{"enum": [None, True, 5]}, {"type": "string", "pattern": "^x"}]},
        "d": {"enum": ["north", "south"], "x-hint": "a direction"},
        "e": {"uniqueItems": True},
        "f": {"format": "date"},
        "g": {"type": ["integer", "string"], "pattern": "^[0-9]+$"},
    },
    "$defs": {
        "word": {"oneOf": [{"enum": ["one", "two"]}, {"type": "integer", "maximum": 2}]},
        "pair": {"properties": {"left": {"type": "integer"}, "right": {"type": "integer"}}},
    },
}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: twoo", 'a: the text "twoo" is not known here; did you mean "two"?'),
        ("a: 3", "a: the number 3 is out of range; expected a whole number of at most 2"),
        ("a: [1]", "a[0]: found the number 1; expected a text"),
        (
            "a: {}",
            "a: found an empty mapping; expected one of one, two or a whole number of at most 2 "
            'or a list (lines "- item")',
        ),
        ("b: {left: 1, rigth: 2}", 'b: unknown key "rigth"; did you mean "right"?'),
        ("b: {left: x}", 'b.left: found the text "x"; expected a whole number'),
        (
            "c: [1]",
            "c: found a list; expected one of null, true, 5 or a text of the form ^x",
        ),
        ("c: 6", "c: the number 6 is not known here; known here: null, true, 5"),
        ("d: up", 'd: the text "up" is not known here; expected a direction'),
        ("d: nort", 'd: the text "nort" is not known here; did you mean "north"? (a direction)'),
        (
            "e: [{a: 1, b: 2}, 1, {b: 2, a: 1}]",
            "e: a mapping stands in the list twice; name it once",
        ),
        ("f: today", 'f: the text "today" does not fit; expected a date such as 2026-01-31'),
        (
            "g: x",
            'g: the text "x" does not fit; expected a whole number or a text of the form ^[0-9]+$',
        ),
    ],
)
def test_forms_inside_forms(text: str, message: str) -> None:
    assert told(text, NESTED) == [f"f.yaml:1: {message}"]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-10, 10) | st.sampled_from(["self", "attack", "x"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["class", "scope", "card", "atk", "what", "times", *OPERATIONS]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            name: VALUES | st.lists(VALUES, max_size=3)
            for name in [*SCHEMA["properties"], "unknown"]
        },
    )
)
def test_any_data_are_good_or_told_about(data: dict[str, Any]) -> None:
    problems = check(Document("f.yaml", data, {(): 1}), SCHEMA)
    assert all(str(problem).isprintable() and "; " in problem.message for problem in problems)
    assert problems or "turn_player" in data
