"""Ripples: what a mutant changes on a state, followed upwards only as far as anything changes.

On top of all that holds (coverage.Bench), only those predicates are reckoned anew that read
something changed. What a mutant Q makes of them on the state S stands in predicates of its own,
here `new_may_choose(A, T, Q, S)`; a copy of what they read, changed or not, in others:

    may_choose(A, T) :- could_target(A, T), not excluded(A, T).

becomes, if what is excluded can change,

    new_may_choose(A, T, Q, S) :- go_may_choose(Q, S), could_target(A, T, S),
                                  not may_choose_reads_excluded(A, T, Q, S).

    go_may_choose(Q, S) :- differs_excluded(Q, S).
    may_choose_reads_excluded(A, T, Q, S) :- differs_excluded(Q, S), new_excluded(A, T, Q, S).
    may_choose_reads_excluded(A, T, Q, S) :- go_may_choose(Q, S), not differs_excluded(Q, S),
                                             excluded(A, T, S).
    differs_may_choose(Q, S) :- new_may_choose(A, T, Q, S), not may_choose(A, T, S).
    differs_may_choose(Q, S) :- go_may_choose(Q, S), may_choose(A, T, S),
                                not new_may_choose(A, T, Q, S).

Predicates that depend on each other are reckoned together, without copies.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set

from clingo.ast import AST, ASTType, Transformer, Variable

from py_bridge.batch import PLACE, Signature
from py_bridge.coverage import Bench
from py_bridge.derivation import concluded, needed
from py_bridge.knowledge import Atoms
from py_bridge.mutants import Mutant

# What a rule's text leaves open: the predicate of an atom, and the state in which it is looked up.
_OPEN = re.compile(r"\b__(?P<part>p|S)_(?P<name>\w+)")


class Ripples:
    """What changes of some predicates, `observed`, when mutants take the place of rules."""

    def __init__(self, bench: Bench, observed: frozenset[Signature]) -> None:
        self._bench = bench
        self._observed = observed
        self._below = frozenset(b for one in observed for b in bench.depends.rests_on(one))
        self._opened = _Opened()
        self._read = [needed(rule.statement) for rule in bench.rules]
        self._texts: dict[int, tuple[str, str]] = {}
        self._concluding: dict[Signature, list[int]] = {}
        for number, rule in enumerate(bench.rules):
            for head in concluded(rule.statement):
                self._concluding.setdefault(head, []).append(number)

    def answers(
        self, mutants: Mapping[int, Mutant], pairs: Sequence[tuple[int, int]]
    ) -> Iterator[tuple[tuple[int, int], Atoms]]:
        """Yield each pair of mutant and state with other answers, and those, by predicate."""
        by_rule: dict[int, dict[int, Mutant]] = {}
        for number in dict.fromkeys(number for number, _ in pairs):
            by_rule.setdefault(mutants[number].rule, {})[number] = mutants[number]
        heads = {one for rule in by_rule for one in concluded(self._bench.rules[rule].statement)}
        above = {up for head in heads for up in self._bench.depends.supports(head)} & self._below
        program = [f"__my_try({number},{state})." for number, state in pairs]
        left = set(above)
        while left:
            together = self._bench.depends.together(left.pop()) & above
            left -= together
            program += self._reckoned(together, above, by_rule)
        asked = sorted(self._observed & above)
        program += [
            f"__my_answer_{_called(name)}({_terms(name, '__Q,__S')}) :- "
            f"__my_differs_{_called(name)}(__Q,__S), {_new(name)}."
            for name in asked
        ]
        read = self._bench.ask("\n".join(program))
        found: dict[tuple[int, int], Atoms] = {}
        for name in asked:
            for pair in read(f"differs_{_called(name)}", 2):
                mutant, state = pair.arguments
                found.setdefault((mutant.number, state.number), {})[name[0]] = []
            for atom in read(f"answer_{_called(name)}", name[1] + 2):
                *arguments, mutant, state = atom.arguments
                found[mutant.number, state.number][name[0]].append(tuple(arguments))
        yield from found.items()

    def _reckoned(
        self,
        together: Set[Signature],
        above: Set[Signature],
        by_rule: Mapping[int, Mapping[int, Mutant]],
    ) -> Iterator[str]:
        """Yield the rules of predicates that depend on each other, for changed states."""
        group = _called(min(together))
        go = f"__my_go_{group}(__Q,__S)"
        rules = sorted({rule for name in together for rule in self._concluding.get(name, ())})
        reads = {one for rule in rules for one in self._read[rule]} & above - together
        for name in reads:
            differs = f"__my_differs_{_called(name)}(__Q,__S)"
            copy = f"__my_{group}_reads_{_called(name)}({_terms(name, '__Q,__S')})"
            yield f"{go} :- {differs}."
            yield f"{copy} :- {differs}, {_new(name)}."
            yield f"{copy} :- {go}, not {differs}, {self._known(name)}."
        for rule in rules:
            guard = go
            if rule in by_rule:
                guard += f", not __my_of_{rule}(__Q)"
                yield f"{go} :- __my_try(__Q,__S), __my_of_{rule}(__Q)."
            yield self._rule(self._text(rule), guard, group, together, reads)
            for number, mutant in by_rule.get(rule, {}).items():
                yield f"__my_of_{rule}({number})."
                if mutant.statement is not None:
                    text = self._opened.text(mutant.statement)
                    changed = self._rule(text, go, group, together, reads)
                    yield changed.replace("__Q", str(number))
        for name in together:
            differs = f"__my_differs_{_called(name)}(__Q,__S)"
            if name in self._bench.facts:
                yield f"{_new(name)} :- {go}, __given_{name[0]}({_terms(name, '__S')})."
            yield f"{differs} :- {go}, {_new(name)}, not {self._known(name)}."
            yield f"{differs} :- {go}, {self._known(name)}, not {_new(name)}."

    def _text(self, rule: int) -> tuple[str, str]:
        if rule not in self._texts:
            self._texts[rule] = self._opened.text(self._bench.rules[rule].statement)
        return self._texts[rule]

    def _rule(
        self,
        text: tuple[str, str],
        guard: str,
        group: str,
        together: Set[Signature],
        reads: Set[Signature],
    ) -> str:
        """Return a rule with what its text leaves open filled in."""

        def filled(found: re.Match[str]) -> str:
            name = self._opened.names[found["name"]]
            is_state = found["part"] == "S"
            if name in together:
                return "__Q,__S" if is_state else f"__my_new_{found['name']}"
            if name in reads:
                return "__Q,__S" if is_state else f"__my_{group}_reads_{found['name']}"
            if name in self._bench.tables:
                return "always" if is_state else f"__table_{name[0]}"
            return "__S" if is_state else name[0]

        head, body = (_OPEN.sub(filled, part) for part in text)
        return f"{head} :- {guard}{body}."

    def _known(self, name: Signature) -> str:
        """Return the atom that holds without the mutant."""
        if name in self._bench.tables:
            return f"__table_{name[0]}({_terms(name, 'always')})"
        return f"{name[0]}({_terms(name, '__S')})"


class _Opened(Transformer):
    """Leaves open what each predicate is called and the state in which it is looked up.

    For example,

        barred(A) :- able(A), not spared(A, 2).

    becomes

        __p_barred_1(A,__S_barred_1) :- __p_able_1(A,__S_able_1);
                                        not __p_spared_2(A,2,__S_spared_2).

    `names` are the predicates by what stands for them, like barred_1.
    """

    def __init__(self) -> None:
        self.names: dict[str, Signature] = {}

    def visit_SymbolicAtom(self, atom: AST) -> AST:
        """Rename the predicate and add the state; the terms in it stay."""
        symbol = atom.symbol
        if symbol.ast_type != ASTType.Function:
            return atom
        name = (symbol.name, len(symbol.arguments))
        called = _called(name)
        self.names[called] = name
        arguments = [*symbol.arguments, Variable(PLACE, f"__S_{called}")]
        return atom.update(symbol=symbol.update(name=f"__p_{called}", arguments=arguments))

    def text(self, rule: AST) -> tuple[str, str]:
        """Return the head of a rule and its conditions, each after `; `, as text."""
        body = "".join(f"; {literal}" for literal in self.visit_sequence(rule.body))
        return str(self.visit(rule.head)), body


def _called(name: Signature) -> str:
    return f"{name[0]}_{name[1]}"


def _new(name: Signature) -> str:
    """Return the atom that holds with a mutant."""
    return f"__my_new_{_called(name)}({_terms(name, '__Q,__S')})"


def _terms(name: Signature, state: str) -> str:
    return ",".join([*(f"X{place}" for place in range(name[1])), state])
