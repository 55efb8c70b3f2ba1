"""Labels: which rulings a rule states, and the sentence that says it to a person.

A label block is a comment directly above the rules that it covers:

    % @rule battle_targets_protected : bs-048 bs-053
    % en: {source} protects {target}.
    % zh: 因{source}的效果，不能选择{target}。
    forbids(by(battle_targets_protected, S, N), attack(A, T)) :- protects(S, N, T), attacker(A).

The first id is the ruling that decides, as far as nothing else is said (queries/leading.lp).

Rules, sentences and comments are found by clingo's own parser, so a label inside a string or a
block comment is no label. A block ends at the first blank line after it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from clingo import ast

from py_bridge.errors import BattlejudgeError

__all__ = [
    "Label",
    "LabelError",
    "RuleSyntaxError",
    "check_labels",
    "fill",
    "labelled_statements",
    "parse_rules",
    "placeholders",
    "read_labels",
    "rule_labels",
]

DEFINITION = "definition"

_BLOCK = re.compile(r"%\s*@rule\b(?P<rest>.*)", re.DOTALL)
_BLOCK_REST = re.compile(r"\s+(?P<name>[a-z][a-z0-9_]*)\s*:\s*(?P<ids>\S.*)")
_SENTENCE = re.compile(r"%\s*(?P<lang>en|zh)\s*:\s*(?P<text>.*)", re.DOTALL)
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_TEXT = "<string>"  # what the parser calls a text, as opposed to a file included by it
_PARSE_ERROR = re.compile(rf"{_TEXT}:(?P<line>\d+):\S+ error: (?P<what>[^\n]*)")


class RuleSyntaxError(BattlejudgeError):
    """A rule text that clingo cannot parse; the message is `file:line: what is wrong`."""


class LabelError(BattlejudgeError):
    """A label block that cannot be read; the message is `file:line: what is wrong; ...`."""


@dataclass(frozen=True, slots=True)
class Label:
    """One label block: its name, the ids of its rulings and its sentence in two languages.

    `rulings` begins with the one that decides; it is empty for a rule that only defines a word.
    `file` and `line` say where the `% @rule` line stands.
    """

    name: str
    rulings: tuple[str, ...]
    en: str
    zh: str
    file: str
    line: int


@lru_cache(maxsize=512)
def parse_rules(name: str, text: str) -> tuple[ast.AST, ...]:
    """Return the statements and comments of a rule text as the parser hands them out.

    A comment between the lines of a rule comes before the rule. The nodes are shared between
    callers: copy before changing one.

    Raises RuleSyntaxError naming `name` and the line of the first error.
    """
    nodes: list[ast.AST] = []
    messages: list[str] = []
    try:
        ast.parse_string(text, nodes.append, logger=lambda _, message: messages.append(message))
    except RuntimeError as error:
        found = _PARSE_ERROR.search("\n".join(messages))
        line, what = (found["line"], found["what"]) if found else ("1", str(error))
        raise RuleSyntaxError(f"{name}:{line}: {what}") from None
    return tuple(nodes)


def read_labels(files: Iterable[Path]) -> dict[str, Label]:
    """Return the labels of the rule files by their names.

    Raises RuleSyntaxError for a file that does not parse, LabelError for a block without a name,
    without rulings or without one of its sentences, and for a name that is used twice.
    """
    labels: dict[str, Label] = {}
    for path in files:
        scan = _scan(str(path), _read(path))
        problems = scan.problems + [p for block in scan.blocks for p in block.sentence_problems()]
        for problem in problems:
            raise LabelError(problem.text(str(path)))
        for block in scan.blocks:
            label = block.label
            if label.name in labels:
                raise LabelError(_twice(label, labels[label.name]).text(label.file))
            labels[label.name] = label
    return labels


def rule_labels(files: Iterable[Path]) -> dict[tuple[str, int], Label]:
    """Return the label of every labelled rule, by the rule's file and first line.

    Raises RuleSyntaxError for a file that does not parse.
    """
    return {
        (str(path), line): label
        for path in files
        for _, line, label in labelled_statements(str(path), _read(path))
        if label is not None
    }


def labelled_statements(name: str, text: str) -> list[tuple[ast.AST, int, Label | None]]:
    """Return the statements of one text in their order, each with its first line and its label.

    Only rules have labels. Blocks that cannot be read are passed over: `check_labels` is for
    finding them. The nodes are shared between callers: copy before changing one.

    Raises RuleSyntaxError for a text that does not parse.
    """
    return [
        (node, line, None if block is None else block.label)
        for node, line, block in _scan(name, text).statements
    ]


def placeholders(sentence: str) -> tuple[str, ...]:
    """Return the names in braces in a sentence, in their order.

    >>> placeholders("{source} protects {target}.")
    ('source', 'target')
    """
    return tuple(_PLACEHOLDER.findall(sentence))


def fill(sentence: str, values: Mapping[str, str]) -> str:
    """Return the sentence with its placeholders replaced; one without a value stays as it is.

    >>> fill("{source} protects {target}.", {"source": "Avramax"})
    'Avramax protects {target}.'
    """
    return _PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), sentence)


def check_labels(
    files: Iterable[Path], known_rulings: Collection[str], allowed_placeholders: Collection[str]
) -> list[str]:
    """Return what is wrong with the labels of the files, one `file:line: ...` line a problem.

    A rule with a body and an integrity constraint need a label everywhere, a fact only in a file
    below a folder called `rules`. A rule may give only its own label as the constant of a reason
    `by(Label, ...)`.
    """
    lines: list[str] = []
    first_use: dict[str, Label] = {}
    for path in files:
        name = str(path)
        try:
            scan = _scan(name, _read(path))
        except RuleSyntaxError as error:
            lines.append(str(error))
            continue
        problems = [*scan.problems]
        for block in scan.blocks:
            label = block.label
            if label.name in first_use:
                problems.append(_twice(label, first_use[label.name]))
            else:
                first_use[label.name] = label
            problems += block.sentence_problems()
            problems += _unknown_rulings(label, known_rulings)
            problems += _unknown_placeholders(label, allowed_placeholders)
            if block.rules == 0:
                problems.append(
                    _Problem(
                        label.line,
                        f"label {label.name} covers no rule; "
                        "put the rule directly below it, without a blank line",
                    )
                )
        facts_too = "rules" in path.parts
        for rule, line, covering in scan.statements:
            if rule.ast_type != ast.ASTType.Rule or line in scan.unreadable:
                continue
            if covering is not None:
                problems += _foreign_reasons(rule, line, covering.label.name)
            elif facts_too or not _is_fact(rule):
                problems.append(
                    _Problem(
                        line,
                        "rule without a label; put a '% @rule NAME : IDS' block directly above it",
                    )
                )
        lines += [p.text(name) for p in sorted(problems, key=lambda problem: problem.line)]
    return lines


@dataclass(frozen=True, slots=True)
class _Problem:
    line: int
    what: str

    def text(self, file: str) -> str:
        return f"{file}:{self.line}: {self.what}"


@dataclass(slots=True)
class _Block:
    """A label block while it is being read."""

    label: Label
    rules: int = 0

    def sentence_problems(self) -> list[_Problem]:
        label = self.label
        return [
            _Problem(
                label.line,
                f"label {label.name} has no sentence; add a line '% {lang}: ...' below it",
            )
            for lang, sentence in (("en", label.en), ("zh", label.zh))
            if not sentence
        ]


@dataclass(frozen=True, slots=True)
class _Scan:
    blocks: list[_Block]
    statements: list[tuple[ast.AST, int, _Block | None]]
    problems: list[_Problem]
    unreadable: set[int]  # lines of rules below a block that is refused already


@lru_cache(maxsize=512)
def _scan(name: str, text: str) -> _Scan:
    scan = _Scan([], [], [], set())
    block: _Block | None = None
    unreadable = False
    end = 0
    for (begin, last), node in _in_order(parse_rules(name, text)):
        line = int(begin.line)
        if line > end + 1:
            block, unreadable = None, False
        end = max(end, int(last.line))
        if node.ast_type == ast.ASTType.Comment:
            comment = str(node.value)
            if found := _BLOCK.fullmatch(comment):
                block = _open(scan, found["rest"], name, line)
                unreadable = block is None
            elif (said := _SENTENCE.fullmatch(comment)) and not unreadable:
                _say(scan, block, said["lang"], said["text"].strip(), line)
            continue
        is_rule = node.ast_type == ast.ASTType.Rule
        scan.statements.append((node, line, block if is_rule else None))
        if unreadable:
            scan.unreadable.add(line)
        elif is_rule and block is not None:
            block.rules += 1
    return scan


def _in_order(nodes: Iterable[ast.AST]) -> list[tuple[ast.Location, ast.AST]]:
    """The nodes that stand in the text itself, with their places, in the order of these."""
    placed = [(node.location, node) for node in nodes]
    return sorted(
        (
            (location, node)
            for location, node in placed
            # Neither from an included file nor the `#program base.` that no one wrote.
            if location.begin.filename == _TEXT and location.begin != location.end
        ),
        key=lambda pair: (pair[0].begin.line, pair[0].begin.column),
    )


def _open(scan: _Scan, rest: str, file: str, line: int) -> _Block | None:
    found = _BLOCK_REST.fullmatch(rest)
    if not found:
        what = "label block cannot be read; write '% @rule lower_case_name : ID ID ...'"
        scan.problems.append(_Problem(line, f"{what}, or '{DEFINITION}' instead of the ids"))
        return None
    ids = tuple(found["ids"].split())
    if DEFINITION in ids and len(ids) > 1:
        what = f"label {found['name']} mixes '{DEFINITION}' with ruling ids; give one or the other"
        scan.problems.append(_Problem(line, what))
    rulings = tuple(i for i in ids if i != DEFINITION)
    block = _Block(Label(found["name"], rulings, "", "", file, line))
    scan.blocks.append(block)
    return block


def _say(scan: _Scan, block: _Block | None, lang: str, sentence: str, line: int) -> None:
    if block is None or block.rules:
        what = f"'{lang}' sentence belongs to no label; put it below a '% @rule' line"
        scan.problems.append(_Problem(line, what))
        return
    old = block.label
    if old.en if lang == "en" else old.zh:
        what = f"second '{lang}' sentence for label {old.name}; write one sentence"
        scan.problems.append(_Problem(line, what))
        return
    en, zh = (sentence, old.zh) if lang == "en" else (old.en, sentence)
    block.label = Label(old.name, old.rulings, en, zh, old.file, old.line)


def _twice(label: Label, first: Label) -> _Problem:
    where = f"{first.file}:{first.line}"
    return _Problem(
        label.line, f"label {label.name} is already used at {where}; choose another name"
    )


def _unknown_rulings(label: Label, known: Collection[str]) -> list[_Problem]:
    return [
        _Problem(label.line, f"label {label.name} cites {i}, which is not in the register")
        for i in label.rulings
        if i not in known
    ]


def _unknown_placeholders(label: Label, allowed: Collection[str]) -> list[_Problem]:
    allowed_text = ", ".join(sorted(allowed)) or "none"
    return [
        _Problem(
            label.line,
            f"'{lang}' sentence of label {label.name} has the unknown placeholder "
            f"{{{name}}}; allowed: {allowed_text}",
        )
        for lang, sentence in (("en", label.en), ("zh", label.zh))
        for name in dict.fromkeys(placeholders(sentence))
        if name not in allowed
    ]


def _foreign_reasons(rule: ast.AST, line: int, name: str) -> list[_Problem]:
    return [
        _Problem(line, f"reason by({constant}, ...) under label {name}; write by({name}, ...)")
        for constant in dict.fromkeys(_reason_constants(rule.head))
        if constant != name
    ]


def _reason_constants(node: ast.AST) -> Iterator[str]:
    if node.ast_type == ast.ASTType.Function and node.name == "by" and node.arguments:
        for term in _alternatives(node.arguments[0]):
            if term.ast_type != ast.ASTType.Variable:
                yield str(term)
    for key in node.child_keys:
        value = getattr(node, key)
        for child in value if not isinstance(value, ast.AST) else (value,):
            if child is not None:
                yield from _reason_constants(child)


def _alternatives(term: ast.AST) -> Iterable[ast.AST]:
    return term.arguments if term.ast_type == ast.ASTType.Pool else (term,)


def _read(path: Path) -> str:
    raw = path.read_bytes()
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise RuleSyntaxError(f"{path}:{line}: not UTF-8 text; save the file as UTF-8") from None


def _is_fact(rule: ast.AST) -> bool:
    return (
        not rule.body
        and rule.head.ast_type == ast.ASTType.Literal
        and rule.head.atom.ast_type == ast.ASTType.SymbolicAtom
    )
