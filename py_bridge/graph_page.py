"""The pages of `battlejudge graph`: what a graph says, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from py_bridge.drawing import Edge, Node, dot, mermaid, svg
from py_bridge.graph import LOOSE, Circle, Files, Graph, Part, Predicates, Priorities, Rulings
from py_bridge.graph import by_edition as _by_edition
from py_bridge.pages import wrapped

_EN = {
    "predicates": "predicates {0}, rules {1}, facts {2}, files {3}, strata {4}",
    "stratum": "stratum {0}: {1} ({2})",
    "needs": "{0} needs {1} ({2})",
    "needs_not": "{0} needs the absence of {1} ({2})",
    "counts": "{0} counts, or needs all of, {1} ({2})",
    "broken": "Circles through negation or an aggregate",
    "circles": "Circles without negation",
    "missing": "Derived by nothing and not declared with #defined",
    "given": "Given by the state",
    "unused": "Used by no rule and shown by no query",
    "unread": "Tables for readers and sentences, read by no rule",
    "none": "none",
    "files": "files {0}",
    "uses": "uses",
    "uses_nothing": "uses no other file",
    "attack": "Attack targets: a lower level overrides a higher one",
    "damage": "Battle damage: a lower level is applied before a higher one",
    "level": "level {0}",
    "one": "one effect of the level is applied",
    "all": "all effects of the level apply",
    "own": "(own side)",
    "no_source": "no source",
    "unstated": "No source says how these stand to the other levels",
    "twice": "Classes with two levels",
    "priority_circles": "Circles of priorities",
    "unsourced": "Levels without a source",
    "rulings": "{0} rulings ({1}), {2} rules that cite one, {3} cases",
    "both": "Cited by a rule and exercised by a case",
    "cited_only": "Cited by a rule, exercised by no case",
    "exercised_only": "Exercised by a case, cited by no rule",
    "uncited": "Cited by no rule",
    "unknown": "Cited or exercised, but not in the register",
    "before": "rests on",
    "after": "supports",
    "below": "stands below",
    "above": "stands above",
    "from": "reached from",
    "to": "leads to",
    "about_predicate": "{0}: {1}, stratum {2}, rules {3}",
    "about_class": "{0}: level {1} ({2})",
    "steps": "{0} steps away",
    "step": "directly",
    "negation_before": "not {0}",
    "aggregate_before": "{0} (counted)",
    "negation_after": "{0} (by its absence)",
    "aggregate_after": "{0} (counts it)",
    "more": "--all lists them",
}
_ZH = {
    "predicates": "谓词{0}个，规则{1}条，事实{2}条，文件{3}个，层次{4}层",
    "stratum": "第{0}层：{1}（{2}）",
    "needs": "{0}需要{1}（{2}）",
    "needs_not": "{0}需要没有{1}（{2}）",
    "counts": "{0}要统计{1}，或要求其全部成立（{2}）",
    "broken": "经过否定或聚合的循环",
    "circles": "不经过否定的循环",
    "missing": "没有规则推出，也没有用#defined声明",
    "given": "由状态给出",
    "unused": "没有规则使用，也没有查询显示",
    "unread": "只供阅读和造句、没有规则读取的表",
    "none": "无",
    "files": "文件{0}个",
    "uses": "使用",
    "uses_nothing": "不使用其他文件",
    "attack": "攻击对象：数字小的顺位优先于数字大的顺位",
    "damage": "战斗伤害：数字小的顺位先适用",
    "level": "顺位{0}",
    "one": "只适用其中1个效果",
    "all": "全部一起适用",
    "own": "（己方）",
    "no_source": "无出处",
    "unstated": "没有出处说明与其他顺位的先后",
    "twice": "有两个顺位的分类",
    "priority_circles": "优先关系的循环",
    "unsourced": "没有出处的顺位",
    "rulings": "裁定{0}条（{1}），引用裁定的规则{2}条，事例{3}个",
    "both": "有规则引用，也有事例",
    "cited_only": "有规则引用，没有事例",
    "exercised_only": "有事例，没有规则引用",
    "uncited": "没有规则引用",
    "unknown": "被引用或有事例，但登记中没有",
    "before": "依据",
    "after": "支持",
    "below": "低于",
    "above": "高于",
    "from": "来自",
    "to": "通向",
    "about_predicate": "{0}：{1}，第{2}层，规则{3}条",
    "about_class": "{0}：顺位{1}（{2}）",
    "steps": "隔{0}步",
    "step": "直接",
    "negation_before": "没有{0}",
    "aggregate_before": "{0}（统计）",
    "negation_after": "{0}（需其不成立）",
    "aggregate_after": "{0}（统计它）",
    "more": "用--all列出",
}
_WORDS = {"en": _EN, "zh": _ZH}


def page(graph: Graph, language: str, *, everything: bool = False) -> list[str]:
    """Return what a graph says as a whole; with `everything` the long lists too."""
    words = _WORDS[language]
    match graph:
        case Predicates():
            return list(_predicates(graph, words, everything))
        case Files():
            return list(_files(graph, words))
        case Priorities():
            return list(_priorities(graph, words))
        case Rulings():
            return list(_rulings(graph, words, everything))


def _predicates(graph: Predicates, words: dict[str, str], everything: bool) -> Iterator[str]:
    yield words["predicates"].format(
        len(graph.predicates), graph.rules, graph.facts, len(graph.files), graph.strata
    )
    broken = [circle for circle in graph.circles if circle.broken]
    plain = [circle for circle in graph.circles if not circle.broken]
    yield from _circles(words["broken"], broken, words)
    yield from _circles(words["circles"], plain, words)
    yield from _listed(words["missing"], graph.of_kind("missing"), words)
    yield from _listed(words["unused"], graph.unused, words)
    yield from _listed(words["unread"], graph.unread, words)
    yield from _listed(words["given"], graph.of_kind("given"), words)
    strata: dict[int, list[str]] = {}
    for one in graph.predicates:
        place = one.files[0].rpartition("/")[2] if one.files else words["given"]
        strata.setdefault(one.stratum, []).append(one.name if everything else place)
    for stratum, members in sorted(strata.items()):
        counted = Counter(members).most_common()
        text = ", ".join(member if everything else f"{member} {count}" for member, count in counted)
        yield from wrapped(words["stratum"].format(stratum, len(members), text), 4)


def _circles(heading: str, circles: Sequence[Circle], words: dict[str, str]) -> Iterator[str]:
    yield f"{heading}: {len(circles) or words['none']}"
    for circle in circles:
        steps = "; ".join(_step(step, words) for step in reversed(circle.steps))
        yield from wrapped(f"  {steps}", 4)
        if len(circle.members) > len(circle.steps):
            yield from wrapped(f"    {', '.join(circle.members)}", 4)


def _step(step: Edge, words: dict[str, str]) -> str:
    word = {"negation": "needs_not", "aggregate": "counts"}.get(step.kind, "needs")
    return words[word].format(step.target, step.source, step.place)


def _listed(heading: str, names: Collection[str], words: dict[str, str]) -> list[str]:
    if not names:
        return [f"{heading}: {words['none']}"]
    return wrapped(f"{heading}: {len(names)}: {', '.join(names)}", 4)


def _files(graph: Files, words: dict[str, str]) -> Iterator[str]:
    yield words["files"].format(len(graph.predicates.files))
    for file in graph.predicates.files:
        used = {source: names for (source, target), names in graph.uses.items() if target == file}
        yield f"{file}: {words['uses'] if used else words['uses_nothing']}"
        for source, names in used.items():
            yield from wrapped(f"  {source}: {', '.join(names)}", 4)


def _priorities(graph: Priorities, words: dict[str, str]) -> Iterator[str]:
    for scale in ("attack", "damage"):
        standings = [one for one in graph.standings if one.scale == scale]
        if standings:
            yield words[scale]
        for level in sorted({one.level for one in standings}):
            heading = "  " + words["level"].format(level)
            if scale == "attack" and level in graph.settles:
                how, ruling = graph.settles[level]
                source = ruling or words["no_source"]
                heading += f": {words.get(how, how)} ({source})"
            yield heading
            for one in standings:
                if one.level == level:
                    name = f"{one.clause} {words['own']}" if one.own else one.clause
                    yield f"    {name}: {one.ruling or words['no_source']}"
    unstated = [
        f"{name} ({ruling or words['no_source']})" for name, ruling in graph.unstated.items()
    ]
    yield from _listed(words["unstated"], unstated, words)
    yield from _listed(words["twice"], graph.twice, words)
    circles = [" > ".join((*circle, circle[0])) for circle in graph.circles]
    yield from _listed(words["priority_circles"], circles, words)
    yield from _listed(words["unsourced"], graph.unsourced(), words)


def _rulings(graph: Rulings, words: dict[str, str], everything: bool) -> Iterator[str]:
    total = _editions(graph, graph.editions)
    yield words["rulings"].format(len(graph.editions), total, len(graph.rules), len(graph.cases))
    both = [one for one in graph.editions if one in graph.cited() & graph.exercised()]
    lists = {
        "both": both,
        "cited_only": graph.cited_only(),
        "exercised_only": graph.exercised_only(),
        "uncited": graph.uncited(),
    }
    for key, ids in lists.items():
        counted = f" ({_editions(graph, ids)})" if ids else ""
        line = f"{words[key]}: {len(ids)}{counted}"
        if everything and ids:
            yield from wrapped(f"{line}: {', '.join(ids)}", 4)
        else:
            yield line
    if not everything:
        yield f"({words['more']})"
    yield from _listed(words["unknown"], graph.unknown(), words)


def _editions(graph: Rulings, ids: Iterable[str]) -> str:
    counted = _by_edition(graph, ids)
    return ", ".join(f"{edition}: {count}" for edition, count in counted.items())


def part(graph: Graph, found: Part, language: str) -> list[str]:
    """Return what is near some nodes: on what they rest, and what rests on them, step by step."""
    words = _WORDS[language]
    lines = [line for text in _about(graph, found.nodes, words) for line in wrapped(text, 4)]
    names = {node.name for node in found.nodes}
    edges = found.diagram.edges
    before = [(edge.source, edge.kind) for edge in edges if edge.target in names]
    after = [(edge.target, edge.kind) for edge in edges if edge.source in names]
    headings = {Priorities: ("below", "above"), Rulings: ("from", "to")}
    first, second = headings.get(type(graph), ("before", "after"))
    for side, heading, steps, direct in (
        ("before", first, found.before, before),
        ("after", second, found.after, after),
    ):
        lines.append(f"{words[heading]}: {sum(map(len, steps)) or words['none']}")
        for number, step in enumerate(steps, 1):
            away = words["step"] if number == 1 else words["steps"].format(number)
            shown = [_marked(name, direct, side, words) if number == 1 else name for name in step]
            lines += wrapped(f"  {away}: {', '.join(shown)}", 4)
    return lines


def _about(graph: Graph, nodes: Sequence[Node], words: dict[str, str]) -> Iterator[str]:
    """Yield a line about each of the nodes."""
    names = {node.name for node in nodes}
    match graph:
        case Predicates():
            for one in graph.predicates:
                if one.name in names:
                    files = ", ".join(one.files) or words["given"]
                    text = words["about_predicate"]
                    yield text.format(one.name, files, one.stratum, one.rules)
        case Priorities():
            for standing in graph.standings:
                if standing.name in names:
                    source = standing.ruling or words["no_source"]
                    yield words["about_class"].format(standing.name, standing.level, source)
        case _:
            yield from (f"{node.name}: {node.group}" for node in nodes)


def _marked(name: str, direct: Sequence[tuple[str, str]], side: str, words: dict[str, str]) -> str:
    """Return a name with how it is needed, or needs, where that is only by absence or counting."""
    kinds = {kind for one, kind in direct if one == name}
    if not kinds or kinds - set(LOOSE):
        return name
    return words[f"{'negation' if 'negation' in kinds else 'aggregate'}_{side}"].format(name)


def picture(graph: Graph, found: Part | None, form: str) -> str:
    """Return a graph, or a part of it, as a picture in one of the forms dot, mermaid, svg.

    A picture of all rulings is a brief one: the cases of a file are one node.
    """
    if found is not None:
        diagram = found.diagram
    elif isinstance(graph, Rulings):
        diagram = graph.diagram(brief=True)
    else:
        diagram = graph.diagram()
    return {"dot": dot, "mermaid": mermaid, "svg": svg}[form](diagram)
