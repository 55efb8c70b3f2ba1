"""What `battlejudge cards` finds: cards of the library, and words of the vocabulary."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from py_bridge import cards, vocabulary
from py_bridge.pages import wrapped
from py_bridge.texts import Definition
from py_bridge.vocabulary import Word

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


@dataclass(frozen=True, slots=True)
class Found:
    """The cards and the words of the vocabulary that a search found."""

    cards: tuple[Definition, ...]
    words: tuple[Word, ...]


def search(words: Sequence[str], *, classes_only: bool = False) -> Found:
    """Return the cards and effect classes of which a name or wording contains every word."""
    wanted = [word.casefold() for word in words]

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
    return lines or ["nothing found" if language == "en" else "没有找到"]


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
            }
            for w in found.words
        ],
    }
