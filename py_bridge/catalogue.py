"""What `battlejudge cards` finds: cards of the library, and words of the vocabulary."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from py_bridge import cards, vocabulary
from py_bridge.pages import wrapped
from py_bridge.texts import Definition
from py_bridge.vocabulary import Argument, Choice, Key, Reading, Word

_AREAS_ZH = {
    "attacks": "攻击",
    "activation": "发动",
    "damage": "战斗伤害",
    "destruction": "破坏",
    "stats": "数值",
    "summoning": "召唤",
    "other": "其他",
}
_KINDS_ZH = {
    "continuous": "永续效果",
    "unclassified": "无分类",
    "trigger": "诱发效果",
    "quick": "诱发即时效果",
    "ignition": "起动效果",
    "activation": "卡的发动",
    "lingering": "持续适用的效果",
}


# What the value of an argument is, by the kind of argument.
_VALUES = {
    "filter": ("a filter", "条件"),
    "yes_no": ("true or false", "true、false"),
    "number": ("a number from {low} to {high}", "{low}～{high}的数值"),
    "name": ("a name", "卡名"),
    "like_filter": ("as in a filter", "写法同条件"),
    "word": ("one of these", "下列之一"),
    "words": ("a list of these", "下列的列表"),
    "word_or_words": ("one of these, or a list", "下列之一或其列表"),
}
_NEEDED = ("; needed", "；必需")
_USUAL = (" (as without it)", "（与未写明时相同）")
_WHERE = {
    "says": ("arguments", "参数"),
    "lasting": (
        "arguments read only under applies, and in an effect of the kind lingering",
        "仅在applies之下、及lingering类效果中有效的参数",
    ),
    "applied": ("arguments read only under applies", "仅在applies之下有效的参数"),
}
_NONE = ("no arguments", "没有参数")
_CLAUSE = ("reads one clause with its arguments", "其内容为一个条文及其参数")
_SOME = ("one at least is needed of: ", "至少需要其一：")
_COST = ("can be a cost, too", "也可以作为代价")
_EXAMPLE = ("example: ", "例：")


@dataclass(frozen=True, slots=True)
class Found:
    """The cards and the words of the vocabulary that a search found.

    `detailed` if the words are to be shown with what they read; `keys` are keys whose own words
    were asked for.
    """

    cards: tuple[Definition, ...]
    words: tuple[Word, ...]
    keys: tuple[Key, ...] = ()
    detailed: bool = False


def search(words: Sequence[str], *, classes_only: bool = False) -> Found:
    """Return the cards and effect classes of which a name or wording contains every word.

    With `classes_only`, one word that is the name of a class, or of a key that takes one of a list
    of words, finds that alone, with all that can be said of it.
    """
    wanted = [word.casefold() for word in words]
    if classes_only and len(wanted) == 1:
        named = tuple(word for word in vocabulary.words() if word.name == wanted[0])
        keys = tuple(key for name, key in vocabulary.keys().items() if name == wanted[0])
        if named or keys:
            return Found((), named, keys, detailed=True)

    def fits(*texts: str) -> bool:
        return all(any(word in text.casefold() for text in texts) for word in wanted)

    found_words = tuple(w for w in vocabulary.words() if fits(w.name, w.en, w.zh))
    if classes_only:
        return Found((), found_words)
    known = cards.everything()
    found_cards = tuple(
        card for card in known if fits(*card.names.values(), str(card.data.get("passcode", "")))
    )
    return Found(found_cards, found_words if wanted else ())


def page(found: Found, language: str) -> list[str]:
    """Return what was found as lines."""
    lines = [line for card in found.cards for line in _card(card, language)]
    for word in found.words:
        cited = f" [{', '.join(word.rulings)}]" if word.rulings else ""
        lines += wrapped(f"{word.name}: {word.zh if language == 'zh' else word.en}{cited}", 4)
        lines += _details(word, language) if found.detailed else ()
    for key in found.keys:
        lines += wrapped(f"{key.name}: {key.zh if language == 'zh' else key.en}", 4)
        lines += [line for one in key.words for line in _choice(one, 2, language)]
    return lines or ["nothing found" if language == "en" else "没有找到"]


def _details(word: Word, language: str) -> Iterator[str]:
    """Yield what a class reads, line by line."""
    place = 1 if language == "zh" else 0
    reading = vocabulary.readings()[word.name]
    if not reading.arguments:
        yield f"  {(_CLAUSE if reading.clause else _NONE)[place]}"
    for where, title in _WHERE.items():
        read = [one for one in reading.arguments if one.where == where]
        if read:
            yield from wrapped(f"  {title[place]}:", 4)
        for one in read:
            yield from _argument(one, place, language)
    if reading.one_of:
        yield from wrapped(f"  {_SOME[place]}{', '.join(reading.one_of)}", 4)
    if reading.cost:
        yield f"  {_COST[place]}"
    yield from wrapped(f"  {_EXAMPLE[place]}{reading.example}", 4)


def _argument(argument: Argument, place: int, language: str) -> Iterator[str]:
    value = _VALUES[argument.kind][place].format(low=argument.low, high=argument.high)
    needed = _NEEDED[place] if argument.needed else ""
    meaning = argument.zh if language == "zh" else argument.en
    head = f"{argument.name} ({value}{needed})"
    yield from wrapped(f"    {head}: {meaning}", 8)
    for word in argument.words:
        yield from _choice(word, 6, language)


def _choice(word: Choice, indent: int, language: str) -> Iterator[str]:
    meaning = word.zh if language == "zh" else word.en
    usual = _USUAL[1 if language == "zh" else 0] if word.usual else ""
    yield from wrapped(f"{' ' * indent}{word.name}: {meaning}{usual}", indent + 4)


def _card(card: Definition, language: str) -> Iterator[str]:
    names = " / ".join(dict.fromkeys(card.names[one] for one in ("en", "zh", "ja")))
    code = f" ({card.data['passcode']:08d})" if "passcode" in card.data else ""
    yield from wrapped(f"{names}{code}", 4)
    effects = card.effects()
    if not effects:
        yield "  no effects" if language == "en" else "  没有效果"
    for effect in effects:
        yield from wrapped(f"  {effect['nr']}: {_effect(effect, language)}", 6)


def _effect(effect: Mapping[str, Any], language: str) -> str:
    if "unmodelled" in effect:
        area = effect["unmodelled"]
        head = f"not modelled ({area})" if language == "en" else f"未收录（{_AREAS_ZH[area]}）"
    else:
        kind = effect["kind"] if language == "en" else _KINDS_ZH[effect["kind"]]
        head = f"{kind}: {', '.join(_classes(effect))}"
    return f"{head}; {effect['note']}" if "note" in effect else head


def _classes(effect: Mapping[str, Any]) -> Iterator[str]:
    for clause in effect.get("says", ()):
        yield from clause
    for operation in effect.get("does", ()):
        for word, arguments in operation.items():
            if word == "applies":
                yield from (f"applies {clause}" for clause in arguments)
            elif word != "role":
                yield word


def as_data(found: Found) -> dict[str, Any]:
    """Return what was found as plain data: the stable shape of `battlejudge cards --json`."""
    return {
        "cards": [
            {
                "names": dict(card.names),
                "passcode": card.data.get("passcode"),
                "effects": [
                    {
                        "nr": effect["nr"],
                        "modelled": "unmodelled" not in effect,
                        "classes": list(_classes(effect)),
                        "unmodelled": effect.get("unmodelled"),
                        "note": effect.get("note"),
                    }
                    for effect in card.effects()
                ],
            }
            for card in found.cards
        ],
        "classes": [
            {
                "name": w.name,
                "en": w.en,
                "zh": w.zh,
                "operation": w.operation,
                "rulings": list(w.rulings),
                **_reading_data(vocabulary.readings()[w.name]),
            }
            for w in found.words
        ],
        "keys": [
            {"name": k.name, "en": k.en, "zh": k.zh, "words": [_word_data(w) for w in k.words]}
            for k in found.keys
        ],
    }


def _reading_data(reading: Reading) -> dict[str, Any]:
    return {
        "arguments": [
            {
                "name": one.name,
                "value": one.kind,
                "en": one.en,
                "zh": one.zh,
                "read": one.where,
                "range": [one.low, one.high] if one.kind == "number" else None,
                "needed": one.needed,
                "words": [_word_data(word) for word in one.words],
            }
            for one in reading.arguments
        ],
        "needs_one_of": list(reading.one_of),
        "clause": reading.clause,
        "cost": reading.cost,
        "example": reading.example,
    }


def _word_data(word: Choice) -> dict[str, Any]:
    return {"name": word.name, "en": word.en, "zh": word.zh, "usual": word.usual}
