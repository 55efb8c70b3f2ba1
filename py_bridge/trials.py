"""Trials of mutants: which case notices each mistake, and which board would.

What holds on the board of every case is known (coverage.Bench). A mutant is tried in two steps.
First only its own rule, over what holds: on which boards does it conclude something else? On those
what rests on it is reckoned anew as far as anything changes (py_bridge.ripples), many boards at
once, and a case whose verdict changes has killed the mutant.

A mutant that no case kills is held against the rules over all boards of the scopes: the smallest
board on which they differ, or the proof that within the scopes there is none.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache

from clingo import Symbol
from clingo.ast import AST, ASTType, Transformer, Variable

from py_bridge.batch import PLACE, Signature
from py_bridge.cases import PREDICATES, Case, complaints
from py_bridge.coverage import Bench, body_text
from py_bridge.derivation import concluded, needed
from py_bridge.knowledge import Atoms
from py_bridge.labels import parse_rules
from py_bridge.mutants import Mutant
from py_bridge.ripples import Ripples

_STAGES = (3, 20, 200)
_MOST_PAIRS = 4000
_MUTANT = Variable(PLACE, "__Q")


class Trial:
    """The cases on a bench, for trying mutants on them."""

    def __init__(self, bench: Bench, cases: Sequence[Case], played: Iterable[str] = ()) -> None:
        self.bench = bench
        self.cases = tuple(cases)
        self.observed = self._concluded(PREDICATES)
        self._sees = self._below(self.observed)
        self._seen = self._sees | self._below(self._concluded(played))
        self._ripples: dict[frozenset[Signature], Ripples] = {}
        self._known = [self._answers(number) for number in range(len(self.cases))]

    def _concluded(self, names: Iterable[str]) -> frozenset[Signature]:
        wanted = frozenset(names)
        heads = {head for rule in self.bench.rules for head in concluded(rule.statement)}
        return frozenset(one for one in heads if one[0] in wanted)

    def _below(self, names: Iterable[Signature]) -> frozenset[Signature]:
        return frozenset(below for one in names for below in self.bench.depends.rests_on(one))

    @cached_property
    def original(self) -> list[bool]:
        """Whether the rules as they are meet each case."""
        return [self._agrees(number, {}) for number in range(len(self.cases))]

    def is_observed(self, rule: int) -> bool:
        """Whether anything that a case can expect depends on a rule."""
        return bool(concluded(self.bench.rules[rule].statement) & self._seen)

    def killers(
        self, mutants: Mapping[int, Mutant], where: Mapping[int, Sequence[int]] | None = None
    ) -> dict[int, int | None]:
        """Return, for each mutant by number, a case that notices it, or None if none does.

        `where` are the states on which each mutant's own rule concludes otherwise, if known.
        """
        where = stirred(self.bench, mutants) if where is None else where
        left = {n: [s for s in where[n] if s < len(self.cases)] for n in mutants}
        found: dict[int, int | None] = dict.fromkeys(mutants)
        for size in (*_STAGES, len(self.cases)):
            pairs = [(number, s) for number, states in left.items() for s in states[:size]]
            left = {number: states[size:] for number, states in left.items() if states[size:]}
            for begin in range(0, len(pairs), _MOST_PAIRS):
                some = [p for p in pairs[begin : begin + _MOST_PAIRS] if found[p[0]] is None]
                for (number, state), changed in self.changes(mutants, some):
                    if (
                        found[number] is None
                        and self._agrees(state, changed) != self.original[state]
                    ):
                        found[number] = state
                        left.pop(number, None)
        return found

    def changes(
        self,
        mutants: Mapping[int, Mutant],
        pairs: Sequence[tuple[int, int]],
        names: Iterable[str] = PREDICATES,
    ) -> Iterator[tuple[tuple[int, int], Atoms]]:
        """Yield each pair of a mutant and a state that gives other answers, and those answers.

        `names` are the predicates in which an answer stands; those that stay are left out.
        """
        if not pairs:
            return
        observed = self._concluded(names)
        if observed not in self._ripples:
            self._ripples[observed] = Ripples(self.bench, observed)
        yield from self._ripples[observed].answers(mutants, pairs)

    def _answers(self, number: int) -> Atoms:
        atoms: Atoms = {name: [] for name in PREDICATES}
        for name in self.observed:
            for atom in self.bench.atoms(name).get(number, ()):
                atoms[name[0]].append(tuple(atom.arguments[:-1]))
        return atoms

    def _agrees(self, number: int, changed: Atoms) -> bool:
        return not any(True for _ in complaints(self.cases[number], self._known[number] | changed))


@lru_cache(maxsize=4096)
def condition(text: str) -> AST:
    """Return a condition, given as text."""
    literal: AST = parse_rules("guard", f":- {text}.")[-1].body[0]
    return literal


def stirred(bench: Bench, mutants: Mapping[int, Mutant]) -> dict[int, list[int]]:
    """Return, for each mutant by number, the states on which its own rule concludes otherwise.

    Those on which the rule itself fires come first. For a fact of a table these are the states on
    which a rule that reads the table concludes otherwise. A rule that supports itself counts as
    concluding otherwise wherever it fires.
    """
    lines = [
        "__my_d(Q,S) :- __my_o(R,S,X), __my_of(Q,R), not __my_h(Q,S,R,X).",
        "__my_fires(Q,S) :- __my_d(Q,S), __my_of(Q,R), __my_o(R,S,_).",
    ]
    tables: dict[Signature, list[int]] = {}
    rules: set[int] = set()
    for number, mutant in mutants.items():
        (head,) = concluded(bench.rules[mutant.rule].statement)
        if head not in bench.lift.lifted:
            tables.setdefault(head, []).append(number)
            continue
        rules.add(mutant.rule)
        lines.append(f"__my_of({number},{mutant.rule}).")
        if bench.depends.is_recursive(head):
            lines.append(f"__my_d({number},S) :- __my_o({mutant.rule},S,_).")
        if mutant.statement is not None:
            lifted = bench.lift.rule(mutant.statement)
            lines += _compared(lifted, str(number), mutant.rule, body_text(lifted))
    everywhere: set[int] = set()
    for table, numbers in tables.items():
        readers = [n for n, rule in enumerate(bench.rules) if table in needed(rule.statement)]
        heads = {head for n in readers for head in concluded(bench.rules[n].statement)}
        if not heads <= bench.lift.lifted or any(
            bench.rules[mutants[n].rule].statement.body for n in numbers
        ):
            everywhere.update(numbers)
            continue
        rules.update(readers)
        lines += _changed_table(bench, table, {n: mutants[n] for n in numbers}, readers)
    for rule in sorted(rules):
        lifted = bench.lifted[rule]
        lines.append(f"__my_o({rule},__S,{_conclusion(lifted)}) :- {body_text(lifted)}.")
    read = bench.ask("\n".join(lines))
    fires, differs = _pairs(read("fires", 2)), _pairs(read("d", 2))
    return {
        number: spread(
            bench.states if number in everywhere else differs.get(number, ()),
            fires.get(number, ()),
        )
        for number in mutants
    }


def _compared(lifted: AST, number: str, rule: int, body: str) -> list[str]:
    """Return rules for where a changed rule concludes more, and where as much as before."""
    end = _conclusion(lifted)
    return [
        f"__my_d({number},__S) :- {body}; not {lifted.head}.",
        f"__my_h({number},__S,{rule},{end}) :- {body}; __my_o({rule},__S,{end}).",
    ]


def _changed_table(
    bench: Bench, table: Signature, mutants: Mapping[int, Mutant], readers: Iterable[int]
) -> Iterator[str]:
    """Yield rules for where the readers of a table conclude otherwise because of a changed fact.

    The table of each mutant is that of the rules without the fact, and with the changed one.
    """
    name, arity = table
    xs = "".join(f",X{i}" for i in range(arity))
    mine = f"__my_table_{name}"
    yield f"{mine}(Q{xs}) :- __my_of_{name}(Q), {name}({xs[1:]}), not __my_lacks_{name}(Q{xs})."
    for number, mutant in mutants.items():
        yield f"__my_of_{name}({number})."
        for mark, fact in (
            ("lacks", bench.rules[mutant.rule].statement),
            ("table", mutant.statement),
        ):
            if fact is not None:
                terms = ",".join([str(number), *map(str, fact.head.atom.symbol.arguments)])
                yield f"__my_{mark}_{name}({terms})."
    for reader in readers:
        changed = bench.lift.rule(_Table(table).visit(bench.rules[reader].statement))
        body = f"__my_of_{name}(__Q); {body_text(changed)}"
        yield from _compared(changed, "__Q", reader, body)
        yield f"__my_of(Q,{reader}) :- __my_of_{name}(Q)."


class _Table(Transformer):
    """Puts the table of a mutant in the place of a table."""

    def __init__(self, table: Signature) -> None:
        self._table = table

    def visit_SymbolicAtom(self, atom: AST) -> AST:
        """Rename the predicate and put the number of the mutant first."""
        symbol = atom.symbol
        if symbol.ast_type != ASTType.Function:
            return atom
        if (symbol.name, len(symbol.arguments)) != self._table:
            return atom
        arguments = [_MUTANT, *symbol.arguments]
        name = f"__my_table_{symbol.name}"
        return atom.update(symbol=symbol.update(name=name, arguments=arguments))


def spread(states: Iterable[int], first: Container[int]) -> list[int]:
    """Return states in an order in which neighbours, which are much alike, lie far apart."""
    return sorted(states, key=lambda state: (state not in first, state * 2654435761 % 2**32))


def _conclusion(lifted: AST) -> str:
    arguments = [str(argument) for argument in lifted.head.atom.symbol.arguments[:-1]]
    return f"({','.join(arguments)},)" if arguments else "()"


def _pairs(atoms: Iterable[Symbol]) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    for atom in atoms:
        first, second = atom.arguments
        found.setdefault(first.number, set()).add(second.number)
    return found
