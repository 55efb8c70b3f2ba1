"""The page and the data of a script that was performed: line by line what happened, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from clingo import Function, Symbol, parse_term

from py_bridge import answers, halts, pages
from py_bridge.answers import Answers, Reason, Speaker
from py_bridge.labels import placeholders
from py_bridge.play import Event
from py_bridge.scripts import Complaint, Line, Performed, Timeline, line_data
from py_bridge.states import State

# What begins to hold and is worth a line of its own; all else follows from what happens.
_TOLD = ("phase", "step", "sub_step", "link", "resolving", "battled")
# The fluent that says on which effect what is told rests.
_REST = "rests_on"
# What the arguments of something that happens are called in the sentences of its reasons.
_ROLES = {"card": 0, "attacker": 0, "target": 1, "player": 0}
# Of these the reason is told also where no ruling stands behind it.
_EXPLAINED = (
    "left_undone", "lp_unknown", "fate_unknown", "trigger_unknown", "without_effect",
)  # fmt: skip
_WORDS = {
    "en": {
        "passes": "give up priority",
        "and": ", ",
        "rests": "this rests on {0}",
        "effect": "{0}, {1}",
        "halted": "Stopped here: {0}",
        "checks": "Not as expected",
        "line": "line {0}: {1}",
        "unsettled": "performed although no ruling settles it",
        "outside": "performed although it is outside the model",
        "stopped": "Stopped here, before the end of the script.",
    },
    "zh": {
        "passes": "放弃优先权",
        "and": "、",
        "rests": "取决于{0}",
        "effect": "{0}（{1}）",
        "halted": "在此停止：{0}",
        "checks": "与预期不符",
        "line": "第{0}行：{1}",
        "unsettled": "没有裁定写明，仍予进行",
        "outside": "在模型之外，仍予进行",
        "stopped": "在此停止，剧本尚未结束。",
    },
}


def page(
    told: Timeline,
    lines: Sequence[Line],
    places: Sequence[int],
    legal: Answers | None,
    language: str,
) -> list[str]:
    """Return the page of `battlejudge play`: each line of the script, then what is legal.

    `lines` is the script, `places` the lines of its file on which these stand.
    """
    words = _WORDS[language]
    shown: list[str] = []
    for number, group in groupby(told.performed, key=lambda one: one.line):
        steps = list(group)
        title = str(line_data(lines[number - 1]).get("do", ""))
        shown += line_page(steps, language, number, title)
    if told.halt is not None:
        shown += _halt_page(told, lines, language)
    if told.wrong:
        shown.append(f"{words['checks']}:")
        for one in told.wrong:
            text = words["line"].format(_place(one, places), one.text)
            shown += pages.wrapped(f"  {text}", 4)
    if told.stopped:
        shown.append(words["stopped"])
    if legal is not None:
        shown += pages.legal(legal, Speaker(told.state, language), everything=False)
    return shown


def _halt_page(told: Timeline, lines: Sequence[Line], language: str) -> Iterator[str]:
    """Yield why the script stops, below the line that stops it."""
    if told.halt is None:
        return
    number = told.halt.line
    if number not in {one.line for one in told.performed}:
        title = " ".join(str(line_data(lines[number - 1]).get("do", "")).split())
        yield from pages.wrapped(f"{number:>3}  {title}".rstrip(), 5)
    text = _WORDS[language]["halted"].format(halts.told(told.halt, language))
    yield from pages.wrapped(f"     {text}", 7)


def line_page(steps: Sequence[Performed], language: str, number: int, title: str) -> list[str]:
    """Return what came of one line of a script; `title` is how the script says it."""
    own = [one for one in steps if not one.implied]
    head = "" if own else " ".join(title.split())
    shown = pages.wrapped(f"{number:>3}  {head}", 5) if head else []
    passed: list[str] = []
    for one in steps:
        if one.implied and one.step.action.name == "pass":
            passed.append(str(one.step.action.arguments[0]))
            if not _happened(one):
                continue
        if passed:
            shown += _passes(passed, Speaker(one.before, language), number, bool(shown))
            passed = []
        shown += _step(one, language, number, bool(shown))
    if passed:
        shown += _passes(passed, Speaker(steps[-1].before, language), number, bool(shown))
    return [*shown, *_rests(steps[0].before, language)]


def _rests(state: State, language: str) -> Iterator[str]:
    """Yield on what the things told of a state, and of what follows, rest without being known."""
    words, speaker = _WORDS[language], Speaker(state, language)
    grounds = [
        words["effect"].format(
            speaker.effect(card, number), speaker.wordings.fluent_terms[_REST, how]
        )
        for card, number, how in _grounds(state)
    ]
    if grounds:
        text = words["rests"].format(words["and"].join(grounds))
        text = f"({text})" if language == "en" else f"（{text}）"
        yield from pages.wrapped(f"     {text}", 7)


def _grounds(state: State) -> list[tuple[str, int, str]]:
    """Return the effects on which a state rests: card, number, and why they are not known."""
    found = (parse_term(one).arguments for one in state.fluents if one.startswith(f"{_REST}("))
    return [(str(card), number.number, str(how)) for card, number, how in found]


def _left(number: int, begun: bool) -> str:
    return "     " if begun else f"{number:>3}  "


def _passes(players: Sequence[str], speaker: Speaker, number: int, begun: bool) -> list[str]:
    words = _WORDS[speaker.language]
    names = words["and"].join(speaker.card(one) for one in players)
    text = f"({words['passes']}: {names})" if speaker.language == "en" else f"（{names}放弃优先权）"
    return pages.wrapped(f"{_left(number, begun)}{text}", 7)


def _happened(one: Performed) -> bool:
    return bool(one.step.events) or bool(_begun(one))


def _step(one: Performed, language: str, number: int, begun: bool) -> Iterator[str]:
    """Yield the lines of one action: who did what, the answer to it, what happened."""
    before, after = Speaker(one.before, language), Speaker(one.step.state, language)
    act = one.step.action
    if not one.implied or act.name not in ("go_on", "pass"):
        who = f" ({before.card(one.player)})" if one.player else ""
        yield from pages.wrapped(f"{_left(number, begun)}{before.action(act)}{who}", 7)
        yield from pages.wrapped(f"       {_answer(one, before)}", 9)
    for fluent in _begun(one):
        text = after.fact(Function("holds", [fluent])) or str(fluent)
        yield from pages.wrapped(f"     = {text}", 9)
    for event in one.step.events:
        yield from pages.wrapped(f"     - {_event(event, after)}", 9)


def _answer(one: Performed, speaker: Speaker) -> str:
    text = pages.how_in_words(one.answer.how, speaker.language)
    if one.answer.reasons:
        text = f"{text}: {pages.deciding(one.answer, speaker)}"
    if one.answer.how in ("undecided", "outside"):
        key = "outside" if one.answer.how == "outside" else "unsettled"
        text += f" ({_WORDS[speaker.language][key]})"
    return text


def _event(event: Event, speaker: Speaker) -> str:
    """Return what happened, the card behind it, and what makes it so."""
    text = speaker.happening(event.what)
    reason = event.reason
    rulings = pages.cited(reason, speaker)
    if not rulings and event.what.name not in _EXPLAINED:
        source = speaker.effect(reason.source, reason.effect) if reason.source else ""
        return f"{text} ({source})" if source else text
    sentence = reason_text(reason, event.what, speaker)
    return f"{text}: {sentence} {rulings}".rstrip() if sentence else f"{text} {rulings}".rstrip()


def reason_text(reason: Reason, what: Symbol, speaker: Speaker) -> str:
    """Return the sentence of the reason why something happens; empty if it names more than that."""
    parts = [speaker.card(str(one)) for one in what.arguments]
    values = {role: parts[at] for role, at in _ROLES.items() if at < len(parts)}
    sentence = speaker.plain(reason, values)
    return "" if placeholders(sentence) else sentence


def _begun(one: Performed) -> list[Symbol]:
    held = set(one.before.fluents)
    sure = set(one.step.state.fluents) - held - one.step.assumed
    new = (parse_term(fluent) for fluent in one.step.state.fluents if fluent in sure)
    return [fluent for fluent in new if fluent.name in _TOLD]


def _place(one: Complaint, places: Sequence[int]) -> int:
    return places[one.line - 1]


def as_data(told: Timeline, places: Sequence[int], legal: Answers, language: str) -> dict[str, Any]:
    """Return a timeline as plain data: the stable shape of `battlejudge play --json`."""
    halt = told.halt and halts.as_data(told.halt, places[told.halt.line - 1], language)
    return {
        "timeline": [_step_data(one, places, language) for one in told.performed],
        "failed": [{"line": _place(one, places), "text": one.text} for one in told.wrong],
        "stopped": told.stopped,
        "halt": halt,
        "legal": answers.as_data(legal, Speaker(told.state, language)),
    }


def _step_data(one: Performed, places: Sequence[int], language: str) -> dict[str, Any]:
    before, after = Speaker(one.before, language), Speaker(one.step.state, language)
    return {
        "number": one.line,
        "line": places[one.line - 1] if one.line <= len(places) else None,
        "action": one.step.words,
        "text": before.action(one.step.action),
        "player": one.player,
        "implied": one.implied,
        "answer": one.answer.how,
        "reasons": [
            _reason_data(reason, before.reason(reason, one.step.action), before)
            for reason in one.answer.reasons
        ],
        "events": [
            {
                "event": str(event.what),
                "text": after.happening(event.what),
                "reason": _reason_data(
                    event.reason, reason_text(event.reason, event.what, after), after
                ),
            }
            for event in one.step.events
        ],
        **_changes(one),
        "rests_on": [
            {"source": card, "effect": number, "how": how}
            for card, number, how in _grounds(one.before)
        ],
    }


def _changes(one: Performed) -> dict[str, Any]:
    """Return what begins and ends to hold, apart from it what does so only as is reckoned."""
    before, after = set(one.before.fluents), set(one.step.state.fluents)
    begins, ends, assumed = after - before, before - after, one.step.assumed
    return {
        "begins": sorted(begins - assumed),
        "ends": sorted(ends - assumed),
        "assumed": {"begins": sorted(begins & assumed), "ends": sorted(ends & assumed)},
    }


def _reason_data(reason: Reason, text: str, speaker: Speaker) -> dict[str, Any]:
    return {
        "label": reason.label,
        "ruling": next(iter(speaker.rulings(reason)), None),
        "rulings": list(speaker.rulings(reason)),
        "source": reason.source,
        "effect": reason.effect if reason.source else None,
        "text": text,
    }
