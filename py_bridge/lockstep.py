"""Many tasks that each ask the rules one question after the other, answered round by round.

A script is played step by step, each question resting on the answer to the one before. One script
alone would ground the rules for every question. Many scripts go in step: each until it asks
something, then all their questions are answered in one grounding (lens batch), and each is taken
up again from where it remembers to have been.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from py_bridge.knowledge import Atoms

T = TypeVar("T")
K = TypeVar("K")
Facts = tuple[str, ...]
Ask = Callable[[Facts], Atoms]


@dataclass(frozen=True, slots=True)
class Question(Generic[K]):
    """What a task asks: the facts of a state, and under which key the task runs."""

    key: K
    facts: Facts


class _Unanswered(Exception):
    """A task has asked what nobody has answered yet."""

    def __init__(self, facts: Facts) -> None:
        super().__init__()
        self.facts = facts


def in_step(
    tasks: Iterable[tuple[K, Callable[[Ask], T]]],
    answers: Callable[[Sequence[Question[K]]], Sequence[Atoms]],
    most: int,
) -> Iterator[tuple[K, T]]:
    """Yield each task's key and result as it ends; `most` tasks are begun at a time.

    A task is a function of another by which it asks. It is called again each time that what it
    asked has been answered (`answers` does so for many together), until it returns its result.
    """
    coming = iter(tasks)
    begun: list[tuple[K, Callable[[Ask], T], dict[Facts, Atoms]]] = []
    while True:
        while len(begun) < most and (one := next(coming, None)) is not None:
            begun.append((*one, {}))
        if not begun:
            return
        going = []
        questions: list[Question[K]] = []
        for key, work, known in begun:
            try:
                yield key, work(_from(known))
            except _Unanswered as asked:
                going.append((key, work, known))
                questions.append(Question(key, asked.facts))
        if questions:
            told = answers(questions)
            for (_, _, known), question, answer in zip(going, questions, told, strict=True):
                known[question.facts] = answer
        begun = going


def _from(known: dict[Facts, Atoms]) -> Ask:
    def ask(facts: Facts) -> Atoms:
        if facts not in known:
            raise _Unanswered(facts)
        return known[facts]

    return ask
