"""The lens `batch`: many states in one grounding, each under a number of its own.

Every predicate that can depend on the state gets one more argument, the number of the state. So

    may_choose(A, T) :- could_target(A, T), not excluded(A, T).

becomes

    may_choose(A, T, __S) :- __state(__S), could_target(A, T, __S), not excluded(A, T, __S).

Tables, which no state can change, stay as they are.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence

from clingo import Control, Symbol
from clingo.ast import (
    AST,
    ASTType,
    Function,
    Literal,
    Location,
    Position,
    ProgramBuilder,
    Sign,
    SymbolicAtom,
    Transformer,
    Variable,
)

from py_bridge.derivation import concluded, needed
from py_bridge.slices import backwards

Signature = tuple[str, int]
# The true atoms of one state by predicate, as the text of facts that bear the state's number.
Texts = dict[Signature, str]

PLACE = Location(Position("batch", 1, 1), Position("batch", 1, 1))
NUMBER = Variable(PLACE, "__S")
_STATE = Literal(PLACE, Sign.NoSign, SymbolicAtom(Function(PLACE, "__state", [NUMBER], 0)))


class Lift(Transformer):
    """Gives every atom of a predicate out of `lifted` the number of the state as last argument."""

    def __init__(self, lifted: frozenset[Signature]) -> None:
        self.lifted = lifted

    def visit_SymbolicAtom(self, atom: AST) -> AST:
        """Add the argument; the terms in it stay."""
        symbol = atom.symbol
        if symbol.ast_type != ASTType.Function:
            return atom
        if (symbol.name, len(symbol.arguments)) not in self.lifted:
            return atom
        return atom.update(symbol=symbol.update(arguments=[*symbol.arguments, NUMBER]))

    def rule(self, rule: AST) -> AST:
        """Return a rule for all states at once."""
        if not concluded(rule) & self.lifted:
            return rule
        return self.visit(rule).update(body=[_STATE, *self.visit_sequence(rule.body)])


def state_dependent(rules: Sequence[AST], given: Iterable[Signature]) -> frozenset[Signature]:
    """Return the predicates that can differ between states which give those of `given`."""
    known = {head for rule in rules for head in concluded(rule)}
    open_ones = {one for rule in rules for one in needed(rule) if one not in known}
    return depending_on(rules, {*given, *open_ones})


def depending_on(rules: Sequence[AST], given: Iterable[Signature]) -> frozenset[Signature]:
    """Return the predicates of `given` and all that rules conclude by way of them."""
    found = set(given)
    growing = True
    while growing:
        before = len(found)
        for rule in rules:
            if needed(rule) & found:
                found |= concluded(rule)
        growing = len(found) > before
    return frozenset(found)


def grounded(rules: Iterable[AST], facts: Iterable[str]) -> Control:
    """Return a control with lifted rules and the text of facts grounded."""
    control = Control(["--warn=none"], logger=lambda _code, _text: None)
    with ProgramBuilder(control) as builder:
        for rule in rules:
            builder.add(rule)
    control.add("base", [], "\n".join(facts))
    control.ground([("base", [])])
    return control


def by_state(
    control: Control, wanted: Iterable[Signature]
) -> dict[int, dict[Signature, list[Symbol]]]:
    """Return the true atoms of lifted predicates by the number of their state.

    `wanted` are the predicates without the argument for the state; the atoms have it.
    """
    found: dict[int, dict[Signature, list[Symbol]]] = {}
    for name, arity in wanted:
        for atom in control.symbolic_atoms.by_signature(name, arity + 1):
            number = atom.symbol.arguments[-1].number
            found.setdefault(number, {}).setdefault((name, arity), []).append(atom.symbol)
    return found


def fill(
    found: Sequence[dict[str, list[tuple[Symbol, ...]]]],
    control: Control,
    wanted: Iterable[Signature],
    lifted: frozenset[Signature],
) -> None:
    """Put the arguments of every true atom of some predicates where its state has its place.

    What no state can change goes to all of them.
    """
    wanted = list(wanted)
    dependent = [one for one in wanted if one in lifted]
    for number, atoms in by_state(control, dependent).items():
        for (name, _), symbols in atoms.items():
            found[number][name] += [tuple(symbol.arguments[:-1]) for symbol in symbols]
    for name, arity in wanted:
        if (name, arity) not in lifted:
            for atom in control.symbolic_atoms.by_signature(name, arity):
                for one in found:
                    one[name].append(tuple(atom.symbol.arguments))


def numbered(facts: Iterable[str], number: int, reads: Container[str]) -> Iterator[str]:
    """Yield, as text, those facts of a state that rules read, with the number of the state."""
    for fact in facts:
        name, bracket, _ = fact.partition("(")
        if name in reads:
            yield f"{fact[:-1]},{number})." if bracket else f"{fact}({number})."


class Batch:
    """The rules that some wanted predicates need, lifted once for any number of states."""

    def __init__(self, statements: Iterable[AST], wanted: Sequence[str]) -> None:
        kept = backwards([s for s in statements if s.ast_type == ASTType.Rule], set(wanted))
        self._lifted = state_dependent(kept, ())
        lift = Lift(self._lifted)
        self._rules = [lift.rule(rule) for rule in kept]
        names = {name for name, _ in self._lifted}
        self._reads = {name for rule in kept for name, _ in needed(rule)} & names
        heads = {one for rule in kept for one in concluded(rule)}
        self._wanted = [(name, arity) for name, arity in heads if name in wanted]
        self._names = tuple(wanted)

    def models(self, many: Sequence[Sequence[str]]) -> list[dict[str, list[tuple[Symbol, ...]]]]:
        """Return the arguments of every wanted atom that holds, state by state."""
        facts = [
            text
            for number, one in enumerate(many)
            for text in (f"__state({number}).", *numbered(one, number, self._reads))
        ]
        control = grounded(self._rules, facts)
        found: list[dict[str, list[tuple[Symbol, ...]]]] = [
            {name: [] for name in self._names} for _ in many
        ]
        fill(found, control, self._wanted, self._lifted)
        return found
