"""Playing on from a state: one action, and the state that follows.

Nothing is decided here: the rules say what starts and ends to hold, what is told of it (`told`) and
what goes on applying under which name (`lasts`); this module hands them on as the next state.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from clingo import Function, Symbol

from py_bridge.answers import PREDICATES, Answer, Answers, Reason, answers_in, asked_facts
from py_bridge.errors import BattlejudgeError
from py_bridge.knowledge import Atoms, Rules, knowledge_base
from py_bridge.phrases import in_words
from py_bridge.states import State

# `next` is what held without what ends and with what starts; few fluents change, and most hold.
WANTED = ("starts", "ends", "lasts", "told", "hangs")
LOOKED_FOR = (
    *PREDICATES,
    *("whole", "after_pass", "actor", "by_itself", "toward", "hindrance", "due_first"),
    *("at_rest", "links_to_go", "duel_result", "needless"),
)
# What `resolve` goes on to, among the goals of the rules.
CHAIN_END = "chain_end"
_TRACKED = "passes_tracked"
_NAMED = re.compile(r"effect_([0-9]+)")


@dataclass(frozen=True, slots=True)
class Event:
    """Something told of an action that is performed: what happens, or that this is not known.

    With it the reason for it.
    """

    what: Symbol
    reason: Reason


@dataclass(frozen=True, slots=True)
class Step:
    """One action, what happened with it, and the state that follows.

    `assumed` are the fluents that begin, or end, to hold only as far as is reckoned: they hang on
    something that is not known.
    """

    action: Symbol
    events: tuple[Event, ...]
    state: State
    assumed: frozenset[str] = frozenset()

    @property
    def words(self) -> str:
        """The action in words."""
        return in_words(self.action)


@dataclass(frozen=True, slots=True)
class Hindrance:
    """What keeps the game from coming to some point: its kind, an action, and the reason.

    The kinds are those of queries/onward.lp; `action` is none where it is about no action.
    """

    kind: str
    action: Symbol
    reason: Reason


@dataclass(frozen=True, slots=True)
class Moment:
    """What can be done in a state.

    `performable` are the legal actions that can be performed as they stand, a target named where
    one is needed. `passes` maps an action against which only somebody's priority stands to the
    pass that comes next; `actors` tells whose action each one is. `toward` is what comes next, if
    nobody wants anything, on the way to each fluent or to CHAIN_END, `hindrances` what stands in
    the way; `due` has to be done before anything else can follow. `at_rest`: no chain is left and
    what follows from it is settled; `links_to_go` are the links of a chain that wait to be
    resolved. `result` is how the duel came out: won(P), draw, or result_open where what one player
    has left is not known; None while it goes on. `needless` are actions that can be said, though
    nothing is done by them.
    """

    answers: Answers
    performable: tuple[Symbol, ...]
    passes: Mapping[Symbol, Symbol]
    actors: Mapping[Symbol, str]
    toward: Mapping[str, Symbol]
    hindrances: Mapping[str, tuple[Hindrance, ...]]
    due: tuple[Symbol, ...]
    at_rest: bool
    links_to_go: int
    result: Symbol | None
    needless: frozenset[Symbol]


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


def look(state: State, rules: Rules | None = None, about: Symbol | None = None) -> Moment:
    """Return what can be done in a state; an action `about` which somebody asks is answered too."""
    base, facts = rules or knowledge_base(), asked_facts(state, about)
    model = base.model(facts, LOOKED_FOR)
    answers = answers_in(model, state, facts, base)
    whole = {act for (act,) in model["whole"]}
    toward = {str(goal): act for goal, act in model["toward"]}
    for (act,) in model["by_itself"]:
        toward[CHAIN_END] = act
    return Moment(
        answers,
        tuple(one.action for one in answers.actions if one.action in whole),
        {act: Function("pass", [player]) for player, act in model["after_pass"]},
        {act: str(player) for player, act in model["actor"]},
        toward,
        _hindrances(model),
        tuple(sorted(act for (act,) in model["due_first"])),
        bool(model["at_rest"]),
        next((links.number for (links,) in model["links_to_go"]), 0),
        next((result for (result,) in model["duel_result"]), None),
        frozenset(act for (act,) in model["needless"]),
    )


def _hindrances(model: Atoms) -> Mapping[str, tuple[Hindrance, ...]]:
    found: dict[str, list[Hindrance]] = {}
    for goal, kind, act, by in sorted(model["hindrance"]):
        found.setdefault(str(goal), []).append(Hindrance(str(kind), act, Reason.of(by)))
    return {goal: tuple(several) for goal, several in found.items()}


def step(
    state: State, action: Symbol, rules: Rules | None = None, answer: Answer | None = None
) -> Step:
    """Perform an action, whether it is legal or not, and return what follows.

    `answer` is how it was answered; what is undecided, or outside the model, stays on record.
    """
    facts = [*state.facts(), f"do({action})", f"unused_name({_fresh(state)})", *_despite(answer)]
    model = (rules or knowledge_base()).model(facts, WANTED)
    ends, starts = ({str(one) for (one,) in model[name]} for name in ("ends", "starts"))
    fluents = tuple(sorted({*state.fluents} - ends | starts))
    texts, static = dict(state.texts), list(state.static)
    for name, source, number in model["lasts"]:
        texts[str(name)] = state.texts[str(source)]
        static.append(f"lingers({name},{number})")
    gone = {one for one in texts if _was_applied(state, one) and f"applied({one})" not in fluents}
    texts = {one: text for one, text in texts.items() if one not in gone}
    static = [fact for fact in static if not any(fact.startswith(f"lingers({g},") for g in gone)]
    happened = [Event(what, Reason.of(by)) for by, what in sorted(model["told"], key=str)]
    following = replace(
        state,
        fluents=fluents,
        texts=texts,
        static=tuple(static),
        assumptions=(),
        attack=_attack(fluents),
    )
    hanging = frozenset(str(one) for (one,) in model["hangs"])
    return Step(action, tuple(happened), following, hanging)


def perform(state: State, action: Symbol, rules: Rules | None = None) -> Step:
    """Perform a legal action. Raises IllegalActionError."""
    answers = look(state, rules, action).answers
    answer = answers.of(action)
    if answer is None or answer.how == "cannot":
        raise IllegalActionError(action, answers, f"{in_words(action)}: not legal")
    return step(state, action, rules, answer)


def _despite(answer: Answer | None) -> list[str]:
    """Return, as facts, the effects in spite of which an action is performed."""
    if answer is None or answer.how not in ("undecided", "outside"):
        return []
    grounds = [(one.source, one.effect) for one in answer.reasons if one.source]
    return [f"despite({source},{effect},{answer.how})" for source, effect in grounds]


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
