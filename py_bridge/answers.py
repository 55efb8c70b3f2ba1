"""Answers: what may be done in a state, and the reasons, as data and in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from clingo import Function, Number, Symbol, SymbolType

from py_bridge.errors import InputError, Problem
from py_bridge.knowledge import Atoms, Rules, knowledge_base, labels
from py_bridge.labels import Label, fill
from py_bridge.phrases import in_words
from py_bridge.states import Assumption, State
from py_bridge.vocabulary import wordings

HOW = ("must", "may", "undecided", "outside", "cannot")
# What is not asked for by everyone.
ASIDE = ("finding", "uses")
PREDICATES = (
    "answer", "forbids", "allows", "obliges", "doubts", "outside", "precedence", "leads",
)  # fmt: skip
_KINDS = ("attack", "give_up", "activate", "turn", "choose", "toss", "go_on", "pass", "enter")
_SUPPORT = {
    "must": ("obliges", "allows"),
    "may": ("allows",),
    "cannot": ("forbids",),
    "undecided": ("doubts",),
    "outside": ("outside",),
}
_COMMA = {"en": ", ", "zh": "、"}
_CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"
_LAST = 9


@dataclass(frozen=True, slots=True)
class Reason:
    """One thing that an answer rests on.

    `source` is the id of the card or applied effect behind it, None where the rules of the game
    themselves are the reason; `effect` is the number of its effect. `precedence` orders reasons:
    0 the moment, 1 the attacker, 2 to 4 the levels 1 to 3 of attack-target restrictions.
    `ruling` is the one of the label's rulings that decides here, if it is not the first of them.
    """

    label: str
    source: str | None
    effect: int
    precedence: int
    ruling: str | None = None

    @classmethod
    @lru_cache(maxsize=1 << 14)
    def of(cls, by: Symbol, precedence: int = _LAST, ruling: str | None = None) -> Reason:
        """Return the reason that the term by(Label, Source, N) states."""
        label, source, effect = by.arguments
        one = None if str(source) == "rule" else str(source)
        return cls(str(label), one, effect.number, precedence, ruling)

    @property
    def level(self) -> int | None:
        """The level of an restriction (1 overrides 2, 2 overrides 3), if it is one."""
        return self.precedence - 1 if 1 < self.precedence < 5 else None


@dataclass(frozen=True, slots=True)
class Answer:
    """One action, whether it may be done (one of HOW), and why, the deciding reason first."""

    action: Symbol
    how: str
    reasons: tuple[Reason, ...]

    @property
    def words(self) -> str:
        """The action in the words that `why` and cases read."""
        return in_words(self.action)


@dataclass(frozen=True, slots=True)
class Overridden:
    """An effect that does not do to an action what it says, and what stands against it.

    `source` is the id of its card, `effect` its number there.
    """

    source: str
    effect: int
    reason: Reason


@dataclass(frozen=True)
class Answers:
    """Everything that the rules say of a state."""

    state: State
    actions: tuple[Answer, ...]
    facts: Sequence[str]
    rules: Rules
    _told: Atoms = field(default_factory=dict, repr=False, compare=False)

    @property
    def findings(self) -> tuple[Symbol, ...]:
        """What else the rules find."""
        return tuple(sorted((finding for (finding,) in self._aside["finding"]), key=_text))

    def overridden(self, action: Symbol) -> tuple[Overridden, ...]:
        """Return the effects that would be about an action and are not applied, with the reason."""
        told = [one for (one,) in self._aside["finding"] if one.name == "overridden"]
        about = sorted((one for one in told if one.arguments[3] == action), key=_text)
        return tuple(
            Overridden(str(source), effect.number, Reason.of(by))
            for by, source, effect, _ in (one.arguments for one in about)
        )

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """Those fluents that the file left open and that a rule reads."""
        used = {_text(fluent) for (fluent,) in self._aside["uses"]}
        return tuple(one for one in self.state.assumptions if one.fluent in used)

    @property
    def _aside(self) -> Atoms:
        """What is not asked for by everyone, and therefore not with the answers.

        No cached_property: up to Python 3.11 it keeps a lock while the rules are asked, and scripts
        that are played in step would wait for each other.
        """
        if not self._told:
            self._told.update(self.rules.model(self.facts, ASIDE))
        return self._told

    def of(self, action: Symbol) -> Answer | None:
        """Return the answer to an action; None if it is no action of this state."""
        return next((answer for answer in self.actions if answer.action == action), None)


def ask(state: State, rules: Rules | None = None, about: Symbol | None = None) -> Answers:
    """Return what may be done in a state. Raises InputError if no duel can look like it.

    An action `about` which somebody asks is answered too, also if nothing on the board suggests it.
    """
    base = rules or knowledge_base()
    refuse_impossible(state, impossible(base, tuple(asked_facts(state, about))))
    return consider(state, base, about)


def consider(state: State, rules: Rules, about: Symbol | None = None) -> Answers:
    """Return what `ask` does for a state that play has led to, or that has been looked at."""
    facts = asked_facts(state, about)
    return answers_in(rules.model(facts, PREDICATES), state, facts, rules)


def answers_in(model: Atoms, state: State, facts: Sequence[str], rules: Rules) -> Answers:
    """Return the answers that stand in a model (PREDICATES) of the facts of a state."""
    ranks = {(by, act): _number(rank) for by, act, rank in model["precedence"]}
    leading = {(_text(label), act): _ruling(one) for label, one, act in model["leads"]}
    reasons: dict[tuple[str, Symbol], list[Reason]] = {}
    for name in ("forbids", "allows", "obliges", "doubts", "outside"):
        for by, act in model[name]:
            ruling = leading.get((_label(by), act))
            reason = Reason.of(by, ranks.get((by, act), _LAST), ruling)
            reasons.setdefault((name, act), []).append(reason)
    actions = [
        Answer(act, _text(how), _supporting(_text(how), act, reasons))
        for act, how in model["answer"]
    ]
    actions.sort(key=_order)
    return Answers(state, tuple(actions), facts, rules)


def attacks_taken_together(attacker: str, answers: Iterable[tuple[Symbol, str]]) -> str:
    """Return one answer to all attacks of an attacker, or of anyone if it is empty.

    What is outside the model or undecided for one of them is so for all; else one that may or must
    be made is enough.
    """
    found = {
        how
        for act, how in answers
        if act.name == "attack" and attacker in ("", str(act.arguments[0]))
    }
    return next((how for how in ("outside", "undecided", "may", "must") if how in found), "cannot")


def asked_facts(state: State, about: Symbol | None) -> list[str]:
    """Return the state as facts, with the one that tells what action somebody asks about."""
    return state.facts() if about is None else [*state.facts(), asking(about)]


def asking(act: Symbol) -> str:
    """Return the fact that tells the rules that somebody asks about an action."""
    return f"asks({act})"


def _order(answer: Answer) -> tuple[int, int, str]:
    kind, words = _kind_and_words(answer.action)
    return HOW.index(answer.how), kind, words


# The parts of interned symbols, which clingo hands out slowly.
@lru_cache(maxsize=1 << 14)
def _kind_and_words(act: Symbol) -> tuple[int, str]:
    return _KINDS.index(act.name), in_words(act)


@lru_cache(maxsize=1 << 14)
def _text(symbol: Symbol) -> str:
    return str(symbol)


@lru_cache(maxsize=1 << 8)
def _number(symbol: Symbol) -> int:
    return symbol.number


@lru_cache(maxsize=1 << 14)
def _label(by: Symbol) -> str:
    return str(by.arguments[0])


def _ruling(constant: Symbol) -> str:
    """Return the id that a constant such as bs_049 stands for."""
    return _text(constant).replace("_", "-")


def _supporting(
    how: str, act: Symbol, reasons: Mapping[tuple[str, Symbol], list[Reason]]
) -> tuple[Reason, ...]:
    found = [reason for name in _SUPPORT[how] for reason in reasons.get((name, act), ())]
    unique = dict.fromkeys(found)
    if how == "must":
        return tuple(unique)
    return tuple(
        sorted(unique, key=lambda reason: (reason.precedence, reason.label, reason.source or ""))
    )


# A board is checked once, however often it is asked about.
@lru_cache(maxsize=256)
def impossible(rules: Rules, facts: tuple[str, ...]) -> tuple[tuple[Symbol, ...], ...]:
    """Return what makes a board impossible by the rules: labels, each with a card."""
    return tuple(rules.model(facts, ("invalid",))["invalid"])


def refuse_impossible(state: State, invalid: Iterable[Sequence[Symbol]]) -> None:
    """Raise InputError with what the rules found impossible in a state, if anything."""
    known = labels()
    problems = []
    for label, one in invalid:
        text = fill(known[str(label)].en, {"card": state.name_of(str(one))})
        problems.append(Problem(state.file, state.lines.get(str(one)), text.rstrip(".")))
    if problems:
        raise InputError(sorted(problems, key=lambda p: (p.line or 0, p.message)))


def _by(reason: Reason) -> Symbol:
    """Return the term that a reason comes from."""
    source = Function(reason.source or "rule")
    return Function("by", [Function(reason.label), source, Number(reason.effect)])


class Speaker:
    """Says answers about one state in English (en) or Chinese (zh)."""

    def __init__(self, state: State, language: str) -> None:
        self.state = state
        self.language = language
        self.wordings = wordings(language)
        self._labels = labels()
        names = [text.names[language] for text in state.texts.values()]
        self._twins = {name for name in names if names.count(name) > 1}

    def label(self, name: str) -> Label:
        """Return the label called `name`."""
        return self._labels[name]

    def card(self, one: str) -> str:
        """Return how a card or constant is called; a card with its id if others share its name."""
        if one not in self.state.texts:
            return self.wordings.terms.get(one, one)
        name = self.state.name_of(one, self.language)
        return f"{name} [{one}]" if name in self._twins else name

    def effect(self, one: str, number: int) -> str:
        """Return how effect `number` of a card is called."""
        circled = _CIRCLED[number - 1] if 0 < number <= len(_CIRCLED) else ""
        return f"{self.card(one)} {circled}".rstrip()

    def effects(self, reasons: Sequence[Reason]) -> str:
        """Return how the effects behind reasons are called, as one list."""
        told = (self.effect(one.source, one.effect) for one in reasons if one.source)
        return _COMMA[self.language].join(dict.fromkeys(told))

    def action(self, act: Symbol) -> str:
        """Return an action in words."""
        parts = [str(argument) for argument in act.arguments]
        name = act.name
        if name == "attack" and parts[1] == "player":
            name = "attack directly"
        if name == "activate":
            parts = [self.effect(parts[0], int(parts[1])), *parts[2:]]
        shown = [self.card(part) for part in parts]
        return _ACTIONS[self.language][name, len(shown)].format(*shown)

    def reason(self, reason: Reason, act: Symbol, *alike: Reason) -> str:
        """Return a reason for the answer to `act` as one sentence.

        Reasons `alike` are those of the same label: it names the effects behind all of them.
        """
        values = self._values(Function("forbids", [_by(reason), act]))
        if alike:
            values["source"] = self.effects((reason, *alike))
        return self._say(reason.label, values)

    def overridden(self, one: Overridden, act: Symbol) -> str:
        """Return what keeps an effect from being applied to `act` as one sentence."""
        by = _by(one.reason)
        values = self._values(Function("overridden", [by, act]))
        return self._say(one.reason.label, {**values, "card": self.effect(one.source, one.effect)})

    def plain(self, reason: Reason, values: Mapping[str, str]) -> str:
        """Return the sentence of a reason that is about no action; `values` fill placeholders."""
        source = {"source": self.effect(reason.source, reason.effect)} if reason.source else {}
        return self._say(reason.label, {**source, **values})

    def sentence(self, label: str, atom: Symbol) -> str:
        """Return what a label says of an atom that one of its rules concludes."""
        return self._say(label, self._values(atom))

    def _say(self, label: str, values: Mapping[str, str]) -> str:
        found = self._labels[label]
        return fill(found.zh if self.language == "zh" else found.en, values)

    def fact(self, atom: Symbol) -> str | None:
        """Return a fact of the state in words; None for facts about texts and the rules' own."""
        if atom.name != "holds":
            return None
        fluent = atom.arguments[0]
        sentence = self.wordings.fluents.get(fluent.name)
        return None if sentence is None else self._filled(sentence, fluent)

    def happening(self, event: Symbol) -> str:
        """Return something that happens in words; as the term that it is, if it has none."""
        sentence = self.wordings.happenings.get(event.name)
        return str(event) if sentence is None else self._filled(sentence, event)

    def _filled(self, sentence: str, term: Symbol) -> str:
        for place, argument in enumerate(term.arguments, 1):
            word = str(argument)
            said = self.wordings.fluent_terms.get((term.name, word)) or self.card(word)
            if argument.type is SymbolType.Function and argument.name in self.wordings.happenings:
                said = self.happening(argument) if argument.arguments else said
            sentence = sentence.replace(f"{{{place}}}", said)
        return sentence

    def _values(self, atom: Symbol) -> dict[str, str]:
        """Return what placeholders stand for in an atom such as forbids(by, act)."""
        values: dict[str, str] = {}
        parts = list(atom.arguments)
        if parts and parts[0].match("by", 3):
            _, source, number = parts.pop(0).arguments
            if str(source) != "rule":
                values["source"] = self.effect(str(source), number.number)
        if parts and parts[0].name in _ACTION_ROLES and parts[0].arguments:
            act = parts[0]
            parts = list(act.arguments)
            roles = _ACTION_ROLES[act.name]
            if act.name == "activate":
                values["card"] = self.effect(str(parts[0]), parts[1].number)
                parts, roles = parts[2:], roles[1:]
        else:
            roles = _ATOM_ROLES.get(atom.name, ())
        values |= {role: self.card(str(part)) for role, part in zip(roles, parts, strict=False)}
        return values

    def rulings(self, reason: Reason) -> tuple[str, ...]:
        """Return the ids of the rulings that a reason rests on, the one that decides first."""
        ids = self._labels[reason.label].rulings
        if reason.ruling is None:
            return ids
        return (reason.ruling, *(one for one in ids if one != reason.ruling))


# What the arguments of an action, or of an atom behind its reason, are called in sentences.
_ACTION_ROLES: dict[str, tuple[str, ...]] = {
    "attack": ("attacker", "target"),
    "give_up": ("attacker",),
    "activate": ("card", "target"),
    "enter": ("step",),
    "pass": ("player",),
    "choose": ("target",),
    "turn": ("target",),
    "toss": ("result",),
}
_ATOM_ROLES: dict[str, tuple[str, ...]] = {
    "bars": ("attacker",),
    "excludes": ("attacker", "target"),
    "pressed": ("source", "number", "attacker"),
    "unshiftable": ("card",),
    "barred_target": ("card", "number", "target"),
    "withheld": ("card", "number", "part", "target"),
    "declaration_fails": ("attacker", "cost"),
}
_ACTIONS: dict[str, dict[tuple[str, int], str]] = {
    "en": {
        ("attack", 2): "attack: {0} -> {1}",
        ("attack directly", 2): "attack directly: {0}",
        ("activate", 1): "activate: {0}",
        ("activate", 2): "activate: {0} on {1}",
        ("give_up", 1): "give up the attack of {0}",
        ("enter", 1): "enter: {0}",
        ("turn", 1): "change the battle position of {0}",
        ("pass", 1): "give up priority: {0}",
        ("go_on", 0): "go on",
        ("choose", 1): "choose: {0}",
        ("toss", 1): "coin or die: {0}",
    },
    "zh": {
        ("attack", 2): "攻击：{0} → {1}",
        ("attack directly", 2): "直接攻击：{0}",
        ("activate", 1): "发动：{0}",
        ("activate", 2): "发动：{0}（对象：{1}）",
        ("give_up", 1): "放弃攻击：{0}",
        ("enter", 1): "进入：{0}",
        ("turn", 1): "改变{0}的表示形式",
        ("pass", 1): "放弃优先权：{0}",
        ("go_on", 0): "继续处理",
        ("choose", 1): "选择：{0}",
        ("toss", 1): "硬币·骰子：{0}",
    },
}


def as_data(answers: Answers, speaker: Speaker) -> dict[str, Any]:
    """Return answers as plain data: the stable shape of `battlejudge legal --json`."""
    return {
        "actions": [
            {
                "action": answer.words,
                "answer": answer.how,
                "text": speaker.action(answer.action),
                "reasons": [
                    {
                        "label": reason.label,
                        "ruling": next(iter(speaker.rulings(reason)), None),
                        "rulings": list(speaker.rulings(reason)),
                        "source": reason.source,
                        "effect": reason.effect if reason.source else None,
                        "level": reason.level,
                        "text": speaker.reason(reason, answer.action),
                    }
                    for reason in answer.reasons
                ],
                "overridden": overridden_data(answers, answer.action, speaker),
            }
            for answer in answers.actions
        ],
        "findings": [str(finding) for finding in answers.findings],
        "assumptions": [one.fluent for one in answers.assumptions],
    }


def overridden_data(answers: Answers, act: Symbol, speaker: Speaker) -> list[dict[str, Any]]:
    """Return the effects that are not applied to an action, and why, as plain data."""
    return [
        {
            "source": one.source,
            "effect": one.effect,
            "label": one.reason.label,
            "by": one.reason.source,
            "ruling": next(iter(speaker.rulings(one.reason)), None),
            "rulings": list(speaker.rulings(one.reason)),
            "text": speaker.overridden(one, act),
        }
        for one in answers.overridden(act)
    ]
