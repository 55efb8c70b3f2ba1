"""Rulings left out: is a ruling shown by its cases?

A ruling is shown if a case of it comes out otherwise without the rules that state it: all rules
under labels that cite the ruling, and the facts for which it is the source. The rules are lifted
for many states at once (py_bridge.batch), each state with a ruling of its own left out:

    barred(A) :- holds(position(A, defense)).

becomes, if it is the rule 7,

    barred(A, __S) :- __state(__S), not __out(7, __S), holds(position(A, defense), __S).

A script is performed with all rules first. What it asks where no rule of a ruling fires is not
reckoned again without these rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from clingo.ast import AST

from py_bridge.batch import Lift, depending_on, fill, grounded, numbered, state_dependent
from py_bridge.cases import PREDICATES, Case, complaints, facts_of
from py_bridge.coverage import Rule, body_text
from py_bridge.derivation import concluded, needed
from py_bridge.knowledge import Atoms
from py_bridge.labels import parse_rules
from py_bridge.lockstep import in_step
from py_bridge.rehearsals import WANTED, Ask, Asked, Endless, Question, perform
from py_bridge.scripts import Player
from py_bridge.slices import backwards
from py_bridge.trials import condition

# States in one grounding, and scripts in step.
_TOGETHER = 400
# The ruling that is left out where all rules are kept, and the rules that fire then.
_NONE = ""
_FIRES = "__fires"

# A ruling, and a case of it.
Pair = tuple[str, Case]


def stating(rules: Sequence[Rule]) -> dict[str, frozenset[int]]:
    """Return, for each ruling that is cited, the numbers of the rules and facts that state it."""
    facts: dict[str, list[int]] = {}
    for number, rule in enumerate(rules):
        if rule.is_fact:
            facts.setdefault(str(rule.statement.head), []).append(number)
    found: dict[str, set[int]] = {}
    for number, rule in enumerate(rules):
        for ruling in rule.label.rulings if rule.label else ():
            found.setdefault(ruling, set()).add(number)
    for fact, ruling in sources(rules):
        found.setdefault(ruling, set()).update(facts.get(fact, ()))
    return {ruling: frozenset(numbers) for ruling, numbers in found.items()}


def sources(rules: Iterable[Rule]) -> Iterator[tuple[str, str]]:
    """Yield each fact that has a source of its own, as text, and the ruling that is its source."""
    for rule in rules:
        if concluded(rule.statement) == {("source", 2)}:
            fact, ruling = rule.statement.head.atom.symbol.arguments
            yield str(fact), str(ruling).replace("_", "-")


def labels(rules: Sequence[Rule], ruling: str) -> list[str]:
    """Return the labels under which rules and facts stand that state a ruling."""
    found = (rules[number].label for number in sorted(stating(rules).get(ruling, ())))
    return list(dict.fromkeys(label.name for label in found if label is not None))


class Omissions:
    """A rule base from which, for each state by itself, one of some rulings can be left out."""

    def __init__(self, rules: Sequence[Rule], cases: Mapping[str, Sequence[Case]]) -> None:
        """Take the rules, and the rulings with their cases; one that no rule states is let be."""
        self._rules = tuple(rules)
        self._stated = {one: some for one, some in stating(rules).items() if one in cases}
        self._cases = {one: some for one, some in cases.items() if one in self._stated}
        self._lifted: dict[tuple[tuple[str, ...], bool], _Lifted] = {}

    def by_boards(self) -> dict[str, Case]:
        """Return the rulings that a case about a state shows, each with the first such case."""
        boards = {
            ruling: [case for case in some if not case.script]
            for ruling, some in self._cases.items()
        }
        return self._by_boards([(ruling, one) for ruling, some in boards.items() for one in some])

    def by_scripts(self) -> dict[str, Case]:
        """Return the rulings that a script shows, each with such a script.

        Scripts take long: the others of a ruling are performed only if its shortest does not show
        it.
        """
        scripts = {
            ruling: sorted((one for one in some if one.script), key=lambda one: len(one.script))
            for ruling, some in self._cases.items()
        }
        first = [(ruling, some[0]) for ruling, some in scripts.items() if some]
        found = self._by_scripts(first)
        return found | self._by_scripts(
            [(r, one) for r, some in scripts.items() if r not in found for one in some[1:]]
        )

    def _by_boards(self, pairs: Sequence[Pair]) -> dict[str, Case]:
        cases = {id(case): case for _, case in pairs}
        whole = zip(cases, self._agreeing([(_NONE, one) for one in cases.values()]), strict=True)
        return _told_apart(pairs, dict(whole), self._agreeing(pairs))

    def _agreeing(self, pairs: Sequence[Pair]) -> list[bool]:
        asked = [(ruling, facts_of(case)) for ruling, case in pairs]
        models = self._models(asked, PREDICATES, whole=False)
        return [
            not any(True for _ in complaints(case, model))
            for (_, case), model in zip(pairs, models, strict=True)
        ]

    def _by_scripts(self, pairs: Sequence[Pair]) -> dict[str, Case]:
        cases = {id(case): _Performance(_NONE, case) for _, case in pairs}
        whole = self._coming_out(cases, whole=True)
        without = {
            n: _Performance(ruling, case, self._stated[ruling], cases[id(case)].told)
            for n, (ruling, case) in enumerate(pairs)
        }
        outcomes = self._coming_out(without, whole=False)
        return _told_apart(pairs, whole, [outcomes[n] for n in range(len(pairs))])

    def _coming_out(
        self, performances: Mapping[int, _Performance], *, whole: bool
    ) -> dict[int, bool]:
        """Return of each performance whether the script comes out as it should."""

        def together(questions: Sequence[tuple[int, Question]]) -> Sequence[Atoms]:
            (kind,) = {question.kind for _, question in questions}
            asked = [(performances[n].ruling, question.facts) for n, question in questions]
            return self._models(asked, WANTED[kind], whole=whole)

        # The longest begin first, so that few are left at the end.
        order = sorted(performances.items(), key=lambda one: -len(one[1].case.script))
        tasks = ((key, one.perform) for key, one in order)
        return dict(in_step(tasks, together, _TOGETHER, attrgetter("kind")))

    def _models(
        self, asked: Sequence[tuple[str, Sequence[str]]], wanted: tuple[str, ...], *, whole: bool
    ) -> list[Atoms]:
        """Return what holds in each state without one ruling; with all rules, what fires too."""
        if (wanted, whole) not in self._lifted:
            self._lifted[wanted, whole] = _Lifted(self._rules, self._stated, wanted, whole=whole)
        found: list[Atoms] = []
        for begin in range(0, len(asked), _TOGETHER):
            found += self._lifted[wanted, whole].models(asked[begin : begin + _TOGETHER])
        return found


def _told_apart(
    pairs: Sequence[Pair], whole: Mapping[int, bool], without: Sequence[bool]
) -> dict[str, Case]:
    """Return for rulings the first case that comes out otherwise without it."""
    found: dict[str, Case] = {}
    for (ruling, case), agrees in zip(pairs, without, strict=True):
        if agrees != whole[id(case)]:
            found.setdefault(ruling, case)
    return found


@dataclass(frozen=True, slots=True)
class _Performance:
    """A script to be performed without a ruling, or with all rules.

    `out` are the rules of the ruling, by number, `before` what was told with all rules; `told` is
    filled with what is told now.
    """

    ruling: str
    case: Case
    out: frozenset[int] = frozenset()
    before: Mapping[Question, Atoms] = field(default_factory=dict)
    told: dict[Question, Atoms] = field(default_factory=dict)

    def perform(self, ask: Ask) -> bool:
        """Return whether every line can be performed and every check holds."""
        endless = Endless(sum(question.kind == "step" for question in self.before))

        def answer(question: Question) -> Atoms:
            if self.before:
                endless.watch(question)
            known = self.before.get(question)
            if known is not None and self.out.isdisjoint(n.number for (n,) in known[_FIRES]):
                return known
            if question not in self.told:
                self.told[question] = ask(question)
            return self.told[question]

        for at in perform(self.case, Player(self.case.state, Asked(answer))):
            endless.next_line()
            if at < 0:
                return False
        return True


class _Lifted:
    """The rules that some predicates need, lifted: each can be left out of states.

    With `whole` all are kept, and it is told which rules of rulings fire.
    """

    def __init__(
        self,
        rules: Sequence[Rule],
        stated: Mapping[str, frozenset[int]],
        wanted: Sequence[str],
        *,
        whole: bool,
    ) -> None:
        statements = [rule.statement for rule in rules]
        kept = backwards(statements, set(wanted))
        numbers = {id(statement): number for number, statement in enumerate(statements)}
        own = {numbers[id(statement)] for statement in kept}
        self._out = {ruling: sorted(some & own) for ruling, some in stated.items()}
        removable = {number for some in self._out.values() for number in some}
        heads = {head for number in removable for head in concluded(statements[number])}
        self._lifted = state_dependent(kept, ()) | depending_on(kept, heads)
        lift = Lift(self._lifted)
        self._program: list[AST] = []
        for statement in kept:
            rule, number = lift.rule(statement), numbers[id(statement)]
            if number in removable and not whole:
                out = condition(f"not __out({number},__S)")
                rule = rule.update(body=[rule.body[0], out, *rule.body[1:]])
            elif number in removable:
                fires = f"{_FIRES}({number},__S) :- {body_text(rule)}."
                self._program.append(parse_rules("fires", fires)[-1])
            self._program.append(rule)
        self._reads = {name for rule in kept for name, _ in needed(rule)}
        self._reads &= {name for name, _ in self._lifted}
        concluding = {head for rule in kept for head in concluded(rule)}
        self._wanted = [head for head in concluding if head[0] in wanted]
        self._names = list(wanted)
        if whole:
            self._names.append(_FIRES)
            self._wanted.append((_FIRES, 1))
            self._lifted |= {(_FIRES, 1)}

    def models(self, asked: Sequence[tuple[str, Sequence[str]]]) -> list[Atoms]:
        """Return what holds in each state without one ruling."""
        facts: list[str] = []
        for state, (ruling, given) in enumerate(asked):
            facts.append(f"__state({state}).")
            facts += [f"__out({number},{state})." for number in self._out.get(ruling, ())]
            facts += numbered(given, state, self._reads)
        found: list[Atoms] = [{name: [] for name in self._names} for _ in asked]
        fill(found, grounded(self._program, facts), self._wanted, self._lifted)
        return found
