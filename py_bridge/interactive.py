"""Playing on by hand: a person chooses one legal action after the other by its number."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from py_bridge import halts, pages, timeline
from py_bridge.answers import Speaker
from py_bridge.play import Moment
from py_bridge.scripts import Player, ScriptError
from py_bridge.states import State

_WORDS = {
    "en": {
        "nothing": "Nothing is left to do.",
        "ask": "number, action in words, resolve, proceed to STEP, u (undo), or q (quit)",
        "no_number": "there is no number {0}; right would be 1 to {1}",
        "first": "nothing to undo; this is where it began",
        "undone": "(undone)",
    },
    "zh": {
        "nothing": "没有可进行的行动。",
        "ask": "输入编号、行动、resolve、proceed to 步骤、u（撤销）或 q（结束）",
        "no_number": "没有编号{0}；应为1到{1}",
        "first": "已是开始的状态，无法撤销",
        "undone": "（已撤销）",
    },
}


def play_on(
    state: State, begun: int, language: str, read: Callable[[], str], say: Callable[[str], None]
) -> State:
    """Let a person play on from a state, and return the state in which they stop.

    `begun` lines were performed before; `read` returns a line typed, empty at the end of the
    input; `say` shows one. What cannot be done is said, and nothing of it happens.
    """
    words = _WORDS[language]
    states = [state]
    while True:
        moment = Player(states[-1]).look()
        for text in _menu(moment, Speaker(states[-1], language)):
            say(text)
        if moment.result is not None:
            say(Speaker(states[-1], language).happening(moment.result))
        elif not moment.performable:
            say(words["nothing"])
        say(f"{words['ask']}:")
        typed = read()
        entry = " ".join(typed.split())
        if not typed or entry == "q":
            return states[-1]
        if entry == "u":
            say(words["undone"] if len(states) > 1 else words["first"])
            states = states[:-1] or states
            continue
        if not entry:
            continue
        line = _chosen(entry, moment)
        if line is None:
            say(words["no_number"].format(entry, len(moment.performable)))
            continue
        player = Player(states[-1])
        number = begun + len(states)
        try:
            player.perform_line(number, line)
        except ScriptError as error:
            say(halts.told(error.halt, language))
            continue
        states.append(player.state)
        for text in timeline.line_page(player.performed, language, number, line):
            say(text)


def _menu(moment: Moment, speaker: Speaker) -> Sequence[str]:
    shown = []
    for number, act in enumerate(moment.performable, 1):
        answer = moment.answers.of(act)
        how = pages.how_in_words(answer.how if answer else "may", speaker.language)
        shown += pages.wrapped(f"{number:>4}  {how}  {speaker.action(act)}", 6)
    return shown


def _chosen(entry: str, moment: Moment) -> str | None:
    """Return the action that was typed, by its number or in words; None for no such number."""
    if not entry.isdigit():
        return entry
    number = int(entry) if len(entry) < 6 else 0
    acts = moment.performable
    answer = moment.answers.of(acts[number - 1]) if 0 < number <= len(acts) else None
    return answer.words if answer else None
