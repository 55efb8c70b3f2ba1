"""All cases in one grounding: what holds in each, and which rules each exercises.

A rule is exercised by a case if its conditions hold on the board of the case.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from clingo import Symbol, parse_term
from clingo.ast import AST, ASTType

from py_bridge.batch import Lift, Signature, by_state, grounded, state_dependent
from py_bridge.cases import Case, case_files, read_cases
from py_bridge.derivation import concluded, needed
from py_bridge.knowledge import rule_files
from py_bridge.labels import Label, labelled_statements
from py_bridge.mutants import Dependencies
from py_bridge.paths import base

# The true atoms of one state, each with the number of the state as last argument.
Model = Mapping[Signature, frozenset[Symbol]]


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

    `rules` are the rules with their places, `lifted` the same for all states at once, `tables`
    those that no state can change, `depends` their dependencies; `facts` what each state gives, by
    predicate, `model` what holds in it.
    """

    def __init__(self, rules: Sequence[Rule], states: Sequence[Iterable[str]]) -> None:
        self.rules = tuple(rules)
        self.depends = Dependencies(rule.statement for rule in rules)
        self.states = range(len(states))
        given: set[Signature] = set()
        self.facts: dict[Signature, dict[int, str]] = {}
        shapes: dict[str, Signature] = {}
        for number, facts in enumerate(states):
            for fact in facts:
                signature = _signature(fact, shapes)
                given.add(signature)
                known = self.facts.setdefault(signature, {})
                known[number] = f"{known.get(number, '')}{fact[:-1]},{number}).\n"
        statements = [rule.statement for rule in rules]
        self.lift = Lift(state_dependent(statements, given))
        self.lifted = [self.lift.rule(statement) for statement in statements]
        self.tables = [
            lifted
            for lifted, statement in zip(self.lifted, statements, strict=True)
            if not concluded(statement) & self.lift.lifted
        ]
        self._read_models()

    def _read_models(self) -> None:
        given = [text for states in self.facts.values() for text in states.values()]
        control = grounded(self.lifted, [*given, self.numbers(self.states)])
        self.model: dict[int, dict[Signature, frozenset[Symbol]]] = {}
        for number, atoms in by_state(control, self.lift.lifted).items():
            self.model[number] = {name: frozenset(found) for name, found in atoms.items()}
        self._texts: dict[Signature, dict[int, str]] = {}

    def numbers(self, states: Iterable[int]) -> str:
        """Return the facts that number the states."""
        return "".join(f"__state({number}).\n" for number in states)

    def holds(self, name: Signature, states: Iterable[int]) -> Iterator[str]:
        """Yield the text of the atoms of a predicate that hold in the states."""
        texts = self._texts.setdefault(name, {})
        for number in states:
            if number not in texts:
                atoms = self.model.get(number, {}).get(name, ())
                texts[number] = "".join(f"{atom}.\n" for atom in atoms)
            yield texts[number]

    def gives(self, name: Signature, states: Iterable[int]) -> Iterator[str]:
        """Yield the text of the atoms of a predicate that the states give as facts."""
        texts = self.facts.get(name, {})
        return (texts[number] for number in states if number in texts)

    def known(self, names: Iterable[Signature], states: Sequence[int]) -> Iterator[str]:
        """Yield the text of all that holds of some predicates in some states."""
        for name in names:
            if name in self.lift.lifted:
                yield from self.holds(name, states)


def _signature(fact: str, shapes: dict[str, Signature]) -> Signature:
    name = fact.partition("(")[0]
    if name not in shapes:
        shapes[name] = (name, len(parse_term(fact).arguments))
    return shapes[name]


def exercised(bench: Bench) -> list[frozenset[int]]:
    """Return, for each rule, the states on which its conditions hold."""
    lines = [
        f"__fires({number},__S) :- {body_text(rule)}." for number, rule in enumerate(bench.lifted)
    ]
    wanted = {name for rule in bench.rules for name in needed(rule.statement)}
    facts = [*bench.known(wanted, bench.states), bench.numbers(bench.states), *lines]
    control = grounded(bench.tables, facts)
    found: dict[int, set[int]] = {}
    for atom in control.symbolic_atoms.by_signature("__fires", 2):
        rule_number, state = atom.symbol.arguments
        found.setdefault(rule_number.number, set()).add(state.number)
    return [frozenset(found.get(number, ())) for number in range(len(bench.rules))]


def body_text(lifted: AST) -> str:
    """Return the conditions of a lifted rule, the state among them, as text."""
    literals = [str(literal) for literal in lifted.body]
    return "; ".join(dict.fromkeys(["__state(__S)", *literals]))
