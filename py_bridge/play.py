"""Playing on from a state: one action, and the state that follows.

Nothing is decided here: the rules say what holds next (`next`), what happens (`occurs`) and what
goes on applying under which name (`lasts`); this module hands them on as the next state.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from clingo import Symbol

from py_bridge.answers import Answers, Reason, ask
from py_bridge.errors import BattlejudgeError
from py_bridge.knowledge import Rules, knowledge_base
from py_bridge.phrases import in_words
from py_bridge.states import State

_WANTED = ("next", "occurs", "lasts")
_TRACKED = "passes_tracked"
_NAMED = re.compile(r"effect_([0-9]+)")


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happens when an action is performed, and the reason for it."""

    what: Symbol
    reason: Reason


@dataclass(frozen=True, slots=True)
class Step:
    """One action, what happened with it, and the state that follows."""

    action: Symbol
    events: tuple[Event, ...]
    state: State

    @property
    def words(self) -> str:
        """The action in words."""
        return in_words(self.action)


class IllegalActionError(BattlejudgeError):
    """An action that the rules do not allow; `answers` tells what forbids it and what is legal."""

    def __init__(self, action: Symbol, answers: Answers, message: str) -> None:
        super().__init__(message)
        self.action = action
        self.answers = answers


def begin(state: State) -> State:
    """Return the state as one from which to play: who gave up priority is known from now on."""
    if _TRACKED in state.fluents:
        return state
    return replace(state, fluents=(*state.fluents, _TRACKED), assumptions=())


def step(state: State, action: Symbol, rules: Rules | None = None) -> Step:
    """Perform an action, whether it is legal or not, and return what follows."""
    facts = [*state.facts(), f"do({action})", f"unused_name({_fresh(state)})"]
    model = (rules or knowledge_base()).model(facts, _WANTED)
    fluents = tuple(sorted({str(fluent) for (fluent,) in model["next"]}))
    texts, static = dict(state.texts), list(state.static)
    for name, source, number in model["lasts"]:
        texts[str(name)] = state.texts[str(source)]
        static.append(f"lingers({name},{number})")
    gone = {one for one in texts if _was_applied(state, one) and f"applied({one})" not in fluents}
    texts = {one: text for one, text in texts.items() if one not in gone}
    static = [fact for fact in static if not any(fact.startswith(f"lingers({g},") for g in gone)]
    events = tuple(Event(what, Reason.of(by)) for by, what in sorted(model["occurs"], key=str))
    following = replace(
        state,
        fluents=fluents,
        texts=texts,
        static=tuple(static),
        assumptions=(),
        attack=_attack(fluents),
    )
    return Step(action, events, following)


def perform(state: State, action: Symbol, rules: Rules | None = None) -> Step:
    """Perform a legal action. Raises IllegalActionError."""
    answers = ask(state, rules, action)
    answer = answers.of(action)
    if answer is None or answer.how == "cannot":
        raise IllegalActionError(action, answers, f"{in_words(action)}: not legal")
    return step(state, action, rules)


def _was_applied(state: State, one: str) -> bool:
    return f"applied({one})" in state.fluents


def _attack(fluents: tuple[str, ...]) -> tuple[str, str] | None:
    for fluent in fluents:
        if fluent.startswith("attack("):
            attacker, target = fluent[len("attack(") : -1].split(",")
            return attacker, target
    return None


def _fresh(state: State) -> str:
    """Return a name for an effect that goes on applying which nothing in the state has."""
    taken = [int(found[1]) for one in state.texts if (found := _NAMED.fullmatch(one))]
    return f"effect_{max(taken, default=0) + 1}"
