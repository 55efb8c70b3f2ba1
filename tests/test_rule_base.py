"""Whether the rule base holds together: labels, words, dependencies, what may stand where."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import networkx
import pytest
import yaml
from clingo import Control
from clingo.ast import AST, ASTType, Sign
from lp_tree import children, nodes, place, rules_of, statements

from py_bridge import register
from py_bridge.formats import schema
from py_bridge.knowledge import as_program, rule_files
from py_bridge.labels import check_labels, read_labels
from py_bridge.paths import base
from py_bridge.states import read_state, state_from_text

FILES = rule_files()
ABOUT_THE_GAME = [
    file for file in FILES if file.relative_to(base()).parts[0] in ("rules", "queries")
]
VOCABULARY = sorted((base() / "facts" / "vocabulary").glob("*.lp"))
PRIORITIES = base() / "facts" / "rulings" / "priorities.lp"
BOARD = base() / "facts" / "boards" / "two_captains.yaml"
# What the bridge can put into a sentence (answers.Speaker).
PLACEHOLDERS = {"source", "attacker", "target", "card", "cost", "step"}
COMMENT = re.compile(r"%\*.*?\*%|%[^\n]*", re.DOTALL)
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


def _name(file: Path) -> str:
    return file.relative_to(base()).as_posix()


# --- labels ---------------------------------------------------------------------------------------


def test_labels_are_in_order() -> None:
    # A rule that applies clauses of one class may give the label of that class as the reason.
    classes = "|".join(_first("usual_subject"))
    of_class = re.compile(rf".*: reason by\((?:{classes}), \.\.\.\) under label \w+; .*")
    problems = check_labels(FILES, register.ids(), PLACEHOLDERS)
    assert [line for line in problems if not of_class.fullmatch(line)] == []


def test_a_reason_without_a_card_names_none() -> None:
    # by(Label, rule, 0): the rules of the game themselves, so that {source} would stay open.
    found = read_labels(FILES)
    wrong = set()
    for rule in rules_of(FILES):
        for term in nodes(rule.head, ASTType.Function):
            if term.name == "by" and str(term.arguments[1]) == "rule":
                label = found.get(str(term.arguments[0]))
                if label and "{source}" in label.en + label.zh:
                    wrong.add(label.name)
    assert wrong == set()


# What a sentence about an action can name; about a target, only where the action has one.
NAMED = {
    ("attack", 2): {"attacker", "target"},
    ("give_up", 1): {"attacker"},
    ("enter", 1): {"step"},
    ("activate", 2): {"card"},
    ("activate", 3): {"card", "target"},
    ("pass", 1): set(),
    ("choose", 1): {"target"},
    ("turn", 1): {"target"},
    ("go_on", 0): set(),
    ("toss", 1): set(),
}


def test_sentences_name_what_their_actions_have() -> None:
    found = read_labels(FILES)
    wrong = set()
    for rule in rules_of(FILES):
        head = rule.head.atom.symbol
        if head.name not in ("forbids", "allows", "obliges", "doubts", "outside"):
            continue
        by, act = head.arguments
        if by.ast_type != ASTType.Function or act.ast_type != ASTType.Function:
            continue
        label = found.get(str(by.arguments[0]))
        if label:
            named = set(re.findall(r"\{(\w+)\}", label.en + label.zh))
            wrong |= {
                (label.name, one)
                for one in named - NAMED[act.name, len(act.arguments)] - {"source"}
            }
    assert wrong == set()


def test_sentences_about_a_halted_attack_name_its_source_alone() -> None:
    # They become reasons against entering the Damage Step, which has neither attacker nor target.
    found = read_labels(FILES)
    heads = [rule.head.atom.symbol for rule in rules_of(FILES)]
    halting = {str(head.arguments[0].arguments[0]) for head in heads if head.name == "halts"}
    assert halting
    wrong = {
        (name, one)
        for name in halting
        for one in re.findall(r"\{(\w+)\}", found[name].en + found[name].zh)
        if one != "source"
    }
    assert wrong == set()


def test_sentences_name_the_source_in_both_languages() -> None:
    different = [
        label.name
        for label in read_labels(FILES).values()
        if ("{source}" in label.en) != ("{source}" in label.zh)
    ]
    assert different == []


def test_sentences_are_sentences() -> None:
    wrong = [
        label.name
        for label in read_labels(FILES).values()
        if not label.en.endswith((".", '."')) or not label.zh.endswith(("。", "。”"))
    ]
    assert wrong == []


# --- files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", FILES, ids=_name)
def test_file_begins_with_its_purpose(file: Path) -> None:
    header = re.match(r"%\*\n(.+?)\n\*%\n", file.read_text(encoding="utf-8"), re.DOTALL)
    assert header is not None
    assert len(header[1]) > 40


@pytest.mark.parametrize("file", FILES, ids=_name)
def test_lines_are_not_too_long(file: Path) -> None:
    lines = file.read_text(encoding="utf-8").splitlines()
    code = [(n, line) for n, line in enumerate(lines, 1) if not line.startswith("%")]
    if file not in VOCABULARY:  # its wordings are sentences in one line
        assert [n for n, line in code if len(line) > 160] == []
    assert [n for n, line in enumerate(lines, 1) if "\t" in line] == []


def test_every_folder_has_rules() -> None:
    folders = {file.relative_to(base()).parts[:2] for file in FILES}
    assert {"state", "effects", "phases", "battle_step", "activation"} <= {
        folder for top, folder in folders if top == "rules"
    }


# --- no card in the rules -------------------------------------------------------------------------


@lru_cache
def _card_names() -> set[str]:
    """Every name in facts/cards, in every language; read without the bridge."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    found: set[str] = set()
    for file in sorted((base() / "facts" / "cards").glob("*.yaml")):
        for data in yaml.load_all(file.read_text(encoding="utf-8"), loader):
            if data:
                found |= {str(data[key]) for key in ("en", "zh", "ja") if key in data}
    return found


@pytest.mark.parametrize("file", ABOUT_THE_GAME, ids=_name)
def test_no_rule_speaks_of_a_card_by_a_string(file: Path) -> None:
    # Names reach the rules as strings only, and no rule has a use for one.
    assert STRING.findall(COMMENT.sub("", file.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("file", ABOUT_THE_GAME, ids=_name)
def test_no_rule_speaks_of_a_card_by_a_constant(file: Path) -> None:
    constants = {
        re.sub(r"[^a-z0-9]+", "_", name.lower().replace("'", "")).strip("_")
        for name in _card_names()
        if name.isascii()
    }
    words = set(re.findall(r"[a-z]\w*", COMMENT.sub("", file.read_text(encoding="utf-8"))))
    assert words & {*constants, *(f"{one}_text" for one in constants)} == set()


@pytest.mark.parametrize("file", ABOUT_THE_GAME, ids=_name)
def test_no_comment_names_a_card(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    # A name of one word may be a word of the game, too.
    names = [name for name in _card_names() if " " in name or len(name) > 6 or not name.isascii()]
    assert [name for name in names if len(name) > 2 and name in text] == []


# --- one model ------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", FILES, ids=_name)
def test_nothing_is_left_to_choose(file: Path) -> None:
    allowed = {ASTType.Rule, ASTType.Defined}
    assert [place(one) for one in statements((file,)) if one.ast_type not in allowed] == []
    # A plain head: no disjunction, no choice, no aggregate; and no integrity constraint, since a
    # state that violates one would have no answer at all.
    heads = [(rule, rule.head) for rule in rules_of((file,))]
    wrong = [
        place(rule)
        for rule, head in heads
        if head.ast_type != ASTType.Literal
        or head.sign != Sign.NoSign
        or head.atom.ast_type != ASTType.SymbolicAtom
    ]
    assert wrong == []


def test_nothing_is_left_to_choose_would_notice() -> None:
    found: list[AST] = []
    from clingo.ast import parse_string

    parse_string("{a}. a ; b. :- a. a :- not b.", found.append)
    heads = [one.head for one in found if one.ast_type == ASTType.Rule]
    plain = [
        head.ast_type == ASTType.Literal and head.atom.ast_type == ASTType.SymbolicAtom
        for head in heads
    ]
    assert plain == [False, False, False, True]


def _signature(symbolic_atom: AST) -> str:
    term = symbolic_atom.symbol
    return f"{term.name}/{len(term.arguments)}"


def _body_atoms(node: AST, aside: bool = False) -> Iterator[tuple[str, bool]]:
    """The predicates of a body, each with whether it stands below `not` or in an aggregate."""
    if node.ast_type == ASTType.SymbolicAtom:
        yield _signature(node), aside
        return
    if (
        node.ast_type
        in (
            ASTType.Aggregate,
            ASTType.BodyAggregate,
            ASTType.ConditionalLiteral,
        )
        or getattr(node, "sign", Sign.NoSign) != Sign.NoSign
    ):
        aside = True
    for child in children(node):
        yield from _body_atoms(child, aside)


def _dependencies(rules: list[AST]) -> networkx.DiGraph:
    graph = networkx.DiGraph()
    for rule in rules:
        head = _signature(rule.head.atom)
        graph.add_node(head)
        for literal in rule.body:
            for needed, aside in _body_atoms(literal):
                strict = aside or graph.get_edge_data(head, needed, {}).get("strict", False)
                graph.add_edge(head, needed, strict=strict)
    return graph


def _unstratified(graph: networkx.DiGraph) -> list[tuple[str, str]]:
    """Pairs that need each other, one of them by `not` or an aggregate."""
    return [
        (head, needed)
        for part in networkx.strongly_connected_components(graph)
        for head, needed, strict in graph.subgraph(part).edges(data="strict")
        if strict
    ]


def test_the_rules_are_stratified() -> None:
    graph = _dependencies(rules_of(FILES))
    assert graph.number_of_nodes() > 100
    assert _unstratified(graph) == []


@pytest.mark.parametrize(
    ("text", "circles"),
    [
        ("a :- not b. b :- a.", [("a/0", "b/0")]),
        ("a(X) :- b(X). b(X) :- c(X), 1 < #count { Y : a(Y) }.", [("b/1", "a/1")]),
        ("a(X) :- b(X). b(X) :- c(X), d(Y) : a(Y).", [("b/1", "a/1")]),
        ("a(X) :- a(Y), c(Y, X), not d(X). d(X) :- not e(X).", []),
    ],
)
def test_circles_would_be_noticed(text: str, circles: list[tuple[str, str]]) -> None:
    from clingo.ast import parse_string

    found: list[AST] = []
    parse_string(text, found.append)
    rules = [one for one in found if one.ast_type == ASTType.Rule]
    assert _unstratified(_dependencies(rules)) == circles


def _messages(facts: str = "") -> list[str]:
    said: list[str] = []
    control = Control([], logger=lambda _code, text: said.append(text))
    for file in FILES:
        control.load(str(file))
    control.add("base", [], facts)
    control.ground([("base", [])])
    return said


def test_every_predicate_is_defined() -> None:
    assert _messages() == []


def test_no_operation_is_undefined_on_a_board() -> None:
    assert _messages(as_program(read_state(BOARD).facts())) == []


def test_every_predicate_has_one_number_of_arguments() -> None:
    # Rules are cut out by the names of what a question needs; a second meaning drags along its own.
    arities: dict[str, set[int]] = {}
    for rule in rules_of(FILES):
        head = rule.head.atom.symbol
        arities.setdefault(head.name, set()).add(len(head.arguments))
    assert {name: found for name, found in arities.items() if len(found) > 1} == {}


def test_every_reason_is_about_an_action() -> None:
    relations = {"forbids", "allows", "obliges", "doubts", "outside"}
    actions = {"attack", "enter", "activate", "give_up", "pass", "choose", "go_on"}
    actions |= {"toss", "turn"}
    wrong = []
    for rule in rules_of(FILES):
        head = rule.head.atom.symbol
        if head.name in relations:
            act = head.arguments[1]
            if act.ast_type == ASTType.Function and act.name not in actions:
                wrong.append((place(rule), act.name))
            if len(head.arguments) != 2:
                wrong.append((place(rule), head.name))
    assert wrong == []


# --- the vocabulary -------------------------------------------------------------------------------


@lru_cache
def _facts(predicate: str) -> tuple[AST, ...]:
    """The argument tuples, as terms, of the facts of a predicate in vocabulary and priorities."""
    return tuple(
        rule.head.atom.symbol
        for rule in rules_of((*VOCABULARY, PRIORITIES))
        if not rule.body and rule.head.atom.symbol.name == predicate
    )


def _first(predicate: str) -> list[str]:
    return [str(fact.arguments[0]) for fact in _facts(predicate)]


def _schema_words(kind: str) -> set[str]:
    return set(schema()["$defs"][kind]["properties"])


def test_each_word_has_one_wording() -> None:
    worded = _first("wording")
    assert sorted(set(worded)) == sorted(worded)


def test_each_word_of_the_schema_has_a_wording() -> None:
    operations = set(_first("operation_class"))
    assert _schema_words("clause") == set(_first("wording")) - operations
    assert _schema_words("operation") - {"role", "on"} == operations
    assert operations <= set(_first("wording"))


def test_each_class_says_whom_it_means() -> None:
    classes = set(_first("wording")) - set(_first("operation_class"))
    assert set(_first("usual_subject")) | set(_first("player_clause")) == classes
    assert set(_first("usual_subject")) & set(_first("player_clause")) == set()
    subjects = {str(fact.arguments[1]) for fact in _facts("usual_subject")}
    assert subjects == {"bearer", "opposing"}


def test_marks_of_classes_are_about_classes() -> None:
    worded = set(_first("wording"))
    for mark in ("needs_battle", "needs_no_battle", "attack_benefit", "level", "own_level"):
        assert set(_first(mark)) - worded == set(), mark
    assert set(_first("needs_battle")) & set(_first("needs_no_battle")) == set()


def test_each_class_has_its_label() -> None:
    # It is what a reason says when a clause of that class is behind an answer.
    classes = set(_first("wording")) - set(_first("operation_class"))
    assert classes - set(read_labels(FILES)) == set()


def test_wordings_are_in_both_languages() -> None:
    chinese = re.compile(r"[\u4e00-\u9fff]|^\W*(?:\{\d\}\W*)+$")
    for predicate in ("wording", "term", "fluent_term", "fluent"):
        assert _facts(predicate)
        for fact in _facts(predicate):
            en, zh = (str(text) for text in fact.arguments[-2:])
            assert re.search(r"[A-Za-z{]", en), str(fact)
            assert not re.search(r"[\u4e00-\u9fff]", en), str(fact)
            assert chinese.search(zh.strip('"')), str(fact)


def test_fluents_name_their_arguments() -> None:
    for fact in _facts("fluent"):
        en, zh = (set(re.findall(r"\{(\d)\}", str(text))) for text in fact.arguments[1:])
        assert en == zh, str(fact)


# --- fluents --------------------------------------------------------------------------------------

ALPHA = {
    "name": "Alpha",
    "card": "monster",
    "kinds": ["xyz", "effect"],
    "effects": [{"nr": 1, "kind": "ignition"}],
}
ENTRY = {
    "card": ALPHA,
    "id": "alpha",
    "zone": 1,
    "position": "attack",
    "face": "up",
    "owner": "non_turn_player",
    "name": "Beta",
    "race": "dragon",
    "attribute": "dark",
    "archetypes": ["Gamma"],
    "level": 1,
    "rank": 4,
    "link": 1,
    "atk": 1000,
    "def": 0,
    "materials": 2,
    "counters": 1,
    "summoned": ["xyz"],
    "came": "this_turn",
    "negated": True,
    "equipped_to": "beta",
    "chosen": ["beta"],
    "used": [1],
    "declared": 1,
    "attempted": True,
    "gave_up": True,
    "attacked": ["beta"],
    "battled": ["beta"],
    "done_with": ["beta"],
    "attacked_beside": ["beta"],
    "attacked_directly": True,
    "direct_chosen": True,
    "entry_count": {"1": 2},
    "determined": True,
    "changed_atk": 10,
    "changed_def": 0,
    "held_to": [{"card": "beta", "effect": 1}],
    "original_atk": 1000,
    "original_def": 0,
    "substitutes": True,
}
BETA = {"name": "Beta", "card": "monster", "atk": 0, "def": 0}
OATH = {"name": "Oath", "card": "spell", "effects": [{"nr": 1, "kind": "lingering"}]}
APPLIED = {
    "card": OATH,
    "effect": 1,
    "by": "turn_player",
    "id": "oath",
    "source": "alpha",
    "chosen": ["beta"],
    "used": True,
    "attacks_at": 1,
    "lapsed": [1],
    "oath": True,
}
ATTACK = {
    "attacker": "alpha",
    "target": "beta",
    "stage": "open",
    "declared_in": "attack",
    "declared_on": "beta",
    "over": "negated",
    "by": "alpha",
}
LINK = {"negated": True, "card": "alpha", "effect": 1, "by": "turn_player", "targets": ["beta"]}
EVERYTHING = {
    "title": "Everything that a state can say at once.",
    "turn": 3,
    "phase": "battle",
    "step": "damage",
    "sub_step": "start",
    "turn_player": {"lp": 1, "monsters": [ENTRY], "passed": True},
    "non_turn_player": {"monsters": [{"card": BETA, "id": "beta"}]},
    "applied": [APPLIED],
    "attack": ATTACK,
    "chain": [LINK],
    "after_chain": True,
    "chance_over": True,
    "direct_attacks": 1,
    "progress": {
        "resolving": 1,
        "handled": [1],
        "did": [1],
        "picked": ["beta"],
        "settling": True,
        "replay_due": True,
        "just": [{"destroyed": "beta"}],
    },
}


def _properties(*path: str) -> set[str]:
    found: Any = schema()
    for step in path:
        found = found[step]
    return set(found["properties"])


def test_everything_says_everything() -> None:
    assert set(EVERYTHING) == _properties()
    assert set(ENTRY) == _properties("$defs", "entry")
    assert set(APPLIED) == _properties("properties", "applied", "items")
    assert set(LINK) == _properties("properties", "chain", "items")
    assert set(ATTACK) == _properties("properties", "attack")


def test_each_fluent_of_a_state_has_a_wording() -> None:
    state = state_from_text(yaml.safe_dump(EVERYTHING, sort_keys=False), "everything.yaml")
    said = {fluent.partition("(")[0] for fluent in state.fluents}
    assert {"zone", "entry_count", "link_target", "applied_from", "declared_on"} <= said
    assert said - set(_first("fluent")) == set()


def test_each_fluent_that_rules_begin_or_read_has_a_wording() -> None:
    found = set()
    for rule in rules_of(FILES):
        for atom in nodes(rule, ASTType.SymbolicAtom):
            term = atom.symbol
            if term.name in ("holds", "starts", "ends", "next"):
                (fluent,) = term.arguments
                if fluent.ast_type == ASTType.Function:
                    found.add(fluent.name)
                elif fluent.ast_type == ASTType.SymbolicTerm:
                    found.add(fluent.symbol.name)
    assert {"attack", "controller", "passed"} <= found
    assert found - set(_first("fluent")) == set()


# --- priorities -----------------------------------------------------------------------------------


def test_each_priority_has_a_source() -> None:
    sourced = {str(fact.arguments[0]) for fact in _facts("source")}
    stated = {
        str(rule.head.atom.symbol)
        for rule in rules_of([PRIORITIES])
        if rule.head.atom.symbol.name != "source"
    }
    assert stated
    assert stated == sourced


def test_each_source_is_a_ruling() -> None:
    cited = {str(fact.arguments[1]).replace("_", "-") for fact in _facts("source")}
    assert cited - set(register.ids()) == set()


def test_each_class_has_one_level() -> None:
    for predicate in ("level", "own_level"):
        assert len(set(_first(predicate))) == len(_first(predicate))
        levels = {str(fact.arguments[1]) for fact in _facts(predicate)}
        assert levels <= {"1", "2", "3"}
