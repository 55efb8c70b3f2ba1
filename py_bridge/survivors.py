"""Mutants that no case notices: the board that tells each from its rule, or the proof of none.

The rules stand side by side with themselves, as in py_bridge.compare, but on the other side one
rule is replaced by all its mutants, of which exactly one is on. So one grounding answers for all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clingo import Control, Function, Model, Number, Symbol
from clingo.ast import AST, ASTType, Transformer

from py_bridge.apart import RenameApart
from py_bridge.derivation import concluded, needed
from py_bridge.labels import parse_rules
from py_bridge.mutants import Mutant
from py_bridge.scopes import Scope
from py_bridge.search import over_all_boards
from py_bridge.writing import state_text

_GOAL = Function("differs_somewhere")
_IT = "__it"
# A search is given up after so many conflicts: unlike seconds, the same on every machine.
_MOST_CONFLICTS = 2000


@dataclass(frozen=True, slots=True)
class Telling:
    """What the boards of a scope say of a mutant.

    `result`: told (they differ on `board`, a state as YAML), equal (on every board, though the rule
    is used on some), unused (no board uses the rule) or unknown (the search was given up). `kind`
    says what differs.
    """

    result: str
    kind: str = ""
    board: str = ""


class Yardstick:
    """A scope against which mutants of some rules are held."""

    def __init__(
        self, rules: Sequence[AST], scope: Scope, conflicts: int = _MOST_CONFLICTS
    ) -> None:
        self.scope = scope
        self._rules = rules
        self._conflicts = conflicts
        self._names = [frozenset(name for name, _ in concluded(rule)) for rule in rules]
        self._needs = [frozenset(name for name, _ in needed(rule)) for rule in rules]
        self._renamed_apart: dict[tuple[str, int, frozenset[str]], AST] = {}
        wanted = {*scope.observed, "invalid"}
        growing = True
        while growing:
            before = len(wanted)
            for names, needs in zip(self._names, self._needs, strict=True):
                if names & wanted:
                    wanted |= needs
            growing = len(wanted) > before
        self._ours = [n for n in range(len(rules)) if self._names[n] & wanted]
        self._used = self._find_used()

    def _find_used(self) -> frozenset[int]:
        """Return the rules that some board of the scope may use."""
        fires = "\n".join(
            f"__fires({n}) :- {'; '.join(map(str, self._rules[n].body))}."
            for n in self._ours
            if self._rules[n].body
        )
        program = [*(self._rules[n] for n in self._ours), *parse_rules("fires", fires)]
        control = over_all_boards(self.scope, program, ("wellformed",))
        atoms = control.symbolic_atoms.by_signature("__fires", 1)
        used = {atom.symbol.arguments[0].number for atom in atoms}
        tables = {name for n in used for name in self._needs[n]}
        used |= {n for n in self._ours if not self._rules[n].body and self._names[n] & tables}
        return frozenset(used)

    def tell(self, mutants: Mapping[int, Mutant]) -> dict[int, Telling]:
        """Hold the mutants of one rule, given by their numbers, against the rule."""
        (rule,) = {mutant.rule for mutant in mutants.values()}
        if rule not in self._used:
            return dict.fromkeys(mutants, Telling("unused"))
        apart = self._resting_on(self._names[rule])
        rename = RenameApart("b__", apart)
        changed = [
            on.update(body=[*on.body, *_body(f"__on({number})")])
            for number, mutant in mutants.items()
            if mutant.statement is not None
            for on in [rename.visit(mutant.statement)]
        ]
        program = [
            *(self._rules[n] for n in self._ours if not self._names[n] & apart),
            *(self._renamed("a__", n, apart) for n in self._ours if self._names[n] & apart),
            *(
                self._renamed("b__", n, apart)
                for n in self._ours
                if n != rule and self._names[n] & apart
            ),
            *changed,
            *parse_rules("on", f"1 {{ {'; '.join(f'__on({n})' for n in mutants)} }} 1."),
            *self._uses(rule, apart),
        ]
        parts = ["differences", "size"]
        if "invalid" not in apart:
            parts.append("wellformed")
        control = over_all_boards(self.scope, program, parts)
        used = self._satisfied(control, [(Function("__used"), True)])
        return {number: self._telling(control, number, bool(used)) for number in mutants}

    def _renamed(self, prefix: str, rule: int, apart: frozenset[str]) -> AST:
        """Return a rule renamed apart, the same tree whenever the same predicates are."""
        own = apart & (self._names[rule] | self._needs[rule])
        if (prefix, rule, own) not in self._renamed_apart:
            renamed = RenameApart(prefix, own).visit(self._rules[rule])
            self._renamed_apart[prefix, rule, own] = renamed
        return self._renamed_apart[prefix, rule, own]

    def _resting_on(self, names: Iterable[str]) -> frozenset[str]:
        found = set(names)
        growing = True
        while growing:
            before = len(found)
            for n in self._ours:
                if self._needs[n] & found:
                    found |= self._names[n]
            growing = len(found) > before
        return frozenset(found)

    def _uses(self, rule: int, apart: frozenset[str]) -> list[AST]:
        """Return rules for __used: the rule fires, or another one asks for this fact."""
        rename = RenameApart("a__", apart)
        original = self._rules[rule]
        if original.body:
            body = "; ".join(str(rename.visit(literal)) for literal in original.body)
            return list(parse_rules("uses", f"__used :- {body}."))
        (name,) = self._names[rule]
        it = _It(name)
        lines = [f"{it.visit(original.head)}."]
        for n in self._ours:
            if name in self._needs[n]:
                body = "; ".join(str(rename.visit(it.visit(one))) for one in self._rules[n].body)
                lines.append(f"__used :- {body}.")
        return list(parse_rules("uses", "\n".join(lines)))

    def _telling(self, control: Control, number: int, used: bool) -> Telling:
        on = (Function("__on", [Number(number)]), True)
        found = self._satisfied(control, [on, (_GOAL, True)])
        if found is None:
            return Telling("unknown")
        if not found:
            return Telling("equal" if used else "unused")
        best = self._satisfied(control, [on, (_GOAL, True)], "opt") or found
        kinds = sorted(str(a.arguments[0]) for a in best if a.match("differs", 1))
        return Telling("told", kinds[0], state_text(self.scope.state(best)))

    def _satisfied(
        self, control: Control, assumptions: Sequence[tuple[Symbol, bool]], mode: str = "ignore"
    ) -> list[Symbol] | None:
        """Return the true atoms of the last model found; [] if there is none, None if unknown."""
        solve: Any = control.configuration.solve
        solve.opt_mode = mode
        solve.solve_limit = str(self._conflicts)
        last: list[Symbol] = []

        def keep(model: Model) -> None:
            last[:] = model.symbols(atoms=True)

        outcome = control.solve(assumptions=assumptions, on_model=keep)
        return None if outcome.satisfiable is None else last


class _It(Transformer):
    """Puts the mark of one fact in place of a predicate, negated or not."""

    def __init__(self, name: str) -> None:
        self._name = name

    def visit_SymbolicAtom(self, atom: AST) -> AST:
        """Rename the predicate."""
        symbol = atom.symbol
        if symbol.ast_type == ASTType.Function and symbol.name == self._name:
            return atom.update(symbol=symbol.update(name=_IT))
        return atom

    def visit_Literal(self, literal: AST) -> AST:
        """Take the fact as asked for, whatever the sign."""
        changed: AST = self.visit(literal.atom)
        if changed == literal.atom:
            return literal
        return literal.update(atom=changed, sign=0)


def _body(text: str) -> Sequence[AST]:
    body: Sequence[AST] = parse_rules("guard", f":- {text}.")[-1].body
    return body
