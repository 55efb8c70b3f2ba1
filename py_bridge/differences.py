"""What `battlejudge diff` says: the smallest boards on which two rule bases differ."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from clingo import Symbol

from py_bridge.answers import HOW, Answer, ask, consider
from py_bridge.compare import Comparison, Difference, compare
from py_bridge.errors import BattlejudgeError
from py_bridge.knowledge import KnowledgeBase
from py_bridge.labels import read_labels
from py_bridge.ledger import Ledger, reckon
from py_bridge.pages import wrapped
from py_bridge.phrases import action
from py_bridge.picture import picture
from py_bridge.play import begin, step
from py_bridge.scopes import Scope
from py_bridge.states import State
from py_bridge.writing import state_text

# What a player sees of a duel, of all that holds.
_SEEN = ("in(", "controller(", "position(", "face(", "lp(", "attack(", "attack_over(", "value(")


@dataclass(frozen=True, slots=True)
class Told:
    """A difference with both answers: what each base says where they differ, and the rulings.

    `answers` are triples: what is asked, the answer of the first base, that of the second.
    """

    difference: Difference
    answers: tuple[tuple[str, str, str], ...]
    rulings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """All that was found: one comparison for each scope, and the differences told."""

    comparisons: tuple[Comparison, ...]
    told: tuple[Told, ...]

    @property
    def complete(self) -> bool:
        """Whether every kind of difference within the scopes is listed."""
        return all(one.complete for one in self.comparisons)


def differences(
    left: KnowledgeBase, right: KnowledgeBase, scopes: Iterable[Scope], limit: float
) -> Report:
    """Compare two rule bases on every scope; `limit` is the time in seconds for each.

    Scripts are looked at last, and only where no single board tells the bases apart.
    """
    comparisons: list[Comparison] = []
    for scope in sorted(scopes, key=lambda one: one.script):
        if not (scope.script and any(one.differences for one in comparisons)):
            comparisons.append(compare(left, right, scope, limit))
    told = tuple(
        _told(found, left, right) for comparison in comparisons for found in comparison.differences
    )
    return Report(tuple(comparisons), told)


def _told(found: Difference, left: KnowledgeBase, right: KnowledgeBase) -> Told:
    if found.script:
        return _told_by_script(found, left, right)
    if found.state.attack is not None:
        ours, theirs = reckon(found.state, left), reckon(found.state, right)
        rows = [row for row in _totals(ours, theirs) if row[1] != row[2]]
        used = {
            (base, entry.reason.label)
            for base, ledger in ((left, ours), (right, theirs))
            for entry in ledger.entries
        }
        return Told(found, tuple(rows), _rulings(used))
    one, other = ask(found.state, left), ask(found.state, right)
    theirs_by_action = {answer.action: answer for answer in other.actions}
    answers: list[tuple[str, str, str]] = []
    labels: set[tuple[KnowledgeBase, str]] = set()
    for ours_answer in one.actions:
        theirs_answer = theirs_by_action.get(ours_answer.action)
        how = theirs_answer.how if theirs_answer else "nothing"
        if how != ours_answer.how:
            answers.append((ours_answer.words, ours_answer.how, how))
            labels |= {(left, label) for label in _deciding(ours_answer)}
            labels |= {(right, label) for label in _deciding(theirs_answer)}
    if not answers:
        answers = _findings(one.findings, other.findings)
    answers.sort(key=lambda row: HOW.index(row[1]) if row[1] in HOW else len(HOW))
    return Told(found, tuple(answers), _rulings(labels))


def _told_by_script(found: Difference, left: KnowledgeBase, right: KnowledgeBase) -> Told:
    """Play a script by both bases; what differs at its end."""
    ours, theirs = (_played(found, base) for base in (left, right))
    rows = [
        (fluent, *(("holds", "does not hold") if fluent in mine else ("does not hold", "holds")))
        for mine, yours in [(set(ours[0].fluents), set(theirs[0].fluents))]
        for fluent in sorted(mine ^ yours)
        if fluent.startswith(_SEEN)
    ]
    one, other = (consider(state, base) for state, base in ((ours[0], left), (theirs[0], right)))
    allowed = [{answer.words: answer.how for answer in side.actions} for side in (one, other)]
    rows += [
        (words, allowed[0].get(words, "nothing"), allowed[1].get(words, "nothing"))
        for words in sorted(allowed[0].keys() | allowed[1].keys())
        if allowed[0].get(words) != allowed[1].get(words)
    ]
    return Told(found, tuple(rows), _rulings({*ours[1], *theirs[1]}))


def _played(found: Difference, base: KnowledgeBase) -> tuple[State, set[tuple[KnowledgeBase, str]]]:
    """Return the state at the end of a script, and the labels behind what happened."""
    state = begin(found.state)
    labels: set[tuple[KnowledgeBase, str]] = set()
    for words in found.script:
        done = step(state, action(words), base)
        labels |= {(base, event.reason.label) for event in done.events}
        state = done.state
    return state, labels


def _deciding(answer: Answer | None) -> list[str]:
    return [reason.label for reason in answer.reasons[:1]] if answer else []


def _findings(ours: Sequence[Symbol], theirs: Sequence[Symbol]) -> list[tuple[str, str, str]]:
    rows = [(str(one), "found", "not found") for one in ours if one not in theirs]
    return rows + [(str(one), "not found", "found") for one in theirs if one not in ours]


def _totals(ours: Ledger, theirs: Ledger) -> Iterable[tuple[str, str, str]]:
    for left, right in zip(ours.totals, theirs.totals, strict=True):
        yield f"battle damage of {left.player}", _damages(left.parts), _damages(right.parts)
        yield f"LP of {left.player}", str(left.lp_after), str(right.lp_after)
    yield "destroyed by battle", ", ".join(ours.destroyed), ", ".join(theirs.destroyed)


def _damages(parts: Sequence[int]) -> str:
    return " + ".join(map(str, sorted(parts))) or "0"


def _rulings(labels: Iterable[tuple[KnowledgeBase, str]]) -> tuple[str, ...]:
    known = {base: read_labels(base.files) for base in {base for base, _ in labels}}
    return tuple(
        sorted(
            {
                r
                for base, label in labels
                for r in (known[base][label].rulings if label in known[base] else ())
            }
        )
    )


def as_data(report: Report) -> dict[str, Any]:
    """Return a report as plain data: the stable shape of `battlejudge diff --json`."""
    return {
        "differences": [
            {
                "kind": str(one.difference.kind),
                "state": state_text(one.difference.state),
                "script": list(one.difference.script),
                "a": {asked: ours for asked, ours, _ in one.answers},
                "b": {asked: theirs for asked, _, theirs in one.answers},
                "rulings": list(one.rulings),
            }
            for one in report.told
        ],
        "scope": "; ".join(one.scope.words for one in report.comparisons),
        "complete": report.complete,
        "states": sum(one.states for one in report.comparisons),
        "seconds": round(sum(one.seconds for one in report.comparisons), 2),
    }


def page(report: Report, names: tuple[str, str], language: str) -> list[str]:
    """Return a report as lines for people."""
    lines: list[str] = []
    for number, one in enumerate(report.told, 1):
        lines.append(f"--- {number}. {one.difference.kind}")
        lines += picture(one.difference.state, language)
        for place, words in enumerate(one.difference.script, 1):
            lines.append(f"  {place}. {words}")
        for asked, ours, theirs in one.answers:
            lines += wrapped(f"  {asked}: {names[0]} says {ours}, {names[1]} says {theirs}", 4)
        if one.rulings:
            lines += wrapped(f"  rulings: {', '.join(one.rulings)}", 4)
        lines += [f"    {line}" for line in state_text(one.difference.state).splitlines()]
    for comparison in report.comparisons:
        count = len(comparison.differences)
        verdict = "equal" if not count else f"{count} kinds of difference"
        if not comparison.complete:
            verdict += ", not all looked for"
        lines += wrapped(
            f"{comparison.scope.name}: {verdict} ({comparison.states:.3g} boards, "
            f"{comparison.seconds:.1f} s; {comparison.scope.words})",
            2,
        )
    return lines


def check_scopes(names: Sequence[str], known: Sequence[str]) -> Sequence[str]:
    """Return the scopes to look at, by default all. Raises BattlejudgeError for an unknown one."""
    unknown = [name for name in names if name not in known and not name.endswith(".yaml")]
    if unknown:
        raise BattlejudgeError(f"no scope {unknown[0]}; right would be {', '.join(known)}")
    return names or known
