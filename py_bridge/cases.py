"""Cases: documented rulings as states with the answers expected of the rules."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from clingo import Symbol

from py_bridge.answers import asking, attacks_taken_together
from py_bridge.errors import InputError, Problem
from py_bridge.formats import schema
from py_bridge.knowledge import Atoms
from py_bridge.paths import base
from py_bridge.phrases import PhraseError, action, attacker_of, finding
from py_bridge.states import State, state_at
from py_bridge.structure import check
from py_bridge.yaml_text import Document, parse, read_text

PREDICATES = ("answer", "finding", "next", "forbids", "allows", "obliges", "invalid")
_ALLOWED = ("may", "must")
_EXPECTATIONS = ("script", "expect", "targets", "finds", "finds_not", "then", "then_not")
_ANSWERS = (*_EXPECTATIONS, "reasons", "reasons_not", "do")


@dataclass(frozen=True, slots=True)
class Dispute:
    """Two answers to one case, in words: the printed one, and what follows from the stated rules.

    `rules` is the one, printed or derived, that the rules give and the case expects.
    """

    printed: str
    derived: str
    rules: str


@dataclass(frozen=True, slots=True)
class Case:
    """One state and what the rulings say of it.

    `expected` maps actions to answers, `targets` attackers to what they can attack, `finds` and
    `finds_not` name findings, `then` and `then_not` what holds after the action `do`. Or the state
    is one that no duel can come to, and the case says for what it is refused (`invalid`).
    """

    file: str
    line: int
    rulings: tuple[str, ...]
    shows: str
    state: State
    data: Mapping[str, Any]

    @property
    def awaits(self) -> str | None:
        """Which part of the rules the case waits for; None if it can be run."""
        return self.data.get("awaits")

    @property
    def dispute(self) -> Dispute | None:
        """The two answers where the document does not agree with its own rules; else None."""
        stated = self.data.get("disputed")
        return Dispute(stated["printed"], stated["derived"], stated["rules"]) if stated else None

    @property
    def script(self) -> Sequence[str | Mapping[str, Any]]:
        """The lines of its script; empty if the case is about one state."""
        lines: Sequence[str | Mapping[str, Any]] = self.data.get("script", ())
        return lines

    @property
    def invalid(self) -> Mapping[str, Sequence[str]]:
        """For what the state has to be refused: labels, each with the ids of what is at fault."""
        refused: Mapping[str, Sequence[str]] = self.data.get("invalid", {})
        return refused

    @property
    def exception(self) -> bool:
        """Whether its ruling is an exception that a document grants to one card."""
        return bool(self.data.get("exception"))


@lru_cache(maxsize=1)
def cases_schema() -> dict[str, Any]:
    """Return the JSON Schema of a case file, the schema of a state inside."""
    own = json.loads((base() / "facts/schema/cases.schema.json").read_text(encoding="utf-8"))
    state = schema()
    inner = {key: value for key, value in state.items() if not key.startswith("$")}
    own["$defs"] = {**state["$defs"], **own["$defs"], "state": inner}
    loaded: dict[str, Any] = own
    return loaded


def case_files() -> list[Path]:
    """Return the case files that come with the package."""
    return sorted((base() / "facts" / "rulings" / "cases").rglob("*.yaml"))


def read_cases(path: str | Path) -> list[Case]:
    """Read a file of cases. Raises InputError with every problem of the file."""
    return cases_of(parse(read_text(path), str(path)))


def cases_of(document: Document) -> list[Case]:
    """Return the cases of a document. Raises InputError."""
    problems = check(document, cases_schema())
    if problems:
        raise InputError(problems)
    found: list[Case] = []
    for index, data in enumerate(document.data["cases"]):
        at = ("cases", index)
        try:
            state = state_at(document, (*at, "state"))
        except InputError as error:
            problems += error.problems
            continue
        line = document.line_of(at)
        case = Case(document.file, line, tuple(data.get("rulings", ())), data["shows"], state, data)
        problems += [Problem(document.file, line, text) for text in _misworded(case)]
        found.append(case)
    if problems:
        raise InputError(problems)
    return found


def _misworded(case: Case) -> Iterator[str]:
    for phrase in case.data.get("expect", ()):
        if attacker_of(phrase) is None:
            yield from _fault(action, phrase)
    for key in ("finds", "finds_not", "then", "then_not"):
        for text in case.data.get(key, ()):
            yield from _fault(finding, text)
    if case.invalid:
        for key in _ANSWERS:
            if key in case.data:
                yield f"a state that is refused is asked nothing; leave out invalid, or {key}"
        return
    if not case.rulings:
        yield "the case names no ruling; give rulings, or invalid for a state that is refused"
    if not case.awaits and not any(key in case.data for key in _EXPECTATIONS):
        yield "the case expects nothing; give expect, targets, finds or then"


def _fault(read: Any, text: str) -> Iterator[str]:
    try:
        read(text)
    except PhraseError as error:
        yield str(error)


def facts_of(case: Case) -> list[str]:
    """Return the state of a case as facts, the action that the case asks about among them."""
    facts = case.state.facts()
    if "do" in case.data:
        facts.append(f"do({action(case.data['do'])})")
    asked = (phrase for phrase in case.data.get("expect", ()) if attacker_of(phrase) is None)
    return facts + [asking(action(phrase)) for phrase in asked]


def complaints(case: Case, model: Atoms) -> Iterator[str]:
    """Yield every expectation of a case that a model of its state (PREDICATES) does not meet."""
    data = case.data
    answers: dict[Symbol, str] = {}
    for act, how in model["answer"]:
        if answers.setdefault(act, str(how)) != str(how):
            yield f"{act}: the rules say both {answers[act]} and {how}"
    refused = {(str(label), str(one)) for label, one in model["invalid"]}
    expected_refused = {(label, one) for label, ones in case.invalid.items() for one in ones}
    for label, one in sorted(refused - expected_refused):
        yield f"the state is not well formed: {label} ({one})"
    for label, one in sorted(expected_refused - refused):
        yield f"expected the state to be refused for {label} ({one}), which the rules do not"
    for phrase, expected in data.get("expect", {}).items():
        got = _answer(phrase, answers)
        if got != expected:
            yield f"{phrase}: expected {expected}, the rules say {got}"
    for attacker, expected in data.get("targets", {}).items():
        got_targets = sorted(
            str(act.arguments[1])
            for act, how in answers.items()
            if act.name == "attack" and str(act.arguments[0]) == attacker and how in _ALLOWED
        )
        if got_targets != sorted(expected):
            yield f"targets of {attacker}: expected {sorted(expected)}, the rules say {got_targets}"
    for phrase, expected in data.get("reasons", {}).items():
        got_labels = _reasons(action(phrase), model)
        for label in expected:
            if label not in got_labels:
                yield f"{phrase}: expected a reason {label}, the rules give {sorted(got_labels)}"
    for phrase, unexpected in data.get("reasons_not", {}).items():
        for label in sorted(_reasons(action(phrase), model) & set(unexpected)):
            yield f"{phrase}: the rules give the reason {label}, which was not expected"
    yield from _membership(data, "finds", "finds_not", model["finding"])
    yield from _membership(data, "then", "then_not", model["next"])


def _membership(
    data: Mapping[str, Any], yes: str, no: str, atoms: Iterable[tuple[Symbol, ...]]
) -> Iterator[str]:
    found = {str(arguments[0]) for arguments in atoms}
    for text in data.get(yes, ()):
        if str(finding(text)) not in found:
            yield f"expected {text}, which the rules do not find"
    for text in data.get(no, ()):
        if str(finding(text)) in found:
            yield f"the rules find {text}, which was not expected"


def _reasons(act: Symbol, model: Atoms) -> set[str]:
    return {
        str(by.arguments[0])
        for name in ("forbids", "allows", "obliges")
        for by, about in model[name]
        if about == act
    }


def _answer(phrase: str, answers: Mapping[Symbol, str]) -> str:
    attacker = attacker_of(phrase)
    if attacker is None:
        return answers.get(action(phrase), "nothing")
    return attacks_taken_together(attacker, answers.items())
