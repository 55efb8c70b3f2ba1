"""Why an atom holds and why not: the transformation, the trees, the nearest misses, the printing.

What holds is always asked of clingo itself, over the untransformed rules.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import clingo
import pytest
from clingo import Function, Symbol, ast, parse_term
from hypothesis import given, settings
from hypothesis import strategies as st

from py_bridge.derivation import (
    DerivationError,
    Miss,
    Node,
    concluded,
    needed,
    render,
    slice_rules,
    trace_rule,
    why,
    why_all,
    why_not,
)
from py_bridge.labels import RuleSyntaxError
from py_bridge.paths import base

LP = Path(__file__).parent / "lp"
DUEL = (LP / "duel.lp").read_text(encoding="utf-8")
FACTS = (LP / "duel_facts.lp").read_text(encoding="utf-8")
TEXTS = [("duel.lp", DUEL)]


def statements(text: str) -> list[ast.AST]:
    found: list[ast.AST] = []
    ast.parse_string(text, found.append)
    return found


def rule(text: str) -> ast.AST:
    return statements(text)[-1]


def model(*texts: str) -> set[Symbol]:
    """The atoms that hold, by grounding: the fixtures are stratified."""
    control = clingo.Control(["--warn=none"])
    for text in texts:
        control.add("base", [], text)
    control.ground([("base", [])])
    return {atom.symbol for atom in control.symbolic_atoms if atom.is_fact}


def traced(text: str) -> list[str]:
    rules = [s for s in statements(text) if s.ast_type == ast.ASTType.Rule]
    variants = [variant for r in rules for variant in r.unpool()]
    return [line for number, variant in enumerate(variants) for line in trace_rule(variant, number)]


def walk(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from walk(child)


def leaves(node: Node | None) -> list[tuple[str, str]]:
    assert node is not None
    return [(child.kind, str(child.atom)) for child in node.children]


def text_of(texts: Sequence[tuple[str, str]], facts: str, atom: str, width: int = 100) -> list[str]:
    node = why(texts, facts, atom)
    assert node is not None
    return render(node, str, "en", lambda label, atom: None, width=width)


# The transformation


def test_traced_rules_are_the_golden_ones() -> None:
    golden = (LP / "duel_traced.lp").read_text(encoding="utf-8").splitlines()
    assert traced(DUEL) == golden


def test_the_example_of_the_module() -> None:
    before = "hurt(P, N) :- damage(P, N), not shielded(P), N > 0."
    assert trace_rule(rule(before), 7) == [
        "__why(7,hurt(P,N),(p(damage(P,N)),n(shielded(P)),t(2,(N,)))) :- "
        "damage(P,N); not shielded(P); N > 0."
    ]
    before = "busy(P) :- player(P), #count { A : attack(P, A) } > 1."
    assert trace_rule(rule(before), 8) == [
        "__why(8,busy(P),(p(player(P)),t(1,(P,)))) :- player(P); 1 < #count { A: attack(P,A) }.",
        "__part(8,1,(P,),(attack(P,A),)) :- __why(8,_,(_,t(1,(P,)))); attack(P,A).",
    ]


def test_a_constraint_concludes_nothing() -> None:
    assert trace_rule(rule(":- tired(ghost)."), 0) == []


fact_atoms = sorted(str(atom) for atom in model(FACTS))


@given(st.sets(st.sampled_from(fact_atoms)))
@settings(max_examples=40, deadline=None)
def test_traced_and_plain_rules_derive_the_same(atoms: set[str]) -> None:
    facts = "".join(f"{atom}." for atom in atoms)
    plain = model(DUEL, facts)
    both = model(DUEL, facts, "\n".join(traced(DUEL)))
    assert {atom for atom in both if not atom.name.startswith("__")} == plain
    recorded = {atom.arguments[1] for atom in both if atom.name == "__why"}
    assert recorded | {parse_term(atom) for atom in atoms} == plain


@pytest.mark.parametrize(
    "text",
    [
        "p(X) :- q(X), not r(1..2, X).",
        "p(X) :- q(X), not r(_, X).",
        "p(X, Y) :- q(X), q(Y), r(Y, X+1).",
        "p(1..3, X) :- q(X).",
        "p(X) :- r(X, (1; 2)).",
        "p(X) :- q(X), X = (1; 2).",
        "p(X * X) :- q(X), not not q(_).",
        'p("a, _ B; c", f(X, (X,))) :- q(X).',
        "p(M) :- M = #min { X : q(X); 9 }.",
        "p :- r(X, Y) : q(X), q(Y), X < Y.",
        "p :- not 4 { q(_) }.",
        "-p(X) :- -r(X), q(X).",
    ],
)
def test_a_record_for_every_conclusion(text: str) -> None:
    facts = "q(1..3). r(1, 2). r(2, 3). r(1, 3). r(3, 4). -r(2)."
    plain = model(text, facts)
    both = model(text, facts, "\n".join(traced(text)))
    concluded_atoms = {atom for atom in plain if atom.name == "p"}
    assert concluded_atoms
    assert {atom.arguments[1] for atom in both if atom.name == "__why"} == concluded_atoms


def test_every_rule_of_the_rule_base_can_be_traced() -> None:
    files = [*(base() / "rules").rglob("*.lp"), *(base() / "queries").glob("*.lp")]
    for file in files:
        for text in traced(file.read_text(encoding="utf-8")):
            assert text.startswith(("__why(", "__part("))


# Predicates and slices


@pytest.mark.parametrize(
    ("text", "heads", "reads"),
    [
        ("p(X, f(Y, Z)) :- q(X), not r, Y = g(X), Z = 1.", {("p", 2)}, {("q", 1), ("r", 0)}),
        ("-p(a) :- -q(1, (2, 3)).", {("p", 1)}, {("q", 2)}),
        ('p("a, b(", c) :- q("),").', {("p", 2)}, {("q", 1)}),
        ("p(1; 2, 3) :- q(4; 5).", {("p", 1), ("p", 2)}, {("q", 1)}),
        (
            ":- #sum { V, X : v(X, V), not w(X) ; 1 : u } > 3.",
            set(),
            {("v", 2), ("w", 1), ("u", 0)},
        ),
        (
            "p :- a(X) : b(X), not c; not not d; 2 { e(X) : f(X) }.",
            {("p", 0)},
            {("a", 1), ("b", 1), ("c", 0), ("d", 0), ("e", 1), ("f", 1)},
        ),
        ("1 { p(X) : q(X) } 1 :- r.", {("p", 1)}, {("q", 1), ("r", 0)}),
        ("#count { X : p(X) : q(X) } = 1 :- r.", {("p", 1)}, {("q", 1), ("r", 0)}),
        ("p : q | s :- r.", {("p", 0), ("s", 0)}, {("q", 0), ("r", 0)}),
        ("#external p(X) : q(X).", {("p", 1)}, {("q", 1)}),
        ("#show p/1.", set(), set()),
    ],
)
def test_predicates_of_a_statement(
    text: str, heads: set[tuple[str, int]], reads: set[tuple[str, int]]
) -> None:
    assert concluded(rule(text)) == heads
    assert needed(rule(text)) == reads


def test_a_slice_holds_what_is_depended_on() -> None:
    text = """
        #const n = 2.
        a :- b, not c.   b.   c :- #count { X : d(X) } > n.   d(X) :- e(X).
        f :- a.   d(X, X) :- e(X).   :- a, f.   #show a/0.   #external e(1).
    """
    kept = slice_rules([("one.lp", text), ("two.lp", "e(1..3).  g.")], {("a", 0)})
    assert [str(statement) for statement in kept] == [
        "#const n = 2.",
        "a :- b; not c.",
        "b.",
        "c :- n < #count { X: d(X) }.",
        "d(X) :- e(X).",
        "#external e(1). [false]",
        "e((1..3)).",
    ]


# Why


def test_a_tree_has_rules_facts_absences_and_tests() -> None:
    node = why(TEXTS, FACTS, "bars(by(bars_others, knight, 1), attack(dragon, imp))")
    assert node is not None
    assert (node.kind, node.label, node.place) == ("rule", "bars_others", ("duel.lp", 18))
    assert leaves(node) == [
        ("fact", "lure(knight)"),
        ("absent", "negated(knight)"),
        ("fact", "monster(knight,you)"),
        ("fact", "monster(dragon,me)"),
        ("fact", "monster(imp,you)"),
        ("test", "me != you"),
        ("test", "imp != knight"),
        ("test", "not bars_self(knight): loud(knight) <- {}"),
    ]


@pytest.mark.parametrize(
    ("atom", "expected"),
    [
        pytest.param(
            "may(attack(knight, wall))",
            [
                ("fact", "monster(knight,you)"),
                ("fact", "monster(wall,me)"),
                ("test", "you != me"),
                ("absent", "tired(knight)"),
                ("absent", "bars(_,attack(knight,wall))"),
            ],
            id="nested terms, absence of any",
        ),
        pytest.param(
            "tired(wall)",
            [
                ("fact", "made(wall,1)"),
                ("test", "1 >= (1+0)"),
                ("test", "0 = #count { S,I: extra(wall,S,I), not negated(S) } <- {}"),
            ],
            id="constant, empty count",
        ),
        pytest.param(
            "strength(dragon, 2300)",
            [
                ("fact", "printed(dragon,1800)"),
                (
                    "test",
                    "500 = #sum { V,S: boost(S,dragon,V), not negated(S) } "
                    "<- boost(knight,dragon,200), boost(sword,dragon,300)",
                ),
            ],
            id="arithmetic in the head, sum",
        ),
        pytest.param(
            "strongest(dragon)",
            [
                ("rule", "strength(dragon,2300)"),
                (
                    "test",
                    "2300 = #max { M: strength(_,M) } <- strength(dragon,2300), "
                    "strength(knight,2000), strength(wall,0)",
                ),
            ],
            id="max",
        ),
        pytest.param(
            "calm(you)",
            [
                ("fact", "player(you)"),
                (
                    "test",
                    "not made(A,1): monster(A,you) <- monster(imp,you), monster(knight,you)",
                ),
            ],
            id="conditional literal",
        ),
        pytest.param(
            "full(me)",
            [
                ("fact", "player(me)"),
                ("test", "2 <= { monster(M,me) } <- monster(dragon,me), monster(wall,me)"),
            ],
            id="set without a function",
        ),
        pytest.param(
            "negated(wall)",
            [("fact", "-faceup(wall)"), ("fact", "monster(wall,me)")],
            id="classical negation",
        ),
        pytest.param("negated(imp)", [("fact", 'name(imp,"Blank")')], id="string"),
        pytest.param("seen(me)", [("fact", "at(1,me)")], id="interval in a pool"),
        pytest.param("seen(you)", [("fact", "at(you,3)")], id="other branch of the pool"),
        pytest.param("side(left)", [], id="fact of the rules"),
    ],
)
def test_what_stands_below_a_conclusion(atom: str, expected: list[tuple[str, str]]) -> None:
    assert parse_term(atom) in model(DUEL, FACTS)
    assert leaves(why(TEXTS, FACTS, atom)) == expected


def test_elements_are_listed_by_their_atoms_or_else_their_terms() -> None:
    text = "p(N) :- N = #sum { V, X : v(X, V), on(X) ; 5, a : not off ; K, b : K = 1..2 }."
    node = why([("a.lp", text)], "v(x, 3). v(y, 9). on(x).", "p(11)")
    assert leaves(node) == [
        (
            "test",
            "11 = #sum { V,X: v(X,V), on(X); 5,a: not off; K,b: K = (1..2) } "
            "<- 1 & b, 2 & b, 5 & a, v(x,3) & on(x)",
        )
    ]


def test_a_fact_of_the_state_and_one_of_the_rules() -> None:
    assert why(TEXTS, FACTS, "player(me)") == Node(parse_term("player(me)"), None, "fact")
    node = why(TEXTS, FACTS, "side(left)")
    assert node is not None
    assert (node.kind, node.label) == ("fact", "reach")


def test_what_does_not_hold_has_no_derivation() -> None:
    assert why(TEXTS, FACTS, "reach(d, a)") is None
    assert why_all(TEXTS, FACTS, "unheard_of") == []


def test_the_smallest_depth_wins_and_circles_are_no_reason() -> None:
    text = "p :- q.  q :- p.  q :- r.  r :- s.  p :- t, u.  t :- s. u :- t."
    assert text_of([("a.lp", text)], "s.", "p") == [
        "p",
        "  q",
        "    r",
        "      s (given)",
    ]
    alternatives = why_all([("a.lp", text)], "s.", "p")
    assert [leaves(node) for node in alternatives] == [
        [("rule", "q")],
        [("rule", "t"), ("rule", "u")],
    ]
    assert [leaves(node) for node in why_all([("a.lp", text)], "s.", "q")] == [
        [("rule", "r")],
        [("rule", "p")],
    ]


def test_an_atom_can_be_given_and_derived() -> None:
    given_first, derived = why_all([("a.lp", "p :- q.")], "p. q.", "p")
    assert (given_first.kind, given_first.children) == ("fact", ())
    assert leaves(derived) == [("fact", "q")]


def test_equal_parts_are_one_object() -> None:
    node = why([("a.lp", "p :- q, r. q :- s. r :- s. s :- t.")], "t.", "p")
    assert node is not None
    left, right = node.children
    assert left.children[0] is right.children[0]


def test_a_long_chain_is_no_deep_recursion() -> None:
    text = "p(N + 1) :- p(N), N < 3000."
    node = why([("a.lp", text)], "p(0).", "p(3000)")
    assert node is not None
    lines = render(node, str, "en", lambda label, atom: None)
    assert len(lines) == 6001


@given(st.sets(st.sampled_from(fact_atoms)))
@settings(max_examples=15, deadline=None)
def test_trees_are_sound_and_complete(atoms: set[str]) -> None:
    facts = "".join(f"{atom}." for atom in atoms)
    holds = model(DUEL, facts)
    for atom in holds:
        node = why(TEXTS, facts, atom)
        assert node is not None
        for step in walk(node):
            if step.kind in ("rule", "fact"):
                assert step.atom in holds
            elif step.kind == "absent" and "_" not in str(step.atom):
                assert step.atom not in holds
        given_leaves = {s.atom for s in walk(node) if s.kind == "fact" and s.label is None}
        assert given_leaves <= {parse_term(a) for a in atoms}


@pytest.mark.parametrize(
    ("text", "facts", "atom", "message"),
    [
        ("p :- q.", "q.", "p(", "'p(' is no atom; write one such as forbids(by(a, b, 1), c)"),
        ("p :- q.", "q.", "3", "'3' is no atom; write one such as forbids(by(a, b, 1), c)"),
        ("p :- q.", "r.\nq q.", "p", "facts:2: syntax error, unexpected <IDENTIFIER>"),
        (
            "\n{ p } :- q.",
            "q.",
            "p",
            "a.lp:2: a rule whose head is not one atom cannot be explained",
        ),
        ("p :- not q. q :- not p.", "", "p", "cannot explain p: more than one model is possible"),
        ("p(X) :- q(Y).", "", "p(1)", "rules: unsafe variables in: p(X):-q(Y)."),
        ("p :- &t { }.", "", "p", "a.lp:1: a rule with a theory atom cannot be explained"),
    ],
)
def test_refusals(text: str, facts: str, atom: str, message: str) -> None:
    with pytest.raises(DerivationError) as caught:
        why([("a.lp", text)], facts, atom)
    assert str(caught.value) == message


def test_a_broken_rule_text_is_named() -> None:
    with pytest.raises(RuleSyntaxError) as caught:
        why([("a.lp", "p :-\n q r.")], "", "p")
    assert str(caught.value) == "a.lp:2: syntax error, unexpected <IDENTIFIER>"


# Why not


def misses(atom: str) -> list[tuple[str, str, str | None, int, int]]:
    return [
        (m.lack, m.literal, None if m.atom is None else str(m.atom), m.satisfied, m.total)
        for m in why_not(TEXTS, FACTS, atom)
    ]


@pytest.mark.parametrize(
    ("atom", "expected"),
    [
        pytest.param(
            "may(attack(wall, knight))",
            [("present", "not tired(wall)", "tired(wall)", 3, 5)],
            id="what must not hold",
        ),
        pytest.param(
            "may(attack(dragon, dragon))", [("test", "me != me", None, 2, 5)], id="comparison"
        ),
        pytest.param(
            "may(attack(x, knight))", [("missing", "monster(x,P)", None, 0, 5)], id="unbound"
        ),
        pytest.param(
            "strength(dragon, 1)",
            [("test", "1 = (1800+500)", None, 2, 3)],
            id="arithmetic in the head",
        ),
        pytest.param(
            "calm(me)",
            [
                (
                    "test",
                    "not made(A,1): monster(A,me) <- monster(dragon,me), monster(wall,me)",
                    None,
                    1,
                    2,
                )
            ],
            id="conditional literal",
        ),
        pytest.param(
            "strongest(wall)",
            [
                (
                    "test",
                    "0 = #max { M: strength(_,M) } <- strength(dragon,2300), "
                    "strength(knight,2000), strength(wall,0)",
                    None,
                    1,
                    2,
                )
            ],
            id="aggregate",
        ),
        pytest.param(
            "tired(knight)", [("missing", "made(knight,N)", None, 0, 3)], id="first literal"
        ),
        pytest.param(
            "reach(d, a)",
            [
                ("missing", "link(d,a)", "link(d,a)", 0, 1),
                ("missing", "reach(d,Y)", None, 0, 2),
            ],
            id="nearest first",
        ),
        pytest.param(
            "negated(knight)",
            [
                ("missing", "negates(_,knight)", None, 0, 1),
                ("missing", 'name(knight,"Blank")', 'name(knight,"Blank")', 0, 1),
                ("missing", "-faceup(knight)", "-faceup(knight)", 0, 2),
            ],
            id="every rule",
        ),
        pytest.param("tired(dragon)", [], id="it holds"),
        pytest.param("side(up)", [], id="no head matches"),
        pytest.param("player(x)", [], id="no rule at all"),
    ],
)
def test_nearest_misses(atom: str, expected: list[tuple[str, str, str | None, int, int]]) -> None:
    assert misses(atom) == expected


def test_a_miss_says_where_and_with_what() -> None:
    (miss,) = why_not(TEXTS, FACTS, "may(attack(wall, knight))")
    assert miss == Miss(
        label="may_attack",
        place=("duel.lp", 8),
        literal="not tired(wall)",
        lack="present",
        atom=Function("tired", [Function("wall")]),
        bindings=(
            ("A", Function("wall")),
            ("T", Function("knight")),
            ("P", Function("me")),
            ("Q", Function("you")),
        ),
        satisfied=3,
        total=5,
    )


def test_the_binding_that_gets_furthest_counts() -> None:
    text = "p(X) :- q(X, Y), r(Y), not s(Y)."
    (miss,) = why_not([("a.lp", text)], "q(1, a). q(1, b). q(1, c). r(b). s(b). s(c).", "p(1)")
    assert (miss.literal, str(miss.atom), miss.satisfied) == ("not s(b)", "s(b)", 2)


def test_a_literal_waits_for_its_variables() -> None:
    text = "p(X) :- X > Y, not s(Y), q(Y), Z = Y + 1, r(Z), v(X)."
    (miss,) = why_not([("a.lp", text)], "q(3). r(4).", "p(1)")
    assert (miss.literal, miss.satisfied, miss.total) == ("1 > 3", 1, 6)
    (miss,) = why_not([("a.lp", text)], "q(3). r(5).", "p(9)")
    assert (miss.literal, str(miss.atom), miss.satisfied) == ("r(4)", "r(4)", 4)


def test_terms_in_a_head_are_matched_or_tested() -> None:
    texts = [("a.lp", "p(-X, |X|, X + 1, X * X, 1..X) :- q(X).")]
    facts = "q(3)."
    assert parse_term("p(-3, 3, 4, 9, 2)") in model(texts[0][1], facts)
    assert why_not(texts, facts, "p(-3, 3, 4, 9, 2)") == []
    # clingo would have to solve -X and X + 1 for X: they do not agree, so nothing matches.
    assert why_not(texts, facts, "p(-3, 3, 7, 9, 2)") == []
    for atom, literal in {
        "p(-3, 5, 4, 9, 2)": "5 = |3|",
        "p(-3, 3, 4, 8, 2)": "8 = (3*3)",
        "p(-3, 3, 4, 9, 5)": "5 = (1..3)",
        "p(-2, 2, 3, 4, 1)": "q(2)",
    }.items():
        (miss,) = why_not(texts, facts, atom)
        assert miss.literal == literal


def test_a_choice_is_passed_over() -> None:
    texts = [("a.lp", "{ p(X) : q(X) } :- r.  p(X) :- q(X), s(X).")]
    (miss,) = why_not(texts, "q(1).", "p(1)")
    assert miss.literal == "s(1)"


def test_literals_that_only_together_bind_are_tried_together() -> None:
    text = "p :- q(2 * X), X < 3."
    (miss,) = why_not([("a.lp", text)], "q(8).", "p")
    assert (miss.literal, miss.lack, miss.satisfied, miss.total) == (
        "q((2*X)), X < 3",
        "test",
        0,
        2,
    )


@given(st.sets(st.sampled_from(fact_atoms)))
@settings(max_examples=15, deadline=None)
def test_a_missing_atom_is_missing_and_a_present_one_present(atoms: set[str]) -> None:
    facts = "".join(f"{atom}." for atom in atoms)
    holds = model(DUEL, facts)
    for text in ("may(attack(knight, wall))", "tired(dragon)", "reach(a, d)", "full(me)"):
        found = why_not(TEXTS, facts, text)
        assert (found == []) == (parse_term(text) in holds)
        for miss in found:
            if miss.atom is not None:
                assert (miss.atom in holds) == (miss.lack == "present")


# Printing


NAMES = {"dragon": "Dragon", "knight": "Knight", "wall": "Wall"}
SENTENCES = {"en": "{} is the strongest.", "zh": "{}的攻击力最高。"}


TREE = """\
FIRST [bs-048 bs-053]
  strength(Dragon,2300) [bs-048 bs-053]
    printed(Dragon,1800)GIVEN
    500 = #sum { V,S: boost(S,Dragon,V), not negated(S) } <-
        boost(Knight,Dragon,200), boost(sword,Dragon,300)
  2300 = #max { M: strength(_,M) } <- strength(Dragon,2300),
      strength(Knight,2000), strength(Wall,0)
"""


@pytest.mark.parametrize(
    ("lang", "expected"),
    [
        ("en", TREE.replace("FIRST", "Dragon is the strongest.").replace("GIVEN", " (given)")),
        ("zh", TREE.replace("FIRST", "Dragon的攻击力最高。").replace("GIVEN", "（已知）")),
    ],
)
def test_a_printed_tree(lang: str, expected: str) -> None:
    node = why(TEXTS, FACTS, "strongest(dragon)")
    assert node is not None

    def sentence_of(label: str | None, atom: Symbol) -> str | None:
        if atom.name != "strongest":
            return None
        return SENTENCES[lang].format(NAMES[str(atom.arguments[0])])

    lines = render(
        node,
        lambda constant: NAMES.get(constant, constant),
        "zh" if lang == "zh" else "en",
        sentence_of,
        lambda label: "[bs-048 bs-053]",
        width=62,
    )
    assert lines == expected.splitlines()


def test_a_second_mention_refers_back() -> None:
    texts = [("a.lp", "p :- q, r. q :- s, not u. r :- s. s :- t.")]
    assert text_of(texts, "t.", "p") == [
        "p",
        "  q",
        "    s",
        "      t (given)",
        "    not u",
        "  r",
        "    s (see above)",
    ]


def test_names_replace_constants_but_nothing_else() -> None:
    text = 'p(d, "d d") :- d(d, X), not e(d), X != d, X = "d".'
    node = why([("a.lp", text)], 'd(d, "d").', 'p(d, "d d")')
    assert node is not None
    assert render(node, lambda constant: "Dd" + constant, "zh", lambda label, atom: None) == [
        'p(Ddd,"d d")',
        '  d(Ddd,"d")（已知）',
        "  没有e(Ddd)",
        '  "d" != Ddd',
        '  "d" = "d"',
    ]


@given(
    st.text(alphabet="ab ，。攻击", min_size=1, max_size=300),
    st.integers(min_value=30, max_value=100),
)
@settings(max_examples=60, deadline=None)
def test_no_line_is_too_wide_and_nothing_is_lost(sentence: str, width: int) -> None:
    node = Node(Function("p"), "some", "rule")
    lines = render(node, str, "zh", lambda label, atom: sentence, width=width)
    for line in lines:
        assert sum(2 if character > "ÿ" else 1 for character in line) <= width
    assert "".join("".join(lines).split()) == "".join((sentence).split())


def test_chinese_lines_do_not_begin_with_a_stop() -> None:
    node = Node(Function("p"), "some", "rule")
    sentence = "攻击" * 9 + "，" + "攻击" * 9 + "。"
    assert render(node, str, "zh", lambda label, atom: sentence, width=36) == [
        "攻击" * 8 + "攻",
        "    击，" + "攻击" * 7,
        "    攻击攻击。",
    ]
