"""How the rule base hangs together: what is found wrong, and what the pictures hold."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from py_bridge import graph, graph_page
from py_bridge.cli import main
from py_bridge.drawing import Diagram, Edge, Node, dot, mermaid, svg
from py_bridge.errors import BattlejudgeError
from py_bridge.graph import Example, Predicates, Priorities, Rulings, Text
from py_bridge.labels import Label

GOLDEN = Path(__file__).parent / "graph"
SVG = "{http://www.w3.org/2000/svg}"


def _text(text: str, name: str = "rules/some.lp") -> Text:
    return Text(name, text)


def _predicates(text: str, name: str = "rules/some.lp") -> Predicates:
    return graph.predicates([_text(text, name)])


@lru_cache
def _real(kind: str) -> graph.Graph:
    return graph.build(kind)


def _tiny() -> Predicates:
    return _predicates((GOLDEN / "tiny.lp").read_text(encoding="utf-8"), "queries/tiny.lp")


# --- predicates -----------------------------------------------------------------------------------


def test_strata_rise_by_negation_and_aggregates_only() -> None:
    found = _predicates("""
        #defined a/0.
        b :- a.   c :- b, not d.   d :- b.   e :- c.   f :- 1 #count { 1 : e }.   g :- b, f.
        h :- not not a.   i(X) :- j(X), not k(Y) : l(Y).   #defined j/1.   #defined k/1.
        #defined l/1.
    """)
    strata = {one.name: one.stratum for one in found.predicates}
    assert strata == {
        "a/0": 0, "b/0": 0, "c/0": 1, "d/0": 0, "e/0": 1, "f/0": 2, "g/0": 2,
        "h/0": 1, "i/1": 1, "j/1": 0, "k/1": 0, "l/1": 0,
    }  # fmt: skip
    assert found.strata == 3
    assert found.holds


def test_edges_run_to_higher_ranks() -> None:
    found = _tiny()
    ranks = {one.name: one.rank for one in found.predicates}
    assert all(
        ranks[edge.source] < ranks[edge.target]
        for edge in found.edges
        if edge.source != edge.target
    )


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        (
            "a :- not b.\nb :- a.",
            [("b/0", "a/0", "negation", 1), ("a/0", "b/0", "positive", 2)],
        ),
        (
            "a(X) :- b(X).\nb(X) :- c(X), 1 < #count { Y : a(Y) }.\nc(1).",
            [("a/1", "b/1", "aggregate", 2), ("b/1", "a/1", "positive", 1)],
        ),
        (
            "a :- b. \nb :- c.\nc :- not a, d.\n{ d }.",
            [
                ("a/0", "c/0", "negation", 3),
                ("c/0", "b/0", "positive", 2),
                ("b/0", "a/0", "positive", 1),
            ],
        ),
        ("a :- not a.", [("a/0", "a/0", "negation", 1)]),
    ],
)
def test_a_circle_through_negation(text: str, steps: list[tuple[str, str, str, int]]) -> None:
    found = _predicates(text)
    (circle,) = found.circles
    assert circle.broken
    assert not found.holds
    assert [(s.source, s.target, s.kind, s.place) for s in circle.steps] == [
        (source, target, kind, f"rules/some.lp:{line}") for source, target, kind, line in steps
    ]


def test_a_circle_without_negation_is_none_to_mend() -> None:
    found = _predicates("a :- b.\nb :- a.\na :- c, not d.\nc. d.")
    (circle,) = found.circles
    assert circle.members == ("a/0", "b/0")
    assert not circle.broken
    assert found.holds


def test_what_nothing_derives() -> None:
    found = _predicates("a :- b, c, d. #defined c/0. #external d.")
    assert found.of_kind("missing") == ("b/0",)
    assert found.of_kind("given") == ("c/0", "d/0")
    assert not found.holds


def test_what_nothing_uses() -> None:
    found = graph.predicates(
        [
            _text("a :- b. b. idle :- b. shown :- b. next(f) :- b. checked :- b. :- checked."),
            _text("table(x). used(x). idle_too.", "facts/words.lp"),
            _text("answer :- a, used(_). #show shown/0.", "queries/some.lp"),
        ]
    )
    assert found.unused == ("idle/0",)
    assert found.unread == ("idle_too/0", "table/1")
    assert found.holds


def test_a_predicate_belongs_to_the_file_with_most_of_its_rules() -> None:
    found = graph.predicates(
        [_text("p(1).", "rules/one.lp"), _text("p(2). p(X) :- p(X - 1), X < 9.", "rules/two.lp")]
    )
    (predicate,) = found.predicates
    assert predicate.files == ("rules/two.lp", "rules/one.lp")
    assert (predicate.rules, found.rules, found.facts) == (3, 1, 2)


def test_files() -> None:
    found = graph.files(
        graph.predicates(
            [
                _text("a. b. c :- a.", "rules/one.lp"),
                _text("d :- a, b.  a :- e.  e.", "rules/two.lp"),
            ]
        )
    )
    assert found.uses == {("rules/one.lp", "rules/two.lp"): ("a/0", "b/0")} | {
        ("rules/two.lp", "rules/one.lp"): ("a/0",)
    }
    assert {node.rank for node in found.diagram().nodes} == {0}


def test_the_real_rule_base_holds_together() -> None:
    found = _real("predicates")
    assert isinstance(found, Predicates)
    assert found.holds
    assert not any(circle.broken for circle in found.circles)
    assert found.unused == ()
    assert found.of_kind("missing") == ()
    assert len(found.predicates) > 300
    given = found.of_kind("given")
    assert {"holds/1", "has_text/2", "argument/5"} <= set(given)


# --- priorities -----------------------------------------------------------------------------------


def _priorities(text: str) -> Priorities:
    return graph.priorities([_text(text, "facts/rulings/priorities.lp")])


def test_priorities() -> None:
    found = _priorities("""
        level(first, 1). source(level(first, 1), aa_001).
        level((second; third), 2). own_level(second, 3).
        source(own_level(second, 3), aa_002).
        settles(1, one). source(settles(1, one), aa_003).
        unstated_level(third).
        damage_level(half, 1). source(damage_level(half, 1), aa_004).
        level(second, 1) :- never.
    """)
    assert [(s.name, s.level, s.scale, s.ruling) for s in found.standings] == [
        ("first", 1, "attack", "aa-001"),
        ("second", 2, "attack", None),
        ("third", 2, "attack", None),
        ("second (own side)", 3, "attack", "aa-002"),
        ("half", 1, "damage", "aa-004"),
    ]
    assert found.settles == {1: ("one", "aa-003")}
    assert found.unstated == {"third": None}
    assert found.unsourced() == ("second", "third")
    assert not found.holds
    assert {(edge.source, edge.target) for edge in found.diagram().edges} == {
        ("first", "second"),
        ("first", "third"),
        ("second", "second (own side)"),
        ("third", "second (own side)"),
    }


def test_a_circle_of_priorities() -> None:
    found = _priorities("level(a, 1). level(b, 2). level(b, 3). level(c, 4). level(a, 4).")
    assert found.twice == ("a", "b")
    assert found.circles == (("a", "b"),)
    assert not found.holds


def test_two_levels_without_a_circle() -> None:
    found = _priorities("level(a, 1). level(a, 2). own_level(a, 3). damage_level(a, 4).")
    assert found.twice == ("a",)
    assert found.circles == ()


@pytest.mark.parametrize(
    ("fact", "message"),
    [
        ("level(a, high).", '"high" is no level'),
        ("level(a, 0).", '"0" is no level'),
        ("level(a, X) :- X = 1. level(a, 1..2).", "a priority has to be a plain fact"),
    ],
)
def test_no_level(fact: str, message: str) -> None:
    with pytest.raises(BattlejudgeError, match=rf"^facts/rulings/priorities.lp:1: {message}; "):
        _priorities(fact)


def test_the_real_priorities_hold() -> None:
    found = _real("priorities")
    assert isinstance(found, Priorities)
    assert found.holds
    level = {(s.scale, s.name): s.level for s in found.standings}
    assert level["attack", "only_equipped_can_be_attacked"] == 1
    assert level["attack", "must_target (own side)"] == 3
    assert level["damage", "damage_not_taken"] == 10


# --- rulings --------------------------------------------------------------------------------------


def _label(name: str, *ids: str) -> Label:
    return Label(name, ids, "En.", "中。", "rules/some.lp", 1)


def _some_rulings() -> Rulings:
    return graph.rulings(
        {"aa-001": 2026, "aa-002": 2026, "aa-003": 2026, "aa-004": 2019},
        [_label("one", "aa-001", "aa-002"), _label("two", "aa-001"), _label("three")],
        [
            Example("some.yaml:3", ("aa-001",), ("two", "unknown_label")),
            Example("some.yaml:9", ("aa-004", "aa-001")),
        ],
        [_text("level(a, 1). source(level(a, 1), aa_002).", "facts/priorities.lp")],
    )


def test_rulings() -> None:
    found = _some_rulings()
    assert found.uncited() == ("aa-003", "aa-004")
    assert found.cited_only() == ("aa-002",)
    assert found.exercised_only() == ("aa-004",)
    assert found.holds
    diagram = found.diagram()
    assert {node.name for node in diagram.nodes} == {
        "aa-001", "aa-002", "aa-003", "aa-004", "one", "two", "level(a,1)",
        "some.yaml:3", "some.yaml:9",
    }  # fmt: skip
    assert {(e.source, e.target) for e in diagram.edges} == {
        ("one", "aa-001"), ("one", "aa-002"), ("two", "aa-001"), ("level(a,1)", "aa-002"),
        ("aa-001", "some.yaml:3"), ("two", "some.yaml:3"), ("aa-004", "some.yaml:9"),
        ("aa-001", "some.yaml:9"),
    }  # fmt: skip
    assert graph_page.part(found, graph.around(diagram, "aa-001"), "en") == [
        "aa-001: rulings/aa.yaml",
        "reached from: 2",
        "  directly: one, two",
        "leads to: 2",
        "  directly: some.yaml:3, some.yaml:9",
    ]
    brief = {node.name for node in found.diagram(brief=True).nodes}
    assert "aa-003" not in brief
    assert "some.yaml" in brief
    assert "some.yaml:3" not in brief


def test_a_ruling_that_is_not_in_the_register() -> None:
    found = graph.rulings({"aa-001": 2026}, [_label("one", "aa-009")], [])
    assert found.unknown() == ("aa-009",)
    assert not found.holds


def test_the_real_rulings() -> None:
    found = _real("rulings")
    assert isinstance(found, Rulings)
    assert found.holds
    assert len(found.editions) > 1000
    assert "targets_outside_all" in found.rules
    assert "bs-049" in found.cited() & found.exercised()


def test_the_page_of_rulings_lists_on_request() -> None:
    short = graph_page.page(_some_rulings(), "en")
    assert short[0] == "4 rulings (2026: 3, 2019: 1), 3 rules that cite one, 2 cases"
    assert "Cited by no rule: 2 (2026: 1, 2019: 1)" in short
    full = graph_page.page(_some_rulings(), "en", everything=True)
    assert "Cited by no rule: 2 (2026: 1, 2019: 1): aa-003, aa-004" in full


# --- a part ---------------------------------------------------------------------------------------


def test_around() -> None:
    diagram = _tiny().diagram()
    part = graph.around(diagram, "open")
    assert part.before == (("barred/1", "given/1"), ("banned/1",))
    assert part.after == (("linked/2", "many/0"), ("answer/1",))
    near = graph.around(diagram, "open/1", 1)
    assert {node.name for node in near.diagram.nodes} == {
        "open/1", "barred/1", "given/1", "linked/2", "many/0"
    }  # fmt: skip
    assert {node.rank for node in near.diagram.nodes} == set(range(5))


def test_around_a_file() -> None:
    part = graph.around(_tiny().diagram(), "tiny")
    assert len(part.nodes) == 6
    assert part.before == (("given/1",),)


def test_around_nothing() -> None:
    with pytest.raises(BattlejudgeError, match=r'"opne"; right would be open$'):
        graph.around(_tiny().diagram(), "opne")


def test_the_page_of_a_part() -> None:
    found = _tiny()
    part = graph.around(found.diagram(), "open", 1)
    assert graph_page.part(found, part, "en") == [
        "open/1: queries/tiny.lp, stratum 1, rules 1",
        "rests on: 2",
        "  directly: not barred/1, given/1",
        "supports: 2",
        "  directly: linked/2, many/0 (counts it)",
    ]
    near = graph.around(found.diagram(), "barred", 1)
    assert graph_page.part(found, near, "en")[-1] == "  directly: open/1 (by its absence)"
    assert graph_page.part(found, part, "zh")[2] == "  直接: 没有barred/1, given/1"


# --- pictures -------------------------------------------------------------------------------------


def _golden(name: str) -> str:
    return (GOLDEN / name).read_text(encoding="utf-8")


def test_golden_dot() -> None:
    assert dot(_tiny().diagram()) == _golden("tiny.dot")


def test_golden_mermaid() -> None:
    assert mermaid(_tiny().diagram()) == _golden("tiny.mmd")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_golden_page(lang: str) -> None:
    assert graph_page.page(_tiny(), lang) == _golden(f"tiny.{lang}.txt").splitlines()


ODD = 'say "a" <b> & \\ #c'


def _odd() -> Diagram:
    nodes = (Node(ODD, "rules/x & y.lp", 0), Node("plain", "rules/z.lp", 1, "given", "<note>"))
    return Diagram("odd < & >", nodes, (Edge(ODD, "plain", "negation"),))


def test_odd_names_are_escaped() -> None:
    assert r'"say \"a\" <b> & \\ #c" -> "plain" [style=dashed, label="not"];' in dot(_odd())
    assert 'n0["say #quot;a#quot; #lt;b#gt; #amp; \\ #35;c"]' in mermaid(_odd())
    root = ET.fromstring(svg(_odd()))
    assert {one.get("id") for one in root.iter(f"{SVG}g")} >= {ODD, "plain"}


def _boxes(root: ET.Element) -> dict[str, tuple[float, float, float, float]]:
    """The boxes of an SVG by the names of their nodes: left, top, right, bottom."""
    found = {}
    for one in root.iter(f"{SVG}g"):
        box = one.find(f"{SVG}rect")
        if (name := one.get("id")) and box is not None:
            x, y, width, height = (float(box.get(key, "")) for key in ("x", "y", "width", "height"))
            found[name] = (x, y, x + width, y + height)
    return found


# Where the boxes of hundreds of nodes go takes seconds to find out.
KINDS = [
    pytest.param(kind, marks=[pytest.mark.slow] if kind == "predicates" else [])
    for kind in graph.GRAPHS
]


@pytest.mark.parametrize("kind", KINDS)
def test_a_picture_of_the_real_rule_base(kind: str) -> None:
    found = _real(kind)
    diagram = found.diagram(brief=True) if isinstance(found, Rulings) else found.diagram()
    root = ET.fromstring(svg(diagram))
    boxes = _boxes(root)
    assert set(boxes) == {node.name for node in diagram.nodes}
    texts = {text.text for text in root.iter(f"{SVG}text")}
    assert texts >= set(boxes)
    width, height = float(root.get("width", "")), float(root.get("height", ""))
    assert width < 4000
    assert height < 20_000
    assert all(x >= 0 and right <= width for x, _, right, _ in boxes.values())
    assert all(y >= 0 and bottom <= height for _, y, _, bottom in boxes.values())
    rows: dict[tuple[float, float], list[tuple[float, float, float, float]]] = {}
    for box in boxes.values():
        rows.setdefault((box[0], 0) if not diagram.downwards else (0, box[1]), []).append(box)
    axis = 0 if diagram.downwards else 1
    for row in rows.values():
        row.sort(key=lambda box: box[axis])
        assert all(row[i][axis + 2] <= row[i + 1][axis] for i in range(len(row) - 1))


@pytest.mark.parametrize("kind", graph.GRAPHS)
def test_dot_and_mermaid_hold_every_edge(kind: str) -> None:
    diagram = _real(kind).diagram()
    pairs = [(edge.source, edge.target) for edge in diagram.edges]
    drawn = re.findall(r'^  "([^"]+)" -> "([^"]+)"', dot(diagram), re.MULTILINE)
    assert drawn == pairs
    names = dict(re.findall(r'^    (n\d+)\["([^"]+)"\]$', mermaid(diagram), re.MULTILINE))
    arrows = re.findall(r"^  (n\d+) -\S+ (n\d+)$", mermaid(diagram), re.MULTILINE)
    assert [(names[one], names[other]) for one, other in arrows] == pairs


# --- the command ----------------------------------------------------------------------------------


def _run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["graph", *map(str, arguments)])


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A rule base in place of the real one; returns its folder for rules."""
    rules = tmp_path / "rules"
    rules.mkdir()
    monkeypatch.setattr(graph, "base", lambda: tmp_path)
    monkeypatch.setattr(graph, "rule_files", lambda _folder: sorted(rules.glob("*.lp")))
    return rules


def test_status_1_for_a_circle_through_negation(small: Path) -> None:
    (small / "some.lp").write_text("a :- not b.\nb :- a.\n", encoding="utf-8")
    result = _run("predicates")
    assert result.exit_code == 1
    assert (
        "Circles through negation or an aggregate: 1\n"
        "  b/0 needs a/0 (rules/some.lp:2); a/0 needs the absence of b/0 (rules/some.lp:1)\n"
    ) in result.stdout


def test_status_1_for_a_circle_of_priorities(small: Path) -> None:
    (small / "some.lp").write_text("level((a; b), (1; 2)).\n", encoding="utf-8")
    result = _run("priorities", "--lang", "zh")
    assert result.exit_code == 1
    assert "优先关系的循环: 1: a > b > a\n" in result.stdout


def test_json(small: Path) -> None:
    (small / "some.lp").write_text("a :- not b. #defined b/0.\n", encoding="utf-8")
    result = _run("predicates", "--json")
    assert result.exit_code == 0
    data: dict[str, Any] = json.loads(result.stdout)
    assert list(data) == ["graph", "holds", "nodes", "edges", "summary"]
    assert data["nodes"][0] == {"name": "a/0", "kind": "rules", "group": "rules/some.lp", "rank": 1}
    assert data["edges"] == [
        {"source": "b/0", "target": "a/0", "kind": "negation", "place": "rules/some.lp:1"}
    ]
    assert data["summary"]["given"] == ["b/0"]
    assert data["summary"]["unused"] == ["a/0"]
    assert (data["summary"]["rules"], data["summary"]["strata"]) == (1, 2)


@pytest.mark.parametrize("kind", graph.GRAPHS)
def test_json_of_the_real_rule_base(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph, "build", _real)
    result = _run(kind, "--json")
    assert result.exit_code == 0
    data = json.loads(result.stdout)
    assert data["graph"] == kind
    names = {node["name"] for node in data["nodes"]}
    assert {name for e in data["edges"] for name in (e["source"], e["target"])} <= names


def test_output(small: Path, tmp_path: Path) -> None:
    (small / "some.lp").write_text("a :- b. b.\n", encoding="utf-8")
    file = tmp_path / "some.svg"
    result = _run("predicates", "--format", "svg", "--of", "a", "--depth", "1", "--output", file)
    assert (result.exit_code, result.output) == (0, "")
    assert set(_boxes(ET.fromstring(file.read_text(encoding="utf-8")))) == {"a/0", "b/0"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("priorities", "--json", "--format", "dot"),
            "--json: is a format of its own; leave out --format",
        ),
        (("priorities", "--depth", "1"), "--depth: counts steps from a name; add --of NAME"),
        (
            ("priorities", "--of", "must_atack"),
            '--of: nothing here is called "must_atack"; right would be must_attack',
        ),
        (
            ("priorities", "--output", "/no/such/folder/x"),
            "--output: /no/such/folder/x: No such file or directory; "
            "right would be a file in a folder that exists",
        ),
    ],
)
def test_wrong_input_is_one_line(arguments: tuple[str, ...], message: str) -> None:
    result = _run(*arguments)
    assert result.exit_code == 2
    assert result.stderr == message + "\n"
