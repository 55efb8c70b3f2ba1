"""The damage ledger as lines for people, 100 columns wide, in English and Chinese."""

from __future__ import annotations

from collections.abc import Iterator

from clingo import Function, parse_term

from py_bridge.answers import Reason, Speaker
from py_bridge.ledger import Damage, Entry, Ledger, Passed, Total, Value
from py_bridge.pages import all_cited, wrapped

_WORDS = {
    "en": {
        "attack": "{0} attacks {1}.",
        "direct": "{0} attacks directly.",
        "none": "No damage calculation is performed:",
        "value": "{0}: {1} {2}",
        "from": " ({0})",
        "gain": "{0:+d} by {1}",
        "set": "set to {0} by {1}",
        "beaten": "{0} would be destroyed.",
        "no_beaten": "No monster would be destroyed.",
        "spared": "{0}",
        "destroyed": "Destroyed by battle: {0}.",
        "no_destroyed": "Destroyed by battle: nobody.",
        "choice": "{1} is destroyed unless its player uses {0} (substitutes: true or false).",
        "first": "Battle damage {0}: {1}, from {2} to {3}.",
        "no_first": "The comparison inflicts no battle damage.",
        "level": "Level {0}: {1}",
        "becomes": "{0}: {1} -> {2}",
        "new": "{0}: {1}, from {2} to {3}",
        "copied": "{0}: {2}, from {3} to {4}, in addition to {1}",
        "moved": "{0}: {2}, from {3} to {4}, in place of {1}",
        "passed": "Not applied:",
        "taken": "{0} takes {1} battle damage",
        "sum": " ({0})",
        "nothing": "{0} takes no battle damage",
        "open": "what {0} takes is undecided",
        "effect": ", {0} effect damage",
        "gained": ", gains {0} LP",
        "lp": "; LP {0} -> {1}",
        "loses": ", which loses the duel",
        "result": "Result:",
        "won": "The duel is over: {0} wins.",
        "draw": "The duel is over: it is a draw.",
        "result_open": "The duel is over; whether it is a draw is not known.",
        "undecided": "Undecided:",
        "unknown": "Not known:",
        "used_up": "Used up: {0}.",
        "beyond": "Outside the model, and could change this: {0}.",
        "joiner": ", ",
        "and": " and ",
    },
    "zh": {
        "attack": "{0}攻击{1}。",
        "direct": "{0}直接攻击。",
        "none": "不进行伤害计算：",
        "value": "{0}：{1}{2}",
        "from": "（{0}）",
        "gain": "{1}{0:+d}",
        "set": "{1}使其变成{0}",
        "beaten": "{0}会被破坏。",
        "no_beaten": "没有怪兽会被破坏。",
        "spared": "{0}",
        "destroyed": "被战斗破坏：{0}。",
        "no_destroyed": "被战斗破坏：无。",
        "choice": "除非适用{0}，否则{1}被破坏（substitutes: true 或 false）。",
        "first": "战斗伤害{0}：{1}，由{2}给与{3}。",
        "no_first": "数值比较没有产生战斗伤害。",
        "level": "顺序{0}：{1}",
        "becomes": "{0}：{1} → {2}",
        "new": "{0}：{1}，由{2}给与{3}",
        "copied": "{0}（在{1}之外）：{2}，由{3}给与{4}",
        "moved": "{0}（代替{1}）：{2}，由{3}给与{4}",
        "passed": "没有适用的效果：",
        "taken": "{0}受到{1}战斗伤害",
        "sum": "（{0}）",
        "nothing": "{0}不受到战斗伤害",
        "open": "{0}受到的战斗伤害未定",
        "effect": "，受到{0}效果伤害",
        "gained": "，回复{0}基本分",
        "lp": "；基本分 {0} → {1}",
        "loses": "，败北",
        "result": "结果：",
        "won": "决斗结束：{0}获胜。",
        "draw": "决斗结束：平局。",
        "result_open": "决斗结束；是否平局未知。",
        "undecided": "未定：",
        "unknown": "未知：",
        "used_up": "已用掉：{0}。",
        "beyond": "模型之外、可能影响结果的效果：{0}。",
        "joiner": "，",
        "and": "和",
    },
}
_WHY = {
    "en": {
        "battle": "it does not speak of this battle",
        "source": "it does not speak of damage that {0} inflicts",
        "recipient": "it does not speak of damage to {1}",
        "used": "it has been used up",
        "no_damage": "there is no battle damage",
        "cut_off": "the damage is no battle damage any more, so later levels are not applied",
        "cancelled": "halving and doubling cancel each other",
        "zero": "the damage is 0 already",
        "smaller_value": "a smaller fixed value is applied",
        "amount": "it does not speak of damage of that amount",
        "once_moved": "this damage was made on level 3, where nothing is applied to it again",
    },
    "zh": {
        "battle": "不涉及这次战斗",
        "source": "不涉及{0}给与的伤害",
        "recipient": "不涉及对{1}的伤害",
        "used": "已用完",
        "no_damage": "没有战斗伤害",
        "cut_off": "已不是战斗伤害，之后的顺序不再适用",
        "cancelled": "减半与加倍互相抵消",
        "zero": "伤害已是0",
        "smaller_value": "适用更小的固定数值",
        "amount": "不涉及该数值的伤害",
        "once_moved": "这个伤害由顺序3产生，不再适用顺序3的效果",
    },
}


def damage(ledger: Ledger, speaker: Speaker) -> list[str]:
    """Return the page of `battlejudge damage`."""
    return [line for text, indent in _lines(ledger, speaker) for line in wrapped(text, indent)]


def _lines(ledger: Ledger, speaker: Speaker) -> Iterator[tuple[str, int]]:
    words = _WORDS[speaker.language]
    attacker, target = speaker.card(ledger.attacker), speaker.card(ledger.target)
    kind = "direct" if ledger.target == "player" else "attack"
    yield words[kind].format(attacker, target), 2
    if ledger.over and ledger.result is not None:
        yield f"{words['none']} {words[ledger.result.name].format(*_players(ledger, speaker))}", 2
        return
    if not ledger.calculated:
        yield words["none"], 2
        for reason in ledger.halted:
            yield f"  {_because(reason, speaker)}", 4
        return
    for value in ledger.values:
        yield f"  {_value(value, speaker)}", 4
    if kind == "attack":
        beaten = words["and"].join(speaker.card(one) for one in ledger.beaten)
        yield words["beaten" if beaten else "no_beaten"].format(beaten), 2
    for one, reason in ledger.spared:
        yield f"  {_because(reason, speaker, target=one)}", 4
    first = ledger.first
    if first is None:
        yield words["no_first"], 2
    else:
        yield words["first"].format(*_parties(first, speaker)), 2
    # A damage that is moved is told where it goes, not once more where it was.
    moves = {(e.reason, e.damage.letter) for e in ledger.entries if e.level == 3 and not e.after}
    for entry in ledger.entries:
        if (entry.reason, entry.damage.letter) not in moves:
            moved = (entry.reason, entry.damage.made_from) in moves
            yield f"  {_entry(entry, moved, speaker)}", 4
    if ledger.passed:
        yield words["passed"], 2
        for passed in ledger.passed:
            yield f"  {_passed(passed, speaker)}", 4
    yield words["result"], 2
    for total in ledger.totals:
        yield f"  {_total(total, speaker)}", 4
    destroyed = words["joiner"].join(speaker.card(one) for one in ledger.destroyed)
    if destroyed or not ledger.choices:
        yield f"  {words['destroyed' if destroyed else 'no_destroyed'].format(destroyed)}", 4
    if ledger.result is not None:
        yield f"  {words[ledger.result.name].format(*_players(ledger, speaker))}", 4
    for choice in ledger.choices:
        effect = speaker.effect(choice.source, choice.effect)
        yield f"  {words['choice'].format(effect, speaker.card(choice.monster))}", 4
    if ledger.used_up:
        used = words["joiner"].join(speaker.effect(one, nr) for one, nr in ledger.used_up)
        yield f"  {words['used_up'].format(used)}", 4
    if ledger.beyond:
        beyond = words["joiner"].join(speaker.effect(one, nr) for one, nr, _ in ledger.beyond)
        yield words["beyond"].format(beyond), 2
    if ledger.unknown:
        yield words["unknown"], 2
        for one in ledger.unknown:
            yield f"  {speaker.fact(Function('holds', [parse_term(one)]))}", 4
    if ledger.unsettled:
        yield words["undecided"], 2
        for reason in ledger.unsettled:
            yield f"  {_because(reason, speaker)}", 4


def _players(ledger: Ledger, speaker: Speaker) -> list[str]:
    return [speaker.card(str(one)) for one in ledger.result.arguments] if ledger.result else []


def _because(reason: Reason, speaker: Speaker, target: str | None = None) -> str:
    sentence = speaker.plain(reason, {"target": speaker.card(target)} if target else {})
    return f"{sentence} {all_cited(reason, speaker)}".rstrip()


def _value(value: Value, speaker: Speaker) -> str:
    words = _WORDS[speaker.language]
    stat = speaker.card(value.stat)
    line = words["value"].format(speaker.card(value.monster), stat, value.amount)
    parts = [
        words["set" if part.sets else "gain"].format(
            part.amount, speaker.effect(part.source, part.effect)
        )
        for part in value.contributions
    ]
    return line + (words["from"].format(words["joiner"].join(parts)) if parts else "")


def _parties(damage: Damage, speaker: Speaker) -> tuple[str, int, str, str]:
    return damage.letter, damage.amount, speaker.card(damage.source), speaker.card(damage.recipient)


def _entry(entry: Entry, moved: bool, speaker: Speaker) -> str:
    words = _WORDS[speaker.language]
    sentence = speaker.plain(entry.reason, {})
    letter, amount, source, recipient = _parties(entry.damage, speaker)
    origin = entry.damage.made_from
    if entry.before == 0 and origin:
        kind = words["moved" if moved else "copied"]
        change = kind.format(letter, origin, amount, source, recipient)
    elif entry.before == 0:
        change = words["new"].format(letter, amount, source, recipient)
    else:
        change = words["becomes"].format(letter, entry.before, entry.after)
    return f"{sentence} {change} {all_cited(entry.reason, speaker)}".rstrip()


def _passed(passed: Passed, speaker: Speaker) -> str:
    effect = speaker.effect(passed.source, passed.effect)
    source = speaker.card(passed.damage.source) if passed.damage else ""
    recipient = speaker.card(passed.damage.recipient) if passed.damage else ""
    why = _WHY[speaker.language][passed.why].format(source, recipient)
    if passed.damage is None:
        return f"{effect}: {why}" if speaker.language == "en" else f"{effect}：{why}"
    letter = passed.damage.letter
    return (
        f"{effect}, {letter}: {why}" if speaker.language == "en" else f"{effect}，{letter}：{why}"
    )


def _total(total: Total, speaker: Speaker) -> str:
    words = _WORDS[speaker.language]
    player = speaker.card(total.player)
    if total.battle is None:
        return words["open"].format(player)
    line = words["taken" if total.battle else "nothing"].format(player, total.battle)
    if len(total.parts) > 1:
        line += words["sum"].format(" + ".join(map(str, total.parts)))
    if total.effect:
        line += words["effect"].format(total.effect)
    if total.gained:
        line += words["gained"].format(total.gained)
    if total.lp_after is not None:
        line += words["lp"].format(total.lp_before, total.lp_after)
    return line + (words["loses"] if total.loses else "")
