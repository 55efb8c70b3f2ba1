"""Why a script stops before its end: what was to be done, what stands in the way, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from clingo import Symbol

from py_bridge.answers import Reason, Speaker
from py_bridge.labels import placeholders
from py_bridge.phrases import in_words
from py_bridge.play import Hindrance
from py_bridge.states import State

_SHOWN = 40
_WORDS = {
    "en": {
        "illegal": "{0} is not legal: {1}",
        "no_action": "there is no such action here",
        "target": "{0} names no target; right would be {1}",
        "choices": "nobody had to choose {0}; leave it out, or choose another",
        "endless": "the game goes on without end",
        "place": "it does not come to {0}: {1}",
        "decide": "somebody has to decide: {0}",
        "choice": "it has to be chosen ({1}): {0}",
        "chance": "the result has to be stated: {0}",
        "refused": "{0} is not legal: {1}",
        "unsettled": "{0} is not settled: {1}",
        "first": "{0}; first it has to come to: {1}",
        "legal": "{0}; legal is {1}",
        "nothing": "nothing",
        "more": ", and {0} more",
        "or": " or ",
        "and": ", ",
        "chain_end": "the end of the chain",
        "link_end": "the end of the chain link",
    },
    "zh": {
        "illegal": "不能进行“{0}”：{1}",
        "no_action": "此处没有这样的行动",
        "target": "“{0}”没有写明对象；应为{1}",
        "choices": "没有人需要选择{0}；请删去，或另选其他",
        "endless": "处理没有尽头",
        "place": "不会进行到{0}：{1}",
        "decide": "须由玩家决定：{0}",
        "choice": "须作出选择（{1}）：{0}",
        "chance": "须写明结果：{0}",
        "refused": "不能进行“{0}”：{1}",
        "unsettled": "“{0}”没有定论：{1}",
        "first": "{0}；须先进行：{1}",
        "legal": "{0}；可以进行的是{1}",
        "nothing": "无",
        "more": "，以及其他{0}项",
        "or": "或",
        "and": "、",
        "chain_end": "连锁处理完毕",
        "link_end": "连锁块处理完毕",
    },
}


@dataclass(frozen=True, slots=True)
class Halt:
    """Where a script stops before its end, and why.

    `line` is the number of the line in the script, from 1. `kind`: illegal (`action` is refused,
    `reasons` say why), target (it names none of `named`), choices (nobody asked for `named`), place
    (the game does not come to `place`, because of the hindrances), endless, or words: `named` says
    in English what is wrong with the line. `player` is who has to decide, `first` what has to be
    done before, `legal` what can be done.
    """

    line: int
    kind: str
    state: State
    action: Symbol | None = None
    reasons: tuple[Reason, ...] = ()
    place: str = ""
    hindrances: tuple[Hindrance, ...] = ()
    player: str | None = None
    named: tuple[str, ...] = ()
    first: tuple[Symbol, ...] = ()
    legal: tuple[Symbol, ...] = ()
    result: Symbol | None = None


def told(halt: Halt, language: str) -> str:
    """Return what is wrong and what would be right, in one line."""
    words = _WORDS[language]
    if halt.kind == "words":
        return words["and"].join(halt.named)
    if halt.kind == "choices":
        return words["choices"].format(words["and"].join(halt.named))
    if halt.kind == "target" and halt.action is not None:
        right = words["or"].join(halt.named)
        return words["target"].format(in_words(halt.action), right)
    return words["legal"].format(missing(halt, language), _listed(halt, language))


def missing(halt: Halt, language: str) -> str:
    """Return what a script that stops at an action, or on its way to a place, lacks to go on."""
    words, speaker = _WORDS[language], Speaker(halt.state, language)
    if halt.kind == "endless":
        return words["endless"]
    if halt.action is not None:
        return words["illegal"].format(in_words(halt.action), _why(halt, speaker))
    place = words.get(halt.place) or (halt.place if language == "en" else speaker.card(halt.place))
    text = words["place"].format(place, _in_the_way(halt, speaker))
    if not halt.first:
        return text
    return words["first"].format(text, words["or"].join(map(in_words, halt.first)))


def _why(halt: Halt, speaker: Speaker) -> str:
    if halt.result is not None:
        return _cited(speaker.happening(halt.result), halt.reasons, speaker)
    if not halt.reasons or halt.action is None:
        return _WORDS[speaker.language]["no_action"]
    return sentence(halt.reasons[0], halt.action, speaker)


def _in_the_way(halt: Halt, speaker: Speaker) -> str:
    words = _WORDS[speaker.language]
    kind = halt.hindrances[0].kind
    acts = [one.action for one in halt.hindrances]
    if kind == "choice":
        named = words["or"].join(str(act.arguments[0]) for act in acts)
        return words["choice"].format(named, speaker.card(str(halt.player)))
    if kind == "chance":
        return words["chance"].format(words["or"].join(str(act.arguments[0]) for act in acts))
    if kind == "replay":
        return words["decide"].format(words["or"].join(map(in_words, acts)))
    one = halt.hindrances[0]
    if kind in ("refused", "unsettled"):
        why = sentence(one.reason, one.action, speaker)
        return words[kind].format(in_words(one.action), why)
    return sentence(one.reason, one.action, speaker)


def sentence(reason: Reason, act: Symbol, speaker: Speaker) -> str:
    """Return the sentence of a reason about an action, with its rulings, for within a line."""
    text = speaker.reason(reason, act)
    if placeholders(text) and reason.source:
        text = speaker.effect(reason.source, reason.effect)
    return _cited(text.rstrip(".。"), [reason], speaker)


def _cited(text: str, reasons: Sequence[Reason], speaker: Speaker) -> str:
    rulings = [ruling for reason in reasons[:1] for ruling in speaker.rulings(reason)]
    return f"{text} [{', '.join(rulings)}]" if rulings else text


def _listed(halt: Halt, language: str) -> str:
    """Return the legal actions in words, those of the kind of the action refused first."""
    words, like = _WORDS[language], halt.action
    acts = sorted(halt.legal, key=lambda act: like is None or act.name != like.name)
    shown = words["and"].join(map(in_words, acts[:_SHOWN]))
    more = words["more"].format(len(acts) - _SHOWN) if len(acts) > _SHOWN else ""
    return shown + more or words["nothing"]


def as_data(halt: Halt, line: int | None, language: str) -> dict[str, Any]:
    """Return a halt as plain data; `line` is where in the file the line stands."""
    speaker = Speaker(halt.state, language)
    return {
        "line": line,
        "kind": halt.hindrances[0].kind if halt.hindrances else halt.kind,
        "action": in_words(halt.action) if halt.action is not None else None,
        "place": halt.place or None,
        "text": told(halt, language),
        "missing": [
            {
                "action": in_words(one.action) if one.action.name != "none" else None,
                "reason": one.reason.label,
                "rulings": list(speaker.rulings(one.reason)),
            }
            for one in halt.hindrances
        ],
        "first": [in_words(act) for act in halt.first],
    }
