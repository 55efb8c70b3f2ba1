"""Why an atom holds, why it does not, and which rules a question needs.

The rules are stratified, so the grounder alone decides every atom. That makes explaining a matter
of one more grounding: `trace_rule` gives each rule a twin that records which instance of which
rule concludes what from what, and a tree is read off those records.

    before   hurt(P, N) :- damage(P, N), not shielded(P), N > 0.
    after    __why(7, hurt(P, N), (p(damage(P, N)), n(shielded(P)), t(2, (N,)))) :-
                 damage(P, N), not shielded(P), N > 0.

The first argument is the number of the rule, the second its conclusion, the third one term for
each body literal: `p(Atom)` needs Atom, `n(Atom)` needs its absence, `t(Place, Values)` is a
test: the literal at that place of the body with the values of its variables, in the order in
which they occur in it. `_` in an atom that has to be absent is the constant `__any` in its
record and `_` in the tree.

A test that ranges over elements (an aggregate, a conditional literal) gets one more rule for each
kind of element, which lists what it ranges over:

    before   busy(P) :- player(P), #count { A : attack(P, A) } > 1.
    after    __why(8, busy(P), (p(player(P)), t(1, (P,)))) :- (the same body).
             __part(8, 1, (P,), (attack(P, A),)) :- __why(8, _, (_, t(1, (P,)))), attack(P, A).

`why_not` asks the grounder too: the literals of a rule are put in an order in which each can be
decided when its turn comes, and a chain of rules records how far every binding gets.

    before   hurt(P, N) :- damage(P, N), not shielded(P), N > 0.
    after    __got(7, 0, (P, N)) :- __goal(hurt(P, N)).
             __got(7, 1, (P, N)) :- __got(7, 0, (P, N)), damage(P, N).
             __got(7, 2, (P, N)) :- __got(7, 1, (P, N)), not shielded(P).

Elements are listed as above, with the step and `__got` in the places of the literal and `__why`.

Names that begin with two underscores, and variables that begin with `_Any`, are reserved.

The syntax tree says what is a head, a body, an element; what is inside one literal is read off
the text that clingo prints for it, because each step into the tree costs as much as the text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import clingo
from clingo import Control, Function, Symbol, ast
from clingo.ast import AST, ASTType, Sign

from py_bridge.errors import BattlejudgeError
from py_bridge.labels import labelled_statements

__all__ = [
    "DerivationError",
    "Kind",
    "Miss",
    "Node",
    "concluded",
    "needed",
    "render",
    "slice_rules",
    "trace_rule",
    "why",
    "why_all",
    "why_not",
]

Kind = Literal["rule", "fact", "absent", "test"]
Lack = Literal["missing", "present", "test"]
Signature = tuple[str, int]
_Element = tuple[int, int, Symbol]  # rule, place or step, values of the variables
Texts = Sequence[tuple[str, str]]

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_VARIABLE = re.compile(r"(?<![\w'])_*[A-Z][\w']*")
_ANONYMOUS = re.compile(r"(?<![\w'])_(?![\w'])")
_NO_ATOM = re.compile(r"[=<>{:]|#(?:true|false)\b")
_ARGUMENTS = re.compile(r"[(),]")
_NOWHERE = ast.Location(ast.Position("<rules>", 1, 1), ast.Position("<rules>", 1, 1))
_GROUND_ERROR = re.compile(r"(?P<file><\w+>):(?P<line>\d+):\S+ error: (?P<what>.*?)(?=\n<|$)", re.S)
_CONSTANT = re.compile(r"(?<![\w'#])_*[a-z][\w']*(?![\w'(])")
_NEVER_FIRST = "，。；：、！？）】」』》”’"


class DerivationError(BattlejudgeError):
    """A question that cannot be explained; the message is one line and says why."""


@dataclass(frozen=True, slots=True)
class Node:
    """One step of a derivation.

    `kind` says what it is: the conclusion of a `rule` from its children; a `fact` of the state or
    of the rules; an atom that is `absent` and has to be; a `test`, whose `atom` is its text with
    the values filled in. `label` names the label block of the rule, `place` the rule's text and
    line. Nodes with the same atom and kind in one tree are the same object.
    """

    atom: Symbol | str
    label: str | None
    kind: Kind
    children: tuple[Node, ...] = ()
    place: tuple[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Miss:
    """Where the nearest miss of one rule ends that could have concluded the atom.

    `literal` is the first body literal that fails, with the values in `bindings` filled in.
    `lack` says how: an atom is `missing`, an atom that must not hold is `present`, or a `test`
    fails. `atom` is the missing or present atom where all of its arguments are known.
    `satisfied` of the rule's `total` literals hold before it.
    """

    label: str | None
    place: tuple[str, int]
    literal: str
    lack: Lack
    atom: Symbol | None
    bindings: tuple[tuple[str, Symbol], ...]
    satisfied: int
    total: int


# ---------------------------------------------------------------------------------------------
# What a statement concludes and needs


def concluded(statement: AST) -> frozenset[Signature]:
    """Return the predicates, as (name, arity), that a rule or an `#external` can make true."""
    if statement.ast_type == ASTType.External:
        return frozenset(_atom_signatures(_read(statement.atom)))
    if statement.ast_type != ASTType.Rule:
        return frozenset()
    head = statement.head
    literals = [head] if head.ast_type == ASTType.Literal else [e[0] for e in _choices(head)]
    return frozenset(
        signature
        for literal in map(_read, literals)
        if literal.atom is not None and literal.negations == 0
        for signature in _atom_signatures(literal)
    )


def needed(statement: AST) -> frozenset[Signature]:
    """Return the predicates that a statement reads: also negated ones, and those in aggregates."""
    return frozenset(s for c in _conditions(statement) for s in _literal_signatures(c))


def slice_rules(texts: Texts, wanted: Iterable[Signature]) -> list[AST]:
    """Return the statements that decide the wanted predicates, in their order.

    Those are the rules and `#external` statements that the predicates depend on, directly or not,
    positively, through negation or through an aggregate, and every `#const`. Integrity
    constraints, `#show`, `#minimize` and the like are left out. The nodes are shared between
    callers: copy before changing one.

    Raises RuleSyntaxError for a text that does not parse.
    """
    statements = [s for name, text in texts for s in _statements(name, text)]
    kept = _closure(statements, wanted)
    return [
        s.node for s in statements if s.node.ast_type == ASTType.Definition or s.concluded & kept
    ]


@dataclass(frozen=True, slots=True, eq=False)
class _Statement:
    """A statement of a rule text with what is asked of it again and again.

    `supported` are the predicates among the needed ones whose atoms its conclusion is derived
    from, as opposed to those that are only tested. `variants` are the rules without pools that
    it stands for.
    """

    node: AST
    concluded: frozenset[Signature]
    needed: frozenset[Signature]
    supported: frozenset[Signature]
    variants: tuple[AST, ...]
    label: str | None
    place: tuple[str, int]


@lru_cache(maxsize=512)
def _statements(name: str, text: str) -> tuple[_Statement, ...]:
    found = []
    for node, line, label in labelled_statements(name, text):
        if node.ast_type in (ASTType.Rule, ASTType.External, ASTType.Definition):
            conditions = _conditions(node)
            supporting = (c for c in conditions if c.atom is not None and c.negations != 1)
            found.append(
                _Statement(
                    node=node,
                    concluded=concluded(node),
                    needed=frozenset(s for c in conditions for s in _literal_signatures(c)),
                    supported=frozenset(s for c in supporting for s in _atom_signatures(c)),
                    variants=tuple(node.unpool()) if node.ast_type == ASTType.Rule else (),
                    label=None if label is None else label.name,
                    place=(name, line),
                )
            )
    return tuple(found)


def _conditions(statement: AST) -> list[_BodyLiteral]:
    if statement.ast_type not in (ASTType.Rule, ASTType.External):
        return []
    conditions = list(statement.body)
    if statement.ast_type == ASTType.Rule and statement.head.ast_type != ASTType.Literal:
        conditions += [c for _, condition in _choices(statement.head) for c in condition]
    return [_read(c) for c in conditions]


def _closure(
    statements: Iterable[_Statement],
    wanted: Iterable[Signature],
    reads: Callable[[_Statement], frozenset[Signature]] = lambda statement: statement.needed,
) -> frozenset[Signature]:
    """The wanted predicates and all that they read, directly or not."""
    read_by: dict[Signature, set[Signature]] = {}
    for statement in statements:
        for signature in statement.concluded:
            read_by.setdefault(signature, set()).update(reads(statement))
    kept: set[Signature] = set()
    waiting = list(wanted)
    while waiting:
        signature = waiting.pop()
        if signature not in kept:
            kept.add(signature)
            waiting += read_by.get(signature, ())
    return frozenset(kept)


def _choices(head: AST) -> Iterator[tuple[AST, Sequence[AST]]]:
    """The literals of a head that is a choice or a disjunction, with their conditions."""
    if head.ast_type != ASTType.TheoryAtom:
        for element in head.elements:
            is_plain = element.ast_type == ASTType.ConditionalLiteral
            conditional = element if is_plain else element.condition
            yield conditional.literal, conditional.condition


def _literal_signatures(literal: _BodyLiteral) -> Iterator[Signature]:
    if literal.atom is not None:
        yield from _atom_signatures(literal)
    elif literal.ranges:
        for _, condition in _elements(literal.node):
            for inner in condition:
                yield from _literal_signatures(_read(inner))
        if literal.node.ast_type == ASTType.ConditionalLiteral:
            yield from _literal_signatures(_read(literal.node.literal))


def _atom_signatures(literal: _BodyLiteral) -> Iterator[Signature]:
    """The name and arity of an atom; more than one for a pool such as p(1; 2, 3)."""
    if ";" in literal.outside:
        for variant in literal.node.unpool():
            yield _signature(_read(variant))
    else:
        yield _signature(literal)


def _signature(literal: _BodyLiteral) -> Signature:
    name = (literal.atom or "").partition("(")[0]
    rest = literal.outside.partition("(")[2]
    depth = 0
    arity = 1 if rest.removesuffix(")") else 0
    for mark in _ARGUMENTS.findall(rest):
        depth += (mark == "(") - (mark == ")")
        arity += mark == "," and depth == 0
    return name.removeprefix("-"), arity


# ---------------------------------------------------------------------------------------------
# One literal and its text


@dataclass(frozen=True, slots=True)
class _BodyLiteral:
    """A body literal as clingo prints it.

    `atom` is the text of a symbolic atom without its negations, None for any other literal.
    `ranges` says whether it ranges over elements with variables of their own: an aggregate or a
    conditional literal. `outside` is the text in which all variables belong to the rule: without
    strings and elements.
    """

    node: AST
    text: str
    atom: str | None
    negations: int
    ranges: bool
    outside: str


def _read(node: AST) -> _BodyLiteral:
    text = str(node)
    bare = _STRING.sub('""', text) if '"' in text else text
    inner = text
    negations = 0
    while inner.startswith("not "):
        inner, negations = inner[4:], negations + 1
    # No operator of a term contains one of these characters, and every other literal does.
    is_atom = _NO_ATOM.search(bare) is None and not inner.startswith("&")
    ranges = not is_atom and (":" in bare or "{" in bare)
    outside = bare
    if ranges:
        left, brace, right = bare.partition("{")
        outside = left + right.rpartition("}")[2] if brace else ""
    return _BodyLiteral(node, text, inner if is_atom else None, negations, ranges, outside)


def _variables(text: str) -> list[str]:
    """The variables in a text in the order of their first occurrence, without `_`."""
    return list(dict.fromkeys(_VARIABLE.findall(_STRING.sub('""', text))))


def _global_variables(head: str, body: Iterable[_BodyLiteral]) -> set[str]:
    """The variables that have one value in an instance of the rule, not one per element."""
    found = set(_variables(head))
    for literal in body:
        found.update(_VARIABLE.findall(literal.outside))
    return found


def _tested(literal: _BodyLiteral, global_variables: set[str]) -> list[str]:
    return [name for name in _variables(literal.text) if name in global_variables]


def _elements(node: AST) -> list[tuple[Sequence[AST], Sequence[AST]]]:
    """The terms and the condition of each element that a literal ranges over."""
    if node.ast_type == ASTType.ConditionalLiteral:
        return [((), node.condition)]
    if node.atom.ast_type == ASTType.Aggregate:
        return [((), (e.literal, *e.condition)) for e in node.atom.elements]
    return [(e.terms, e.condition) for e in node.atom.elements]


def _replaced(pattern: re.Pattern[str], text: str, replace: Callable[[str], str]) -> str:
    """Replace what the pattern matches outside of strings."""

    def outside(found: re.Match[str]) -> str:
        return found[0] if found[0].startswith('"') else replace(found[0])

    return re.sub(rf"{_STRING.pattern}|{pattern.pattern}", outside, text)


def _tuple(items: Sequence[str]) -> str:
    return f"({items[0]},)" if len(items) == 1 else f"({','.join(items)})"


# ---------------------------------------------------------------------------------------------
# Rules that record how they fire


def trace_rule(rule: AST, number: int) -> list[str]:
    """Return the rules that record each instance of `rule`, as the head of this module shows.

    The rule must not contain pools (`unpool` it first). An integrity constraint concludes nothing
    and gives no record. The rule itself is not among the returned ones.

    Raises DerivationError for a head that is a choice or a disjunction, and for theory atoms.
    """
    if rule.head.ast_type != ASTType.Literal:
        raise DerivationError("a rule whose head is not one atom cannot be explained")
    head = _read(rule.head)
    if head.negations or head.atom is None:
        return []
    body = [_read(literal) for literal in rule.body]
    global_variables = _global_variables(head.atom, body)
    names = _Names()
    plain = [names.for_all_in(literal) for literal in body]
    records: list[str] = []
    ranging: list[tuple[_BodyLiteral, str, str]] = []
    for place, (literal, written) in enumerate(zip(body, plain, strict=True)):
        if literal.text in ("#true", "#false"):
            continue
        if written.atom is not None and literal.negations == 1:
            absent = _replaced(_ANONYMOUS, written.atom, lambda _: "__any")
            records.append(f"n({absent})")
        elif written.atom is not None and not _ANONYMOUS.search(written.outside):
            records.append(f"p({written.atom})")
        else:
            if literal.outside.startswith("&"):
                raise DerivationError("a rule with a theory atom cannot be explained")
            values = _tuple(_tested(literal, global_variables))
            records.append(f"t({place},{values})")
            if literal.ranges:
                ranging.append((literal, f"{number},{place},{values}", records[-1]))
    conditions = "; ".join([*(literal.text for literal in plain), *names.intervals])
    fires = f" :- {conditions}" if conditions else ""
    traced = [f"__why({number},{head.atom},{_tuple(records)}){fires}."]
    for literal, key, record in ranging:
        pattern = _tuple([r if r == record else "_" for r in records])
        traced += _list_elements(literal, key, f"__why({number},_,{pattern})")
    return traced


def _list_elements(literal: _BodyLiteral, key: str, fired: str) -> Iterator[str]:
    """The rules that list under this key what a literal ranges over, where `fired` holds.

    Listed are the atoms of an element's condition; one without atoms is listed by its terms.
    """
    for terms, condition in _elements(literal.node):
        names = _Names()
        plain = [names.for_all_in(_read(c)) for c in condition]
        atoms = [c.atom for c in plain if c.atom is not None and c.negations == 0]
        items = atoms or [str(term) for term in terms]
        if items:
            conditions = "; ".join([fired, *(c.text for c in plain), *names.intervals])
            yield f"__part({key},{_tuple(items)}) :- {conditions}."


class _Names:
    """Gives names to the intervals and to `_` in atoms, so that a record can carry their values.

    The `_` of a negated atom stays: `not p(_)` says that there is no such atom at all. So does
    everything in an aggregate, which has a scope of its own, and in a comparison, of which
    nothing but its variables is recorded.
    """

    def __init__(self) -> None:
        self.count = 0
        self.intervals: list[str] = []

    def for_all_in(self, literal: _BodyLiteral) -> _BodyLiteral:
        if literal.atom is None:
            return literal
        named = literal
        if ".." in literal.outside:
            named = _read(_Intervals(self.take_out)(literal.node))
        if literal.negations == 0 and named.atom is not None and "_" in named.outside:
            text = _replaced(_ANONYMOUS, named.atom, lambda _: self.fresh())
            named = _BodyLiteral(named.node, text, text, 0, False, _STRING.sub('""', text))
        return named

    def fresh(self) -> str:
        self.count += 1
        return f"_Any{self.count}"

    def take_out(self, interval: AST) -> AST:
        name = self.fresh()
        self.intervals.append(f"{name} = {interval}")
        return ast.Variable(interval.location, name)


class _Intervals(ast.Transformer):
    def __init__(self, replace: Callable[[AST], AST]) -> None:
        self.visit_Interval = replace


# ---------------------------------------------------------------------------------------------
# Why


@dataclass(frozen=True, slots=True)
class _Derivation:
    """One recorded instance of a rule."""

    number: int
    body: Symbol

    def needs(self) -> list[Symbol]:
        return [r.arguments[0] for r in self.body.arguments if r.name == "p"]


@dataclass(frozen=True, slots=True)
class _Trace:
    """What one grounding recorded."""

    rules: Mapping[int, tuple[AST, _Statement]]
    constants: Mapping[str, str]
    given: frozenset[Symbol]
    derivations: Mapping[Symbol, list[_Derivation]]
    parts: Mapping[_Element, list[Symbol]]
    holds: bool

    def is_given(self, atom: Symbol) -> bool:
        """Whether the atom is among the facts, given that it holds."""
        return atom in self.given or atom not in self.derivations


def why(texts: Texts, facts: str, atom: Symbol | str) -> Node | None:
    """Return the derivation of the atom with the smallest depth, None if the atom does not hold.

    `texts` are the rules as (name, text), `facts` the facts of a state. Among derivations of one
    depth the earliest rule decides, then the order of the atoms: the answer is always the same.

    Raises RuleSyntaxError for a text that does not parse; DerivationError for facts or an atom
    that do not, for a rule that cannot be explained, and where more than one model is possible.
    """
    found = why_all(texts, facts, atom)
    return found[0] if found else None


def why_all(texts: Texts, facts: str, atom: Symbol | str) -> list[Node]:
    """Return every derivation of the atom, the one with the smallest depth first.

    The atoms below it are explained by one derivation each, none of which uses the atom itself.
    An atom among `facts` has that as its first derivation. Raises what `why` raises.
    """
    goal = _symbol(atom)
    trace = _trace(texts, facts, goal)
    if not trace.holds:
        return []
    chosen, order, of_goal = _choose(trace, goal)
    nodes: dict[tuple[str, Symbol | str], Node] = {}
    for known in order:
        nodes["p", known] = _node(trace, known, chosen[known], nodes)
    roots = [_node(trace, goal, derivation, nodes) for derivation in of_goal]
    return [Node(goal, None, "fact"), *roots] if trace.is_given(goal) else roots


def _symbol(atom: Symbol | str) -> Symbol:
    symbol = atom if isinstance(atom, Symbol) else _parsed(atom)
    if symbol is None or symbol.type != clingo.SymbolType.Function or not symbol.name:
        raise DerivationError(f"'{atom}' is no atom; write one such as forbids(by(a, b, 1), c)")
    return symbol


def _parsed(text: str) -> Symbol | None:
    try:
        return clingo.parse_term(text, logger=lambda *_: None)
    except RuntimeError:
        return None


def _trace(texts: Texts, facts: str, goal: Symbol) -> _Trace:
    statements = [s for name, text in texts for s in _statements(name, text)]
    wanted = [(goal.name, len(goal.arguments))]
    kept = _closure(statements, wanted)
    # What is only tested ends a branch of the tree, so no one asks how it was derived.
    told = _closure(statements, wanted, lambda statement: statement.supported)
    rules: dict[int, tuple[AST, _Statement]] = {}
    records: list[str] = []
    for number, statement in _numbered(statements):
        if statement.concluded & told:
            rules.update(
                (number + i, (rule, statement)) for i, rule in enumerate(statement.variants)
            )
            records += _traced(statement, number)
    program = [s.node for s in statements if s.concluded & kept]
    control, given = _ground([*_definitions(statements), *program], records, facts, told)
    derivations: dict[Symbol, list[_Derivation]] = {}
    for why_atom in control.symbolic_atoms.by_signature("__why", 3):
        if not why_atom.is_fact:
            raise DerivationError(f"cannot explain {goal}: more than one model is possible")
        rule_number, concluded_atom, body = why_atom.symbol.arguments
        derivation = _Derivation(rule_number.number, body)
        derivations.setdefault(concluded_atom, []).append(derivation)
    parts = _recorded_parts(control)
    holds = goal in control.symbolic_atoms
    return _Trace(rules, _constants(statements), given, derivations, parts, holds)


def _recorded_parts(control: Control) -> dict[_Element, list[Symbol]]:
    parts: dict[_Element, list[Symbol]] = {}
    for part in control.symbolic_atoms.by_signature("__part", 4):
        number, place, values, item = part.symbol.arguments
        parts.setdefault((number.number, place.number, values), []).append(item)
    return parts


def _numbered(statements: Iterable[_Statement]) -> Iterator[tuple[int, _Statement]]:
    """The statements, each with the number of the first of its variants in the whole program."""
    number = 0
    for statement in statements:
        yield number, statement
        number += len(statement.variants)


@lru_cache(maxsize=4096)
def _traced(statement: _Statement, number: int) -> tuple[str, ...]:
    try:
        return tuple(
            record
            for i, rule in enumerate(statement.variants)
            for record in trace_rule(rule, number + i)
        )
    except DerivationError as error:
        name, line = statement.place
        raise DerivationError(f"{name}:{line}: {error}") from None


def _definitions(statements: Iterable[_Statement]) -> list[AST]:
    return [s.node for s in statements if s.node.ast_type == ASTType.Definition]


def _constants(statements: Iterable[_Statement]) -> dict[str, str]:
    return {node.name: str(node.value) for node in _definitions(statements)}


def _ground(
    program: Sequence[AST], records: Sequence[str], facts: str, wanted: Iterable[Signature]
) -> tuple[Control, frozenset[Symbol]]:
    """Ground the program and its records; return also which facts of the state are `wanted`."""
    messages: list[str] = []
    control = Control(["--warn=none"], logger=lambda _, message: messages.append(message))
    try:
        control.add("base", [], facts)
        # A part of their own for the rules: what there is before it is grounded was given.
        with ast.ProgramBuilder(control) as builder:
            builder.add(ast.Program(_NOWHERE, "rules", []))
            for statement in program:
                builder.add(statement)
        control.add("rules", [], "\n".join(records))
        control.ground([("base", [])])
        given = frozenset(
            atom.symbol
            for name, arity in wanted
            for positive in (True, False)
            for atom in control.symbolic_atoms.by_signature(name, arity, positive)
        )
        control.ground([("rules", [])])
    except RuntimeError as error:
        raise DerivationError(_one_line(messages, error)) from None
    return control, given


def _one_line(messages: Sequence[str], error: RuntimeError) -> str:
    """What clingo said about an error, in one line; a fact's place is its line."""
    found = next(filter(None, map(_GROUND_ERROR.match, messages)), None)
    if not found:
        return f"clingo cannot ground the rules: {error}"
    what = " ".join(found["what"].replace("[#inc_rules];", "").split())
    if found["file"] == "<block>":
        return f"facts:{found['line']}: {what}"
    return f"rules: {what}"


def _choose(
    trace: _Trace, goal: Symbol
) -> tuple[dict[Symbol, _Derivation], list[Symbol], list[_Derivation]]:
    """Choose a derivation of the smallest depth for every atom that the goal rests on.

    Returns the choice, its atoms in an order in which each comes after what it needs, and the
    derivations of the goal that do not need the goal, the one with the smallest depth first.
    """
    waiting: dict[Symbol, list[_Open]] = {}
    fired: list[_Open] = []
    given: list[Symbol] = []
    seen = {goal}
    queue = [goal]
    while queue:
        atom = queue.pop()
        if atom != goal and trace.is_given(atom):
            given.append(atom)
            continue
        for derivation in trace.derivations.get(atom, ()):
            needs = set(derivation.needs())
            if goal in needs:
                continue
            opened = _Open(atom, derivation, len(needs))
            if not needs:
                fired.append(opened)
            for need in needs:
                waiting.setdefault(need, []).append(opened)
            queue += needs - seen
            seen |= needs
    chosen: dict[Symbol, _Derivation] = {}
    of_goal: list[_Derivation] = []
    reached = given
    while reached or fired:
        for atom in reached:
            for opened in waiting.get(atom, ()):
                opened.missing -= 1
                if opened.missing == 0:
                    fired.append(opened)
        fired.sort(key=lambda o: (o.derivation.number, o.derivation.body))
        reached = []
        for opened in fired:
            if opened.atom == goal:
                of_goal.append(opened.derivation)
            elif opened.atom not in chosen:
                chosen[opened.atom] = opened.derivation
                reached.append(opened.atom)
        fired = []
    used = {need for derivation in of_goal for need in derivation.needs()}
    order: list[Symbol] = []
    for atom in reversed(chosen):
        if atom in used:
            used.update(chosen[atom].needs())
            order.append(atom)
    return chosen, order[::-1], of_goal


@dataclass(slots=True, eq=False)
class _Open:
    """A derivation some of whose atoms have not been reached yet."""

    atom: Symbol
    derivation: _Derivation
    missing: int


def _node(
    trace: _Trace,
    atom: Symbol,
    derivation: _Derivation,
    nodes: dict[tuple[str, Symbol | str], Node],
) -> Node:
    """The node of one derivation; the nodes of the atoms that it needs are in `nodes`."""
    rule, statement = trace.rules[derivation.number]
    children = []
    for record in derivation.body.arguments:
        child: Node
        if record.name == "t":
            text = _test_text(trace, derivation.number, record)
            child = nodes.setdefault(("t", text), Node(text, None, "test"))
        else:
            child_kind: Kind = "fact" if record.name == "p" else "absent"
            other = _without_names(record.arguments[0])
            child = nodes.setdefault((record.name, other), Node(other, None, child_kind))
        children.append(child)
    kind: Kind = "rule" if rule.body else "fact"
    return Node(atom, statement.label, kind, tuple(children), statement.place)


def _test_text(trace: _Trace, number: int, record: Symbol) -> str:
    rule, _ = trace.rules[number]
    place, values = record.arguments
    head, *body = map(_read, (rule.head, *rule.body))
    literal = body[place.number]
    names = _tested(literal, _global_variables(head.text, body))
    text = _filled(literal.text, dict(zip(names, values.arguments, strict=True)), trace.constants)
    if literal.ranges:
        text += _listed(trace.parts.get((number, place.number, values), []))
    return text


def _without_names(symbol: Symbol) -> Symbol:
    """The symbol with `_` for the constant `__any`."""
    if symbol.type != clingo.SymbolType.Function or "__any" not in str(symbol):
        return symbol
    name = "_" if symbol.name == "__any" else symbol.name
    return Function(name, [_without_names(a) for a in symbol.arguments], symbol.positive)


def _listed(items: Iterable[Symbol]) -> str:
    listed = (" & ".join(str(term) for term in item.arguments) for item in sorted(items))
    return f" <- {', '.join(listed) or '{}'}"


def _filled(text: str, values: Mapping[str, Symbol], constants: Mapping[str, str]) -> str:
    """The text with the values of its variables and of `#const` names."""
    if constants:
        text = _replaced(_CONSTANT, text, lambda name: constants.get(name, name))
    return _replaced(_VARIABLE, text, lambda name: str(values.get(name, name)))


# ---------------------------------------------------------------------------------------------
# Why not


def why_not(texts: Texts, facts: str, atom: Symbol | str) -> list[Miss]:
    """Return for every rule that could have concluded the atom where its nearest miss ends.

    The literals of a rule are tried in their order, one that cannot be decided yet after those
    that bind its variables; the binding that gets furthest counts. The rule with the fewest
    literals left comes first. The list is empty if the atom holds or no rule concludes such an
    atom; rules with a choice or a disjunction are passed over. Raises what `why` raises.
    """
    goal = _symbol(atom)
    signature = (goal.name, len(goal.arguments))
    statements = [s for name, text in texts for s in _statements(name, text)]
    kept = _closure(statements, [signature])
    chains: dict[int, tuple[_Chain, _Statement]] = {}
    records = [f"__goal({goal})."]
    for number, statement in _numbered(statements):
        if signature in statement.concluded:
            for i, rule in enumerate(statement.variants):
                if rule.head.ast_type == ASTType.Literal:
                    chain = _chain(rule, number + i)
                    chains[number + i] = chain, statement
                    records += chain.rules
    program = [s.node for s in statements if s.concluded & kept]
    control, _ = _ground([*_definitions(statements), *program], records, facts, ())
    if goal in control.symbolic_atoms:
        return []
    furthest: dict[int, tuple[int, Symbol]] = {}
    for got in control.symbolic_atoms.by_signature("__got", 3):
        number_symbol, step, values = got.symbol.arguments
        best = furthest.get(number_symbol.number)
        if best is None or step.number > best[0] or (step.number == best[0] and values < best[1]):
            furthest[number_symbol.number] = step.number, values
    parts = _recorded_parts(control)
    constants = _constants(statements)
    nearest: dict[tuple[str, int], Miss] = {}
    for number, (step_number, values) in sorted(furthest.items()):
        chain, statement = chains[number]
        listed = parts.get((number, step_number, values), [])
        miss = _miss(chain, statement, step_number, values, listed, constants)
        old = nearest.get(statement.place)
        if old is None or _left(miss) < _left(old):
            nearest[statement.place] = miss
    return sorted(nearest.values(), key=lambda miss: (_left(miss), -miss.satisfied))


def _left(miss: Miss) -> int:
    return miss.total - miss.satisfied


@dataclass(frozen=True, slots=True)
class _Chain:
    """The literals of a rule in the order of trying, and the rules that try them.

    A step is one literal, or several that only together bind their variables. `bound[n]` are the
    variables with a value before step n.
    """

    steps: list[list[_BodyLiteral]]
    bound: list[list[str]]
    rules: list[str]


def _chain(rule: AST, number: int) -> _Chain:
    opener = _Opener()
    pattern = str(opener(rule.head.atom.symbol))
    body = [_read(literal) for literal in rule.body]
    global_variables = _global_variables(f"{pattern} {rule.head}", body)
    waiting = [_read(equation) for equation in opener.equations] + body
    bound = [_variables(pattern)]
    steps: list[list[_BodyLiteral]] = []
    while waiting:
        known = set(bound[-1])
        ready = next((b for b in waiting if _is_ready(b, known, global_variables)), None)
        step = waiting if ready is None else [ready]
        waiting = [b for b in waiting if all(b is not s for s in step)]
        new = [v for s in step for v in _tested(s, global_variables) if v not in known]
        steps.append(step)
        bound.append(bound[-1] + list(dict.fromkeys(new)))
    keys = [f"{number},{step},{_tuple(names)}" for step, names in enumerate(bound)]
    rules = [f"__got({keys[0]}) :- __goal({pattern})."]
    for i, step in enumerate(steps):
        tried = "; ".join([f"__got({keys[i]})", *(literal.text for literal in step)])
        rules.append(f"__got({keys[i + 1]}) :- {tried}.")
        if len(step) == 1 and step[0].ranges:
            rules += _list_elements(step[0], keys[i], f"__got({keys[i]})")
    return _Chain(steps, bound, rules)


class _Opener(ast.Transformer):
    """Takes terms that cannot be matched backwards out of a head, as equations to be tested."""

    def __init__(self) -> None:
        self.equations: list[AST] = []

    def visit_BinaryOperation(self, node: AST) -> AST:
        return node if _is_linear(node) else self._take_out(node)

    def visit_Interval(self, node: AST) -> AST:
        return self._take_out(node)

    def visit_UnaryOperation(self, node: AST) -> AST:
        is_minus = node.operator_type == ast.UnaryOperator.Minus
        return node.update(**self.visit_children(node)) if is_minus else self._take_out(node)

    def _take_out(self, node: AST) -> AST:
        where = node.location
        fresh = ast.Variable(where, f"_Any{len(self.equations) + 1}")
        guard = ast.Guard(ast.ComparisonOperator.Equal, node)
        self.equations.append(ast.Literal(where, Sign.NoSign, ast.Comparison(fresh, [guard])))
        return fresh


def _is_linear(term: AST) -> bool:
    """Whether this is a variable plus or minus a constant, which clingo can solve for it."""
    if term.operator_type not in (ast.BinaryOperator.Plus, ast.BinaryOperator.Minus):
        return False
    kinds = {term.left.ast_type, term.right.ast_type}
    return kinds == {ASTType.Variable, ASTType.SymbolicTerm}


def _is_ready(literal: _BodyLiteral, known: set[str], global_variables: set[str]) -> bool:
    """Whether the literal can be tried when these variables have values."""

    def free(*nodes: AST) -> bool:
        return any(
            name in global_variables and name not in known
            for node in nodes
            for name in _variables(str(node))
        )

    if literal.negations or literal.node.ast_type == ASTType.ConditionalLiteral:
        return not free(literal.node)
    inner = literal.node.atom
    if inner.ast_type == ASTType.SymbolicAtom:
        return not free(*_closed_terms(inner.symbol))
    equal = ast.ComparisonOperator.Equal
    if inner.ast_type == ASTType.Comparison and len(inner.guards) == 1:
        guard = inner.guards[0]
        sides = (inner.term, guard.term), (guard.term, inner.term)
        if guard.comparison == equal:
            return any(not free(one, *_closed_terms(other)) for one, other in sides)
    if literal.ranges:
        guards = [g for g in (inner.left_guard, inner.right_guard) if g is not None]
        assigned = (g.comparison == equal and g.term.ast_type == ASTType.Variable for g in guards)
        closed = [g.term for g, is_open in zip(guards, assigned, strict=True) if not is_open]
        return not free(*inner.elements, *closed)
    return not free(literal.node)


def _closed_terms(term: AST) -> list[AST]:
    """The parts of a term that give their variables no value when the term is matched."""
    if term.ast_type == ASTType.Function:
        return [closed for argument in term.arguments for closed in _closed_terms(argument)]
    if term.ast_type == ASTType.UnaryOperation:
        is_minus = term.operator_type == ast.UnaryOperator.Minus
        return _closed_terms(term.argument) if is_minus else [term]
    if term.ast_type == ASTType.BinaryOperation:
        return [] if _is_linear(term) else [term]
    return [term] if term.ast_type == ASTType.Interval else []


def _miss(
    chain: _Chain,
    statement: _Statement,
    step_number: int,
    values: Symbol,
    listed: Iterable[Symbol],
    constants: Mapping[str, str],
) -> Miss:
    bindings = dict(zip(chain.bound[step_number], values.arguments, strict=True))
    step = chain.steps[step_number]
    text = ", ".join(_filled(literal.text, bindings, constants) for literal in step)
    lack: Lack = "test"
    atom = None
    if len(step) == 1 and step[0].atom is not None:
        lack = "present" if step[0].negations == 1 else "missing"
        atom_text = _filled(step[0].atom, bindings, constants)
        if not _variables(atom_text) and not _ANONYMOUS.search(step[0].outside):
            atom = _parsed(atom_text)
    elif len(step) == 1 and step[0].ranges:
        text += _listed(listed)
    return Miss(
        label=statement.label,
        place=statement.place,
        literal=text,
        lack=lack,
        atom=atom,
        bindings=tuple((n, v) for n, v in bindings.items() if not n.startswith("_Any")),
        satisfied=sum(len(s) for s in chain.steps[:step_number]),
        total=sum(len(s) for s in chain.steps),
    )


# ---------------------------------------------------------------------------------------------
# Printing


_WORDS = {
    "en": {"fact": "{} (given)", "absent": "not {}", "again": "{} (see above)"},
    "zh": {"fact": "{}（已知）", "absent": "没有{}", "again": "{}（见上文）"},
}


def render(
    node: Node,
    name_of: Callable[[str], str],
    lang: Literal["en", "zh"],
    sentence_of: Callable[[str | None, Symbol], str | None],
    cited_of: Callable[[str], str] = lambda label: "",
    width: int = 100,
) -> list[str]:
    """Return the tree as lines of at most `width` columns, what is needed below what needs it.

    `sentence_of(label, atom)` says an atom in words (`label` is None for what no rule concludes),
    or returns None to have it printed as it is, with `name_of(constant)` for each constant.
    `cited_of(label)` is what the end of the line cites. What stands below a conclusion is printed
    where it is first mentioned; later mentions refer back. A Chinese character takes two columns.
    """
    lines: list[str] = []
    printed: set[Symbol | str] = set()
    waiting = [(node, 0)]
    while waiting:
        current, depth = waiting.pop()
        text = _said(current, name_of, lang, sentence_of)
        if current.label is not None:
            text = f"{text} {cited_of(current.label)}".rstrip()
        if current.children and current.atom in printed:
            text = _WORDS[lang]["again"].format(text)
        elif current.children:
            printed.add(current.atom)
            waiting += [(child, depth + 1) for child in reversed(current.children)]
        lines += _wrapped(text, 2 * min(depth, 20), width)
    return lines


def _said(
    node: Node,
    name_of: Callable[[str], str],
    lang: Literal["en", "zh"],
    sentence_of: Callable[[str | None, Symbol], str | None],
) -> str:
    if isinstance(node.atom, str):
        return _named(node.atom, name_of)
    text = sentence_of(node.label, node.atom) or _named(str(node.atom), name_of)
    if node.kind == "absent" or (node.kind == "fact" and node.label is None):
        return _WORDS[lang][node.kind].format(text)
    return text


def _named(text: str, name_of: Callable[[str], str]) -> str:
    """The text of atoms and tests with the display names of its constants."""

    return _replaced(_CONSTANT, text, lambda name: name if name == "not" else name_of(name))


def _wrapped(text: str, indent: int, width: int) -> list[str]:
    """Break a text into lines: at blanks, next to Chinese characters, inside words that are long.

    Lines after the first are indented by four more columns.
    """
    lines: list[str] = []
    line = " " * indent
    used = indent
    start = indent
    for piece in _pieces(text, width - indent - 4):
        size = _columns(piece.rstrip())
        if used + size > width and used > start:
            lines.append(line.rstrip())
            start = indent + 4
            line, used = " " * start, start
        line += piece
        used += _columns(piece)
    return [*lines, line.rstrip()]


def _pieces(text: str, longest: int) -> Iterator[str]:
    """The parts of a text between which a line may end; blanks stay with what stands before."""
    piece = ""
    for character in text:
        wide = _columns(character) == 2
        opens = piece.endswith(" ") and character != " "
        if (
            piece
            and (opens or wide or _columns(piece[-1]) == 2 or _columns(piece) >= longest)
            and (character not in _NEVER_FIRST)
        ):
            yield piece
            piece = ""
        piece += character
    if piece:
        yield piece


def _columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
