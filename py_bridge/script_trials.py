"""Trials of mutants on the scripts of cases: which script notices a mistake.

Every state that a script passes through, with the action performed in it, is a board of the bench
(py_bridge.rehearsals), so that it is known where a mutant's own rule concludes otherwise, and
whether what matters for the script is then another: what can be done, or what follows. Only from
there on the script is performed anew by the changed rules. What a state, known from the script as
it was, comes to is not reckoned again; other states of many mutants are reckoned together:

    ends(F) :- do(enter(_)), holds(F).

becomes for all states at once, if it is the rule 7 and some of the mutants are its,

    ends(F, __S) :- __state(__S), not __spared(7, __S), do(enter(_), __S), holds(F, __S).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from operator import attrgetter

from clingo.ast import AST

from py_bridge.batch import Lift, fill, grounded, numbered
from py_bridge.coverage import Bench
from py_bridge.derivation import concluded, needed
from py_bridge.knowledge import Atoms
from py_bridge.lockstep import in_step
from py_bridge.mutants import Mutant
from py_bridge.rehearsals import (
    WANTED,
    Ask,
    Asked,
    Endless,
    Facts,
    Question,
    Rehearsal,
    perform,
    state_facts,
)
from py_bridge.scripts import Player
from py_bridge.trials import Trial, condition

PLAYED = tuple(name for names in WANTED.values() for name in names)
# Scripts are tried few at a time, so that most mutants fall soon; what falls to none of these
# counts as not noticed.
_STAGES = (1, 4, 16)
_MOST_PAIRS = 4000
# So many mutants play in step: a round of few questions costs hardly less than one of many.
_TOGETHER = 800

# A mutant, by its number, and a board of the bench.
Pair = tuple[int, int]


def boards(rehearsals: Sequence[Rehearsal]) -> list[Facts]:
    """Return every state that scripts pass through once, with what was asked about it."""
    return list(dict.fromkeys(one.board for played in rehearsals for one in played.passed))


class ScriptTrial:
    """Scripts of cases whose states are boards of a bench, for trying mutants on them.

    `first` is the number of the first of these boards, in the order of `boards`.
    """

    def __init__(self, trial: Trial, rehearsals: Sequence[Rehearsal], first: int) -> None:
        self.trial = trial
        self.rehearsals = tuple(rehearsals)
        number = {board: first + n for n, board in enumerate(boards(rehearsals))}
        # For each script the boards that it passes, each with the line, from 0, in which it does.
        self.passed = [
            [(number[one.board], one) for one in played.passed] for played in self.rehearsals
        ]
        self.original = [played.agrees for played in self.rehearsals]

    def scripts_of(self, states: Sequence[int]) -> list[int]:
        """Return the scripts, by number, that pass a board; those of the first boards first."""
        found = [number for state in states for number in self._passing.get(state, ())]
        return list(dict.fromkeys(found))

    @cached_property
    def _passing(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for number, passed in enumerate(self.passed):
            for state, _ in passed:
                found.setdefault(state, []).append(number)
        return found

    def killers(
        self, mutants: Mapping[int, Mutant], where: Mapping[int, Sequence[int]]
    ) -> dict[int, int | None]:
        """Return, for each mutant by number, a script that notices it, or None if none does.

        `where` are the states on which each mutant's own rule concludes otherwise (trials.stirred).
        Those scripts come first that show a ruling on which the rule rests.
        """
        found: dict[int, int | None] = dict.fromkeys(mutants)
        left = {number: self._to_try(mutants[number], where[number]) for number in mutants}
        for size in _STAGES:
            some = {n: scripts[:size] for n, scripts in left.items() if scripts}
            left = {n: scripts[size:] for n, scripts in left.items()}
            for number, killer in self._stage(mutants, some, where):
                if killer is not None:
                    found[number] = killer
                    left.pop(number)
        return found

    def _to_try(self, mutant: Mutant, states: Sequence[int]) -> list[int]:
        label = self.trial.bench.rules[mutant.rule].label
        rulings = set(label.rulings) if label else set()
        scripts = [one for one in self.scripts_of(states) if self.original[one]]
        shows = [rulings.isdisjoint(self.rehearsals[one].case.rulings) for one in scripts]
        return [one for _, one in sorted(zip(shows, scripts, strict=True), key=lambda p: p[0])]

    def _stage(
        self,
        mutants: Mapping[int, Mutant],
        scripts: Mapping[int, Sequence[int]],
        where: Mapping[int, Sequence[int]],
    ) -> Iterator[tuple[int, int | None]]:
        """Yield mutants with a script, of those given for each, that notices it, or None."""
        other = self._other(mutants, scripts, where)
        trying: dict[bool, dict[int, list[tuple[int, int]]]] = {False: {}, True: {}}
        for number, some in scripts.items():
            begins = [
                (script, line)
                for script in some
                for line in [self._first_line(script, number, other)]
                if line is not None
            ]
            if begins:
                (head,) = concluded(self.trial.bench.rules[mutants[number].rule].statement)
                is_table = head not in self.trial.bench.lift.lifted
                trying[is_table][number] = begins
        for group in trying.values():
            if group:
                changed = _Changed(self.trial.bench, {n: mutants[n] for n in group})
                tasks = ((n, self._trying(n, begins, other)) for n, begins in group.items())
                yield from in_step(tasks, changed.answers, _TOGETHER, attrgetter("kind"))

    def _other(
        self,
        mutants: Mapping[int, Mutant],
        scripts: Mapping[int, Sequence[int]],
        where: Mapping[int, Sequence[int]],
    ) -> dict[Pair, dict[str, Atoms]]:
        """Return for each pair what comes out otherwise: what can be done, or what follows."""
        pairs = []
        for number, some in scripts.items():
            stirred = set(where[number])
            states = {state for script in some for state, _ in self.passed[script]}
            pairs += [(number, state) for state in sorted(states & stirred)]
        found: dict[Pair, dict[str, Atoms]] = {}
        for begin in range(0, len(pairs), _MOST_PAIRS):
            part = pairs[begin : begin + _MOST_PAIRS]
            for pair, atoms in self.trial.changes(mutants, part, PLAYED):
                found[pair] = {
                    kind: known
                    for kind, names in WANTED.items()
                    if (known := {name: atoms[name] for name in names if name in atoms})
                }
        return found

    def _first_line(
        self, script: int, number: int, other: Mapping[Pair, Mapping[str, Atoms]]
    ) -> int | None:
        lines = (one.line for state, one in self.passed[script] if other.get((number, state)))
        return next(lines, None)

    def _trying(
        self,
        number: int,
        begins: Sequence[tuple[int, int]],
        other: Mapping[Pair, Mapping[str, Atoms]],
    ) -> Callable[[Ask], int | None]:
        def work(ask: Ask) -> int | None:
            scripts = (
                script
                for script, line in begins
                if not self._agrees(number, script, line, other, ask)
            )
            return next(scripts, None)

        return work

    def _agrees(
        self,
        number: int,
        script: int,
        line: int,
        other: Mapping[Pair, Mapping[str, Atoms]],
        ask: Ask,
    ) -> bool:
        """Whether a mutant has a script performed from one of its lines on, no check failing."""
        played = self.rehearsals[script]
        known = {state_facts(one.board): state for state, one in self.passed[script]}
        endless = Endless(len(self.passed[script]))

        def answer(question: Question) -> Atoms:
            endless.watch(question)
            if question in played.answers:
                state = known[state_facts(question.facts)]
                changes = other.get((number, state), {}).get(question.kind)
                if changes is None:
                    return played.answers[question]
                if question.kind == "step":
                    return {**played.answers[question], **changes}
            return ask(question)

        player = Player(played.begins[line], Asked(answer))
        for at in perform(played.case, player, line):
            endless.next_line()
            if at < 0:
                return False
        return True


class _Changed:
    """Rules with some mutants of them: each state is asked about with one of the mutants."""

    def __init__(self, bench: Bench, mutants: Mapping[int, Mutant]) -> None:
        self._kinds = {kind: _Lifted(bench, mutants, names) for kind, names in WANTED.items()}

    def answers(self, questions: Sequence[tuple[int, Question]]) -> list[Atoms]:
        """Return what each mutant, by its number, concludes of what it is asked about.

        All questions are of one kind.
        """
        (kind,) = {question.kind for _, question in questions}
        return self._kinds[kind].answers([(mutant, one.facts) for mutant, one in questions])


class _Lifted:
    """The rules that some wanted predicates need, lifted, with some mutants of them."""

    def __init__(self, bench: Bench, mutants: Mapping[int, Mutant], wanted: Sequence[str]) -> None:
        self._mutants = mutants
        self._names = wanted
        heads = {head for rule in bench.rules for head in concluded(rule.statement)}
        self._wanted = sorted(head for head in heads if head[0] in wanted)
        sees = {below for one in self._wanted for below in bench.depends.rests_on(one)}
        changed = {
            above
            for mutant in mutants.values()
            for head in concluded(bench.rules[mutant.rule].statement)
            for above in bench.depends.supports(head)
        }
        more = changed - bench.lift.lifted
        lift = Lift(bench.lift.lifted | more)
        own = {mutant.rule for mutant in mutants.values()}
        self._program: list[AST] = []
        for number, rule in enumerate(bench.rules):
            if concluded(rule.statement) & sees:
                lifted = bench.lifted[number]
                if more & (concluded(rule.statement) | needed(rule.statement)):
                    lifted = lift.rule(rule.statement)
                if number in own:
                    spared = condition(f"not __spared({number},__S)")
                    lifted = lifted.update(body=[lifted.body[0], spared, *lifted.body[1:]])
                self._program.append(lifted)
        self._own = {
            number: lifted.update(body=[condition(f"__on({number},__S)"), *lifted.body])
            for number, mutant in mutants.items()
            if mutant.statement is not None
            for lifted in [lift.rule(mutant.statement)]
        }
        reads = {one for rule in bench.rules for one in needed(rule.statement)}
        self._read = {name for name, _ in lift.lifted & (sees | reads)}
        self._lifted = lift.lifted

    def answers(self, asked: Sequence[tuple[int, Facts]]) -> list[Atoms]:
        """Return what each mutant concludes of the state that it is asked about."""
        lines: list[str] = []
        for state, (mutant, facts) in enumerate(asked):
            rule = self._mutants[mutant].rule
            lines.append(f"__state({state}). __on({mutant},{state}). __spared({rule},{state}).")
            lines += numbered(facts, state, self._read)
        own = [self._own[n] for n in {mutant for mutant, _ in asked} if n in self._own]
        control = grounded([*self._program, *own], lines)
        found: list[Atoms] = [{name: [] for name in self._names} for _ in asked]
        fill(found, control, self._wanted, self._lifted)
        return found
