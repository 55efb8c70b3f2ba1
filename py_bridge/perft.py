"""Perft: how many sequences of legal actions there are from a state, by their length.

The name is that of the same count for chess, where it shows at a glance that two programs allow
the same moves.
"""

from __future__ import annotations

from clingo import Symbol

from py_bridge.knowledge import Rules, knowledge_base
from py_bridge.play import begin, look, step
from py_bridge.states import State

_Key = frozenset[str]


def perft(
    state: State, depth: int, rules: Rules | None = None
) -> tuple[list[int], list[tuple[Symbol, int]]]:
    """Return the numbers of sequences of 1, 2, .. up to `depth` legal actions.

    And each first action with the number of sequences of `depth` actions that it begins. Only
    actions that can be performed as they stand count: an effect that targets something is
    activated on a target. What different sequences lead to is counted from once.
    """
    counter = _Counter(rules or knowledge_base())
    start = begin(state)
    counts = [counter.count(start, length) for length in range(1, depth + 1)]
    acts = counter.acts(start)
    return counts, [(act, counter.count(counter.after(start, act), depth - 1)) for act in acts]


class _Counter:
    """Counts, and remembers what it has counted."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._acts: dict[_Key, tuple[Symbol, ...]] = {}
        self._after: dict[tuple[_Key, Symbol], State] = {}
        self._counts: dict[tuple[_Key, int], int] = {}

    def count(self, state: State, length: int) -> int:
        """Return the number of sequences of `length` actions."""
        if length == 0:
            return 1
        acts = self.acts(state)
        if length == 1:
            return len(acts)
        key = (_key(state), length)
        if key not in self._counts:
            self._counts[key] = sum(self.count(self.after(state, act), length - 1) for act in acts)
        return self._counts[key]

    def acts(self, state: State) -> tuple[Symbol, ...]:
        """Return the actions that can be performed."""
        key = _key(state)
        if key not in self._acts:
            self._acts[key] = look(state, self._rules).performable
        return self._acts[key]

    def after(self, state: State, act: Symbol) -> State:
        """Return the state that follows an action."""
        key = (_key(state), act)
        if key not in self._after:
            self._after[key] = step(state, act, self._rules).state
        return self._after[key]


def _key(state: State) -> _Key:
    return frozenset((*state.fluents, *state.static))
