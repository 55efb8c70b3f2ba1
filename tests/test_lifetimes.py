"""How long fluents live: facts/vocabulary/lifetimes.lp against what play makes of them."""

from __future__ import annotations

from collections.abc import Collection

import pytest
from clingo import Control
from together import played

from py_bridge.cases import Case, case_files, read_cases
from py_bridge.paths import base
from py_bridge.vocabulary import wordings

SPANS = {
    "link", "chain", "window", "attack", "sub_step", "damage_step", "battle_phase", "effect",
    "card", "turn", "duel",
}  # fmt: skip


def _lifetimes() -> dict[str, list[str]]:
    control = Control(["--warn=none"])
    control.load(str(base() / "facts/vocabulary/lifetimes.lp"))
    control.ground([("base", [])])
    found: dict[str, list[str]] = {}
    for atom in control.symbolic_atoms.by_signature("lives", 2):
        fluent, span = atom.symbol.arguments
        found.setdefault(fluent.name, []).append(span.name)
    return found


def _scripts() -> list[Case]:
    found = [case for file in case_files() for case in read_cases(file)]
    return [case for case in found if case.script and not case.awaits]


def _over(fluents: Collection[str], names: set[str]) -> set[str]:
    """Return the spans that are over in a state, by what is going on in it."""
    over = set()
    if not names & {"paying", "resolving", "aiming"}:
        over.add("link")
        if not names & {"link", "settling"}:
            over.add("chain")
    if "step(damage)" not in fluents:
        over |= {"damage_step", "sub_step"}
    if "phase(battle)" not in fluents:
        over |= {"attack", "battle_phase"}
    return over


def test_every_fluent_has_one_lifetime() -> None:
    found = _lifetimes()
    assert set(found) == set(wordings("en").fluents)
    assert {name for name, spans in found.items() if len(spans) != 1} == set()
    assert {span for spans in found.values() for span in spans} == SPANS


@pytest.mark.parametrize(
    ("part", "of"),
    [(0, 40), *(pytest.param(part, 8, marks=pytest.mark.slow) for part in (1,))],
)
def test_nothing_outlives_its_span(part: int, of: int) -> None:
    spans = {name: span for name, (span,) in _lifetimes().items()}
    cases = _scripts()[part::of]
    assert len(cases) > 9
    outlived = set()
    for case, told in zip(
        cases, played([(case.state, case.script) for case in cases]), strict=True
    ):
        for one in told.performed:
            names = {fluent.partition("(")[0] for fluent in one.step.state.fluents}
            over = _over(one.step.state.fluents, names)
            outlived |= {
                (name, spans[name], case.file, case.line, one.step.words)
                for name in names
                if spans[name] in over
            }
    assert outlived == set()
