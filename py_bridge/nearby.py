"""Boards near those of the cases: one thing changed, on which a mutant may show.

The scopes hold boards before an attack and in damage calculation. What the rules say of chains,
of moments and of activations is looked for near the cases that exercise a rule: the same board
with a card negated, in another position, at another moment, or with one word of a text left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from py_bridge.coverage import Bench
from py_bridge.knowledge import Atoms
from py_bridge.mutants import Mutant
from py_bridge.survivors import Telling
from py_bridge.trials import Trial, spread, stirred

_NEAR = 2
_FAR = 101  # so many cases away, the cards are others
_TRIES = 12
# What stands in one place of a fluent, each of which a board could say instead.
_ALTERNATIVES = (
    ("phase", 0, ("main_1", "battle", "main_2", "end")),
    ("step", 0, ("start", "battle", "damage", "end")),
    ("sub_step", 0, ("start", "before_calculation", "calculation", "after_calculation", "end")),
    ("stage", 0, ("open", "declaration", "replay", "reselected")),
    ("position", 1, ("attack", "defense")),
    ("face", 1, ("up", "down")),
    ("controller", 1, ("turn_player", "non_turn_player")),
    ("applied_by", 1, ("turn_player", "non_turn_player")),
    ("passed", 0, ("turn_player", "non_turn_player")),
    ("in", 1, ("monster_zone", "spell_trap_zone", "graveyard", "hand")),
    ("turn", 0, ("1", "2", "3")),
)
# Facts of a board, or of a text, without which it is still one.
_SPARE = re.compile(
    r"holds\((?:negated|used|summoned|came|chosen|equipped|passed|passes_tracked|after_chain|link|"
    r"attack|stage|sub_step|declared|declared_in|written|applied_from|trait|attack_over|"
    r"entry_count|substitutes|declines|attempted|declared_on|direct_by|applied|lingers)\b|"
    r"(?:argument|want|condition|duration|mandatory|event_filter|usable_in|answerless|option|"
    r"excepted|role|unmodelled|effect_target)\("
)
_FLUENT = re.compile(r"holds\((\w+)\((.*)\)\)")
_TEXT = re.compile(r"has_text\((\w+),(\w+)\)")
_SHOWN = ("answer", "finding", "next", "forbids")


@dataclass(frozen=True, slots=True)
class Board:
    """A board as facts, and in words: which case it is like, and what is different."""

    words: str
    facts: tuple[str, ...]


def near(name: str, facts: Sequence[str]) -> Iterator[Board]:
    """Yield the boards that differ from one in a single fact."""
    for index, fact in enumerate(facts):
        before, after = facts[:index], facts[index + 1 :]
        if _SPARE.match(fact):
            yield Board(f"like {name}, but without {fact}", (*before, *after))
        for other in _others(fact):
            yield Board(f"like {name}, but {other}", (*before, other, *after))
    for added in _added(facts):
        yield Board(f"like {name}, but {added}", (*facts, added))


def _others(fact: str) -> Iterator[str]:
    found = _FLUENT.fullmatch(fact)
    if found is None:
        return
    terms = found[2].split(",")
    for fluent, place, words in _ALTERNATIVES:
        if found[1] == fluent and place < len(terms):
            for word in words:
                if word != terms[place]:
                    changed = ",".join([*terms[:place], word, *terms[place + 1 :]])
                    yield f"holds({fluent}({changed}))"


def _added(facts: Sequence[str]) -> Iterator[str]:
    known = set(facts)
    for fact in facts:
        found = _TEXT.fullmatch(fact)
        if found is not None:
            for fluent in (f"negated({found[1]})", f"used({found[1]},1)"):
                if f"holds({fluent})" not in known:
                    yield f"holds({fluent})"


def crowded(name: str, facts: Sequence[str], other: Sequence[str]) -> Board:
    """Return a board with the texts of another in the Graveyard, where they should change nothing.

    A rule that has lost the link between a card and its text reads these texts as well.
    """
    keys = dict.fromkeys(found[2] for fact in other if (found := _TEXT.fullmatch(fact)))
    apart = re.compile(rf"\b({'|'.join(map(re.escape, keys))})\b") if keys else None
    added = [
        apart.sub(r"aside_\1", fact)
        for fact in other
        if apart and not fact.startswith(("holds(", "has_text(", "lingers(", "do(", "asks("))
    ]
    for number, key in enumerate(keys):
        card = f"aside{number}"
        added.append(f"has_text({card},aside_{key})")
        added += [
            f"holds({fluent})"
            for fluent in (
                f"in({card},graveyard)",
                f"controller({card},turn_player)",
                f"owner({card},turn_player)",
                f"face({card},up)",
            )
        ]
    return Board(f"like {name}, but with cards of another case in the Graveyard", (*facts, *added))


class Nearby:
    """The boards of the cases, and some near each, on which mutants are tried.

    `others` are in words the boards that the trial has besides; near them no others are tried.
    """

    def __init__(
        self, trial: Trial, cases: Sequence[tuple[str, list[str]]], others: Sequence[str] = ()
    ) -> None:
        boards = [board for case in cases for board in _some(list(near(*case)))]
        boards += [
            crowded(name, facts, other)
            for (name, facts), (_, other) in zip(cases, [*cases[_FAR:], *cases[:_FAR]], strict=True)
        ]
        pool = Bench(trial.bench.rules, [board.facts for board in boards])
        self._places = (
            (trial, [*(f"the board of {name}" for name, _ in cases), *others]),
            (Trial(pool, ()), [board.words for board in boards]),
        )

    def tell(self, mutants: Mapping[int, Mutant]) -> dict[int, Telling]:
        """Look for a board that tells each mutant from its rule."""
        found = dict.fromkeys(mutants, Telling("unused"))
        for trial, words in self._places:
            left = {n: one for n, one in mutants.items() if found[n].result == "unused"}
            pairs = [
                (number, state)
                for number, states in stirred(trial.bench, left).items()
                for state in [one for one in states if _is_possible(trial.bench, one)][:_TRIES]
            ]
            for (number, state), changed in trial.changes(left, pairs):
                kind = difference(trial.bench, state, changed)
                if kind and found[number].result != "told":
                    found[number] = Telling("told", kind, words[state])
        return found


def _some(boards: Sequence[Board]) -> list[Board]:
    """Return a few of the boards near one case, the same every time."""
    return [boards[index] for index in spread(range(len(boards)), ())[:_NEAR]]


def _is_possible(bench: Bench, state: int) -> bool:
    return not bench.atoms(("invalid", 2)).get(state)


def difference(bench: Bench, state: int, changed: Atoms) -> str:
    """Return the first answer, finding or effect of an action that only one of two gives.

    Or the first reason for which only one of them refuses an action. `changed` are the atoms of one
    of them, the other is the model of the bench.
    """
    known: dict[str, set[str]] = {}
    for signature in bench.lift.lifted:
        if signature[0] in changed:
            atoms = bench.atoms(signature).get(state, ())
            known[signature[0]] = {", ".join(map(str, atom.arguments[:-1])) for atom in atoms}
    actions = {str(atom.arguments[0]) for atom in bench.atoms(("answer", 2)).get(state, ())}
    for name in _SHOWN:
        got = {", ".join(map(str, row)) for row in changed.get(name, ())}
        apart = sorted(known.get(name, set()) ^ got)
        if name == "forbids":
            apart = [one for one in apart if any(one.endswith(f" {act}") for act in actions)]
        if apart:
            return f"{name}({apart[0]}), {'new' if apart[0] in got else 'lost'}"
    return ""
