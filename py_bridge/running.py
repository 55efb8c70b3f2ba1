"""Cases run: what the rules say to each, one by one or many together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from py_bridge.blanks import blanked, without_names
from py_bridge.cases import PREDICATES, Case, complaints, facts_of
from py_bridge.knowledge import Atoms, KnowledgeBase, Rules, knowledge_base
from py_bridge.rehearsals import rehearse
from py_bridge.scripts import ScriptError, run_script


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the rules say to a case.

    `wrong` lists every expectation that they do not meet; `outside` tells that all of these are
    questions which the rules call outside the model.
    """

    case: Case
    wrong: tuple[str, ...]
    outside: bool = False

    @property
    def agrees(self) -> bool:
        """Whether the rules answer as the rulings do."""
        return not self.wrong


def run(case: Case, rules: KnowledgeBase | None = None, *, blanks: bool = False) -> Verdict:
    """Ask the rules about the state of a case and compare; with `blanks` without card names."""
    base = rules or knowledge_base()
    if case.script:
        return _played(case, base, blanks)
    return _verdict(case, base.model(_asked(case, blanks), PREDICATES))


def run_all(cases: Sequence[Case], *, blanks: bool = False) -> list[Verdict]:
    """Run many cases: the boards in one grounding, the scripts in step.

    A script that does not come out as it should is performed once more, for the words.
    """
    rules = knowledge_base()
    boards = [case for case in cases if not case.script]
    models = rules.models([_asked(case, blanks) for case in boards], PREDICATES)
    answered = iter([_verdict(case, model) for case, model in zip(boards, models, strict=True)])
    scripts = [case for case in cases if case.script]
    played = iter(rehearse(scripts, rules, blanks=blanks))
    return [
        next(answered)
        if not case.script
        else Verdict(case, ())
        if next(played).agrees
        else _played(case, rules, blanks)
        for case in cases
    ]


def _played(case: Case, rules: Rules, blanks: bool) -> Verdict:
    """Perform the script of a case."""
    state, found = without_names(case.state, rules) if blanks else (case.state, rules)
    try:
        told = run_script(state, case.script, found)
    except ScriptError as error:
        return Verdict(case, (*map(str, error.wrong), str(error)))
    return Verdict(case, tuple(map(str, told.wrong)))


def _asked(case: Case, blanks: bool) -> list[str]:
    facts = facts_of(case)
    return blanked(facts, (t.key for t in case.state.texts.values())) if blanks else facts


def _verdict(case: Case, model: Atoms) -> Verdict:
    wrong = tuple(complaints(case, model))
    return Verdict(case, wrong, bool(wrong) and all(text.endswith(" outside") for text in wrong))
