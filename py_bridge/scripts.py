"""Scripts: actions performed one after the other from a state, with checks in between.

A line is an action in words, one of the shorthands `resolve` (both players pass until the chain is
resolved), `resolve link` (until one more link is) and `proceed to X` (nobody does anything until
the step, sub-step or phase X), or a mapping with `do`, `choose`, `result`, `expect`, `finds`,
`finds_not`. What an activation costs is paid with it. Where only the other player's priority
stands against an action, that player passes first. An action that the rules leave undecided, or
call outside the model, is performed, since nothing forbids it; how it was answered stays on record.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clingo import Function, Number, Symbol, SymbolType

from py_bridge.answers import Answer, Reason, Speaker, attacks_taken_together
from py_bridge.errors import BattlejudgeError, nearest, quoted
from py_bridge.knowledge import Rules, knowledge_base
from py_bridge.phrases import PhraseError, action, attacker_of, finding, in_words
from py_bridge.play import Moment, Step, begin, look, step
from py_bridge.states import PLAYERS, State

Line = str | Mapping[str, Any]
_SHOWN = 40
_IDS_SHOWN = 12
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
    """A line of a script that cannot be performed: what forbids it, and what was legal.

    `line` is the number of the line in the script, from 1; `told` is the message without it.
    `wrong` are the checks that failed before.
    """

    def __init__(self, line: int, told: str, wrong: Sequence[Complaint] = ()) -> None:
        super().__init__(f"line {line}: {told}")
        self.line, self.told, self.wrong = line, told, tuple(wrong)


@dataclass(frozen=True, slots=True)
class Complaint:
    """A check of a script that failed: the number of its line, and what is wrong, in words."""

    line: int
    text: str

    def __str__(self) -> str:
        """Return the complaint as one line."""
        return f"line {self.line}: {self.text}"


@dataclass(frozen=True, slots=True)
class Performed:
    """One action of a script: who did it, how the rules answered it, and what came of it.

    `line` is the number of the script's line; `implied` tells that the script did not write it.
    `player` is None for what follows by itself.
    """

    line: int
    player: str | None
    answer: Answer
    before: State
    step: Step
    implied: bool


@dataclass(frozen=True, slots=True)
class Timeline:
    """What came of a script: the actions performed, the checks that failed, the last state.

    `stopped` tells that it was not gone through to its end, since what was waited for came.
    """

    performed: tuple[Performed, ...]
    wrong: tuple[Complaint, ...]
    state: State
    stopped: bool = False


class _Stopped(Exception):
    """What the script was to be performed until has come."""


def run_script(
    state: State,
    lines: Sequence[Line],
    rules: Rules | None = None,
    until: Callable[[State], bool] | None = None,
) -> Timeline:
    """Perform a script, or the part of it that leads to a state for which `until` is true.

    Raises ScriptError for a line that cannot be performed.
    """
    player = Player(state, rules, until)
    stopped = until is not None and until(player.state)
    try:
        for number, line in enumerate(lines if not stopped else (), 1):
            player.perform_line(number, line)
    except _Stopped:
        stopped = True
    return Timeline(tuple(player.performed), tuple(player.wrong), player.state, stopped)


def waiting_for(words: str, fluents: Collection[str]) -> Callable[[State], bool] | None:
    """Return what is true of a state in which the step or fluent that the words name has come.

    None if the words name no step, and none of the `fluents`. Raises PhraseError for words that
    are no term.
    """
    fluent = _REACHED.get(_place(words))
    if fluent is None:
        term = finding(words)
        if term.type is not SymbolType.Function or term.name not in fluents:
            return None
        fluent = str(term)
    return lambda state: fluent in state.fluents


def line_data(line: Line) -> Mapping[str, Any]:
    """Return a line of a script as the mapping that it stands for."""
    return {"do": line} if isinstance(line, str) else line


def faults(line: Line, ids: Sequence[str]) -> Iterator[str]:
    """Yield what is wrong with the words of a line, whatever the state; `ids` are the cards."""
    data = line_data(line)
    if "do" in data:
        words = _words(data["do"])
        if words.startswith("proceed to "):
            if _place(words.removeprefix("proceed to ")) not in _REACHED:
                yield _nowhere(words.removeprefix("proceed to "))
        elif words not in ("resolve", "resolve link"):
            yield from _action_faults(words, ids)
    for phrase in data.get("expect", ()):
        attacker = attacker_of(phrase)
        if attacker is None:
            yield from _action_faults(phrase, ids)
        elif attacker:
            yield from _unknown([attacker], ids)
    for key in ("finds", "finds_not"):
        for text in data.get(key, ()):
            try:
                finding(text)
            except PhraseError as error:
                yield str(error)
    yield from _unknown(data.get("choose", ()), [*ids, *PLAYERS])


def _action_faults(words: str, ids: Sequence[str]) -> Iterator[str]:
    try:
        act = action(words)
    except PhraseError as error:
        yield str(error)
        return
    if act.name in ("attack", "give_up", "activate", "choose", "turn"):
        names = [str(one) for one in act.arguments if not str(one).isdigit()]
        yield from _unknown(names, [*ids, "player"])


def _unknown(names: Sequence[str], ids: Sequence[str]) -> Iterator[str]:
    for name in names:
        if name not in ids:
            close = nearest(name, ids)
            known = ", ".join(ids[:_IDS_SHOWN]) or "no cards"
            hint = f"did you mean {' or '.join(close)}?" if close else f"there are {known}"
            yield f"no card has the id {quoted(name)}; {hint}"


class Player:
    """A duel being played from a state; each performed action moves it on.

    Raises an exception of its own that only run_script knows when `until` has come true.
    """

    def __init__(
        self,
        state: State,
        rules: Rules | None = None,
        until: Callable[[State], bool] | None = None,
    ) -> None:
        self.state = begin(state)
        self.performed: list[Performed] = []
        self.wrong: list[Complaint] = []
        self._rules = rules or knowledge_base()
        self._until_then = until
        self._line = 0
        self._choices: list[Symbol] = []
        self._looked: tuple[State, Moment] | None = None

    def look(self, about: Symbol | None = None) -> Moment:
        """Return what can be done now; an action `about` which somebody asks is answered too."""
        if self._looked is None or self._looked[0] is not self.state:
            self._looked = self.state, look(self.state, self._rules)
        moment = self._looked[1]
        if about is None or moment.answers.of(about) is not None:
            return moment
        return look(self.state, self._rules, about)

    def perform_line(self, number: int, line: Line) -> None:
        """Perform one line of a script. Raises ScriptError."""
        self._line = number
        data = line_data(line)
        results = [data["result"]] if "result" in data else []
        self._choices = [_constant(one) for one in (*data.get("choose", ()), *results)]
        if "do" in data:
            self._do(_words(data["do"]))
        elif self._choices:
            self._choose()
        if self._choices:
            left = ", ".join(map(str, self._choices))
            raise self._error(f"nobody had to choose {left}; leave it out, or choose another")
        self.wrong += [Complaint(number, text) for text in self._complaints(data)]

    def _do(self, words: str) -> None:
        if words == "resolve":
            self._until(lambda moment: moment.at_rest, "the end of the chain")
        elif words == "resolve link":
            left = self.look().links_to_go - 1
            self._until(lambda moment: moment.links_to_go <= left, "the end of the chain link")
        elif words.startswith("proceed to "):
            place = words.removeprefix("proceed to ")
            fluent = self._fluent(place)
            self._until(lambda moment: fluent in moment.answers.state.fluents, place)
        else:
            self.perform(self._action(words))
            self._choose()

    def perform(self, act: Symbol) -> None:
        """Perform an action, after those passes that alone stand against it. Raises ScriptError."""
        for _ in range(_MOST_STEPS):
            moment = self.look(act)
            answer = moment.answers.of(act)
            if answer is None or answer.how == "cannot":
                passing = moment.passes.get(act)
                if passing is None:
                    raise self._refused(moment, act)
                self._take(moment, passing, implied=True)
            elif answer.how in ("may", "must") and act not in moment.performable:
                raise self._without_target(moment, act)
            else:
                self._take(moment, act, implied=False)
                return
        raise self._endless()

    def _take(self, moment: Moment, act: Symbol, *, implied: bool) -> None:
        answer = moment.answers.of(act) or Answer(act, "may", ())
        before = self.state
        done = step(before, act, self._rules)
        self.state = done.state
        self.performed.append(
            Performed(self._line, moment.actors.get(act), answer, before, done, implied)
        )
        if self._until_then is not None and self._until_then(self.state):
            raise _Stopped

    def _choose(self) -> None:
        """Pay what an activation costs, and choose what the line says."""
        while self._choices or _paying(self.state):
            moment = self.look()
            act = self._idle_action(moment)
            if act is None or act.name == "enter" or not (_paying(self.state) or _chosen(act)):
                return
            self._take(moment, act, implied=True)

    def _until(self, reached: Callable[[Moment], bool], place: str) -> None:
        """Let the game go on, with nobody doing anything, until a place in it is reached."""
        for _ in range(_MOST_STEPS):
            moment = self.look()
            if reached(moment):
                return
            act = self._idle_action(moment)
            if act is None:
                raise self._error(
                    f"it does not come to {place} before somebody has to decide; "
                    f"legal is {_legal(moment)}"
                )
            self._take(moment, act, implied=True)
        raise self._endless()

    def _idle_action(self, moment: Moment) -> Symbol | None:
        """Return what the line chooses, or else what happens if nobody wants anything."""
        for act in moment.performable:
            if _chosen(act) and act.arguments[0] in self._choices:
                self._choices.remove(act.arguments[0])
                return act
        return moment.by_itself

    def _complaints(self, data: Mapping[str, Any]) -> Iterator[str]:
        for phrase, expected in data.get("expect", {}).items():
            got = self._answer(phrase)
            if got != expected:
                yield f"{phrase}: expected {expected}, the rules say {got}"
        if "finds" not in data and "finds_not" not in data:
            return
        found = {*map(str, self.look().answers.findings), *self.state.fluents}
        for text in data.get("finds", ()):
            if str(self._finding(text)) not in found:
                yield f"expected {text}, which the rules do not find"
        for text in data.get("finds_not", ()):
            if str(self._finding(text)) in found:
                yield f"the rules find {text}, which was not expected"

    def _answer(self, phrase: str) -> str:
        attacker = attacker_of(phrase)
        if attacker is not None:
            answers = self.look().answers.actions
            return attacks_taken_together(attacker, ((one.action, one.how) for one in answers))
        act = self._action(phrase)
        answer = self.look(act).answers.of(act)
        return answer.how if answer else "cannot"

    def _action(self, words: str) -> Symbol:
        try:
            return action(words)
        except PhraseError as error:
            raise self._error(str(error)) from error

    def _finding(self, text: str) -> Symbol:
        try:
            return finding(text)
        except PhraseError as error:
            raise self._error(str(error)) from error

    def _fluent(self, words: str) -> str:
        if _place(words) not in _REACHED:
            raise self._error(_nowhere(words))
        return _REACHED[_place(words)]

    def _error(self, told: str) -> ScriptError:
        return ScriptError(self._line, told, self.wrong)

    def _refused(self, moment: Moment, act: Symbol) -> ScriptError:
        answer = moment.answers.of(act)
        if answer is None:
            names = [str(one) for one in act.arguments if not str(one).isdigit()]
            unknown = list(_unknown(names, [*self.state.texts, "player", *PLAYERS]))
            if unknown and act.name != "enter":
                return self._error(unknown[0])
            why = "there is no such action here"
        else:
            why = " ".join(self._sentence(reason, act) for reason in answer.reasons[:1])
        return self._error(f"{in_words(act)} is not legal: {why}; legal is {_legal(moment, act)}")

    def _sentence(self, reason: Reason, act: Symbol) -> str:
        speaker = Speaker(self.state, "en")
        rulings = ", ".join(speaker.rulings(reason))
        sentence = speaker.reason(reason, act).rstrip(".")
        return f"{sentence} [{rulings}]" if rulings else sentence

    def _without_target(self, moment: Moment, act: Symbol) -> ScriptError:
        said = in_words(act)
        right = [w for one in moment.performable if (w := in_words(one)).startswith(f"{said} on ")]
        return self._error(f"{said} names no target; right would be {' or '.join(right)}")

    def _endless(self) -> ScriptError:
        return self._error(f"the game goes on without end; legal is {_legal(self.look())}")


def _words(text: Any) -> str:
    return " ".join(str(text).split())


def _constant(value: Any) -> Symbol:
    return Number(value) if isinstance(value, int) else Function(str(value))


def _chosen(act: Symbol) -> bool:
    return act.name in ("choose", "toss")


def _place(words: str) -> str:
    return words.strip().lower().replace(" ", "_").removeprefix("the_")


def _nowhere(words: str) -> str:
    return (
        f"there is nothing called {quoted(words)} to proceed to; "
        f"right would be {', '.join(_REACHED)}"
    )


def _legal(moment: Moment, like: Symbol | None = None) -> str:
    """Return the legal actions in words, those of the kind of another action first."""
    acts = sorted(moment.performable, key=lambda act: like is None or act.name != like.name)
    words = [in_words(act) for act in acts]
    more = f", and {len(words) - _SHOWN} more" if len(words) > _SHOWN else ""
    return ", ".join(words[:_SHOWN]) + more or "nothing"


def _paying(state: State) -> bool:
    return any(fluent.startswith("paying(") for fluent in state.fluents)
