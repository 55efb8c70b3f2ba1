"""Slices: the rules that a question about one state can need, and no others.

Two cuts that change no answer. Backwards: a rule on which no wanted predicate depends is left out.
Forwards: a rule is left out when one of its positive conditions can never hold, because nothing
derives it, or only with other constants. For example, on a board without activated effects

    forbids(By, activate(C, N)) :- activatable(C, N, P), ...   activatable has no instance
    halts(By, How) :- attacking(A), ...                        no holds(attack(A, T)) is given
    bars(By, A) :- binds(cannot_attack, X, N, K, A), ...       no text has a clause of that class

are all cut.

Which constants can stand in which place of a predicate is inferred from rules and facts alike. The
profile of a state is what its facts contribute to that; states with one profile share a slice, and
so do states whose profiles differ by little.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from clingo import SymbolType
from clingo.ast import AST, ASTSequence, ASTType, Sign

from py_bridge.derivation import concluded, needed

Place = tuple[str, int]
Profile = frozenset[tuple[Place, str]]
Bindings = dict[str, set[str]]
ANY = "*"
# Profiles that are so much alike share a slice: what one may say beyond the other.
_NEW, _MORE = 24, 48
_REMEMBERED = 8
_OTHER = "~"  # a constant that no rule mentions
_OPAQUE = "?"
_WRAPPER = "holds"


@dataclass(frozen=True, slots=True)
class _Atom:
    """A predicate and its arguments: a tag (constant or functor), or a variable marked by `?`.

    A lone `?` is a term of which nothing is known, such as `_` or `X + 1`.

    `holds(f(X, c))` counts as the predicate `holds f`, so that each fluent is told apart.
    """

    name: str
    arguments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Rule:
    """A statement: its heads, its positive conditions, and the predicates of both.

    `loosely` are those predicates of the body that stand in it negated or inside an aggregate,
    `reads` all that stand in it, each fluent by itself.
    """

    statement: AST
    heads: tuple[_Atom, ...]
    body: tuple[_Atom, ...]
    names: frozenset[str]
    uses: frozenset[str]
    loosely: frozenset[str]
    reads: frozenset[str]
    always: bool


@dataclass(frozen=True, slots=True)
class Slice:
    """Statements, and the names of predicates and fluents that their conditions read."""

    statements: tuple[AST, ...]
    reads: frozenset[str]


class Slicer:
    """The slices of one set of statements for fixed wanted predicates."""

    def __init__(self, statements: Sequence[AST], wanted: Iterable[str]) -> None:
        kept = backwards([s for s in statements if s.ast_type != ASTType.Comment], set(wanted))
        self._rules = _conditions_first([_rule(statement) for statement in kept])
        self._telling = _telling(self._rules)
        self._constants = {
            argument
            for rule in self._rules
            for atom in (*rule.heads, *rule.body)
            for argument in atom.arguments
        }
        self._wanted = set(wanted)
        self.signatures = tuple(
            sorted({s for one in kept for s in concluded(one) if s[0] in self._wanted})
        )
        self._slices: dict[Profile, Slice] = {}
        self._recent: deque[tuple[Profile, Slice]] = deque(maxlen=_REMEMBERED)
        self._contributes = lru_cache(maxsize=1 << 16)(self._contribution)

    def of(self, facts: Iterable[str]) -> tuple[AST, ...]:
        """Return the statements that a state with these facts, given as terms, can need."""
        return self._slice(facts).statements

    def cut(self, facts: Sequence[str]) -> tuple[tuple[AST, ...], list[str]]:
        """Return those statements, and the facts that they or the question can need."""
        found = self._slice(facts)
        return found.statements, [fact for fact in facts if self._is_read(fact, found.reads)]

    def _is_read(self, fact: str, reads: frozenset[str]) -> bool:
        ((own, _), _), ((whole, _), _), *_ = self._contributes(fact)
        return own in reads or whole in reads

    def _slice(self, facts: Iterable[str]) -> Slice:
        profile = frozenset(found for fact in facts for found in self._contributes(fact))
        if profile not in self._slices:
            self._slices[profile] = self._near(profile) or self._fresh(profile)
        return self._slices[profile]

    def _near(self, profile: Profile) -> Slice | None:
        """Return a slice made for a little more than a profile, if there is one."""
        for wider, found in reversed(self._recent):
            if len(wider) - len(profile) <= _MORE and profile <= wider:
                return found
        return None

    def _fresh(self, profile: Profile) -> Slice:
        """Return a slice for a profile, taking in a recent one that is much the same.

        One state of a duel follows another; what holds in either will soon hold again.
        """
        for known, _ in reversed(self._recent):
            if len(profile - known) <= _NEW and len(known - profile) <= _MORE:
                profile |= known
                break
        statements = tuple(self._live(profile))
        found = Slice(statements, self._reads(statements))
        self._recent.append((profile, found))
        return found

    def _reads(self, statements: Iterable[AST]) -> frozenset[str]:
        """Return the names under which facts can be of use, each fluent by itself."""
        kept = {id(statement) for statement in statements}
        reads = [rule.reads for rule in self._rules if id(rule.statement) in kept]
        return frozenset(self._wanted).union(*reads)

    def _contribution(self, fact: str) -> tuple[tuple[Place, str], ...]:
        atom = _read(fact)
        return (
            ((atom.name, -1), ANY),
            ((atom.name.partition(" ")[0], -1), ANY),  # for rules about every fluent
            *([((_WRAPPER, 0), ANY)] if atom.name.startswith(f"{_WRAPPER} ") else ()),
            *(
                ((atom.name, index), tag if tag in self._constants or tag == ANY else _OTHER)
                for index, tag in enumerate(atom.arguments)
                if (atom.name, index) in self._telling
            ),
        )

    def _live(self, profile: Profile) -> Iterator[AST]:
        domains: dict[Place, set[str]] = {}
        for place, tag in profile:
            domains.setdefault(place, set()).add(tag)
        live: dict[int, Bindings] = {}
        growing = True
        while growing:
            growing = False
            for number, rule in enumerate(self._rules):
                bindings = _bindings(rule, domains, self._telling)
                if bindings is None:
                    continue
                live[number] = bindings
                for head in rule.heads:
                    growing |= _add(domains, (head.name, -1), {ANY})
                    for index, argument in enumerate(head.arguments):
                        if (head.name, index) in self._telling:
                            tags = {argument} if argument[0] != "?" else bindings.get(argument)
                            growing |= _add(domains, (head.name, index), tags or {ANY})
        kept = self._asked_for({number: live[number] for number in sorted(live)})
        return (self._rules[number].statement for number in kept)

    def _asked_for(self, live: Mapping[int, Bindings]) -> list[int]:
        """Return those live rules that a wanted predicate needs by way of live rules."""
        reached = set(self._wanted)
        growing = True
        while growing:
            before = len(reached)
            for number in live:
                if self._rules[number].names & reached:
                    reached |= self._rules[number].uses
            growing = len(reached) > before
        demands = _Demands(self._wanted, self._telling)
        needed_rules = [n for n in live if self._rules[n].always or self._rules[n].names & reached]
        for number in needed_rules:
            demands.add(self._rules[number], live[number])
        return [n for n in needed_rules if self._rules[n].body or demands.meets(self._rules[n])]


class _Demands:
    """Which constants the rules ask for in the tables, the predicates given by plain facts."""

    def __init__(self, wanted: set[str], telling: set[Place]) -> None:
        self._telling = telling
        self._open = set(wanted)
        self._asked: dict[str, list[tuple[set[str] | None, ...]]] = {}

    def add(self, rule: _Rule, bindings: Bindings) -> None:
        """Take in what a rule asks for; what is negated or aggregated asks for everything."""
        plain = {atom.name for atom in rule.body}
        self._open |= {name for name in rule.uses if name not in plain} | rule.loosely
        for atom in rule.body:
            self._asked.setdefault(atom.name, []).append(
                tuple(
                    ({argument} if argument[0] != "?" else bindings.get(argument))
                    for argument in atom.arguments
                )
            )

    def meets(self, rule: _Rule) -> bool:
        """Whether a fact can be of use to a rule taken in."""
        if rule.always or not rule.heads:
            return True
        head = rule.heads[0]
        return head.name in self._open or any(
            all(
                tags is None or argument in tags or ANY in tags or argument[0] == "?"
                for tags, argument in zip(asked, head.arguments, strict=True)
            )
            for asked in self._asked.get(head.name, ())
            if len(asked) == len(head.arguments)
        )


def _conditions_first(rules: list[_Rule]) -> list[_Rule]:
    """Return rules in such an order that what a rule reads is concluded before it, circles apart.

    The inference of constants then is through after few rounds.
    """
    concluding: dict[str, list[_Rule]] = {}
    for rule in rules:
        for name in rule.names:
            concluding.setdefault(name, []).append(rule)
    ordered: list[_Rule] = []
    seen: set[int] = set()
    for root in rules:
        waiting = [(root, False)]
        while waiting:
            rule, ready = waiting.pop()
            if ready:
                ordered.append(rule)
            elif id(rule) not in seen:
                seen.add(id(rule))
                waiting.append((rule, True))
                for atom in rule.body:
                    waiting += [(other, False) for other in concluding.get(atom.name, ())]
    return ordered


def _add(domains: dict[Place, set[str]], place: Place, tags: set[str]) -> bool:
    known = domains.setdefault(place, set())
    before = len(known)
    known |= tags
    return len(known) > before


def _bindings(
    rule: _Rule, domains: Mapping[Place, set[str]], telling: set[Place]
) -> Bindings | None:
    """Return what each variable can be as far as it tells; None if the body can never hold."""
    bindings: Bindings = {}
    for atom in rule.body:
        if (atom.name, -1) not in domains:
            return None
        for index, argument in enumerate(atom.arguments):
            if argument == _OPAQUE or (atom.name, index) not in telling:
                continue
            possible = domains.get((atom.name, index), set())
            if argument[0] != "?":
                if ANY not in possible and argument not in possible:
                    return None
            elif ANY not in possible:
                left = bindings[argument] & possible if argument in bindings else set(possible)
                if not left:
                    return None
                bindings[argument] = left
    return bindings


def _telling(rules: Sequence[_Rule]) -> set[Place]:
    """Return the places whose constants can decide whether some rule is live."""
    telling = {
        (atom.name, index)
        for rule in rules
        for atom in rule.body
        for index, argument in enumerate(atom.arguments)
        if argument[0] != "?"
    }
    growing = True
    while growing:
        before = len(telling)
        for rule in rules:
            asked = {
                argument
                for atom in (*rule.heads, *rule.body)
                for index, argument in enumerate(atom.arguments)
                if (atom.name, index) in telling and argument != _OPAQUE
            }
            telling |= {
                (atom.name, index)
                for atom in rule.body
                for index, argument in enumerate(atom.arguments)
                if argument in asked
            }
        growing = len(telling) > before
    return telling


def backwards(statements: Sequence[AST], wanted: set[str]) -> list[AST]:
    """Return the statements on which a wanted predicate depends, in their order."""
    known = [({n for n, _ in concluded(s)}, {n for n, _ in needed(s)}, s) for s in statements]
    reached = set(wanted)
    growing = True
    while growing:
        before = len(reached)
        for heads, uses, _statement in known:
            if heads & reached:
                reached |= uses
        growing = len(reached) > before
    return [s for heads, _, s in known if heads & reached or s.ast_type == ASTType.Defined]


def _rule(statement: AST) -> _Rule:
    names = frozenset(_fluent_free(concluded(statement)))
    uses = frozenset(_fluent_free(needed(statement)))
    if statement.ast_type != ASTType.Rule:
        return _Rule(statement, (), (), names, uses, uses, uses, True)
    plain = [literal for literal in statement.body if _is_plain(literal)]
    body = tuple(_atom(literal.atom.symbol) for literal in plain)
    loose = [literal for literal in statement.body if not _is_plain(literal)]
    loosely = frozenset(term.name for literal in loose for term in _terms(literal))
    reads = frozenset(_atom(term).name for literal in statement.body for term in _terms(literal))
    heads = (_atom(statement.head.atom.symbol),)
    return _Rule(statement, heads, body, names, uses, loosely, reads, False)


def _is_plain(literal: AST) -> bool:
    return (
        literal.ast_type == ASTType.Literal
        and literal.sign == Sign.NoSign
        and literal.atom.ast_type == ASTType.SymbolicAtom
    )


def _fluent_free(signatures: Iterable[tuple[str, int]]) -> Iterator[str]:
    return (name for name, _ in signatures)


def _terms(literal: AST) -> Iterator[AST]:
    """Yield the atoms in a literal, an aggregate or a condition, as terms."""
    if literal.ast_type == ASTType.SymbolicAtom:
        yield literal.symbol
        return
    for key in literal.child_keys:
        child = getattr(literal, key)
        for node in child if isinstance(child, ASTSequence) else (child,):
            if isinstance(node, AST):
                yield from _terms(node)


def _atom(term: AST) -> _Atom:
    arguments = list(term.arguments)
    if term.name == _WRAPPER and len(arguments) == 1:
        inner = arguments[0]
        if inner.ast_type == ASTType.Function:
            return _Atom(f"{_WRAPPER} {inner.name}", tuple(_tag(a) for a in inner.arguments))
        if inner.ast_type == ASTType.SymbolicTerm:
            return _Atom(f"{_WRAPPER} {inner.symbol.name}", ())
    return _Atom(term.name, tuple(_tag(argument) for argument in arguments))


def _tag(term: AST) -> str:
    if term.ast_type == ASTType.SymbolicTerm and term.symbol.type == SymbolType.Function:
        return str(term.symbol.name) or _OPAQUE
    if term.ast_type == ASTType.Function and term.name:
        return str(term.name)
    if term.ast_type == ASTType.Variable and term.name != "_":
        return f"?{term.name}"
    return _OPAQUE


def _read(fact: str) -> _Atom:
    """Return a ground fact, given as text, as an atom."""
    name, arguments = _split(fact)
    if name == _WRAPPER and len(arguments) == 1:
        name, inner = _split(arguments[0])
        return _Atom(f"{_WRAPPER} {name}", tuple(_split(argument)[0] for argument in inner))
    return _Atom(name, tuple(_split(argument)[0] for argument in arguments))


def _split(term: str) -> tuple[str, list[str]]:
    """Return functor and arguments of a ground term; a string or number counts as any constant."""
    if term[0] in '"-' or term[0].isdigit():
        return ANY, []
    name, bracket, rest = term.partition("(")
    if not bracket:
        return name, []
    arguments, depth, begin, quoted = [], 0, 0, False
    for index, letter in enumerate(rest):
        if letter == '"' and rest[index - 1] != "\\":
            quoted = not quoted
        if quoted:
            continue
        if letter == "(":
            depth += 1
        elif letter == "," and not depth:
            arguments.append(rest[begin:index])
            begin = index + 1
        elif letter == ")":
            if not depth:
                arguments.append(rest[begin:index])
                break
            depth -= 1
    return name, arguments
