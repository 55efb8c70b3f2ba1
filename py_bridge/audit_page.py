"""What `battlejudge audit` says: one screen for people, the lists as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from py_bridge.audit import Check
from py_bridge.pages import wrapped

_SHOWN = 3
_WORDS = {
    "en": {"ok": "ok", "fails": "FAILS", "broken_off": "broken off", "more": "and {0} more"},
    "zh": {"ok": "通过", "fails": "未通过", "broken_off": "未完成", "more": "另有{0}项"},
}
_NAMES_ZH = {
    "rulings": "裁定",
    "citations": "引用",
    "blank-names": "隐去卡名",
    "one-answer": "答案唯一",
    "shown": "案例印证",
    "dead-rules": "无用规则",
    "mutants": "变异",
}


def as_data(found: Sequence[Check]) -> dict[str, Any]:
    """Return checks as plain data: the stable shape of `battlejudge audit --json`."""
    checks = [
        {
            "name": one.name,
            "ok": one.ok,
            "complete": one.complete,
            "figure": one.figure,
            "found": list(one.found),
            **one.numbers,
        }
        for one in found
    ]
    return {"checks": checks, "ok": holds(found)}


def holds(found: Sequence[Check]) -> bool:
    """Whether every check was run to its end and found nothing wrong."""
    return all(one.ok and one.complete for one in found)


def page(found: Sequence[Check], language: str) -> list[str]:
    """Return checks as lines for people: a line for each, and the first things that it found."""
    words = _WORDS[language]
    lines: list[str] = []
    for one in found:
        state = words["ok"] if one.ok else words["fails"]
        if not one.complete:
            state = words["broken_off"]
        name = _NAMES_ZH[one.name] if language == "zh" else one.name
        lines += wrapped(f"{state:8} {name}: {one.figure}", 9)
        lines += [
            line for item in one.found[:_SHOWN] for line in wrapped(f"  - {_said(item)}", 6)[:2]
        ]
        if len(one.found) > _SHOWN:
            lines.append(f"    {words['more'].format(len(one.found) - _SHOWN)}")
    return lines


def _said(item: Any) -> str:
    if not isinstance(item, Mapping):
        return str(item)
    if "kind" in item:
        return f"{item['place']}: {item['kind']}: {item.get('text', 'no rule')}"
    return ", ".join(f"{key} {_short(value)}" for key, value in item.items() if key != "board")


def _short(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
