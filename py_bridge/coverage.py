"""All cases in one grounding: what holds in each, and which rules each exercises.

A rule is exercised by a case if its conditions hold on the board of the case.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from clingo import Control, Symbol, SymbolType, parse_term
from clingo.ast import AST, ASTType

from py_bridge.batch import Lift, Signature, grounded, state_dependent
from py_bridge.cases import Case, case_files, read_cases
from py_bridge.derivation import concluded
from py_bridge.knowledge import rule_files
from py_bridge.labels import Label, labelled_statements
from py_bridge.mutants import Dependencies
from py_bridge.paths import base

# A grounding is made afresh when so many atoms have been asked for.
_MOST_ANSWERS = 4_000_000


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule or fact: where it stands, its label if it has one, and its syntax tree."""

    file: str
    line: int
    label: Label | None
    statement: AST

    @property
    def place(self) -> str:
        """Return `file:line`."""
        return f"{self.file}:{self.line}"

    @property
    def is_fact(self) -> bool:
        """Whether it has no conditions."""
        return not self.statement.body


def rules_with_places(folder: Path | None = None) -> list[Rule]:
    """Return the rules and facts of a rule base in their order. Raises RuleSyntaxError."""
    root = folder or base()
    return [
        Rule(file.relative_to(root).as_posix(), line, label, node)
        for file in rule_files(folder)
        for node, line, label in labelled_statements(str(file), file.read_text(encoding="utf-8"))
        if node.ast_type == ASTType.Rule
    ]


def cases_to_run(files: Iterable[Path] | None = None) -> list[Case]:
    """Return the cases that wait for nothing. Raises InputError."""
    found = [case for file in files or case_files() for case in read_cases(file)]
    return [case for case in found if not case.awaits]


class Bench:
    """A rule base with the boards of many states, ready to be asked about changed rules.

    `rules` are the rules with their places, `lifted` the same for all states at once, `depends`
    their dependencies; `facts` what each state gives, by predicate.

    All of it is grounded once. What more is asked is grounded on top of it, so that nothing that
    holds has to be read anew; when many answers have piled up, the grounding is made afresh.
    """

    def __init__(self, rules: Sequence[Rule], states: Sequence[Iterable[str]]) -> None:
        self.rules = tuple(rules)
        self.depends = Dependencies(rule.statement for rule in rules)
        self.states = range(len(states))
        self.facts: dict[Signature, dict[int, str]] = {}
        shapes: dict[str, Signature] = {}
        for number, facts in enumerate(states):
            for fact in facts:
                known = self.facts.setdefault(_signature(fact, shapes), {})
                known[number] = f"{known.get(number, '')}{fact[:-1]},{number}).\n"
        statements = [rule.statement for rule in rules]
        self.lift = Lift(state_dependent(statements, self.facts))
        self.lifted = [self.lift.rule(statement) for statement in statements]
        self.tables = frozenset(
            head for rule in statements for head in concluded(rule) if head not in self.lift.lifted
        )
        self._atoms: dict[Signature, dict[int, frozenset[Symbol]]] = {}
        self._asked = 0
        self._control = self._ground()
        self._size = len(self._control.symbolic_atoms)

    def _ground(self) -> Control:
        """Return all that holds in the states, and twice what rules and states both give.

        Tables are there in the form of what depends on a state as well, and so is what a state
        gives of a predicate that rules conclude too:

            __table_level(X0, X1, always) :- level(X0, X1).
            __given_stage(X0, 7).
        """
        concluded_too = self.facts.keys() & {
            head for rule in self.rules for head in concluded(rule.statement)
        }
        lines = [f"__state({number}).\n" for number in self.states]
        for name, states in self.facts.items():
            lines += states.values()
            if name in concluded_too:
                lines += [re.sub("(?m)^", "__given_", text.rstrip()) for text in states.values()]
        for table, arity in self.tables:
            terms = [f"X{i}" for i in range(arity)]
            original = f"{table}({','.join(terms)})" if terms else table
            lines.append(f"__table_{table}({','.join([*terms, 'always'])}) :- {original}.")
        return grounded(self.lifted, lines)

    def ask(self, program: str) -> Callable[[str, int], Iterator[Symbol]]:
        """Ground rules on top of what holds and return how to read their atoms.

        Names that begin with `__my_` are those of this question alone: what returns takes them
        without it, and with the number of arguments.

            ask("__my_both(S) :- low(_, S), high(_, S).")("both", 1)
        """
        if len(self._control.symbolic_atoms) > self._size + _MOST_ANSWERS:
            self._control = self._ground()
        self._asked += 1
        own = f"__q{self._asked}_"
        control, part = self._control, f"question{self._asked}"
        control.add(part, [], program.replace("__my_", own))
        control.ground([(part, [])])
        return lambda name, arity: (
            atom.symbol for atom in control.symbolic_atoms.by_signature(own + name, arity)
        )

    def atoms(self, name: Signature) -> Mapping[int, frozenset[Symbol]]:
        """Return the true atoms of a lifted predicate by state, with its number as last argument.

        A state without any is left out.
        """
        if name not in self._atoms:
            found: dict[int, set[Symbol]] = {}
            for atom in self._control.symbolic_atoms.by_signature(name[0], name[1] + 1):
                state = atom.symbol.arguments[-1]
                # Answers to questions about changes bear more than a number.
                if state.type == SymbolType.Number:
                    found.setdefault(state.number, set()).add(atom.symbol)
            self._atoms[name] = {state: frozenset(atoms) for state, atoms in found.items()}
        return self._atoms[name]


def _signature(fact: str, shapes: dict[str, Signature]) -> Signature:
    name = fact.partition("(")[0]
    if name not in shapes:
        shapes[name] = (name, len(parse_term(fact).arguments))
    return shapes[name]


def exercised(bench: Bench) -> list[frozenset[int]]:
    """Return, for each rule, the states on which its conditions hold."""
    lines = [
        f"__my_fires({number},__S) :- {body_text(rule)}."
        for number, rule in enumerate(bench.lifted)
    ]
    found: dict[int, set[int]] = {}
    for atom in bench.ask("\n".join(lines))("fires", 2):
        rule_number, state = atom.arguments
        found.setdefault(rule_number.number, set()).add(state.number)
    return [frozenset(found.get(number, ())) for number in range(len(bench.rules))]


def body_text(lifted: AST) -> str:
    """Return the conditions of a lifted rule, the state among them, as text."""
    literals = [str(literal) for literal in lifted.body]
    return "; ".join(dict.fromkeys(["__state(__S)", *literals]))
