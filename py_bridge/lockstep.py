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
Q = TypeVar("Q")


@dataclass(frozen=True, slots=True)
class _Done(Generic[T]):
    """What a task has come to: its result, or the error that ended it."""

    result: T | None = None
    error: BaseException | None = None


class _Dismissed(BaseException):
    """Nobody will answer any more."""


class _Seat(Generic[K, Q, T]):
    """A task in a thread of its own. It works only while whoever waits for it does nothing."""

    def __init__(self, key: K, work: Callable[[Callable[[Q], Atoms]], T]) -> None:
        self.key = key
        self._work = work
        self._answers: SimpleQueue[Atoms | None] = SimpleQueue()
        self._sayings: SimpleQueue[Q | _Done[T]] = SimpleQueue()
        Thread(target=self._run, daemon=True).start()
        self.said = self._sayings.get()

    def _run(self) -> None:
        try:
            self._sayings.put(_Done(self._work(self._ask)))
        except BaseException as error:
            self._sayings.put(_Done(error=error))

    def _ask(self, question: Q) -> Atoms:
        self._sayings.put(question)
        answer = self._answers.get()
        if answer is None:
            raise _Dismissed
        return answer

    def tell(self, answer: Atoms | None) -> None:
        """Answer what the task has asked, and wait for what it says next; None: there is none."""
        self._answers.put(answer)
        self.said = self._sayings.get()


def in_step(
    tasks: Iterable[tuple[K, Callable[[Callable[[Q], Atoms]], T]]],
    answers: Callable[[Sequence[tuple[K, Q]]], Sequence[Atoms]],
    most: int,
    kind: Callable[[Q], object],
) -> Iterator[tuple[K, T]]:
    """Yield each task's key and result as it ends; `most` tasks are begun at a time.

    A task is a function of another by which it asks; `answers` replies to the questions of many,
    each with the key of its task. These are all of one kind, that of which most are waiting: a
    round of few costs hardly less than one of many. An error in a task is raised here.
    """
    coming = iter(tasks)
    seats: list[_Seat[K, Q, T]] = []
    try:
        while True:
            while len(seats) < most and (one := next(coming, None)) is not None:
                seats.append(_Seat(*one))
            if not seats:
                return
            asking: dict[object, list[tuple[_Seat[K, Q, T], Q]]] = {}
            for seat in seats:
                if not isinstance(seat.said, _Done):
                    asking.setdefault(kind(seat.said), []).append((seat, seat.said))
                elif seat.said.error is not None:
                    raise seat.said.error
                else:
                    yield seat.key, seat.said.result  # type: ignore[misc]
            seats = [seat for seat in seats if not isinstance(seat.said, _Done)]
            if asking:
                most_asked = max(asking.values(), key=len)
                told = answers([(seat.key, question) for seat, question in most_asked])
                for (seat, _), answer in zip(most_asked, told, strict=True):
                    seat.tell(answer)
    finally:
        for seat in seats:
            if not isinstance(seat.said, _Done):
                seat.tell(None)
