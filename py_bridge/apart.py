"""Two rule bases in one program: what both may give otherwise is renamed apart.

For example, for the base called a,

    may_choose(A, T) :- could_target(A, T), not excluded(A, T).

becomes

    a__may_choose(A, T) :- a__could_target(A, T), not a__excluded(A, T).

while holds/1, has_text/2 and whatever else no rule concludes stay as they are, and so does what
both bases conclude by the same rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from clingo.ast import AST, ASTType, Transformer

from py_bridge.derivation import concluded, needed
from py_bridge.labels import parse_rules
from py_bridge.slices import backwards


class RenameApart(Transformer):
    """Puts a prefix before every predicate out of `names`, in heads and bodies alike.

    For example, with the prefix `a__` and the names `able` and `bars`,

        able(A) :- holds(in(A, monster_zone)), not bars(A).

    becomes

        a__able(A) :- holds(in(A, monster_zone)); not a__bars(A).
    """

    def __init__(self, prefix: str, names: frozenset[str]) -> None:
        self._prefix = prefix
        self._names = names

    def visit_SymbolicAtom(self, atom: AST) -> AST:
        """Rename the atom's predicate; its arguments are terms and stay."""
        symbol = atom.symbol
        if symbol.ast_type == ASTType.Function and symbol.name in self._names:
            return atom.update(symbol=symbol.update(name=self.named(symbol.name)))
        return atom

    def named(self, name: str) -> str:
        """Return the new name of one of the predicates."""
        return self._prefix + name


def renamed_apart(statements: Iterable[AST], prefix: str, names: frozenset[str]) -> list[AST]:
    """Return the rules and facts that conclude one of `names`, these under a prefix everywhere."""
    rename = RenameApart(prefix, names)
    return [rename.visit(rule) for rule in rules_of(statements) if heads(rule) & names]


def affected(left: Iterable[AST], right: Iterable[AST]) -> frozenset[str]:
    """Return the predicates that two rule bases may give otherwise.

    These are the predicates with other rules, whatever their order, and all that depend on them.
    The rest means the same in both, so that it need not be renamed apart.
    """
    both = [rules_of(left), rules_of(right)]
    changed = set(rewritten(*both))
    growing = True
    while growing:
        before = len(changed)
        for rule in (*both[0], *both[1]):
            if needs(rule) & changed:
                changed |= heads(rule)
        growing = len(changed) > before
    return frozenset(changed)


def rules_of(statements: Iterable[AST]) -> list[AST]:
    """Return the rules and facts among statements."""
    return [statement for statement in statements if statement.ast_type == ASTType.Rule]


def heads(rule: AST) -> frozenset[str]:
    """Return the predicates that a rule concludes."""
    return frozenset(name for name, _ in concluded(rule))


def needs(rule: AST) -> frozenset[str]:
    """Return the predicates that a rule asks for."""
    return frozenset(name for name, _ in needed(rule))


def rewritten(left: Iterable[AST], right: Iterable[AST]) -> frozenset[str]:
    """Return the predicates with other rules in the two, whatever their order."""
    ours, theirs = _written(left), _written(right)
    both = ours.keys() | theirs.keys()
    return frozenset(name for name in both if ours.get(name) != theirs.get(name))


def _written(rules: Iterable[AST]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for rule in rules:
        for name in heads(rule):
            found.setdefault(name, set()).add(str(rule))
    return found


def side_by_side(ours: Sequence[AST], theirs: Sequence[AST], wanted: set[str]) -> list[AST]:
    """Return what decides some predicates in both rule bases, renamed apart where they differ.

    Every wanted predicate is there as a__NAME and as b__NAME.
    """
    ours, theirs = backwards(ours, wanted), backwards(theirs, wanted)
    apart = affected(ours, theirs)
    shared = [rule for rule in rules_of(ours) if not heads(rule) & apart]
    bridges = [
        f"{prefix}{name}({places}) :- {name}({places})."
        for name, arity in sorted({s for rule in shared for s in concluded(rule)})
        if name in wanted
        for places in [", ".join(f"X{i}" for i in range(arity))]
        for prefix in ("a__", "b__")
    ]
    return [
        *shared,
        *renamed_apart(ours, "a__", apart),
        *renamed_apart(theirs, "b__", apart),
        *parse_rules("shared", "\n".join(bridges)),
    ]
