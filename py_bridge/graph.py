"""How the rule base hangs together: predicates, files, priorities, rulings with rules and cases.

Each graph is a diagram (drawing.Diagram) and a summary, which says what can be wrong with it:
circles through negation, priorities in a circle, parts that nothing reaches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from clingo import Number, Symbol, parse_term
from clingo.ast import AST, ASTSequence, ASTType, Sign

from py_bridge.derivation import concluded, needed
from py_bridge.drawing import Diagram, Edge, Node
from py_bridge.errors import BattlejudgeError, nearest, quoted
from py_bridge.knowledge import rule_files
from py_bridge.labels import Label, labelled_statements
from py_bridge.paths import base

GRAPHS = ("predicates", "files", "priorities", "rulings")
LOOSE = ("negation", "aggregate")

_RANGING = (ASTType.Aggregate, ASTType.BodyAggregate, ASTType.ConditionalLiteral)
# What the bridge reads apart from the queries: whether a state can be, what an action leads to.
_READ = ("invalid/2", "next/1")
_GIVEN = "given by the state"


@dataclass(frozen=True, slots=True)
class Text:
    """A rule file: its name, relative to the rule base, and what stands in it."""

    name: str
    text: str


def texts(folder: Path | None = None) -> tuple[Text, ...]:
    """Return the files of the rule base of `folder`, by default the one of the package."""
    root = folder or base()
    return tuple(
        Text(file.relative_to(root).as_posix(), file.read_text(encoding="utf-8"))
        for file in rule_files(folder)
    )


# --- predicates -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Predicate:
    """A predicate, named `name/arity`.

    `kind` is `rules` or `facts` (by which it is derived), `given` (derived by nothing and declared
    so by #defined or #external) or `missing` (neither). `files` derive it, the one with most rules
    first. Through each negation and aggregate the stratum rises by one; `rank` counts the steps
    within strata too.
    """

    name: str
    kind: str
    files: tuple[str, ...]
    rules: int
    stratum: int
    rank: int


@dataclass(frozen=True, slots=True)
class Circle:
    """Predicates that need each other; `steps` lead once around, each with how it is needed.

    A circle is `broken` if one of its steps is a negation or an aggregate: then a state may have
    no model, or several.
    """

    members: tuple[str, ...]
    steps: tuple[Edge, ...]
    broken: bool


@dataclass(frozen=True, slots=True)
class Predicates:
    """The dependencies of the predicates of some rule files.

    An edge leads from what is needed to what needs it. `unused` are derived by a rule outside
    queries/ and read by no rule and no query; `unread` are tables of facts/ that no rule reads.
    """

    predicates: tuple[Predicate, ...]
    edges: tuple[Edge, ...]
    rules: int
    facts: int
    files: tuple[str, ...]
    circles: tuple[Circle, ...]
    unused: tuple[str, ...]
    unread: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether every circle is one without negation, and everything that is read can be."""
        return not any(circle.broken for circle in self.circles) and not self.of_kind("missing")

    @property
    def strata(self) -> int:
        """How many strata there are."""
        return len({predicate.stratum for predicate in self.predicates})

    def of_kind(self, kind: str) -> tuple[str, ...]:
        """Return the names of the predicates of a kind."""
        return tuple(one.name for one in self.predicates if one.kind == kind)

    def diagram(self) -> Diagram:
        """Return the graph for drawing: a file is a group, a stratum a band of ranks."""
        nodes = tuple(
            Node(
                one.name,
                one.files[0] if one.files else _GIVEN,
                one.rank,
                one.kind,
                f"stratum {one.stratum}, rules: {one.rules}",
            )
            for one in self.predicates
        )
        bands: dict[int, str] = {}
        for one in sorted(self.predicates, key=lambda one: (one.rank, one.stratum)):
            bands[one.rank] = f"stratum {one.stratum}"  # the highest: tables stand where needed
        return Diagram("What the predicates depend on", nodes, self.edges, bands, downwards=True)

    def summary(self) -> dict[str, Any]:
        """Return what is said of the whole, for `--json`."""
        return {
            "predicates": [
                {
                    "name": one.name,
                    "kind": one.kind,
                    "files": list(one.files),
                    "rules": one.rules,
                    "stratum": one.stratum,
                }
                for one in self.predicates
            ],
            "rules": self.rules,
            "facts": self.facts,
            "files": list(self.files),
            "strata": self.strata,
            "circles": [
                {
                    "predicates": list(circle.members),
                    "broken": circle.broken,
                    "steps": [
                        {"needs": step.source, "of": step.target, "kind": step.kind}
                        | {"place": step.place}
                        for step in circle.steps
                    ],
                }
                for circle in self.circles
            ],
            "given": list(self.of_kind("given")),
            "missing": list(self.of_kind("missing")),
            "unused": list(self.unused),
            "unread": list(self.unread),
        }


def predicates(files: Iterable[Text]) -> Predicates:
    """Return the dependencies of the predicates. Raises RuleSyntaxError."""
    known = _Statements()
    for file in files:
        known.take_in(file)
    names = sorted({*known.derived, *known.read, *known.declared})
    edges = tuple(known.edges.values())
    strata = _strata(names, edges)
    ranks = _ranks(names, edges, strata, known.ruled)
    found = tuple(
        Predicate(
            name,
            known.kind(name),
            tuple(file for file, _ in known.derived.get(name, Counter()).most_common()),
            known.derived.get(name, Counter()).total(),
            strata[name],
            ranks[name],
        )
        for name in names
    )
    idle = [one for one in found if one.files and one.name not in known.read]
    idle = [one for one in idle if one.name not in known.shown]
    return Predicates(
        predicates=found,
        edges=edges,
        rules=known.rules,
        facts=known.facts,
        files=tuple(known.files),
        circles=tuple(_circles(edges)),
        unused=tuple(one.name for one in idle if not _is_table(one)),
        unread=tuple(one.name for one in idle if _is_table(one)),
    )


def _is_table(predicate: Predicate) -> bool:
    only_facts = predicate.kind == "facts"
    return only_facts and all(file.startswith("facts/") for file in predicate.files)


class _Statements:
    """What the statements of rule files derive, read and declare."""

    def __init__(self) -> None:
        self.files: list[str] = []
        self.derived: dict[str, Counter[str]] = {}  # how many rules and facts of which file
        self.ruled: set[str] = set()
        self.read: set[str] = set()
        self.declared: set[str] = set()
        self.shown: set[str] = set(_READ)
        self.edges: dict[tuple[str, str, str], Edge] = {}
        self.rules = 0
        self.facts = 0

    def kind(self, name: str) -> str:
        if name in self.derived:
            return "rules" if name in self.ruled else "facts"
        return "given" if name in self.declared else "missing"

    def take_in(self, file: Text) -> None:
        self.files.append(file.name)
        for statement, line, _ in labelled_statements(file.name, file.text):
            heads = sorted(_name(one) for one in concluded(statement))
            match statement.ast_type:
                case ASTType.Defined | ASTType.ShowSignature:
                    names = self.declared if statement.ast_type == ASTType.Defined else self.shown
                    names.add(_name((statement.name, statement.arity)))
                case ASTType.ShowTerm:
                    self.read |= {name for name, _ in _reads(statement)}
                case ASTType.External:
                    self.declared.update(heads)
                case ASTType.Rule:
                    self._take_in_rule(statement, heads, file.name, line)

    def _take_in_rule(self, rule: AST, heads: Sequence[str], file: str, line: int) -> None:
        reads = _reads(rule)
        if reads:
            self.rules += 1
            self.ruled.update(heads)
        else:
            self.facts += 1
        for head in heads:
            self.derived.setdefault(head, Counter())[file] += 1
            if file.startswith("queries/"):
                self.shown.add(head)
            for name, kind in reads:
                edge = Edge(name, head, kind, f"{file}:{line}")
                self.edges.setdefault((name, head, kind), edge)
        self.read |= {name for name, _ in reads}


def _reads(statement: AST) -> list[tuple[str, str]]:
    """Return the predicates that a statement reads, each with how."""
    found = dict.fromkeys(one for literal in statement.body for one in _atoms(literal, "positive"))
    named = {name for name, _ in found}
    # Conditions in the head of a choice.
    return [
        *found,
        *(
            (name, "positive")
            for name in sorted(map(_name, needed(statement)))
            if name not in named
        ),
    ]


def _atoms(node: AST, kind: str) -> Iterator[tuple[str, str]]:
    if node.ast_type == ASTType.SymbolicAtom:
        yield from ((name, kind) for name in _signatures(node.symbol))
        return
    if getattr(node, "sign", Sign.NoSign) != Sign.NoSign:
        kind = "negation"
    elif node.ast_type in _RANGING and kind == "positive":
        kind = "aggregate"
    for key in node.child_keys:
        child = getattr(node, key)
        for part in child if isinstance(child, ASTSequence) else (child,):
            if isinstance(part, AST):
                yield from _atoms(part, kind)


def _signatures(term: AST) -> Iterator[str]:
    match term.ast_type:
        case ASTType.Function:
            yield _name((term.name, len(term.arguments)))
        case ASTType.SymbolicTerm:
            yield _name((term.symbol.name, 0))
        case ASTType.UnaryOperation:
            yield from _signatures(term.argument)
        case ASTType.Pool:
            for one in term.arguments:
                yield from _signatures(one)


def _name(signature: tuple[str, int]) -> str:
    return f"{signature[0]}/{signature[1]}"


def _strata(names: Iterable[str], edges: Iterable[Edge]) -> dict[str, int]:
    """Return the stratum of each predicate; those that need each other share one."""
    import networkx as nx

    graph = nx.DiGraph()
    graph.add_nodes_from(names)
    loose = set()
    for edge in edges:
        graph.add_edge(edge.source, edge.target)
        if edge.kind in LOOSE:
            loose.add((edge.source, edge.target))
    parts = nx.condensation(graph)
    strata: dict[str, int] = {}
    for generation in nx.topological_generations(parts):
        for part in generation:
            members = parts.nodes[part]["members"]
            stratum = max(
                (
                    strata[source] + ((source, member) in loose)
                    for member in members
                    for source in graph.predecessors(member)
                    if source not in members
                ),
                default=0,
            )
            strata.update(dict.fromkeys(members, stratum))
    return strata


def _ranks(
    names: Iterable[str], edges: Iterable[Edge], strata: Mapping[str, int], ruled: Collection[str]
) -> dict[str, int]:
    """Return the columns: stratum by stratum, within a stratum step by step.

    What no rule derives stands directly before the first that needs it.
    """
    import networkx as nx

    graph = nx.DiGraph()
    graph.add_nodes_from(names)
    graph.add_edges_from((edge.source, edge.target) for edge in edges)
    parts = nx.condensation(graph)
    steps: dict[str, tuple[int, int]] = {}
    for generation in nx.topological_generations(parts):
        for part in generation:
            members = parts.nodes[part]["members"]
            stratum = strata[next(iter(members))]
            before = [
                steps[source][1]
                for member in members
                for source in graph.predecessors(member)
                if source not in members and strata[source] == stratum
            ]
            steps.update(dict.fromkeys(members, (stratum, max(before, default=-1) + 1)))
    order = {step: number for number, step in enumerate(sorted(set(steps.values())))}
    ranks = {name: order[step] for name, step in steps.items()}
    for name in names:
        users = [ranks[user] for user in graph.successors(name)]
        if name not in ruled and users:
            ranks[name] = max(min(users) - 1, 0)
    return ranks


def _circles(edges: Sequence[Edge]) -> Iterator[Circle]:
    """Yield a circle for each set of nodes that need each other, the broken ones first."""
    import networkx as nx

    graph = nx.DiGraph()
    between: dict[tuple[str, str], Edge] = {}
    for edge in edges:
        graph.add_edge(edge.source, edge.target)
        pair = (edge.source, edge.target)
        if pair not in between or edge.kind in LOOSE:
            between[pair] = edge
    found = []
    for part in nx.strongly_connected_components(graph):
        inside = [e for e in between.values() if e.source in part and e.target in part]
        if inside:
            first = min(inside, key=lambda e: (e.kind not in LOOSE, e.source, e.target))
            back = nx.shortest_path(graph.subgraph(part), first.target, first.source)
            steps = (first, *(between[pair] for pair in pairwise(back)))
            found.append(Circle(tuple(sorted(part)), steps, first.kind in LOOSE))
    yield from sorted(found, key=lambda circle: (not circle.broken, circle.members))


# --- files ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Files:
    """Which file uses predicates that which other file derives; `uses` says how many."""

    predicates: Predicates
    uses: Mapping[tuple[str, str], tuple[str, ...]]

    @property
    def holds(self) -> bool:
        """Whether the predicates hang together as they should."""
        return self.predicates.holds

    def diagram(self) -> Diagram:
        """Return the graph for drawing; files that use each other share a rank."""
        import networkx as nx

        graph = nx.DiGraph()
        graph.add_nodes_from(self.predicates.files)
        graph.add_edges_from(self.uses)
        parts = nx.condensation(graph)
        ranks = {
            file: rank
            for rank, generation in enumerate(nx.topological_generations(parts))
            for part in generation
            for file in parts.nodes[part]["members"]
        }
        derived = Counter(one.files[0] for one in self.predicates.predicates if one.files)
        nodes = tuple(
            Node(file, file.rpartition("/")[0], ranks[file], "", f"predicates: {derived[file]}")
            for file in self.predicates.files
        )
        edges = tuple(Edge(source, target) for source, target in self.uses)
        return Diagram("Which file uses what another derives", nodes, edges)

    def summary(self) -> dict[str, Any]:
        """Return what is said of the whole, for `--json`."""
        return {
            "files": list(self.predicates.files),
            "uses": [
                {"file": target, "of": source, "predicates": list(names)}
                for (source, target), names in self.uses.items()
            ],
        }


def files(found: Predicates) -> Files:
    """Return how the files hang together by their predicates."""
    derived = {one.name: one.files for one in found.predicates}
    uses: dict[tuple[str, str], set[str]] = {}
    for edge in found.edges:
        # Every file that derives what is needed counts; of those that need it, each with a rule.
        for source in derived[edge.source]:
            target = edge.place.rpartition(":")[0]
            if source != target:
                uses.setdefault((source, target), set()).add(edge.source)
    return Files(found, {pair: tuple(sorted(names)) for pair, names in sorted(uses.items())})


# --- priorities -----------------------------------------------------------------------------------

Scale = Literal["attack", "damage"]
_SCALES: dict[str, Scale] = {"level": "attack", "own_level": "attack", "damage_level": "damage"}
_OWN = " (own side)"


@dataclass(frozen=True, slots=True)
class Standing:
    """A class of clauses on a level, as a fact states it.

    `scale` tells the levels of attack targets (1 overrides 2) from those of battle damage (1 is
    applied before 2). `own` holds for clauses that restrict a monster of their own player.
    `ruling` is the source, None if no fact gives one.
    """

    clause: str
    level: int
    scale: Scale
    own: bool
    ruling: str | None
    place: str

    @property
    def name(self) -> str:
        """The class, with a mark if it is about the own side."""
        return self.clause + (_OWN if self.own else "")


@dataclass(frozen=True, slots=True)
class Priorities:
    """What stands above what.

    `settles` maps a level of attack targets to `one` or `all` and the source; `unstated` the
    classes of which no source says how they stand to the source of that. `twice` are classes with
    two levels on one scale, `circles` what overrides itself by way of others.
    """

    standings: tuple[Standing, ...]
    settles: Mapping[int, tuple[str, str | None]]
    unstated: Mapping[str, str | None]
    twice: tuple[str, ...]
    circles: tuple[tuple[str, ...], ...]

    @property
    def holds(self) -> bool:
        """Whether each class has one level, with a source, and no priority runs in a circle."""
        return not self.twice and not self.circles and not self.unsourced()

    def unsourced(self) -> tuple[str, ...]:
        """Return the classes whose level has no source."""
        return tuple(one.name for one in self.standings if one.ruling is None)

    def diagram(self) -> Diagram:
        """Return the graph for drawing: each class points to those of the next level."""
        nodes: dict[str, Node] = {}
        for one in self.standings:
            group = "attack targets" if one.scale == "attack" else "battle damage"
            note = f"level {one.level}, {one.ruling or '?'}"
            nodes.setdefault(one.name, Node(one.name, group, one.level - 1, one.scale, note))
        edges = {
            (one.name, other.name): Edge(one.name, other.name, _RELATIONS[one.scale])
            for one, other in _over(self.standings, next_only=True)
        }
        bands = {node.rank: f"level {node.rank + 1}" for node in nodes.values()}
        title = "Which classes of clauses stand above which"
        return Diagram(title, tuple(nodes.values()), tuple(edges.values()), bands)

    def summary(self) -> dict[str, Any]:
        """Return what is said of the whole, for `--json`."""
        return {
            "classes": [
                {
                    "class": one.clause,
                    "own_side": one.own,
                    "scale": one.scale,
                    "level": one.level,
                    "ruling": one.ruling,
                }
                for one in self.standings
            ],
            "settles": [
                {"level": level, "how": how, "ruling": ruling}
                for level, (how, ruling) in self.settles.items()
            ],
            "unstated": [
                {"class": clause, "ruling": ruling} for clause, ruling in self.unstated.items()
            ],
            "two_levels": list(self.twice),
            "circles": [list(circle) for circle in self.circles],
            "unsourced": list(self.unsourced()),
        }


_RELATIONS = {"attack": "overrides", "damage": "before"}


def _over(standings: Iterable[Standing], *, next_only: bool) -> Iterator[tuple[Standing, Standing]]:
    """Yield every pair of which the first stands above the second: on any level, or the next."""
    known = list(standings)
    levels = {
        scale: sorted({one.level for one in known if one.scale == scale})
        for scale in ("attack", "damage")
    }
    for one in known:
        below = [level for level in levels[one.scale] if level > one.level]
        reached = below[:1] if next_only else below
        yield from (
            (one, other) for other in known if other.scale == one.scale and other.level in reached
        )


def priorities(files: Iterable[Text]) -> Priorities:
    """Return the priorities that the facts of the files state. Raises RuleSyntaxError."""
    facts = list(_facts(files))
    sources = {
        str(fact.arguments[0]): _ruling(fact.arguments[1])
        for fact, _ in facts
        if (fact.name, len(fact.arguments)) == ("source", 2)
    }
    standings = []
    settles: dict[int, tuple[str, str | None]] = {}
    unstated: dict[str, str | None] = {}
    for fact, place in facts:
        ruling = sources.get(str(fact))
        match fact.name, fact.arguments:
            case ("level" | "own_level" | "damage_level") as name, [clause, level]:
                own = name == "own_level"
                standings.append(
                    Standing(str(clause), _number(level, place), _SCALES[name], own, ruling, place)
                )
            case "settles", [level, how]:
                settles[_number(level, place)] = str(how), ruling
            case "unstated_level", [clause]:
                unstated[str(clause)] = ruling
    standings.sort(key=lambda one: (one.scale, one.level))
    named = Counter(
        {(one.name, one.scale, one.level): (one.name, one.scale) for one in standings}.values()
    )
    over = [
        Edge(one.name, other.name)
        for one, other in _over(standings, next_only=False)
        if one.name != other.name
    ]
    return Priorities(
        standings=tuple(standings),
        settles=dict(sorted(settles.items())),
        unstated=unstated,
        twice=tuple(sorted(name for (name, _), count in named.items() if count > 1)),
        circles=tuple(circle.members for circle in _circles(over)),
    )


def _facts(files: Iterable[Text]) -> Iterator[tuple[Symbol, str]]:
    """Yield the facts of the files that have no variables, with their places."""
    for file in files:
        for statement, line, _ in labelled_statements(file.name, file.text):
            if statement.ast_type == ASTType.Rule and not statement.body and concluded(statement):
                for fact in statement.unpool():
                    text = str(fact.head)
                    if text.partition("(")[0] in _PRIORITY_FACTS:
                        try:
                            yield parse_term(text), f"{file.name}:{line}"
                        except RuntimeError:
                            raise BattlejudgeError(
                                f"{file.name}:{line}: a priority has to be a plain fact; "
                                "right would be level(class, 1)."
                            ) from None


_PRIORITY_FACTS = (*_SCALES, "settles", "unstated_level", "source")


def _ruling(symbol: Symbol) -> str:
    return str(symbol).replace("_", "-")


def _number(symbol: Symbol, place: str) -> int:
    if str(symbol).isdigit() and symbol > Number(0):
        return symbol.number
    raise BattlejudgeError(f"{place}: {quoted(str(symbol))} is no level; right would be 1, 2, 3 ..")


# --- rulings --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Example:
    """A case as far as it matters here: `file:line`, its rulings, the labels that it names."""

    name: str
    rulings: tuple[str, ...]
    labels: tuple[str, ...] = ()

    @property
    def file(self) -> str:
        """The file that it stands in."""
        return self.name.rpartition(":")[0]


@dataclass(frozen=True, slots=True)
class Rulings:
    """Which rules, and which facts about priorities, cite a ruling, and which cases exercise it.

    `editions` maps every ruling of the register to its edition, `rules` a label (or the text of
    a fact) to its file and the rulings that it cites.
    """

    editions: Mapping[str, int]
    rules: Mapping[str, tuple[str, tuple[str, ...]]]
    cases: tuple[Example, ...]

    @property
    def holds(self) -> bool:
        """Whether every ruling that is named is in the register."""
        return not self.unknown()

    def cited(self) -> set[str]:
        """Return the rulings that a rule cites."""
        return {one for _, cited in self.rules.values() for one in cited}

    def exercised(self) -> set[str]:
        """Return the rulings that a case exercises."""
        return {one for case in self.cases for one in case.rulings}

    def unknown(self) -> tuple[str, ...]:
        """Return what is cited or exercised and not in the register."""
        return tuple(sorted((self.cited() | self.exercised()) - set(self.editions)))

    def uncited(self) -> tuple[str, ...]:
        """Return the rulings that no rule cites, in the order of the register."""
        cited = self.cited()
        return tuple(one for one in self.editions if one not in cited)

    def cited_only(self) -> tuple[str, ...]:
        """Return the rulings that a rule cites and no case exercises."""
        return self._known(self.cited() - self.exercised())

    def exercised_only(self) -> tuple[str, ...]:
        """Return the rulings that a case exercises and no rule cites."""
        return self._known(self.exercised() - self.cited())

    def _known(self, wanted: set[str]) -> tuple[str, ...]:
        return tuple(one for one in self.editions if one in wanted)

    def diagram(self, *, brief: bool = False) -> Diagram:
        """Return the graph for drawing.

        In brief, it leaves out the rulings that nothing cites or exercises and the rules that a
        case names, and the cases of a file are one node.
        """
        used = self.cited() | self.exercised()
        ruling_ids = [*(self._known(used) if brief else self.editions), *self.unknown()]
        nodes = [Node(name, file, 0, "rule") for name, (file, _) in self.rules.items()]
        for one in ruling_ids:
            file = f"rulings/{one.rpartition('-')[0]}.yaml"
            nodes.append(Node(one, file, 1, "ruling", str(self.editions.get(one, ""))))
        edges = [
            Edge(name, one, "cites") for name, (_, cited) in self.rules.items() for one in cited
        ]
        for case in self.cases:
            name = case.file if brief else case.name
            nodes.append(Node(name, f"cases/{case.file}", 2, "case"))
            edges += [Edge(one, name, "exercised by") for one in case.rulings]
            if not brief:
                edges += [Edge(one, name, "named by") for one in case.labels if one in self.rules]
        title = "Rules, the rulings that they cite and the cases that exercise these"
        bands = {0: "rules", 1: "rulings", 2: "cases"}
        return Diagram(title, tuple(dict.fromkeys(nodes)), tuple(dict.fromkeys(edges)), bands)

    def summary(self) -> dict[str, Any]:
        """Return what is said of the whole, for `--json`."""
        return {
            "rulings": len(self.editions),
            "editions": {str(key): count for key, count in by_edition(self, self.editions).items()},
            "rules": len(self.rules),
            "cases": len(self.cases),
            "cited": len(self.cited()),
            "exercised": len(self.exercised()),
            "uncited": list(self.uncited()),
            "cited_only": list(self.cited_only()),
            "exercised_only": list(self.exercised_only()),
            "unknown": list(self.unknown()),
        }


def by_edition(found: Rulings, ids: Iterable[str]) -> dict[int, int]:
    """Return how many of the rulings each edition has, the newest first."""
    counted = Counter(found.editions[one] for one in ids)
    return dict(sorted(counted.items(), reverse=True))


def rulings(
    editions: Mapping[str, int],
    labels: Iterable[Label],
    cases: Iterable[Example],
    sources: Iterable[Text] = (),
) -> Rulings:
    """Return which labels and which priorities (facts `source(Fact, Id)` of `sources`) cite what.

    Raises RuleSyntaxError for a text that does not parse.
    """
    rules = {
        one.name: (one.file, tuple(dict.fromkeys(one.rulings))) for one in labels if one.rulings
    }
    for fact, place in _facts(sources):
        if (fact.name, len(fact.arguments)) == ("source", 2):
            stated = str(fact.arguments[0])
            rules[stated] = place.rpartition(":")[0], (_ruling(fact.arguments[1]),)
    return Rulings(editions, rules, tuple(cases))


# --- the rule base of the package -----------------------------------------------------------------

Graph = Predicates | Files | Priorities | Rulings


def build(kind: str) -> Graph:
    """Return one of GRAPHS for the rule base, the register and the cases of the package.

    Raises InputError for a case file or an entry of the register that cannot be read.
    """
    known = texts()
    match kind:
        case "predicates":
            return predicates(known)
        case "files":
            return files(predicates(known))
        case "priorities":
            return priorities(known)
        case _:
            return _rulings(known)


def _rulings(known: Sequence[Text]) -> Rulings:
    from py_bridge import register
    from py_bridge.cases import case_files, read_cases
    from py_bridge.knowledge import labels

    def short(file: str) -> str:
        return Path(file).relative_to(base()).as_posix()

    folder = base() / "facts" / "rulings" / "cases"
    examples = [
        Example(
            f"{Path(case.file).relative_to(folder).as_posix()}:{case.line}",
            tuple(dict.fromkeys(case.rulings)),
            tuple(dict.fromkeys(_named_labels(case.data.get("reasons", {})))),
        )
        for file in case_files()
        for case in read_cases(file)
    ]
    found = [replace(label, file=short(label.file)) for label in labels().values()]
    editions = {one.id: one.edition for one in register.load().values()}
    return rulings(editions, found, examples, known)


def _named_labels(reasons: Any) -> Iterator[str]:
    if isinstance(reasons, str):
        yield reasons
    elif isinstance(reasons, Mapping):
        for value in reasons.values():
            yield from _named_labels(value)
    elif isinstance(reasons, Iterable):
        for value in reasons:
            yield from _named_labels(value)


# --- a part of a graph ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Part:
    """What is near some nodes of a graph.

    `before[n]` are the nodes on which they rest by n + 1 steps, `after[n]` those that rest on them.
    """

    nodes: tuple[Node, ...]
    before: tuple[tuple[str, ...], ...]
    after: tuple[tuple[str, ...], ...]
    diagram: Diagram


def around(diagram: Diagram, name: str, depth: int | None = None) -> Part:
    """Return the part of a graph that `name` rests on or that rests on it, up to `depth` steps.

    `name` is that of a node (`may_choose/2`, or `may_choose` for every arity) or of a group, a
    file. Raises BattlejudgeError for any other name.
    """
    start = [node for node in diagram.nodes if node.name == name]
    start = start or [node for node in diagram.nodes if _plain(node.name) == name]
    start = start or [node for node in diagram.nodes if name in _group_names(node.group)]
    if not start:
        names = [node.name for node in diagram.nodes]
        close = nearest(name, map(_plain, names)) or nearest(name, names)
        right = " or ".join(close or names[:1]) or "a name that the text lists"
        raise BattlejudgeError(
            f"--of: nothing here is called {quoted(name)}; right would be {right}"
        )
    names = [node.name for node in start]
    before = _steps(names, diagram.edges, depth, backwards=True)
    after = _steps(names, diagram.edges, depth, backwards=False)
    earlier = {*names, *(one for step in before for one in step)}
    later = {*names, *(one for step in after for one in step)}
    kept = earlier | later
    part = Diagram(
        diagram.title,
        tuple(node for node in diagram.nodes if node.name in kept),
        tuple(
            edge
            for edge in diagram.edges
            if {edge.source, edge.target} <= earlier or {edge.source, edge.target} <= later
        ),
        diagram.bands,
        diagram.downwards,
    )
    return Part(tuple(start), before, after, _without_gaps(part))


def _plain(name: str) -> str:
    return name.removesuffix(_OWN).partition("/")[0] if "." not in name else name


def _group_names(group: str) -> tuple[str, ...]:
    last = group.rpartition("/")[2]
    return group, last, last.partition(".")[0]


def _steps(
    names: Sequence[str], edges: Iterable[Edge], depth: int | None, *, backwards: bool
) -> tuple[tuple[str, ...], ...]:
    following: dict[str, list[str]] = {}
    for edge in edges:
        one, other = (edge.target, edge.source) if backwards else (edge.source, edge.target)
        following.setdefault(one, []).append(other)
    seen, step = set(names), list(names)
    steps: list[tuple[str, ...]] = []
    while step and (depth is None or len(steps) < depth):
        reached = sorted({other for one in step for other in following.get(one, ())} - seen)
        if reached:
            steps.append(tuple(reached))
        seen.update(reached)
        step = reached
    return tuple(steps)


def _without_gaps(diagram: Diagram) -> Diagram:
    """Return the diagram without the ranks that no node has."""
    order = {rank: number for number, rank in enumerate(sorted({n.rank for n in diagram.nodes}))}
    nodes = tuple(replace(node, rank=order[node.rank]) for node in diagram.nodes)
    bands = {order[rank]: text for rank, text in diagram.bands.items() if rank in order}
    return replace(diagram, nodes=nodes, bands=bands)


def as_data(kind: str, graph: Graph, part: Part | None = None) -> dict[str, Any]:
    """Return a graph as plain data: the stable shape of `battlejudge graph --json`.

    graph      one of GRAPHS
    holds      whether nothing is wrong with it; exit status 1 if not
    nodes      name, kind, group (a file, or what else keeps nodes together), rank (from 0)
    edges      source, target, kind, place:
               predicates  target needs source; kind positive, negation or aggregate
               files       target uses what source derives
               priorities  source stands above target; kind overrides or before
               rulings     source cites target, or is exercised by it or (a rule) named by it
    summary    of the whole graph, also where `--of` leaves only a part of nodes and edges:
               predicates  predicates (name, kind, files, rules, stratum), rules, facts, files,
                           strata, circles (predicates, broken, steps), given, missing, unused,
                           unread
               files       files, uses (file, of, predicates)
               priorities  classes (class, own_side, scale, level, ruling), settles, unstated,
                           two_levels, circles, unsourced
               rulings     rulings, editions, rules, cases, cited, exercised (numbers); uncited,
                           cited_only, exercised_only, unknown (lists)
    """
    diagram = graph.diagram() if part is None else part.diagram
    return {
        "graph": kind,
        "holds": graph.holds,
        "nodes": [
            {"name": node.name, "kind": node.kind, "group": node.group, "rank": node.rank}
            for node in diagram.nodes
        ],
        "edges": [
            {"source": e.source, "target": e.target, "kind": e.kind, "place": e.place}
            for e in diagram.edges
        ],
        "summary": graph.summary(),
    }
