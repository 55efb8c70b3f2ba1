"""Many boards asked about in one grounding, and many scripts played in step.

Asked one by one they come to the same, which tests/test_batch.py and tests/test_cases.py show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from py_bridge import answers
from py_bridge.knowledge import Atoms, knowledge_base
from py_bridge.rehearsals import Asked, asking
from py_bridge.scripts import Line, Timeline, run_script
from py_bridge.states import State

_WANTED = (*answers.PREDICATES, *answers.ASIDE, "invalid")


class Told:
    """Rules that have been asked about some states, and answer questions about these."""

    def __init__(self, states: Iterable[State]) -> None:
        many = [tuple(state.facts()) for state in states]
        self._atoms = dict(zip(many, knowledge_base().models(many, _WANTED), strict=True))

    def model(self, facts: Sequence[str], wanted: Sequence[str]) -> Atoms:
        """What `KnowledgeBase.model` gives for the facts of one of the states."""
        atoms = self._atoms[tuple(facts)]
        return {name: atoms[name] for name in wanted}


def played(scripts: Sequence[tuple[State, Sequence[Line]]]) -> list[Timeline]:
    """What run_script gives for each script on its state, but for the reasons."""

    def playing(state: State, lines: Sequence[Line]) -> Callable[..., Timeline]:
        return lambda ask: run_script(state, lines, Asked(ask))

    tasks = [(number, playing(*script)) for number, script in enumerate(scripts)]
    found = dict(asking(knowledge_base(), tasks))
    return [found[number] for number in range(len(scripts))]
