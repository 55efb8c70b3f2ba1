"""Scripts of cases, performed by the rules as they are: what was asked of the rules, and when.

What the player of a script asks is a state as facts: about what can be done in it, or about what
follows from an action in it. These moments are boards like those of other cases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TypeVar

from py_bridge import answers, play
from py_bridge.blanks import without_names
from py_bridge.cases import Case
from py_bridge.errors import BattlejudgeError
from py_bridge.knowledge import Atoms, KnowledgeBase
from py_bridge.lockstep import in_step
from py_bridge.scripts import Player
from py_bridge.states import State

# What stands in no way of a script: the reasons for what is settled, and what is told of a step.
_ASIDE = frozenset(
    {"forbids", "allows", "obliges", "precedence", "uses"}
    | {"hindrance", "due_first", "told", "hangs"}
)
_KINDS = {play.LOOKED_FOR: "look", answers.ASIDE: "find", play.WANTED: "step"}
# What is asked: what can be done, what the rules find, what follows from an action.
WANTED = {
    kind: tuple(name for name in names if name not in _ASIDE) for names, kind in _KINDS.items()
}
# A line that takes so many times the steps of the whole script goes on without end.
_LONGER = 3
# So many scripts in step.
_TOGETHER = 400

Facts = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """What a script asks of the rules: one kind of WANTED, and the facts of a state."""

    kind: str
    facts: Facts


Ask = Callable[[Question], Atoms]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Passed:
    """A state that a script passes through: the facts of it, and what was asked about it there.

    `line` is the number of the script's line, from 0. `looks` are the questions about the state
    itself, `step` that what follows from the action performed; None at the end of the script.
    """

    line: int
    looks: tuple[Question, ...]
    step: Question | None

    @property
    def board(self) -> Facts:
        """All that was asked about the state, as one board."""
        asked = (*self.looks, *([self.step] if self.step else ()))
        return tuple(dict.fromkeys(fact for one in asked for fact in one.facts))


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """A script of a case as the rules have it performed.

    `agrees`: every line could be performed and every check held. `begins` are the states at the
    beginning of each line, `passed` all states in their order, `answers` what the rules said.
    """

    case: Case
    agrees: bool
    begins: tuple[State, ...]
    passed: tuple[Passed, ...]
    answers: Mapping[Question, Atoms]


class Asked:
    """Rules of which a script asks what is needed to go on, each question answered by a function.

    Reasons for what is settled are left out: they change nothing in how a script goes on.
    """

    def __init__(self, answer: Ask) -> None:
        self._answer = answer

    def model(self, facts: Sequence[str], wanted: Sequence[str]) -> Atoms:
        """Return the arguments of every atom of the wanted predicates that matters."""
        atoms = self._answer(Question(_KINDS[tuple(wanted)], tuple(facts)))
        return {name: atoms.get(name, []) for name in wanted}


class Endless:
    """Ends a line of a script that comes back to a state, or takes far too many steps.

    Changed rules can come to that. `steps` is how many the whole script takes by the rules as they
    are.
    """

    def __init__(self, steps: int) -> None:
        self._most = _LONGER * steps
        self._left: set[Facts] = set()

    def next_line(self) -> None:
        """Begin a line."""
        self._left.clear()

    def watch(self, question: Question) -> None:
        """Take note of what is asked. Raises BattlejudgeError if the line goes on without end."""
        if question.kind == "step":
            if question.facts in self._left or len(self._left) > self._most:
                raise BattlejudgeError("the script goes on without end")
            self._left.add(question.facts)


def state_facts(facts: Facts) -> Facts:
    """Return the facts of the state alone, without what is asked about it."""
    asked = ("asks(", "do(", "despite(", "unused_name(")
    return tuple(one for one in facts if not one.startswith(asked))


def _passed(asked: Sequence[tuple[int, Question]]) -> Iterator[Passed]:
    """Put together what was asked of each state until it was left."""
    line, looks = 0, list[Question]()
    for number, question in asked:
        if looks and state_facts(looks[0].facts) != state_facts(question.facts):
            yield Passed(line, tuple(looks), None)
            looks = []
        if not looks:
            line = number
        if question.kind == "step":
            yield Passed(line, tuple(looks), question)
            looks = []
        else:
            looks.append(question)
    if looks:
        yield Passed(line, tuple(looks), None)


def perform(case: Case, player: Player, first: int = 0) -> Iterator[int]:
    """Perform the lines of a case from one on, yielding the number of each before it.

    The lines end with the first that cannot be performed or has a check that fails; then what is
    yielded last is -1.
    """
    for number, line in enumerate(case.script[first:], first):
        yield number
        try:
            player.perform_line(number + 1, line)
        except (BattlejudgeError, KeyError, ValueError):
            # A mistake in the rules may also have come to what is no state of a duel any more.
            yield -1
            return
        if player.wrong:
            yield -1
            return


def rehearse(
    cases: Sequence[Case], rules: KnowledgeBase, *, blanks: bool = False
) -> list[Rehearsal]:
    """Perform the scripts of cases, all of them in step; with `blanks` without card names."""

    # The longest begin first, so that few are left at the end.
    order = sorted(range(len(cases)), key=lambda number: -len(cases[number].script))
    tasks = ((number, _performing(cases[number], blanks)) for number in order)
    found = dict(asking(rules, tasks))
    return [found[number] for number in range(len(cases))]


def asking(
    rules: KnowledgeBase, tasks: Iterable[tuple[int, Callable[[Ask], T]]]
) -> Iterator[tuple[int, T]]:
    """Yield the result of each task as it ends, all of them asking the rules in step."""

    def together(questions: Sequence[tuple[int, Question]]) -> Sequence[Atoms]:
        (kind,) = {question.kind for _, question in questions}
        return rules.models([question.facts for _, question in questions], WANTED[kind])

    return in_step(tasks, together, _TOGETHER, attrgetter("kind"))


def _performing(case: Case, blanks: bool) -> Callable[[Ask], Rehearsal]:
    def work(ask: Ask) -> Rehearsal:
        asked: list[tuple[int, Question]] = []
        told: dict[Question, Atoms] = {}
        begins: list[State] = []

        def answer(question: Question) -> Atoms:
            asked.append((len(begins) - 1, question))
            if question not in told:
                told[question] = ask(question)
            return told[question]

        rules = Asked(answer)
        player = Player(*(without_names(case.state, rules) if blanks else (case.state, rules)))
        agrees = True
        for number in perform(case, player):
            agrees = number >= 0
            if agrees:
                begins.append(player.state)
        return Rehearsal(case, agrees, tuple(begins), tuple(_passed(asked)), told)

    return work
