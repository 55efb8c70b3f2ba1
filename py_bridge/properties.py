"""Properties held against all boards of a scope: none violates it, or the smallest that does.

A property is a small .lp file, out of queries/properties or the user's own: `% en:`, `% zh:` and
`% scope:` lines, then rules that conclude violated(...). It may use every predicate of the rule
base. Where it uses predicates that begin with `b__`, the rules stand in the program a second time
under that prefix, over the board that the property gives as b__holds/1, b__has_text/2 and
b__lingers/2: so a board can be held against the same board changed.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass

from clingo import Function, Symbol
from clingo.ast import AST, ASTType

from py_bridge.apart import RenameApart, rules_of
from py_bridge.derivation import concluded, needed
from py_bridge.errors import BattlejudgeError
from py_bridge.knowledge import KnowledgeBase
from py_bridge.labels import parse_rules
from py_bridge.paths import named_file, shipped
from py_bridge.scopes import Scope
from py_bridge.search import over_all_boards, smallest
from py_bridge.slices import backwards
from py_bridge.states import State
from py_bridge.unroll import PLAYED, lengths, moments, over_all_scripts, script_of, steps

_LINE = re.compile(r"^% (en|zh|scope): *(.+?) *$", re.MULTILINE)
_SECOND = "b__"
_INPUTS = ("holds", "has_text", "lingers")
_GOAL = Function("violated_somewhere")


@dataclass(frozen=True, slots=True)
class Property:
    """One property: its name, its sentence in two languages, its scope and its rules."""

    name: str
    en: str
    zh: str
    scope: str
    statements: tuple[AST, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a property: the smallest board that violates it, or None within the scope.

    `where` are the violated(...) atoms of that board.
    """

    property: Property
    scope: Scope
    state: State | None
    where: tuple[Symbol, ...]
    script: tuple[str, ...]
    states: int
    seconds: float


def names() -> list[str]:
    """Return the names of the properties that come with the package."""
    return shipped("properties", ".lp")


def read_property(name: str) -> Property:
    """Read a property by its name or from a file. Raises BattlejudgeError."""
    path = named_file("property", name, "properties", ".lp")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BattlejudgeError(f"{path}: cannot be read as a text file") from error
    lines: dict[str, str] = dict(_LINE.findall(text))
    statements = parse_rules(str(path), text)
    if not any(head == "violated" for s in statements for head, _ in concluded(s)):
        raise BattlejudgeError(
            f"{path}: no rule concludes violated(...); right would be one that does so for what "
            "breaks the property"
        )
    sentence = lines.get("en", path.stem.replace("_", " "))
    return Property(
        path.stem, sentence, lines.get("zh", sentence), lines.get("scope", "targets"), statements
    )


def hold(wanted: Property, rules: KnowledgeBase, scope: Scope) -> Outcome:
    """Look for the smallest board of a scope that violates a property."""
    if scope.script:
        return _hold_in_scripts(wanted, rules, scope)
    begin = time.monotonic()
    used = {name for s in wanted.statements for name, _ in needed(s)}
    own = {name for s in wanted.statements for name, _ in concluded(s)}
    program = [
        *rules_of(backwards(rules.statements, {*(used - own), "invalid"})),
        *_second_copy(rules, used - own),
        *wanted.statements,
        *parse_rules("goal", _goals(wanted.statements)),
    ]
    control = over_all_boards(scope, program, ("wellformed", "size"))
    board = smallest(control, _GOAL)
    state = None if board is None else scope.state(board, wanted.name)
    where = tuple(sorted(atom for atom in board or () if atom.name == "violated"))
    return Outcome(wanted, scope, state, where, (), scope.states(), time.monotonic() - begin)


def _hold_in_scripts(wanted: Property, rules: KnowledgeBase, scope: Scope) -> Outcome:
    """Look for the shortest script, and the smallest board for it, that violates a property."""
    begin = time.monotonic()
    own = [s for s in wanted.statements if s.ast_type == ASTType.Rule]
    used = {name for s in own for name, _ in needed(s)}
    everything = [*rules.statements, *own]
    program = moments(everything, scope, (*PLAYED, *used, "violated"))
    played = [*program, *steps("", ()), *parse_rules("can", "gen_can(Act, T) :- can(Act, T).")]
    for length in lengths(scope.script):
        tried = scope.with_script(length)
        goals = parse_rules("goal", _goals(wanted.statements, moment=True))
        board = smallest(over_all_scripts(tried, [*played, *goals], ()), _GOAL)
        if board is not None:
            where = tuple(sorted(atom for atom in board if atom.name == "violated"))
            state, script = tried.state(board, wanted.name), script_of(board)
            seconds = time.monotonic() - begin
            return Outcome(wanted, tried, state, where, script, tried.states(), seconds)
    return Outcome(wanted, scope, None, (), (), scope.states(), time.monotonic() - begin)


def _goals(statements: Sequence[AST], *, moment: bool = False) -> str:
    arities = {arity for s in statements for name, arity in concluded(s) if name == "violated"}
    arities = {arity + moment for arity in arities}
    bodies = [f"violated({', '.join('_' * arity)})" if arity else "violated" for arity in arities]
    return "".join(f"violated_somewhere :- {body}.\n" for body in bodies)


def _second_copy(rules: KnowledgeBase, used: set[str]) -> list[AST]:
    asked = {name.removeprefix(_SECOND) for name in used if name.startswith(_SECOND)}
    if not asked:
        return []
    kept = rules_of(backwards(rules.statements, asked))
    names = frozenset(name for rule in kept for name, _ in concluded(rule))
    rename = RenameApart(_SECOND, names | frozenset(_INPUTS))
    return [rename.visit(rule) for rule in kept]
