"""Many states in one grounding give what each gives by itself."""

from __future__ import annotations

from typing import Any

import pytest

from py_bridge import answers, ledger
from py_bridge.answers import Speaker
from py_bridge.cases import case_files, read_cases
from py_bridge.knowledge import knowledge_base
from py_bridge.states import State


def _states(name: str, step: int) -> list[State]:
    files = [file for file in case_files() if file.name.startswith(name)]
    cases = [case for file in files for case in read_cases(file)]
    return [case.state for case in cases if not case.awaits][::step]


def _data(found: ledger.Ledger) -> dict[str, Any]:
    return ledger.as_data(found, Speaker(found.state, "en"))


@pytest.mark.parametrize("step", [28, pytest.param(9, marks=pytest.mark.slow)])
def test_battles_reckoned_together_are_those_reckoned_alone(step: int) -> None:
    states = [state for state in _states("damage", step) if state.attack is not None]
    assert len(states) > 5
    together = ledger.reckon_all(states)
    for state, found in zip(states, together, strict=True):
        assert _data(found) == _data(ledger.reckon(state))


@pytest.mark.parametrize("step", [20, pytest.param(9, marks=pytest.mark.slow)])
def test_answers_asked_for_together_are_those_asked_for_alone(step: int) -> None:
    states = _states("targets", step)
    assert len(states) > 5
    models = knowledge_base().models([state.facts() for state in states], ("answer",))
    for state, model in zip(states, models, strict=True):
        got = {(str(act), str(how)) for act, how in model["answer"]}
        assert got == {(str(one.action), one.how) for one in answers.ask(state).actions}
