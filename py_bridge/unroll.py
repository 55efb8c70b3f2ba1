"""The lens `unroll`: the rules once for every moment of a duel that is played on from a board.

Every predicate that depends on the moment gets its number as one more argument, as in
py_bridge.batch, and what holds next holds at the moment after:

    next(F) :- holds(F), not ends(F).

becomes

    next(F, __S) :- __state(__S), holds(F, __S), not ends(F, __S).

and queries/generator/steps.lp adds

    holds(F, T + 1) :- next(F, T), gen_step(T).

Which actions are performed is left open (queries/generator/script.lp), so that the solver looks for
a board and a script together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from clingo import Control, Symbol
from clingo.ast import AST, ASTType

from py_bridge.apart import RenameApart, rules_of
from py_bridge.batch import Lift, Signature, depending_on
from py_bridge.derivation import needed
from py_bridge.labels import parse_rules
from py_bridge.paths import base
from py_bridge.phrases import in_words
from py_bridge.scopes import Scope
from py_bridge.search import over_all_boards
from py_bridge.slices import Slicer

# What a script needs of the rules: what holds next, and what can be done.
PLAYED = ("next", "allowed", "lacks_target", "lasts")
_GIVEN: tuple[Signature, ...] = (
    ("holds", 1), ("has_text", 2), ("lingers", 2), ("do", 1), ("unused_name", 1), ("asks", 1),
)  # fmt: skip
# Every action in some form: which constants can stand where is inferred from these.
_ACTIONS = (
    "attack({0},{0})", "attack({0},player)", "activate({0},1)", "activate({0},1,{0})",
    "choose({0})", "give_up({0})", "pass(turn_player)", "go_on", "enter(battle_step)",
)  # fmt: skip


def moments(statements: Sequence[AST], scope: Scope, wanted: Iterable[str] = PLAYED) -> list[AST]:
    """Return the rules that scripts of a scope can need, for all moments at once."""
    rules = _within(rules_of(statements), scope, tuple(wanted))
    lift = Lift(depending(rules))
    return [lift.rule(rule) for rule in rules]


def depending(rules: Iterable[AST]) -> frozenset[Signature]:
    """Return the predicates that can differ from moment to moment."""
    return depending_on(list(rules), _GIVEN)


def steps(prefix: str, names: Iterable[str]) -> list[AST]:
    """Return the rules from one moment to the next for a base whose `names` bear a prefix."""
    rename = RenameApart(prefix, frozenset(names) | {"can"} | {name for name, _ in _GIVEN})
    return [_from_the_board(rule, rename) for rule in _part("steps")]


def _from_the_board(rule: AST, rename: RenameApart) -> AST:
    """Rename a rule of steps.lp; what holds of the board itself keeps its name."""
    renamed: AST = rename.visit(rule)
    start = {"holds": 1, "has_text": 2, "lingers": 2}
    if len(rule.body) == 1 and any(start.get(name) == arity for name, arity in needed(rule)):
        return renamed.update(body=rule.body)
    return renamed


def over_all_scripts(scope: Scope, program: Iterable[AST], parts: Sequence[str]) -> Control:
    """Return a program grounded together with the boards and the scripts of a scope."""
    return over_all_boards(scope, program, ("script", "script_size", "size", *parts))


def lengths(longest: int) -> list[int]:
    """Return the lengths of scripts to be tried, short ones first."""
    return [*range(4, longest, 3), longest]


def script_of(atoms: Iterable[Symbol]) -> tuple[str, ...]:
    """Return the actions of a model, in words and in their order."""
    acts = sorted(
        (atom.arguments[1].number, in_words(atom.arguments[0]))
        for atom in atoms
        if atom.match("gen_do", 2)
    )
    return tuple(words for _, words in acts)


def _within(rules: list[AST], scope: Scope, wanted: tuple[str, ...]) -> list[AST]:
    """Return the rules that some moment of some script of the scope can need."""
    beyond = _closure(rules)
    texts = {str(rule) for rule in beyond}
    kept = Slicer([*rules, *beyond], wanted).of(_possible(scope))
    return [rule for rule in kept if rule.ast_type == ASTType.Rule and str(rule) not in texts]


def _closure(rules: Iterable[AST]) -> list[AST]:
    """Return rules by which whatever begins holds, for inferring what can hold at any moment."""
    lines = [
        "has_text(L, D) :- lasts(L, C, N), has_text(C, D).",
        "lingers(L, N) :- lasts(L, C, N).",
    ]
    for rule in rules:
        head = rule.head.atom.symbol
        if head.name == "starts":
            (fluent,) = head.arguments
            arity = len(fluent.arguments) if fluent.ast_type == ASTType.Function else 0
            name = fluent.name if arity else str(fluent)
            places = f"({', '.join(f'X{i}' for i in range(arity))})" if arity else ""
            lines.append(f"holds({name}{places}) :- starts({name}{places}).")
    return rules_of(parse_rules("closure", "\n".join(dict.fromkeys(lines))))


def _possible(scope: Scope) -> list[str]:
    """Return all that can be true of some board of a scope, and an action of each kind."""
    control = over_all_boards(scope, (), ())
    found = [
        str(atom.symbol)
        for name, arity in (("holds", 1), ("has_text", 2), ("lingers", 2))
        for atom in control.symbolic_atoms.by_signature(name, arity)
    ]
    found += [fact for fact in scope.facts() if not fact.startswith(("gen_", "holds("))]
    card = next(fact for fact in found if fact.startswith("has_text(")).split("(")[1].split(",")[0]
    acts = [act.format(card) for act in _ACTIONS if act.partition("(")[0] in scope.data["acts"]]
    return [*found, *(f"do({act})" for act in acts), f"unused_name({card})"]


def _part(name: str) -> list[AST]:
    file = base() / "queries" / "generator" / f"{name}.lp"
    return rules_of(parse_rules(name, file.read_text(encoding="utf-8")))
