"""Many tasks that each ask the rules one question after the other, answered round by round.

A script is played step by step, each question resting on the answer to the one before. One script
alone would ground the rules for every question. Many scripts go in step: each until it asks
something, then all their questions are answered in one grounding (lens batch).
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
Ask = Callable[[Facts], Atoms]


@dataclass(frozen=True, slots=True)
class Question(Generic[K]):
    """What a task asks: the facts of a state, and under which key the task runs."""

    key: K
    facts: Facts


@dataclass(frozen=True, slots=True)
class _Done(Generic[T]):
    """What a task has come to: its result, or the error that ended it."""

    result: T | None = None
    error: BaseException | None = None


class _Dismissed(BaseException):
    """Nobody will answer any more."""


class _Seat(Generic[K, T]):
    """A task in a thread of its own. It works only while whoever waits for it does nothing."""

    def __init__(self, key: K, work: Callable[[Ask], T]) -> None:
        self.key = key
        self._work = work
        self._answers: SimpleQueue[Atoms | None] = SimpleQueue()
        self._sayings: SimpleQueue[Facts | _Done[T]] = SimpleQueue()
        Thread(target=self._run, daemon=True).start()
        self.said = self._sayings.get()

    def _run(self) -> None:
        try:
            self._sayings.put(_Done(self._work(self._ask)))
        except BaseException as error:
            self._sayings.put(_Done(error=error))

    def _ask(self, facts: Facts) -> Atoms:
        self._sayings.put(facts)
        answer = self._answers.get()
        if answer is None:
            raise _Dismissed
        return answer

    def tell(self, answer: Atoms | None) -> None:
        """Answer what the task has asked, and wait for what it says next; None: there is none."""
        self._answers.put(answer)
        self.said = self._sayings.get()


def in_step(
    tasks: Iterable[tuple[K, Callable[[Ask], T]]],
    answers: Callable[[Sequence[Question[K]]], Sequence[Atoms]],
    most: int,
) -> Iterator[tuple[K, T]]:
    """Yield each task's key and result as it ends; `most` tasks are begun at a time.

    A task is a function of another by which it asks; `answers` replies to many at once. An error
    in a task is raised here.
    """
    coming = iter(tasks)
    seats: list[_Seat[K, T]] = []
    try:
        while True:
            while len(seats) < most and (one := next(coming, None)) is not None:
                seats.append(_Seat(*one))
            if not seats:
                return
            asking: list[tuple[_Seat[K, T], Facts]] = []
            for seat in seats:
                if not isinstance(seat.said, _Done):
                    asking.append((seat, seat.said))
                elif seat.said.error is not None:
                    raise seat.said.error
                else:
                    yield seat.key, seat.said.result  # type: ignore[misc]
            seats = [seat for seat, _ in asking]
            if asking:
                told = answers([Question(seat.key, facts) for seat, facts in asking])
                for seat, answer in zip(seats, told, strict=True):
                    seat.tell(answer)
    finally:
        for seat in seats:
            if not isinstance(seat.said, _Done):
                seat.tell(None)
