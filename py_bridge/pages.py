"""Pages: answers, explanations and reports as lines for people, 100 columns wide."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from clingo import Function, Number, Symbol, parse_term

from py_bridge import derivation
from py_bridge.answers import Answer, Answers, Reason, Speaker, ask, asking, overridden_data
from py_bridge.cases import Dispute
from py_bridge.errors import BattlejudgeError, nearest, quoted
from py_bridge.knowledge import as_program, knowledge_base
from py_bridge.labels import placeholders
from py_bridge.phrases import PhraseError, action
from py_bridge.register import find
from py_bridge.verdicts import RESULTS, Report
from py_bridge.vocabulary import NOT_KNOWN

WIDTH = 100
_SHOWN_IDS = 12
_HOW = {
    "en": {
        "must": "must",
        "may": "may",
        "undecided": "undecided",
        "outside": "outside the model",
        "cannot": "cannot",
    },
    "zh": {
        "must": "必须",
        "may": "可以",
        "undecided": "未定",
        "outside": "模型之外",
        "cannot": "不能",
    },
}
_RESULTS_ZH = {
    "agrees": "一致",
    "contradicts": "矛盾",
    "undecided": "未定",
    "disputed": "有争议",
    "outside": "模型之外",
    "not-yet": "尚未收录",
}
_ALSO = {"en": "; see also ", "zh": "；另见"}
_HEADS = {
    "en": {
        "legal": "Legal",
        "unsettled": "Not settled",
        "refused": "Refused",
        "found": "Also",
        "assumed": "Assumed",
        "overridden": "not applied",
        "nothing": "nothing",
    },
    "zh": {
        "legal": "可以进行",
        "unsettled": "未有定论",
        "refused": "不能进行",
        "found": "此外",
        "assumed": "假定",
        "overridden": "未适用",
        "nothing": "无",
    },
}


def columns(text: str) -> int:
    """Return how many columns of a terminal the text takes; a Chinese character takes two."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def wrapped(text: str, indent: int) -> list[str]:
    """Break a text into lines of at most WIDTH columns, all but the first indented."""
    lines, line = [], ""
    for word in _words(text):
        if line.strip() and columns(line + word.rstrip()) > WIDTH:
            lines.append(line.rstrip())
            line = " " * indent
        line += word
    return [*lines, line.rstrip()]


def _words(text: str) -> Iterator[str]:
    """Yield the parts between which a line may be broken: words, and single wide letters."""
    word = ""
    for letter in text:
        if columns(letter) == 2:
            if word:
                yield word
            yield letter
            word = ""
        else:
            word += letter
            if letter == " ":
                yield word
                word = ""
    if word:
        yield word


def how_in_words(how: str, language: str) -> str:
    """Return an answer, one of answers.HOW, in words."""
    return _HOW[language][how]


def legal(found: Answers, speaker: Speaker, everything: bool) -> list[str]:
    """Return the page of `battlejudge legal`."""
    words = _HEADS[speaker.language]
    lines = [f"{words['legal']}:"]
    legal_answers = [answer for answer in found.actions if answer.how in ("must", "may")]
    for answer in legal_answers:
        lines += _answer_lines(answer, speaker)
        lines += _overridden_lines(found, answer, speaker, 12) if everything else []
    if not legal_answers:
        lines.append(f"  {words['nothing']}")
    unsettled = [answer for answer in found.actions if answer.how in ("undecided", "outside")]
    if unsettled:
        lines.append(f"{words['unsettled']}:")
    for answer in unsettled:
        lines += _answer_lines(answer, speaker)
        lines += _overridden_lines(found, answer, speaker, 12) if everything else []
    said = [text for finding in found.findings if (text := _finding(finding, speaker))]
    said += _choices(found, speaker)
    if said:
        lines.append(f"{words['found']}:")
        for text in said:
            lines += wrapped(f"  {text}", 4)
    if everything:
        lines.append(f"{words['refused']}:")
        refused = [answer for answer in found.actions if answer.how == "cannot"]
        for answer in refused:
            lines += _answer_lines(answer, speaker)
            lines += _overridden_lines(found, answer, speaker, 12)
        if not refused:
            lines.append(f"  {words['nothing']}")
    if found.assumptions:
        assumed = "; ".join(_said(parse_term(one.fluent), speaker) for one in found.assumptions)
        lines += wrapped(f"{words['assumed']}: {assumed}", 2)
    return lines


def _answer_lines(answer: Answer, speaker: Speaker) -> list[str]:
    how = _HOW[speaker.language][answer.how]
    pad = " " * max(1, 10 - columns(how))
    lines = wrapped(f"  {how}{pad}{speaker.action(answer.action)}", 14)
    if answer.reasons:
        lines += wrapped(f"            {deciding(answer, speaker)}", 14)
    return lines


def _overridden_lines(found: Answers, answer: Answer, speaker: Speaker, indent: int) -> list[str]:
    """Return the effects that are not applied to an action, each with what stands against it."""
    head = _HEADS[speaker.language]["overridden"]
    lines: list[str] = []
    for one in found.overridden(answer.action):
        text = f"{head}: {speaker.overridden(one, answer.action)} {cited(one.reason, speaker)}"
        lines += wrapped(f"{' ' * indent}{text}", indent + 2)
    return lines


def deciding(answer: Answer, speaker: Speaker) -> str:
    """Return the reason that decides as one sentence: several effects do so in the same way."""
    first = answer.reasons[0]
    alike = [
        one for one in answer.reasons[1:] if (one.label, one.level) == (first.label, first.level)
    ]
    text = _reason_line(first, answer.action, speaker, *alike)
    return f"{text} {cited(first, speaker)}".rstrip()


def _said(fluent: Symbol, speaker: Speaker) -> str:
    return speaker.fact(Function("holds", [fluent])) or str(fluent)


def _reason_line(reason: Reason, act: Symbol, speaker: Speaker, *alike: Reason) -> str:
    text = speaker.reason(reason, act, *alike)
    level = reason.level
    if level is not None:
        text = f"level {level}: {text}" if speaker.language == "en" else f"第{level}级：{text}"
    return text


def cited(reason: Reason, speaker: Speaker) -> str:
    """Return the ruling that decides in brackets, one with an official answer with its day."""
    return _cited(speaker.rulings(reason)[:1], speaker.language)


def all_cited(reason: Reason, speaker: Speaker) -> str:
    """Return the ruling that decides, and after it what else the reason rests on, in brackets."""
    return _cited(speaker.rulings(reason), speaker.language)


def _cited(ids: Sequence[str], language: str) -> str:
    """Return rulings in brackets: the first decides, the others are to be seen as well."""
    shown = []
    for ruling in find(ids):
        newest = max(ruling.dates, default=None)
        shown.append(f"{ruling.id} {newest}" if newest else ruling.id)
    if not shown:
        return ""
    also = f"{_ALSO[language]}{', '.join(shown[1:])}" if shown[1:] else ""
    return f"[{shown[0]}{also}]"


def _finding(finding: Symbol, speaker: Speaker) -> str | None:
    """Return a finding in words; None for those that only questions about details need."""
    if finding.name in _RESULTS_OF_DUELS:
        return speaker.happening(finding)
    if finding.name in NOT_KNOWN:
        return speaker.fact(Function("holds", [finding]))
    template = _FINDINGS[speaker.language].get(finding.name)
    if template is None:
        return None
    parts = list(finding.arguments)
    if finding.name == "chooses":
        player, what = parts
        if what.name == "effect_for":
            return None  # told with the effects to choose from
        if str(player) == "turn_player" and what.name == "target":
            return None  # as ever
        template = _CHOICES[speaker.language].get(what.name)
        if template is None:
            return None
        parts = [player, *what.arguments]
    return template.format(*(speaker.card(str(part)) for part in parts))


def _choices(found: Answers, speaker: Speaker) -> list[str]:
    """Return who makes the choices about attacks, with what there is to choose from.

    Attackers with the same choice share a line.
    """
    words = _CHOICES[speaker.language]
    chooser, options, leaves = _options(found)
    shared: dict[tuple[str, str, str], list[str]] = {}
    for attacker, effects in options.items():
        told = []
        for source, number in effects:
            left = leaves.get((attacker, source, number), [])
            shown = words["or"].join(speaker.card(one) for one in left) or words["nothing"]
            told.append(words["option"].format(speaker.effect(source, number), shown))
        player = chooser.get(("effect_for", attacker))
        head = words["effect_for" if player else "unsettled"]
        listed = words["and"].join(told)
        several = any(len(left) > 1 for (one, *_), left in leaves.items() if one == attacker)
        then = chooser.get(("target", attacker))
        if several and then:
            listed += words["then"].format(speaker.card(then))
        shared.setdefault((head, player or "", listed), []).append(attacker)
    for attacker, targets in _compulsory(found).items():
        player = chooser.get(("target", attacker))
        if attacker not in options and player and len(targets) > 1:
            shown = words["or"].join(speaker.card(one) for one in targets)
            shared.setdefault((words["one_of"], player, shown), []).append(attacker)
    return [
        head.format(speaker.card(player), words["and"].join(map(speaker.card, attackers)), shown)
        for (head, player, shown), attackers in shared.items()
    ]


def _options(
    found: Answers,
) -> tuple[
    dict[tuple[str, str], str],
    dict[str, list[tuple[str, int]]],
    dict[tuple[str, str, int], list[str]],
]:
    """Return who chooses what, the effects to choose from, and the targets that each leaves."""
    chooser: dict[tuple[str, str], str] = {}
    options: dict[str, list[tuple[str, int]]] = {}
    leaves: dict[tuple[str, str, int], list[str]] = {}
    for one in found.findings:
        parts = one.arguments
        if one.name == "chooses" and parts[1].arguments:
            chooser[parts[1].name, str(parts[1].arguments[0])] = str(parts[0])
        elif one.name == "could_apply":
            options.setdefault(str(parts[0]), []).append((str(parts[1]), parts[2].number))
        elif one.name == "would_leave":
            key = (str(parts[0]), str(parts[1]), parts[2].number)
            leaves.setdefault(key, []).append(str(parts[3]))
    return chooser, options, leaves


def _compulsory(found: Answers) -> dict[str, list[str]]:
    """Return the targets of each attacker whose attacks have to be made."""
    targets: dict[str, list[str]] = {}
    for answer in found.actions:
        if answer.how == "must" and answer.action.name == "attack":
            attacker, target = map(str, answer.action.arguments)
            targets.setdefault(attacker, []).append(target)
    return targets


_RESULTS_OF_DUELS = ("won", "draw", "result_open")
_FINDINGS = {
    "en": {
        "chooses": "",
        "due": "{0} still has to make this many attacks: {1}",
        "halted": "the attack that was going on is over: {0}",
    },
    "zh": {
        "chooses": "",
        "due": "{0}还必须进行的攻击次数：{1}",
        "halted": "正在进行的攻击已结束：{0}",
    },
}
_CHOICES = {
    "en": {
        "target": "{0} chooses what {1} attacks",
        "effect_for": "{0} chooses which effect is applied to each attack of {1}: {2}",
        "unsettled": "no ruling tells who chooses the effect applied to each attack of {1}: {2}",
        "option": "{0} (leaves {1})",
        "one_of": "{0} chooses which one {1} has to attack: {2}",
        "then": "; of several that one effect leaves, {0} chooses",
        "order": "{0} chooses the order of what is done at that moment",
        "or": " or ",
        "and": ", ",
        "nothing": "nothing",
    },
    "zh": {
        "target": "{1}的攻击对象由{0}选择",
        "effect_for": "对{1}的攻击适用哪个效果由{0}选择：{2}",
        "unsettled": "对{1}的攻击适用哪个效果，没有裁定写明由谁选择：{2}",
        "option": "{0}（可攻击{1}）",
        "one_of": "{1}必须攻击其中1只，由{0}选择：{2}",
        "then": "；同一效果留下多只时由{0}选择",
        "order": "同一时机的处理顺序由{0}决定",
        "or": "或",
        "and": "、",
        "nothing": "无",
    },
}


def asked(found: Answers, words: str) -> Answer:
    """Return the answer to the action that the words name. Raises BattlejudgeError."""
    close = nearest(words, (one.words for one in found.actions))
    hint = " or ".join(quoted(one) for one in close)
    try:
        act = action(words)
    except PhraseError as error:
        ids = ", ".join(list(found.state.texts)[:_SHOWN_IDS])
        told = f"{error}; A, B and C are ids of cards, here {ids or 'none'}"
        if close:
            told = f"{quoted(words)} is no action; right would be {hint}"
        raise BattlejudgeError(told) from error
    answer = found.of(act) or ask(found.state, about=act).of(act)
    if answer is None:
        hint = hint or "one that `legal --all` lists"
        raise BattlejudgeError(f"{quoted(words)} is no action of this state; right would be {hint}")
    return answer


def why(found: Answers, answer: Answer, speaker: Speaker) -> list[str]:
    """Return the page of `battlejudge why`: the answer, every reason, and the derivations."""
    english = speaker.language == "en"
    how = _HOW[speaker.language][answer.how]
    lines = wrapped(f"{how}: {speaker.action(answer.action)}", 2)
    for number, reason in enumerate(answer.reasons, 1):
        text = f"{number}. {_reason_line(reason, answer.action, speaker)}"
        lines += wrapped(f"{text} {all_cited(reason, speaker)}".rstrip(), 3)
        tree = _tree(found, answer, reason)
        if tree is not None:
            rendered = derivation.render(
                tree,
                speaker.card,
                "en" if english else "zh",
                lambda label, atom: _node_text(label, atom, speaker),
                partial(_cited_of, reason, speaker),
                WIDTH - 3,
            )
            lines += [f"   {line}" for line in rendered]
    return [*lines, *_overridden_lines(found, answer, speaker, 0)]


def _cited_of(reason: Reason, speaker: Speaker, label: str) -> str:
    """Return the ruling that a node of a derivation cites first; its own as it does."""
    if label == reason.label:
        return cited(reason, speaker)
    return _cited(speaker.label(label).rulings[:1], speaker.language)


def _node_text(label: str | None, atom: Symbol, speaker: Speaker) -> str | None:
    """Return a node of a derivation in words: a rule's sentence with the atom that it gives.

    None where there are none: a step towards what the sentence says lacks some of what it names.
    """
    if label is None:
        return speaker.fact(atom)
    said = speaker.sentence(label, atom)
    return None if placeholders(said) else f"{atom}: {said}"


_RELATIONS = {
    "must": ("obliges", "allows"),
    "may": ("allows",),
    "cannot": ("forbids",),
    "undecided": ("doubts",),
    "outside": ("outside",),
}


def _tree(found: Answers, answer: Answer, reason: Reason) -> derivation.Node | None:
    source = Function(reason.source or "rule")
    by = Function("by", [Function(reason.label), source, Number(reason.effect)])
    for relation in _RELATIONS[answer.how]:
        atom = Function(relation, [by, answer.action])
        facts = [*found.state.facts(), asking(answer.action)]
        node = derivation.why(knowledge_base().texts(), as_program(facts), atom)
        if node is not None:
            return node
    return None


def why_data(found: Answers, answer: Answer, speaker: Speaker) -> dict[str, Any]:
    """Return an explanation as plain data: the stable shape of `battlejudge why --json`."""
    return {
        "action": answer.words,
        "answer": answer.how,
        "reasons": [
            {
                "text": speaker.reason(reason, answer.action),
                "label": reason.label,
                "ruling": next(iter(speaker.rulings(reason)), None),
                "rulings": list(speaker.rulings(reason)),
                "source": reason.source,
                "level": reason.level,
                "derivation": _node_data(_tree(found, answer, reason), speaker),
            }
            for reason in answer.reasons
        ],
        "overridden": overridden_data(found, answer.action, speaker),
    }


def _node_data(node: derivation.Node | None, speaker: Speaker) -> dict[str, Any] | None:
    if node is None:
        return None
    return {
        "atom": str(node.atom),
        "kind": node.kind,
        "label": node.label,
        "rulings": list(speaker.label(node.label).rulings) if node.label else [],
        "children": [_node_data(child, speaker) for child in node.children],
    }


def rulings(found: Report, in_detail: bool, language: str) -> list[str]:
    """Return the page of `battlejudge rulings`."""
    names = _RESULTS_ZH if language == "zh" else {name: name.replace("-", " ") for name in RESULTS}
    lines = []
    for result in found.results:
        loud = result.result in ("contradicts", "outside") or result.changed
        if in_detail or loud:
            lines.append(f"{result.ruling.id}: {names[result.result]} ({result.cases} cases)")
            lines += [line for text in result.wrong for line in wrapped(f"  {text}", 4)]
            lines += [line for one in result.disputes for line in _dispute(one, language)]
            if result.changed:
                lines.append(
                    "  changes when card names are blanked"
                    if language == "en"
                    else "  卡名换成空白后结果不同"
                )
    width = max([len(topic) for topic in found.by_topic()] + [5])
    lines.append("  ".join([" " * width, *(f"{names[name]:>11}" for name in RESULTS)]).rstrip())
    rows = [*found.by_topic().items(), ("total" if language == "en" else "合计", found.totals())]
    for topic, totals in rows:
        lines.append("  ".join([f"{topic:<{width}}", *(f"{totals[name]:>11}" for name in RESULTS)]))
    return lines


def _dispute(dispute: Dispute, language: str) -> list[str]:
    """Return both answers to a disputed case; the one that the rules give is marked."""
    words = {"printed": "printed", "derived": "by the stated rules"}
    mark = " (the rules answer this)"
    if language == "zh":
        words = {"printed": "原文", "derived": "按所述规则"}
        mark = "（本规则库的答案）"
    lines = []
    for kind, answer in (("printed", dispute.printed), ("derived", dispute.derived)):
        chosen = mark if dispute.rules == kind else ""
        lines += wrapped(f"  {words[kind]}{chosen}: {answer}", 4)
    return lines


def listed(items: Sequence[str], indent: int) -> list[str]:
    """Return items as one wrapped line, separated by commas."""
    return wrapped(", ".join(items), indent)
