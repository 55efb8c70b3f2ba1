"""Scripts: actions performed one after the other from a state, with checks in between.

A line is an action in words, one of the shorthands `resolve` (both players pass until the chain is
resolved), `resolve link` (until one more link is) and `proceed to X` (nobody does anything until
the step, sub-step or phase X), or a mapping with `do`, `choose`, `result`, `expect`, `finds`,
`finds_not`. What an activation costs is paid with it. Where nothing but priority stands against an
action, the players pass first. An action that the rules leave undecided, or call outside the model,
is performed, since nothing forbids it; how it was answered stays on record. Where the duel ends, a
shorthand has come to its end.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from clingo import Function, Number, Symbol, SymbolType

from py_bridge import halts
from py_bridge.answers import Answer, attacks_taken_together
from py_bridge.errors import BattlejudgeError, nearest, quoted
from py_bridge.halts import Halt
from py_bridge.knowledge import Rules, knowledge_base
from py_bridge.phrases import PhraseError, action, attacker_of, finding, in_words
from py_bridge.play import CHAIN_END, Moment, Step, begin, look, step
from py_bridge.states import PLAYERS, State

Line = str | Mapping[str, Any]
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
    """A line of a script that cannot be performed: `halt` says what is missing.

    `line` is the number of the line in the script, from 1; `told` is the message without it.
    `so_far` is what came of the script before, with the checks that failed.
    """

    def __init__(self, halt: Halt, so_far: Timeline) -> None:
        super().__init__(halt.line, halt.kind)
        self.halt, self.so_far, self.line = halt, so_far, halt.line

    def __str__(self) -> str:
        """Return the message as one line."""
        return f"line {self.line}: {self.told}"

    @property
    def told(self) -> str:
        """What is wrong, and what would be right."""
        return halts.told(self.halt, "en")

    @property
    def wrong(self) -> tuple[Complaint, ...]:
        """The checks that failed before."""
        return self.so_far.wrong


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

    `stopped` tells that it was not gone through to its end, since what was waited for came; `halt`
    why it could not be, if that is so.
    """

    performed: tuple[Performed, ...]
    wrong: tuple[Complaint, ...]
    state: State
    stopped: bool = False
    halt: Halt | None = None


class _Stopped(Exception):
    """What the script was to be performed until has come."""


def run_script(
    state: State,
    lines: Sequence[Line],
    rules: Rules | None = None,
    until: Callable[[State], bool] | None = None,
) -> Timeline:
    """Perform a script, or the part of it that leads to a state for which `until` is true.

    Raises ScriptError for a line that cannot be performed, with what came of those before.
    """
    player = Player(state, rules, until)
    stopped = until is not None and until(player.state)
    try:
        for number, line in enumerate(lines if not stopped else (), 1):
            player.perform_line(number, line)
    except _Stopped:
        stopped = True
    return replace(player.so_far(), stopped=stopped)


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
        # Whether the line asks what can be chosen, and so stops where something has to be.
        self._asks_of_choice = False
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
        self._asks_of_choice = any(map(_about_choice, data.get("expect", ())))
        if "do" in data:
            self._do(_words(data["do"]))
        elif self._choices:
            self._choose()
        if self._choices and self.look().result is None:
            raise self._halted("choices", named=tuple(map(str, self._choices)))
        self.wrong += [Complaint(number, text) for text in self._complaints(data)]

    def _do(self, words: str) -> None:
        if words == "resolve":
            self._until(lambda moment: moment.at_rest, CHAIN_END, "chain_end")
        elif words == "resolve link":
            left = self.look().links_to_go - 1
            self._until(lambda moment: moment.links_to_go <= left, CHAIN_END, "link_end")
        elif words.startswith("proceed to "):
            place = words.removeprefix("proceed to ")
            fluent = self._fluent(place)
            self._until(lambda moment: fluent in moment.answers.state.fluents, fluent, place)
        else:
            self.perform(self._action(words))
            self._choose()

    def perform(self, act: Symbol) -> None:
        """Perform an action, after those passes that alone stand against it. Raises ScriptError."""
        for _ in range(_MOST_STEPS):
            moment = self.look(act)
            answer = moment.answers.of(act)
            if answer is None or answer.how == "cannot":
                if act in moment.needless:
                    return
                passing = moment.passes.get(act)
                if passing is None:
                    raise self._refused(moment, act)
                self._take(moment, passing, implied=True)
            elif answer.how in ("may", "must") and act not in moment.performable:
                raise self._without_target(moment, act)
            else:
                self._take(moment, act, implied=False)
                return
        raise self._halted("endless", legal=self.look().performable)

    def _take(self, moment: Moment, act: Symbol, *, implied: bool) -> None:
        answer = moment.answers.of(act) or Answer(act, "may", ())
        before = self.state
        done = step(before, act, self._rules, answer)
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
            act = self._idle_action(moment, CHAIN_END)
            if act is None or not (_paying(self.state) or _chosen(act)):
                return
            self._take(moment, act, implied=True)

    def _until(self, reached: Callable[[Moment], bool], goal: str, place: str) -> None:
        """Let the game go on, with nobody doing anything, to a goal or to the end of the duel.

        `goal` is what the rules call it, `place` what the script does.
        """
        for _ in range(_MOST_STEPS):
            moment = self.look()
            if reached(moment) or moment.result is not None:
                return
            act = self._idle_action(moment, goal)
            if act is None and self._asks_of_choice and any(map(_chosen, moment.performable)):
                return
            if act is None:
                raise self._hindered(moment, goal, place)
            self._take(moment, act, implied=True)
        raise self._halted("endless", legal=self.look().performable)

    def _idle_action(self, moment: Moment, goal: str) -> Symbol | None:
        """Return what the line chooses, or else what happens if nobody wants anything."""
        for act in moment.performable:
            if _chosen(act) and act.arguments[0] in self._choices:
                self._choices.remove(act.arguments[0])
                return act
        return moment.toward.get(goal)

    def _complaints(self, data: Mapping[str, Any]) -> Iterator[str]:
        for phrase, expected in data.get("expect", {}).items():
            got = self._answer(phrase)
            if got != expected:
                yield f"{phrase}: expected {expected}, the rules say {got}"
        if "finds" not in data and "finds_not" not in data:
            return
        found = {*map(str, self.look().answers.findings), *self.state.fluents}
        for text in data.get("finds", ()):
            term = self._finding(text)
            if str(term) not in found:
                yield f"expected {text}, which the rules do not find"
            elif str(Function("in_doubt", [term])) in found:
                yield f"expected {text}, which is not known"
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

    def so_far(self, halt: Halt | None = None) -> Timeline:
        """Return what has come of the script up to here."""
        return Timeline(tuple(self.performed), tuple(self.wrong), self.state, halt=halt)

    def _halted(self, kind: str, **more: Any) -> ScriptError:
        halt = Halt(self._line, kind, self.state, **more)
        return ScriptError(halt, self.so_far(halt))

    def _error(self, told: str) -> ScriptError:
        return self._halted("words", named=(told,))

    def _refused(self, moment: Moment, act: Symbol) -> ScriptError:
        answer = moment.answers.of(act)
        if answer is None and act.name != "enter":
            names = [str(one) for one in act.arguments if not str(one).isdigit()]
            unknown = list(_unknown(names, [*self.state.texts, "player", *PLAYERS]))
            if unknown:
                return self._error(unknown[0])
        reasons = answer.reasons if answer else ()
        legal, result = moment.performable, moment.result
        return self._halted("illegal", action=act, reasons=reasons, legal=legal, result=result)

    def _hindered(self, moment: Moment, goal: str, place: str) -> ScriptError:
        """Return the error that says what keeps the game from coming to a goal."""
        hindrances = moment.hindrances.get(goal, ())
        player = next(
            (who for one in hindrances if (who := moment.actors.get(one.action)) is not None), None
        )
        held_up = {one.kind for one in hindrances} & {"refused", "unsettled"}
        return self._halted(
            "place",
            place=place,
            hindrances=hindrances,
            player=player,
            first=moment.due if held_up else (),
            legal=moment.performable,
        )

    def _without_target(self, moment: Moment, act: Symbol) -> ScriptError:
        said = in_words(act)
        right = [w for one in moment.performable if (w := in_words(one)).startswith(f"{said} on ")]
        return self._halted("target", action=act, named=tuple(right))


def _words(text: Any) -> str:
    return " ".join(str(text).split())


def _constant(value: Any) -> Symbol:
    return Number(value) if isinstance(value, int) else Function(str(value))


def _chosen(act: Symbol) -> bool:
    return act.name in ("choose", "toss")


def _about_choice(phrase: str) -> bool:
    return _words(phrase).partition(" ")[0] in ("choose", "toss")


def _place(words: str) -> str:
    return words.strip().lower().replace(" ", "_").removeprefix("the_")


def _nowhere(words: str) -> str:
    return (
        f"there is nothing called {quoted(words)} to proceed to; "
        f"right would be {', '.join(_REACHED)}"
    )


def _paying(state: State) -> bool:
    return any(fluent.startswith("paying(") for fluent in state.fluents)
