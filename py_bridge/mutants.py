"""Mutants: rules with one small mistake each, made by the syntax tree.

    forbids(By, A) :- bars(By, A), not spared(A), J < 2.

gives, among others,

    drop       forbids(By, A) :- bars(By, A), J < 2.
    negate     forbids(By, A) :- bars(By, A), spared(A), J < 2.
    compare    forbids(By, A) :- bars(By, A), not spared(A), J <= 2.
    constant   forbids(By, A) :- bars(By, A), not spared(A), J < 3.
    remove     nothing

Constants change into others that stand in the same place of the same predicate elsewhere, so that
a mutant is a mistake that somebody could make. What is no program any more (a variable that nothing
binds, a circle through negation, a recursion without end) is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from clingo import Control, Number, SymbolType
from clingo.ast import (
    AST,
    AggregateFunction,
    ASTSequence,
    ASTType,
    ComparisonOperator,
    Sign,
)

from py_bridge.derivation import concluded, needed

KINDS = ("remove", "drop", "negate", "compare", "constant")
# Tables that only say something in words, or where something stands written.
WORDS = frozenset({"wording", "fluent", "fluent_term", "term", "source", "happening"})

# by(Label, Source, N): the name of a rule and where it got its reason from.
_REASON = "by"

Signature = tuple[str, int]
Path = tuple[str | int, ...]
# What stands in each place, by its name: the one that comes next in the alphabet.
Places = Mapping[Path, Mapping[str, AST]]

_UNSAFE = re.compile(r"<block>:(\d+):[\d-]+: error: unsafe variables")

_OTHER_WAY = {
    ComparisonOperator.Equal: (ComparisonOperator.NotEqual,),
    ComparisonOperator.NotEqual: (ComparisonOperator.Equal,),
    ComparisonOperator.LessThan: (ComparisonOperator.LessEqual, ComparisonOperator.GreaterEqual),
    ComparisonOperator.LessEqual: (ComparisonOperator.LessThan, ComparisonOperator.GreaterThan),
    ComparisonOperator.GreaterThan: (ComparisonOperator.GreaterEqual, ComparisonOperator.LessEqual),
    ComparisonOperator.GreaterEqual: (ComparisonOperator.GreaterThan, ComparisonOperator.LessThan),
}
_OTHER_END = {
    AggregateFunction.Min: AggregateFunction.Max,
    AggregateFunction.Max: AggregateFunction.Min,
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One mistake in one rule.

    `rule` is the number of the rule, `kind` one of KINDS, `text` the changed rule, None where it is
    removed; `statement` the same as a syntax tree.
    """

    rule: int
    kind: str
    text: str | None
    statement: AST | None


class Dependencies:
    """What each predicate rests on, and what rests on it."""

    def __init__(self, rules: Iterable[AST]) -> None:
        self._below: dict[Signature, set[Signature]] = {}
        self._above: dict[Signature, set[Signature]] = {}
        for rule in rules:
            for head in concluded(rule):
                for one in needed(rule):
                    self._below.setdefault(head, set()).add(one)
                    self._above.setdefault(one, set()).add(head)
        self._known: dict[tuple[Signature, bool], frozenset[Signature]] = {}

    def supports(self, name: Signature) -> frozenset[Signature]:
        """Return the predicates that depend on one, itself among them."""
        return self._closure(name, True)

    def rests_on(self, name: Signature) -> frozenset[Signature]:
        """Return the predicates that one depends on, itself among them."""
        return self._closure(name, False)

    def together(self, name: Signature) -> frozenset[Signature]:
        """Return the predicates that depend on one and that it depends on, itself among them."""
        return self.supports(name) & self.rests_on(name)

    def is_recursive(self, name: Signature) -> bool:
        """Whether a predicate depends on itself."""
        return any(name in self.rests_on(one) for one in self._below.get(name, ()))

    def _closure(self, name: Signature, upwards: bool) -> frozenset[Signature]:
        if (name, upwards) not in self._known:
            edges = self._above if upwards else self._below
            found, fresh = {name}, [name]
            while fresh:
                more = edges.get(fresh.pop(), set()) - found
                found |= more
                fresh += more
            self._known[name, upwards] = frozenset(found)
        return self._known[name, upwards]


def mutants(rules: Sequence[AST]) -> list[Mutant]:
    """Return every mutant of the rules and facts, in the order of the rules."""
    places = _places(rules)
    depends = Dependencies(rules)
    found: list[Mutant] = []
    for number, rule in enumerate(rules):
        if {name for name, _ in concluded(rule)} & WORDS:
            continue
        known = {str(rule)}
        found.append(Mutant(number, "remove", None, None))
        for kind, changed in _changes(rule, places):
            text = str(changed)
            if text in known:
                continue
            known.add(text)
            if _ends(rule, changed, depends):
                found.append(Mutant(number, kind, text, changed))
    unsafe = _unsafe([one.text or "" for one in found])
    return [one for line, one in enumerate(found) if line not in unsafe]


def _changes(rule: AST, places: Places) -> Iterator[tuple[str, AST]]:
    body = list(rule.body)
    for index, literal in enumerate(body):
        before, after = body[:index], body[index + 1 :]
        yield "drop", rule.update(body=[*before, *after])
        for kind, other in _of_literal(literal):
            yield kind, rule.update(body=[*before, other, *after])
    for changed in _swaps(rule, (), places):
        yield "constant", changed


def _of_literal(literal: AST) -> Iterator[tuple[str, AST]]:
    if literal.ast_type == ASTType.ConditionalLiteral:
        yield from (
            (kind, literal.update(condition=condition))
            for kind, condition in _of_condition(literal.condition)
        )
        return
    atom = literal.atom
    match atom.ast_type:
        case ASTType.SymbolicAtom:
            other = Sign.Negation if literal.sign == Sign.NoSign else Sign.NoSign
            yield "negate", literal.update(sign=other)
        case ASTType.Comparison:
            for guard in _of_guards(atom.guards):
                yield "compare", literal.update(atom=atom.update(guards=guard))
        case ASTType.BodyAggregate:
            for changed in _of_aggregate(atom):
                yield changed[0], literal.update(atom=changed[1])


def _of_guards(guards: Sequence[AST]) -> Iterator[list[AST]]:
    for index, guard in enumerate(guards):
        for operator in _OTHER_WAY[ComparisonOperator(guard.comparison)]:
            yield [*guards[:index], guard.update(comparison=operator), *guards[index + 1 :]]


def _of_aggregate(atom: AST) -> Iterator[tuple[str, AST]]:
    if atom.function in _OTHER_END:
        yield "compare", atom.update(function=_OTHER_END[AggregateFunction(atom.function)])
    for side in ("left_guard", "right_guard"):
        guard = getattr(atom, side)
        if guard is not None:
            for (other,) in _of_guards([guard]):
                yield "compare", atom.update(**{side: other})
    elements = list(atom.elements)
    for index, element in enumerate(elements):
        for kind, condition in _of_condition(element.condition):
            changed = element.update(condition=condition)
            yield kind, atom.update(elements=[*elements[:index], changed, *elements[index + 1 :]])


def _of_condition(condition: Sequence[AST]) -> Iterator[tuple[str, list[AST]]]:
    literals = list(condition)
    for index, literal in enumerate(literals):
        before, after = literals[:index], literals[index + 1 :]
        yield "drop", [*before, *after]
        for kind, other in _of_literal(literal):
            yield kind, [*before, other, *after]


# --- constants ------------------------------------------------------------------------------------


def _places(rules: Iterable[AST]) -> Places:
    """Return the constants and functors that stand in each place, each with the next one."""
    found: dict[Path, dict[str, AST]] = {}
    for rule in rules:
        for path, term in _terms(rule, ()):
            found.setdefault(path, {})[_tag(term)] = term
    return {
        path: {tag: terms[other] for tag, other in zip(tags, [*tags[1:], tags[0]], strict=True)}
        for path, terms in found.items()
        if len(terms) > 1
        for tags in [sorted(terms)]
    }


def _terms(node: AST, path: Path) -> Iterator[tuple[Path, AST]]:
    """Yield each constant and functor with its place: predicate, argument, functor, argument ..."""
    if node.ast_type == ASTType.SymbolicAtom:
        term = node.symbol
        if term.ast_type == ASTType.Function:
            for index, argument in enumerate(term.arguments):
                yield from _terms(argument, (term.name, len(term.arguments), index))
        return
    if path:
        if _is_constant(node):
            yield path, node
        if node.ast_type == ASTType.Function and node.name:
            yield (*path, len(node.arguments)), node
            if node.name != _REASON:
                for index, argument in enumerate(node.arguments):
                    yield from _terms(argument, (*path, node.name, index))
        return
    for _, child in _children(node):
        yield from _terms(child, path)


def _swaps(node: AST, path: Path, places: Places) -> Iterator[AST]:
    """Yield the node with one constant or functor changed into the next of its place."""
    if _is_number(node):
        yield node.update(symbol=Number(node.symbol.number + 1))
        return
    if node.ast_type == ASTType.SymbolicAtom:
        term = node.symbol
        if term.ast_type == ASTType.Function:
            for index, argument in enumerate(term.arguments):
                here = (term.name, len(term.arguments), index)
                for changed in _swaps(argument, here, places):
                    yield node.update(symbol=_with_argument(term, index, changed))
        return
    if path and _is_constant(node):
        other = places.get(path, {}).get(_tag(node))
        if other is not None:
            yield other
        return
    if path and node.ast_type == ASTType.Function and node.name:
        if node.name == _REASON:
            return
        # The functor of a fluent is no constant of one kind: a position is no face.
        others = {} if path[0] == "holds" else places.get((*path, len(node.arguments)), {})
        other = others.get(_tag(node))
        if other is not None and other.name != _REASON:
            yield node.update(name=other.name)
        for index, argument in enumerate(node.arguments):
            for changed in _swaps(argument, (*path, node.name, index), places):
                yield _with_argument(node, index, changed)
        return
    for key, child in _children(node):
        for changed in _swaps(child, path, places):
            yield _with_child(node, key, changed)


def _tag(term: AST) -> str:
    return str(term.name) if term.ast_type == ASTType.Function else str(term.symbol)


def _is_constant(node: AST) -> bool:
    return node.ast_type == ASTType.SymbolicTerm and node.symbol.type == SymbolType.Function


def _is_number(node: AST) -> bool:
    return node.ast_type == ASTType.SymbolicTerm and node.symbol.type == SymbolType.Number


def _with_argument(term: AST, index: int, argument: AST) -> AST:
    arguments = list(term.arguments)
    arguments[index] = argument
    return term.update(arguments=arguments)


def _children(node: AST) -> Iterator[tuple[tuple[str, int], AST]]:
    for key in node.child_keys:
        child = getattr(node, key)
        if isinstance(child, AST):
            yield (key, -1), child
        elif isinstance(child, ASTSequence):
            for index, one in enumerate(child):
                if isinstance(one, AST):
                    yield (key, index), one


def _with_child(node: AST, key: tuple[str, int], child: AST) -> AST:
    name, index = key
    if index < 0:
        return node.update(**{name: child})
    children = list(getattr(node, name))
    children[index] = child
    return node.update(**{name: children})


# --- what is no program any more ------------------------------------------------------------------


def _ends(rule: AST, changed: AST, depends: Dependencies) -> bool:
    """Whether a changed rule makes no circle through negation and no recursion without end."""
    (head,) = concluded(changed)
    if any(head in depends.rests_on(one) for one in _negated(changed)):
        return False
    if not depends.is_recursive(head):
        return True
    # A recursion that counts is held back by its other literals; they stay as they are.
    counts = any(_is_reckoned(one) for one in (changed.head, *changed.body))
    return not counts or len(_bounds(changed, head, depends)) >= len(_bounds(rule, head, depends))


def _negated(rule: AST) -> Iterator[Signature]:
    for literal in rule.body:
        if literal.ast_type == ASTType.Literal and literal.sign != Sign.NoSign:
            symbol = getattr(literal.atom, "symbol", None)
            if symbol is not None and symbol.ast_type == ASTType.Function:
                yield symbol.name, len(symbol.arguments)


def _bounds(rule: AST, head: Signature, depends: Dependencies) -> list[AST]:
    return [
        literal
        for literal in rule.body
        if literal.ast_type == ASTType.Literal
        and literal.sign == Sign.NoSign
        and literal.atom.ast_type == ASTType.SymbolicAtom
        and head
        not in depends.rests_on((literal.atom.symbol.name, len(literal.atom.symbol.arguments)))
    ]


def _is_reckoned(node: AST) -> bool:
    return node.ast_type == ASTType.BinaryOperation or any(
        _is_reckoned(child) for _, child in _children(node)
    )


def _unsafe(rules: Iterable[str]) -> set[int]:
    """Return the numbers of the rules with a variable that nothing binds.

    Clingo checks them all, also those of a part that is never grounded.
    """
    said: list[str] = []
    control = Control([], logger=lambda _code, text: said.append(text), message_limit=1_000_000)
    control.add("checked", [], "\n".join(rules))
    with suppress(RuntimeError):
        control.ground([("base", [])])
    found = (_UNSAFE.match(text) for text in said)
    return {int(one[1]) - 1 for one in found if one}
