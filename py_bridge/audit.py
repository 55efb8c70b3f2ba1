"""The audit: does the rule base hold together?

Seven checks, each with a figure and the list behind it. Leaving out rulings and trying mutants
takes minutes; both run in any concurrent.futures.Executor and tell what they have found so far, and
the mutants can be taken up again.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import signal
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, as_completed
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import yaml

from py_bridge import graph, register
from py_bridge.blanks import blanked
from py_bridge.cases import PREDICATES, Case, case_files, facts_of
from py_bridge.coverage import Bench, Rule, cases_to_run, exercised, rules_with_places
from py_bridge.derivation import concluded, needed
from py_bridge.errors import BattlejudgeError, nearest, quoted
from py_bridge.knowledge import KnowledgeBase, as_program, rule_files
from py_bridge.mutants import WORDS, Mutant, mutants
from py_bridge.nearby import Nearby
from py_bridge.omissions import Omissions, labels, sources
from py_bridge.paths import base
from py_bridge.properties import hold, read_property
from py_bridge.rehearsals import Rehearsal, rehearse
from py_bridge.running import run
from py_bridge.scopes import names as scope_names
from py_bridge.scopes import read_scope
from py_bridge.script_trials import PLAYED, ScriptTrial
from py_bridge.script_trials import boards as script_boards
from py_bridge.slices import backwards
from py_bridge.states import state_from_text
from py_bridge.survivors import Telling, Yardstick
from py_bridge.trials import Trial, stirred

CHECKS = ("rulings", "citations", "blank-names", "one-answer", "shown", "dead-rules", "mutants")
RESULTS = ("killed", "alive", "equivalent", "open", "unseen")
# Where a case stands: file and line.
Place = tuple[str, int]
# The parts of the documents that the rules cover.
COVERED = ("bp", "bs", "dm", "ma", "an", "rp")
# What tells of the state that follows an action.
_FOLLOWING = {"next"}

# So many mutants are tried together; with scripts more, since a script goes round by round.
_CHUNK, _CHUNK_WITH_SCRIPTS = 400, 2000
# So many rulings are left out in one task; fewer with scripts.
_RULINGS, _RULINGS_WITH_SCRIPTS = 110, 50
_MONSTERS = 2


@dataclass(frozen=True, slots=True)
class Source:
    """What is audited: a folder with rules (None: the one of the package) and files of cases.

    `scripts` tells whether the cases that are scripts are taken in, and with them the rules of what
    an action changes; else it is about the rules that answer questions about one state.
    """

    folder: Path | None = None
    cases: tuple[Path, ...] | None = None
    scopes: tuple[str, ...] | None = None
    scripts: bool = True


@dataclass(frozen=True, slots=True)
class Check:
    """What came of one check.

    `figure` says it in numbers, `found` lists what is wrong, `numbers` holds what else is counted,
    `complete` is False if the check was broken off.
    """

    name: str
    ok: bool
    figure: str
    found: tuple[Any, ...] = ()
    numbers: Mapping[str, Any] = field(default_factory=dict)
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Tried:
    """One mutant and what came of it.

    `result` is one of RESULTS: killed by the case `by`; alive, and told from the rule by `board`
    (that of a case, one near it, or a state as YAML) in what `differs` names; equivalent on every
    board of the scopes; open, if no board was found and no scope uses the rule or the search took
    too long; unseen, if no case can expect anything that the rule bears on.
    """

    place: str
    rule: str
    kind: str
    text: str
    result: str
    by: str = ""
    differs: str = ""
    board: str = ""


class Audited:
    """A rule base with its cases, and what the checks share of them."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.rules = rules_with_places(source.folder)
        self.cases = cases_to_run(source.cases)
        if not source.scripts:
            of_states = {name for name in PREDICATES if name not in _FOLLOWING}
            kept = set(map(id, backwards([rule.statement for rule in self.rules], of_states)))
            self.rules = [rule for rule in self.rules if id(rule.statement) in kept]
            self.cases = [one for one in self.cases if not one.script and "do" not in one.data]

    @cached_property
    def boards(self) -> list[Case]:
        """The cases that are about one state."""
        return [case for case in self.cases if not case.script]

    @cached_property
    def rehearsals(self) -> list[Rehearsal]:
        """The cases that are scripts, performed."""
        return self._rehearsed(blanks=False)

    def _rehearsed(self, *, blanks: bool) -> list[Rehearsal]:
        scripts = [case for case in self.cases if case.script]
        return rehearse(scripts, self.knowledge, blanks=blanks)

    @cached_property
    def knowledge(self) -> KnowledgeBase:
        """The rules, ready to be asked about states."""
        return KnowledgeBase(rule_files(self.source.folder))

    @cached_property
    def bench(self) -> Bench:
        """All cases in one grounding: the boards, then the states that the scripts pass through."""
        known = [facts_of(case) for case in self.boards]
        return Bench(self.rules, [*known, *script_boards(self.rehearsals)])

    @cached_property
    def trial(self) -> Trial:
        """The cases that are about one state, ready for mutants."""
        return Trial(self.bench, self.boards, PLAYED if self.rehearsals else ())

    @cached_property
    def script_trial(self) -> ScriptTrial:
        """The cases that are scripts, ready for mutants."""
        return ScriptTrial(self.trial, self.rehearsals, len(self.boards))

    @cached_property
    def cases_by_ruling(self) -> dict[str, list[Case]]:
        """The cases of each decided ruling that has any."""
        found: dict[str, list[Case]] = {}
        for case in self.cases:
            for one in case.rulings:
                found.setdefault(one, []).append(case)
        rulings = register.load()
        return {one: some for one, some in found.items() if rulings[one].status == "decided"}

    @cached_property
    def agreeing(self) -> dict[Place, bool]:
        """Whether the rules meet each case."""
        right = [*self.trial.original, *self.script_trial.original]
        return dict(zip(map(_place, self._in_order), right, strict=True))

    @cached_property
    def agreeing_blank(self) -> dict[Place, bool]:
        """Whether the rules meet each case without card names."""
        states = [
            blanked(facts_of(case), (text.key for text in case.state.texts.values()))
            for case in self.boards
        ]
        right = [
            *Trial(Bench(self.rules, states), self.boards).original,
            *(one.agrees for one in self._rehearsed(blanks=True)),
        ]
        return dict(zip(map(_place, self._in_order), right, strict=True))

    @property
    def _in_order(self) -> list[Case]:
        return [*self.boards, *(one.case for one in self.rehearsals)]

    def cases_at(self, state: int) -> list[Case]:
        """Return the cases to which a state of the bench belongs."""
        if state < len(self.boards):
            return [self.boards[state]]
        return [self.rehearsals[one].case for one in self.script_trial.scripts_of([state])]

    @cached_property
    def fired(self) -> list[frozenset[Place]]:
        """For each rule the cases that exercise it, scripts at any of their moments."""
        return [
            frozenset(_place(case) for state in states for case in self.cases_at(state))
            for states in exercised(self.bench)
        ]

    @cached_property
    def used(self) -> frozenset[int]:
        """The rules, by number, that a case exercises, and the facts that such a rule reads."""
        fires = [bool(cases) for cases in self.fired]
        reads = {
            name
            for rule, used in zip(self.rules, fires, strict=True)
            if used and not rule.is_fact
            for name in needed(rule.statement)
        }
        return frozenset(
            number
            for number, (rule, used) in enumerate(zip(self.rules, fires, strict=True))
            if (concluded(rule.statement) & reads if rule.is_fact else used)
        )

    @cached_property
    def mutants(self) -> list[Mutant]:
        """The mutants of the rules; without scripts, of those that a case about one state uses.

        The others are rules of play, which scripts alone can put to the test.
        """
        found = mutants([rule.statement for rule in self.rules])
        return [one for one in found if self.source.scripts or one.rule in self.used]

    @cached_property
    def nearby(self) -> Nearby:
        """The boards of the cases, and some near them."""
        scripts = [
            f"a state in the script of {self.place_of(self.cases_at(state)[0])}"
            for state in self.bench.states[len(self.boards) :]
        ]
        return Nearby(
            self.trial, [(self.place_of(case), facts_of(case)) for case in self.boards], scripts
        )

    @cached_property
    def yardsticks(self) -> list[Yardstick]:
        """The scopes against which a mutant is held that no case kills."""
        statements = [rule.statement for rule in self.rules]
        names = scope_names() if self.source.scopes is None else self.source.scopes
        return [Yardstick(statements, read_scope(one, {"monsters": _MONSTERS})) for one in names]

    def place_of(self, case: Case) -> str:
        """Return `file:line` of a case."""
        return f"{Path(case.file).name}:{case.line}"


def _place(case: Case) -> Place:
    return case.file, case.line


@lru_cache(maxsize=2)
def audited(source: Source) -> Audited:
    """Return a rule base to be audited; a worker process reads it once."""
    return Audited(source)


# --- the checks that take seconds -----------------------------------------------------------------


def check_rulings(about: Audited) -> Check:
    """Every documented ruling with a case agrees with the rules."""
    wrong = [case for case in about.cases if not about.agreeing[_place(case)]]
    found = [
        {
            "rulings": list(case.rulings),
            "case": about.place_of(case),
            "wrong": list(verdict.wrong),
            "board": _smallest_board(case),
        }
        for case in wrong
        for verdict in [run(case, about.knowledge)]
    ]
    rulings = {one for case in about.cases for one in case.rulings}
    disagree = {one for case in wrong for one in case.rulings}
    figure = f"{len(rulings) - len(disagree)} of {len(rulings)} rulings, {len(about.cases)} cases"
    return Check("rulings", not wrong, figure, tuple(found), {"rulings": len(rulings)})


def _smallest_board(case: Case) -> str:
    """Return the board of a case, as YAML, without what its disagreement does not need.

    That from which a script is played stays as it is.
    """
    if case.script:
        return yaml.safe_dump(case.data["state"], allow_unicode=True, sort_keys=False)
    complaint = run(case).wrong
    data = json.loads(json.dumps(case.data["state"]))
    shrinking = True
    while shrinking:
        shrinking = False
        for container, key in _parts(data):
            kept = container.pop(key)
            try:
                state = state_from_text(yaml.safe_dump(data, allow_unicode=True), case.file)
                same = run(replace(case, state=state)).wrong == complaint
            except BattlejudgeError:
                same = False
            if same:
                shrinking = True
                break
            container.insert(key, kept)
    return yaml.safe_dump(data, allow_unicode=True, sort_keys=False)


def _parts(data: Any) -> Iterator[tuple[list[Any], int]]:
    """Yield every entry of every list in a board."""
    children = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    for child in list(children):
        yield from _parts(child)
    if isinstance(data, list):
        yield from ((data, index) for index in reversed(range(len(data))))


def check_citations(about: Audited) -> Check:
    """Every rule is exercised by a case, every decided ruling of what is covered is cited."""
    idle = [
        rule
        for rule, cases in zip(about.rules, about.fired, strict=True)
        if not cases and _heads(rule) - WORDS
    ]
    cited = {one for rule in about.rules if rule.label for one in rule.label.rulings}
    cited |= {ruling for _, ruling in sources(about.rules)}
    decided = [
        one.id
        for one in register.load().values()
        if one.status == "decided" and one.edition == 2026 and one.id.partition("-")[0] in COVERED
    ]
    uncited = [one for one in decided if one not in cited]
    found = [{"rule": rule.place, "text": str(rule.statement)} for rule in idle]
    found += [{"ruling": one} for one in uncited]
    ruled = [rule for rule in about.rules if not rule.is_fact]
    figure = (
        f"{len(ruled) - sum(not r.is_fact for r in idle)} of {len(ruled)} rules exercised; "
        f"{len(decided) - len(uncited)} of {len(decided)} decided rulings cited"
    )
    by_label = _by_label(about)
    return Check("citations", not found, figure, tuple(found), {"labels": by_label})


def _by_label(about: Audited) -> dict[str, dict[str, Any]]:
    cases: dict[str, set[Place]] = {}
    rulings: dict[str, list[str]] = {}
    for rule, fired in zip(about.rules, about.fired, strict=True):
        if rule.label is not None:
            cases.setdefault(rule.label.name, set()).update(fired)
            rulings[rule.label.name] = list(rule.label.rulings)
    return {
        name: {"rulings": rulings[name], "cases": len(found)}
        for name, found in sorted(cases.items())
    }


def _heads(rule: Rule) -> set[str]:
    return {name for name, _ in concluded(rule.statement)}


def check_blank_names(about: Audited) -> Check:
    """No verdict changes when card names become blanks, but for declared exceptions."""
    changed = [
        case
        for case in about.cases
        if about.agreeing[_place(case)] != about.agreeing_blank[_place(case)]
    ]
    found = [
        {"case": about.place_of(case), "rulings": list(case.rulings)}
        for case in changed
        if not case.exception
    ]
    exceptions = sum(case.exception for case in about.cases)
    figure = (
        f"{len(about.cases) - len(found)} of {len(about.cases)} verdicts stay, "
        f"{exceptions} declared exceptions"
    )
    return Check("blank-names", not found, figure, tuple(found), {"exceptions": exceptions})


def check_one_answer(about: Audited) -> Check:
    """The rules settle every action in one way, on all cases and on all boards of the scopes."""
    found: list[dict[str, Any]] = []
    folder = about.source.folder
    texts = graph.texts(folder)
    shape = graph.predicates(texts)
    found += [{"circle": list(one.members)} for one in shape.circles if one.broken]
    found += [{"missing": one} for one in shape.of_kind("missing")]
    found += [{"warning": text} for text in _warnings(about)]
    order = graph.priorities(texts)
    found += [{"priorities_in_a_circle": list(one)} for one in order.circles]
    found += [{"two_levels": one} for one in order.twice]
    found += [{"level_without_source": one} for one in order.unsourced()]
    answers = _answers(about)
    for (number, action), how in answers.items():
        if len(how) != 1:
            place = about.place_of(about.cases_at(number)[0])
            found.append({"case": place, "action": action, "answers": sorted(how)})
    boards = 0
    wanted = read_property("one_answer")
    rules = about.knowledge
    for name in scope_names() if about.source.scopes is None else about.source.scopes:
        scope = read_scope(name, {"monsters": _MONSTERS})
        if "answer" in scope.observed:
            outcome = hold(wanted, rules, scope)
            boards += outcome.states
            found += [{"board": str(atom), "scope": name} for atom in outcome.where]
    figure = (
        f"{shape.strata} strata, {len(order.standings)} priorities; {len(answers)} actions on "
        f"cases, {boards:.2g} boards"
    )
    return Check("one-answer", not found, figure, tuple(found), {"actions": len(answers)})


def _warnings(about: Audited) -> list[str]:
    """Return what clingo warns of when it grounds the rules with the board of the first case."""
    from clingo import Control

    said: list[str] = []
    control = Control([], logger=lambda _code, text: said.append(" ".join(text.split())))
    for file in rule_files(about.source.folder):
        control.load(str(file))
    facts = facts_of(about.cases[0]) if about.cases else []
    given = "".join(f"#defined {name}/{arity}.\n" for name, arity in about.bench.facts)
    control.add("base", [], as_program(facts) + given)
    control.ground([("base", [])])
    return said


def _answers(about: Audited) -> dict[tuple[int, str], set[str]]:
    found: dict[tuple[int, str], set[str]] = {}
    for number, actions in about.bench.atoms(("action", 1)).items():
        for atom in actions:
            found.setdefault((number, str(atom.arguments[0])), set())
    for number, answers in about.bench.atoms(("answer", 2)).items():
        for atom in answers:
            act, how, _ = atom.arguments
            found.setdefault((number, str(act)), set()).add(str(how))
    return found


# --- what its cases show --------------------------------------------------------------------------


def leave_out(source: Source, rulings: Sequence[str], *, scripts: bool) -> dict[str, str]:
    """Leave out some rulings, one at a time; return those that a case shows, with that case."""
    about = audited(replace(source, scripts=True))
    omissions = Omissions(about.rules, {one: about.cases_by_ruling[one] for one in rulings})
    found = omissions.by_scripts() if scripts else omissions.by_boards()
    return {one: about.place_of(case) for one, case in found.items()}


def check_shown(
    source: Source, executor: Executor, progress: Callable[[int], None] = lambda count: None
) -> Check:
    """Every decided ruling with cases is shown by one, but for those that are registered as not.

    Scripts are asked only about rulings that no case about a state shows. On Ctrl-C the check tells
    what was found so far.
    """
    about = audited(replace(source, scripts=True))
    cases = about.cases_by_ruling
    shown: dict[str, str] = {}
    tried: set[str] = set()
    complete = True
    try:
        for scripts, size in ((False, _RULINGS), (True, _RULINGS_WITH_SCRIPTS)):
            left = [one for one in cases if one not in shown and one not in tried]
            # Neighbours are much alike, and some take long: each task gets its share of them.
            count = -(-len(left) // size)
            tasks = {
                executor.submit(leave_out, source, share, scripts=scripts): share
                for share in (left[first::count] for first in range(count))
            }
            for task in as_completed(tasks):
                shown.update(task.result())
                done = {
                    one
                    for one in tasks[task]
                    if one in shown or scripts or not any(case.script for case in cases[one])
                }
                tried |= done
                progress(len(done))
    except KeyboardInterrupt:
        complete = False
        executor.shutdown(wait=False, cancel_futures=True)
    registered = {
        one: reason
        for one, ruling in register.load().items()
        if one in tried and (reason := ruling.shown_by_none)
    }
    found: list[dict[str, Any]] = [
        {
            "ruling": one,
            "labels": labels(about.rules, one),
            "cases": [about.place_of(case) for case in cases[one]],
        }
        for one in cases
        if one in tried and one not in shown and one not in registered
    ]
    found += [
        {"ruling": one, "shown_by_none": reason, "shown_by": shown[one]}
        for one, reason in registered.items()
        if one in shown
    ]
    by_none = sum(one not in shown for one in registered)
    figure = (
        f"{len(shown)} of {len(tried)} rulings shown by a case, "
        f"{by_none} registered as shown by none"
    )
    numbers = {"by_case": shown}
    return Check("shown", not found, figure, tuple(found), numbers, complete)


# --- mutants and dead rules -----------------------------------------------------------------------


def examine(source: Source, numbers: Sequence[int]) -> list[tuple[str, Tried]]:
    """Try some mutants, given by their numbers; each with the key under which it is remembered."""
    about = audited(source)
    some = {number: about.mutants[number] for number in numbers}
    seen = {n: mutant for n, mutant in some.items() if about.trial.is_observed(mutant.rule)}
    where = stirred(about.bench, seen)
    killers: dict[int, Case | None] = {
        n: None if state is None else about.boards[state]
        for n, state in about.trial.killers(seen, where).items()
    }
    left_over = {n: some[n] for n, killer in killers.items() if killer is None}
    for n, script in about.script_trial.killers(left_over, where).items():
        killers[n] = None if script is None else about.rehearsals[script].case
    survivors = {n: some[n] for n, killer in killers.items() if killer is None}
    told = about.nearby.tell(survivors) if survivors else {}
    left: dict[int, dict[int, Mutant]] = {}
    for number, mutant in survivors.items():
        if told[number].result != "told":
            left.setdefault(mutant.rule, {})[number] = mutant
    for of_one_rule in left.values():
        told |= _told(about, of_one_rule)
    return [
        (_key(about, mutant), _tried(about, mutant, killers.get(n), told.get(n)))
        for n, mutant in some.items()
    ]


def _told(about: Audited, survivors: Mapping[int, Mutant]) -> dict[int, Telling]:
    """Hold the surviving mutants of one rule against the scopes, until a board tells them."""
    found: dict[int, Telling] = dict.fromkeys(survivors, Telling("unused"))
    for yardstick in about.yardsticks:
        open_ones = {n: one for n, one in survivors.items() if found[n].result != "told"}
        if not open_ones:
            break
        for number, telling in yardstick.tell(open_ones).items():
            # What one scope proves equal and another leaves open is open.
            if telling.result in ("told", "unknown") or found[number].result == "unused":
                found[number] = telling
    return found


def _tried(about: Audited, mutant: Mutant, killer: Case | None, told: Telling | None) -> Tried:
    rule = about.rules[mutant.rule]
    seen = Tried(rule.place, str(rule.statement), mutant.kind, mutant.text or "", "unseen")
    if told is not None:
        results = {"told": "alive", "equal": "equivalent"}
        result = results.get(told.result, "open")
        return replace(seen, result=result, differs=told.kind, board=told.board)
    if killer is not None:
        return replace(seen, result="killed", by=about.place_of(killer))
    return seen


def _key(about: Audited, mutant: Mutant) -> str:
    return f"{about.rules[mutant.rule].statement} => {mutant.text}"


class Memory:
    """What is known of the mutants of one state of the rules, kept in a file for --resume."""

    def __init__(self, file: Path, source: Source) -> None:
        self.file = file
        self.digest = _digest(source)
        self.known: dict[str, Tried] = {}

    def recall(self) -> None:
        """Read what an earlier run has found out, if the rules and cases are still the same."""
        try:
            data = json.loads(self.file.read_text(encoding="utf-8"))
            if data["digest"] == self.digest:
                self.known = {key: Tried(**one) for key, one in data["mutants"].items()}
        except (OSError, ValueError, KeyError, TypeError):
            self.known = {}

    def keep(self, found: Iterable[tuple[str, Tried]]) -> None:
        """Add what was found and write it down. Raises BattlejudgeError."""
        self.known.update(found)
        data = {
            "digest": self.digest,
            "mutants": {key: asdict(one) for key, one in self.known.items()},
        }
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            fresh = self.file.with_name(self.file.name + ".new")
            fresh.write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")
            fresh.replace(self.file)
        except OSError as error:
            right = "right would be a file in a folder that can be written to"
            raise BattlejudgeError(f"{self.file}: {error.strerror}; {right}") from error


def memory_file() -> Path:
    """Return where the audit remembers mutants: in the user's cache."""
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "battlejudge" / "audit.json"


def _digest(source: Source) -> str:
    found = hashlib.sha256(str(source.scripts).encode())
    for file in (*rule_files(source.folder), *(source.cases or case_files())):
        found.update(file.read_bytes())
    for folder in ("facts/cards", "queries/scopes"):
        for file in sorted((base() / folder).glob("*.yaml")):
            found.update(file.read_bytes())
    return found.hexdigest()


def sweep(
    source: Source,
    memory: Memory,
    executor: Executor,
    *,
    only_removed: bool = False,
    every: int = 1,
    progress: Callable[[int], None] = lambda count: None,
) -> tuple[list[Tried], bool]:
    """Try all mutants (or only removed rules) and return them, and whether all were tried.

    With `every`, only each so manieth of them is tried, a sample from all parts of the rules.

    `progress` is told how many mutants are done. On Ctrl-C what was found is kept and returned.
    """
    about = audited(source)
    wanted = [
        number
        for number, mutant in enumerate(about.mutants)
        if mutant.kind == "remove" or not only_removed
    ][::every]
    left = [n for n in wanted if _key(about, about.mutants[n]) not in memory.known]
    progress(len(wanted) - len(left))
    size = _CHUNK_WITH_SCRIPTS if source.scripts else _CHUNK
    chunks = [left[begin : begin + size] for begin in range(0, len(left), size)]
    complete = True
    try:
        tasks = {executor.submit(examine, source, chunk): len(chunk) for chunk in chunks}
        for task in as_completed(tasks):
            memory.keep(task.result())
            progress(tasks[task])
    except KeyboardInterrupt:
        complete = False
        executor.shutdown(wait=False, cancel_futures=True)
    keys = [_key(about, about.mutants[n]) for n in wanted]
    return [memory.known[key] for key in keys if key in memory.known], complete


def check_mutants(tried: Sequence[Tried], complete: bool) -> Check:
    """At least 95 of 100 mutants that some board tells from their rule are killed by a case."""
    counted = Counter(one.result for one in tried)
    against = counted["killed"] + counted["alive"]
    score = counted["killed"] / against if against else 1.0
    figure = (
        f"{counted['killed']} of {against} killed ({score:.1%}), {counted['alive']} alive, "
        f"{counted['open']} open, {counted['equivalent']} equivalent, {counted['unseen']} unseen"
    )
    found = [
        {key: value for key, value in asdict(one).items() if value}
        for one in tried
        if one.result in ("alive", "open")
    ]
    numbers = {name: counted[name] for name in RESULTS} | {"score": round(score, 4)}
    return Check("mutants", score >= 0.95, figure, tuple(found), numbers, complete)


def check_dead_rules(tried: Sequence[Tried], complete: bool) -> Check:
    """Every rule is missed, by a case or on a board of the scopes, when it is removed."""
    removed = [one for one in tried if one.kind == "remove" and one.result != "unseen"]
    dead = [one for one in removed if one.result in ("equivalent", "open")]
    unseen = sum(one.result == "unseen" for one in tried if one.kind == "remove")
    found = [
        {"rule": one.place, "text": one.rule, "proof": one.result == "equivalent"} for one in dead
    ]
    figure = f"{len(removed) - len(dead)} of {len(removed)} rules and facts missed when removed"
    numbers = {"dead": len(dead), "unseen": unseen}
    return Check("dead-rules", not dead, figure, tuple(found), numbers, complete)


def chosen_checks(only: Sequence[str], quick: bool) -> list[str]:
    """Return the checks asked for, in their order. Raises BattlejudgeError."""
    for one in only:
        if one not in CHECKS:
            right = " or ".join(nearest(one, CHECKS) or CHECKS)
            raise BattlejudgeError(f"--only: no check {quoted(one)}; right would be {right}")
    kept = [one for one in CHECKS if one in only] if only else list(CHECKS)
    return [one for one in kept if not (quick and one == "mutants")]


_SHORT: Mapping[str, Callable[[Audited], Check]] = {
    "rulings": check_rulings,
    "citations": check_citations,
    "blank-names": check_blank_names,
    "one-answer": check_one_answer,
}


def audit(
    source: Source,
    wanted: Sequence[str],
    memory: Memory,
    executor: Executor,
    progress: Callable[[int], None] = lambda count: None,
    *,
    every: int = 1,
) -> list[Check]:
    """Run the checks; on Ctrl-C those that are done, and the one in work as far as it got.

    Only the mutants, and the dead rules, leave the rules of play out unless the source has scripts.
    """
    found: list[Check] = []
    try:
        short = [name for name in wanted if name in _SHORT]
        if short:
            about = Audited(replace(source, scripts=True))
            found += [_SHORT[name](about) for name in short]
            del about
        if "shown" in wanted:
            found.append(check_shown(source, executor, progress))
        if "mutants" in wanted or "dead-rules" in wanted:
            tried, complete = sweep(
                source,
                memory,
                executor,
                only_removed="mutants" not in wanted,
                every=every,
                progress=progress,
            )
            if "dead-rules" in wanted:
                found.append(check_dead_rules(tried, complete))
            if "mutants" in wanted:
                found.append(check_mutants(tried, complete))
    except KeyboardInterrupt:
        executor.shutdown(wait=False, cancel_futures=True)
    return found


def leave_ctrl_c() -> None:
    """Leave Ctrl-C to the parent process, which ends its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def end_workers() -> None:
    """End the worker processes of an audit that was broken off, without waiting for their tasks."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the report is about to be written
    for worker in multiprocessing.active_children():
        worker.terminate()


def prepare(source: Source, wanted: Sequence[str], every: int = 1) -> int:
    """Read what the workers need, so that forked ones share it; return how much there is to try."""
    count = 0
    if "shown" in wanted:
        count += len(audited(replace(source, scripts=True)).cases_by_ruling)
    if "mutants" in wanted or "dead-rules" in wanted:
        about = audited(source)
        _ = about.agreeing, about.yardsticks, about.nearby
        kinds = [one.kind for one in about.mutants if one.kind == "remove" or "mutants" in wanted]
        count += len(kinds[::every])
    return count
