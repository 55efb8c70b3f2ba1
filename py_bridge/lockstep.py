"""Many tasks that each ask the rules one question after the other, answered round by round.

A script is played step by step, each question resting on the answer to the one before. One script
alone would ground the rules for every question. Many scripts go in step: each in a thread of its
own until it asks something, then all their questions are answered in one grounding (lens batch).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Thread
from typing import Generic, TypeVar

from py_bridge.knowledge import Atoms

T = TypeVar("T")
K = TypeVar("K")
Facts = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Question(Generic[K]):
    """What a task asks: the facts of a state, and under which key the task runs."""

    key: K
    facts: Facts


class _Over(Exception):
    """Nobody waits for the task any more."""


class _Task(Generic[K, T]):
    """One task in a thread of its own, which runs only while somebody waits for its next question.

    The symbols of clingo are not made for threads that run at once.
    """

    def __init__(self, key: K, work: Callable[[Callable[[Facts], Atoms]], T]) -> None:
        self.key = key
        self.result: list[T] = []
        self._error: BaseException | None = None
        self._work = work
        self._said: SimpleQueue[Question[K] | None] = SimpleQueue()
        self._told: SimpleQueue[Atoms | None] = SimpleQueue()

    def begin(self) -> Question[K] | None:
        """Run until the task asks something, and return that; None if it has come to an end."""
        Thread(target=self._run, daemon=True).start()
        return self._next()

    def tell(self, answer: Atoms) -> Question[K] | None:
        """Answer what the task asked, and return what it asks then."""
        self._told.put(answer)
        return self._next()

    def end(self) -> None:
        """Break off a task that has asked something."""
        self._told.put(None)

    def _next(self) -> Question[K] | None:
        question = self._said.get()
        if self._error is not None:
            raise self._error
        return question

    def _run(self) -> None:
        try:
            self.result.append(self._work(self._ask))
        except _Over:
            return
        except BaseException as error:  # raised again where the results are read
            self._error = error
        self._said.put(None)

    def _ask(self, facts: Facts) -> Atoms:
        self._said.put(Question(self.key, facts))
        answer = self._told.get()
        if answer is None:
            raise _Over
        return answer


def in_step(
    tasks: Iterable[tuple[K, Callable[[Callable[[Facts], Atoms]], T]]],
    answers: Callable[[Sequence[Question[K]]], Sequence[Atoms]],
    most: int,
) -> Iterator[tuple[K, T]]:
    """Yield each task's key and result as it ends; `most` tasks are begun at a time.

    A task is a function of another by which it asks; `answers` answers many questions together.
    Never do two of them run at once. Raises what a task raises.
    """
    coming = iter(tasks)
    waiting: list[tuple[_Task[K, T], Question[K]]] = []
    asked: list[tuple[_Task[K, T], Question[K]]] = []
    try:
        while True:
            while len(waiting) < most and (begun := next(coming, None)) is not None:
                task = _Task(*begun)
                question = task.begin()
                if question is None:
                    yield task.key, task.result[0]
                else:
                    waiting.append((task, question))
            if not waiting:
                return
            asked, waiting = waiting, []
            told = answers([question for _, question in asked])
            for answer in told:
                task, _ = asked.pop(0)
                question = task.tell(answer)
                if question is None:
                    yield task.key, task.result[0]
                else:
                    waiting.append((task, question))
    finally:
        for task, _ in (*asked, *waiting):
            task.end()
