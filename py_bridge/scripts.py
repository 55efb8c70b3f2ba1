"""Scripts: actions performed one after the other from a state, with checks in between.

A line is an action in words, one of the shorthands `resolve` (both players pass until the chain is
resolved), `resolve link` (until one more link is) and `proceed to X` (nobody does anything until
the step, sub-step or phase X), or a mapping with `do`, `choose`, `expect`, `finds`, `finds_not`.
Where only the other player's priority stands against an action, that player passes first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clingo import Function, Symbol

from py_bridge.answers import Answers, consider
from py_bridge.errors import BattlejudgeError
from py_bridge.knowledge import Rules, knowledge_base
from py_bridge.phrases import PhraseError, action, attacker_of, finding, in_words
from py_bridge.play import Step, begin, step
from py_bridge.states import State

_SHOWN = 12
# More steps than any shorthand needs; a script that goes on for longer goes round in circles.
_MOST_STEPS = 200
_REACHED = {
    "start_step": "step(start)", "battle_step": "step(battle)", "damage_step": "step(damage)",
    "end_step": "step(end)", "before_calculation": "sub_step(before_calculation)",
    "calculation": "sub_step(calculation)", "after_calculation": "sub_step(after_calculation)",
    "end_of_damage_step": "sub_step(end)", "main_phase_2": "phase(main_2)",
    "end_phase": "phase(end)", "battle_phase": "phase(battle)", "replay": "stage(replay)",
}  # fmt: skip


class ScriptError(BattlejudgeError):
    """A line of a script that cannot be performed: what forbids it, and what was legal."""


@dataclass(frozen=True, slots=True)
class Performed:
    """One action of a script: how the rules answered it, and what came of it.

    `line` is the number of the script's line; `implied` tells that the script did not write it.
    """

    line: int
    before: Answers
    how: str
    step: Step
    implied: bool


@dataclass(frozen=True, slots=True)
class Timeline:
    """What came of a script: the actions performed, failed checks in words, the last state."""

    performed: tuple[Performed, ...]
    wrong: tuple[str, ...]
    state: State


def run_script(
    state: State, lines: Sequence[str | Mapping[str, Any]], rules: Rules | None = None
) -> Timeline:
    """Perform a script. Raises ScriptError for a line that cannot be performed."""
    player = Player(state, rules)
    for number, line in enumerate(lines, 1):
        player.perform_line(number, line)
    return Timeline(tuple(player.performed), tuple(player.wrong), player.state)


class Player:
    """A duel being played from a state; each performed action moves it on."""

    def __init__(self, state: State, rules: Rules | None = None) -> None:
        self.state = begin(state)
        self.performed: list[Performed] = []
        self.wrong: list[str] = []
        self._rules = rules or knowledge_base()
        self._line = 0
        self._choices: list[str] = []

    def legal(self) -> Answers:
        """Return what may be done now."""
        return consider(self.state, self._rules)

    def perform_line(self, number: int, line: str | Mapping[str, Any]) -> None:
        """Perform one line of a script. Raises ScriptError."""
        self._line = number
        data: Mapping[str, Any] = {"do": line} if isinstance(line, str) else line
        self._choices = [str(one) for one in data.get("choose", ())]
        if "do" in data:
            words = " ".join(str(data["do"]).split())
            if words == "resolve":
                self._until(_Resolved())
            elif words == "resolve link":
                self._until(_LinkResolved(self.state))
            elif words.startswith("proceed to "):
                self._until(_Reached(self._fluent(words.removeprefix("proceed to "))))
            else:
                self.perform(self._action(words))
        self.wrong += [f"line {number}: {text}" for text in self._complaints(data)]

    def perform(self, act: Symbol) -> None:
        """Perform an action, after those passes that alone stand against it. Raises ScriptError."""
        for _ in range(_MOST_STEPS):
            answers = consider(self.state, self._rules, act)
            answer = answers.of(act)
            how = answer.how if answer else "cannot"
            if how != "cannot":
                self._take(answers, act, how, implied=False)
                return
            passing = self._passes_for(answers, act)
            if passing is None:
                raise self._refused(answers, act)
            self._take(answers, passing, "may", implied=True)
        raise self._stuck()

    def _take(self, before: Answers, act: Symbol, how: str, *, implied: bool) -> None:
        done = step(self.state, act, self._rules)
        self.performed.append(Performed(self._line, before, how, done, implied))
        self.state = done.state

    def _passes_for(self, answers: Answers, act: Symbol) -> Symbol | None:
        for found in answers.findings:
            if found.match("after_pass", 2) and found.arguments[1] == act:
                return Function("pass", [found.arguments[0]])
        return None

    def _until(self, goal: _Goal) -> None:
        """Let the game go on, with nobody doing anything, until a goal is reached."""
        for _ in range(_MOST_STEPS):
            if goal.reached(self.state):
                return
            answers = self.legal()
            act = self._idle_action(answers)
            if act is None:
                raise self._stuck(answers)
            answer = answers.of(act)
            self._take(answers, act, answer.how if answer else "may", implied=True)
        raise self._stuck()

    def _idle_action(self, answers: Answers) -> Symbol | None:
        """Return what happens when nobody wants to do anything; None if somebody has to decide."""
        allowed = performable(answers)
        for choice in self._choices:
            wanted = Function("choose", [Function(choice)])
            if wanted in allowed:
                self._choices.remove(choice)
                return wanted
        for name in ("go_on", "pass", "enter"):
            fitting = [act for act in allowed if act.name == name]
            if len(fitting) == 1:
                return fitting[0]
        return None

    def _complaints(self, data: Mapping[str, Any]) -> Iterator[str]:
        for phrase, expected in data.get("expect", {}).items():
            got = self._answer(phrase)
            if got != expected:
                yield f"{phrase}: expected {expected}, the rules say {got}"
        if "finds" not in data and "finds_not" not in data:
            return
        found = {*map(str, self.legal().findings), *self.state.fluents}
        for text in data.get("finds", ()):
            if str(self._finding(text)) not in found:
                yield f"expected {text}, which the rules do not find"
        for text in data.get("finds_not", ()):
            if str(self._finding(text)) in found:
                yield f"the rules find {text}, which was not expected"

    def _answer(self, phrase: str) -> str:
        attacker = attacker_of(phrase)
        if attacker is not None:
            wanted = [
                one.how
                for one in self.legal().actions
                if one.action.name == "attack" and attacker in ("", str(one.action.arguments[0]))
            ]
            return next(
                (how for how in ("outside", "undecided", "may", "must") if how in wanted), "cannot"
            )
        act = self._action(phrase)
        answer = consider(self.state, self._rules, act).of(act)
        return answer.how if answer else "cannot"

    def _action(self, words: str) -> Symbol:
        try:
            return action(words)
        except PhraseError as error:
            raise ScriptError(f"line {self._line}: {error}") from error

    def _finding(self, text: str) -> Symbol:
        try:
            return finding(text)
        except PhraseError as error:
            raise ScriptError(f"line {self._line}: {error}") from error

    def _fluent(self, words: str) -> str:
        name = words.strip().lower().replace(" ", "_").removeprefix("the_")
        if name not in _REACHED:
            raise ScriptError(
                f"line {self._line}: there is nothing called {words!r} to proceed to; "
                f"right would be {', '.join(_REACHED)}"
            )
        return _REACHED[name]

    def _refused(self, answers: Answers, act: Symbol) -> ScriptError:
        answer = answers.of(act)
        why = answer.reasons[0].label if answer and answer.reasons else "no such action here"
        return ScriptError(
            f"line {self._line}: {in_words(act)} is not legal ({why}); legal is {_legal(answers)}"
        )

    def _stuck(self, answers: Answers | None = None) -> ScriptError:
        legal = _legal(answers or self.legal())
        return ScriptError(f"line {self._line}: somebody has to decide first; legal is {legal}")


def performable(answers: Answers) -> list[Symbol]:
    """Return the legal actions that can be performed as they stand, a target named where needed."""
    whole = {one.arguments[0] for one in answers.findings if one.match("whole", 1)}
    return [one.action for one in answers.actions if one.action in whole]


def _legal(answers: Answers) -> str:
    words = [in_words(act) for act in performable(answers)]
    more = f", and {len(words) - _SHOWN} more" if len(words) > _SHOWN else ""
    return ", ".join(words[:_SHOWN]) + more or "nothing"


class _Goal:
    """What a shorthand waits for."""

    def reached(self, state: State) -> bool:
        """Whether it has come."""
        raise NotImplementedError


class _Resolved(_Goal):
    """The chain has been resolved, and its consequences settled."""

    def reached(self, state: State) -> bool:
        """Whether no chain is left."""
        busy = ("link(", "resolving(", "paying(")
        return not any(f.startswith(busy) or f == "settling" for f in state.fluents)


class _LinkResolved(_Goal):
    """One more link of the chain has been resolved."""

    def __init__(self, state: State) -> None:
        self._left = self._links_left(state) - 1

    def reached(self, state: State) -> bool:
        """Whether it has been."""
        return self._links_left(state) <= self._left

    @staticmethod
    def _links_left(state: State) -> int:
        for fluent in state.fluents:
            if fluent.startswith("resolving("):
                return int(fluent[len("resolving(") : -1])
        return sum(fluent.startswith("link(") for fluent in state.fluents)


@dataclass(frozen=True)
class _Reached(_Goal):
    """A step, sub-step or phase has come."""

    fluent: str

    def reached(self, state: State) -> bool:
        """Whether it has."""
        return self.fluent in state.fluents
