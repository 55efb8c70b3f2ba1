"""Verdicts: what the rules say to each ruling of the register, by way of its cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from py_bridge import register
from py_bridge.cases import Case, Dispute, case_files, read_cases
from py_bridge.errors import BattlejudgeError, InputError, Problem, nearest, quoted
from py_bridge.register import Ruling
from py_bridge.running import Verdict, run_all

RESULTS = ("agrees", "contradicts", "undecided", "disputed", "outside", "not-yet")


@dataclass(frozen=True, slots=True)
class RulingResult:
    """One ruling, its cases and what came of them.

    `result` is one of RESULTS; `wrong` lists the expectations that the rules do not meet;
    `changed` whether blanks for card names change the verdict of a case, and `exception` whether
    a case is declared as an exception for one card; `disputes` the two answers where the document
    does not agree with its own rules.
    """

    ruling: Ruling
    result: str
    cases: int
    wrong: tuple[str, ...] = ()
    changed: bool = False
    exception: bool = False
    disputes: tuple[Dispute, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """The results of all the rulings asked for."""

    results: tuple[RulingResult, ...]
    blank_names: bool = False

    def totals(self) -> dict[str, int]:
        """Return how many rulings came out in which way."""
        counted = Counter(result.result for result in self.results)
        return {name: counted[name] for name in RESULTS}

    def by_topic(self) -> dict[str, dict[str, int]]:
        """Return the totals of each topic, in alphabetical order."""
        topics = sorted({result.ruling.topic for result in self.results})
        return {
            topic: Report(tuple(r for r in self.results if r.ruling.topic == topic)).totals()
            for topic in topics
        }

    @property
    def holds(self) -> bool:
        """Whether no ruling is contradicted and blanks change nothing but exceptions."""
        return all(
            result.result != "contradicts" and (result.exception or not result.changed)
            for result in self.results
        )


def report(
    ids: Sequence[str] = (),
    *,
    topic: str | None = None,
    edition: int | None = None,
    blank_names: bool = False,
) -> Report:
    """Run the cases of the rulings asked for, by default of the whole register.

    Raises InputError for an unknown id or with the problems of a case file, and BattlejudgeError
    for a topic or an edition that no ruling has.
    """
    rulings = register.find(ids) if ids else list(register.load().values())
    if topic is not None:
        _refuse_unknown("--topic", topic, {ruling.topic for ruling in register.load().values()})
    if edition is not None:
        editions = {str(ruling.edition) for ruling in register.load().values()}
        _refuse_unknown("--edition", str(edition), editions)
    wanted = [
        ruling
        for ruling in rulings
        if (topic is None or ruling.topic == topic)
        and (edition is None or ruling.edition == edition)
    ]
    cases = _cases_by_ruling({ruling.id for ruling in wanted})
    outcomes = _Outcomes([case for found in cases.values() for case in found], blank_names)
    results = [_result(ruling, cases.get(ruling.id, ()), outcomes) for ruling in wanted]
    return Report(tuple(results), blank_names)


class _Outcomes:
    """The verdict of every case, and which of them blanks for card names change."""

    def __init__(self, cases: Sequence[Case], blank_names: bool) -> None:
        ready = list({_place(case): case for case in cases if not case.awaits}.values())
        self._verdicts = {_place(v.case): v for v in run_all(ready)}
        blanks = run_all(ready, blanks=True) if blank_names else []
        self._changed = {
            _place(v.case) for v in blanks if v.agrees != self._verdicts[_place(v.case)].agrees
        }

    def of(self, cases: Iterable[Case]) -> list[Verdict]:
        return [self._verdicts[_place(case)] for case in cases if not case.awaits]

    def changes(self, cases: Iterable[Case]) -> bool:
        return any(_place(case) in self._changed for case in cases)


def _place(case: Case) -> tuple[str, int]:
    return case.file, case.line


def _refuse_unknown(option: str, asked: str, known: Collection[str]) -> None:
    if asked not in known:
        right = " or ".join(nearest(asked, known) or sorted(known)[:3])
        raise BattlejudgeError(f"{option}: no ruling has {quoted(asked)}; right would be {right}")


def _cases_by_ruling(wanted: Collection[str]) -> dict[str, list[Case]]:
    found: dict[str, list[Case]] = {}
    problems: list[Problem] = []
    for file in case_files():
        try:
            cases = read_cases(file)
        except InputError as error:
            problems += error.problems
            continue
        for case in cases:
            for one in case.rulings:
                if one in wanted:
                    found.setdefault(one, []).append(case)
    if problems:
        raise InputError(problems)
    return found


def _result(ruling: Ruling, cases: Sequence[Case], outcomes: _Outcomes) -> RulingResult:
    verdicts = outcomes.of(cases)
    wrong = tuple(_complaints(verdicts))
    changed = outcomes.changes(cases)
    exception = any(case.exception for case in cases)
    result = _outcome(ruling, cases, verdicts)
    disputes = tuple(case.dispute for case in cases if case.dispute)
    return RulingResult(ruling, result, len(cases), wrong, changed, exception, disputes)


def _outcome(ruling: Ruling, cases: Sequence[Case], verdicts: Sequence[Verdict]) -> str:
    if not all(verdict.agrees for verdict in verdicts):
        outside = all(verdict.agrees or verdict.outside for verdict in verdicts)
        return "outside" if outside else "contradicts"
    if ruling.status == "disputed":
        return "disputed"
    if not verdicts or len(verdicts) < len(cases):
        return "not-yet"
    return "agrees" if ruling.status == "decided" else "undecided"


def _complaints(verdicts: Iterable[Verdict]) -> Iterable[str]:
    for verdict in verdicts:
        place = f"{verdict.case.file.rsplit('/', 1)[-1]}:{verdict.case.line}"
        yield from (f"{place}: {text}" for text in verdict.wrong)


def as_data(found: Report) -> dict[str, Any]:
    """Return a report as plain data: the stable shape of `battlejudge rulings --json`."""
    rulings = []
    for result in found.results:
        ruling = result.ruling
        data: dict[str, Any] = {
            "id": ruling.id,
            "edition": ruling.edition,
            "topic": ruling.topic,
            "kind": ruling.kind,
            "result": result.result,
            "status": ruling.status,
            "dates": [day.isoformat() for day in ruling.dates],
            "cases": result.cases,
            "wrong": list(result.wrong),
            "disputed": [
                {"printed": one.printed, "derived": one.derived, "rules": one.rules}
                for one in result.disputes
            ],
        }
        if found.blank_names:
            data["changed_by_blank_names"] = result.changed
            data["exception"] = result.exception
        rulings.append(data)
    return {"rulings": rulings, "totals": found.totals(), "topics": found.by_topic()}
