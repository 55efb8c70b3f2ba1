"""What can be wrong with an input, and how it is said: one line for each problem."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

MAX_PROBLEMS = 20
MAX_SHOWN = 60


class BattlejudgeError(Exception):
    """Anything that battlejudge refuses to do; the message is meant for the person who asked."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a file.

    `line` and `column` count from 1 and are None where the whole file is meant. `path` says where
    in the data the problem lies, such as `turn_player.monsters[1].atk`; it is empty where there
    is no such place. `message` says what is wrong, then, after a semicolon, what would be right.
    """

    file: str
    line: int | None
    message: str
    path: str = ""
    column: int | None = None

    def __str__(self) -> str:
        """Return the problem as one line: `FILE:LINE: PATH: what is wrong; what would be right`."""
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return printable(": ".join(part for part in (place, self.path, self.message) if part))


class InputError(BattlejudgeError):
    """An input that cannot be used, with every problem that was found in it.

    As a string: the problems, one a line.
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n".join(str(problem) for problem in self.problems)


def at_most(problems: Sequence[Problem], limit: int = MAX_PROBLEMS) -> list[Problem]:
    """Return the first `limit` problems of a file and, if there are more, one that counts them."""
    kept = list(problems[:limit])
    more = len(problems) - len(kept)
    if more:
        kept.append(more_problems(kept[0].file, str(more)))
    return kept


def more_problems(file: str, count: str) -> Problem:
    """Return the problem that stands for the `count` problems of a file that are not listed."""
    noun = "problem" if count == "1" else "problems"
    return Problem(file, None, f"{count} more {noun} not listed; put the ones above right first")


def printable(text: str, limit: int | None = None) -> str:
    """Return `text` fit for one line: control and invisible characters escaped.

    Longer than `limit` characters, it is cut and ends in an ellipsis.
    """
    if limit is not None and len(text) > limit:
        text = text[: limit - 1] + "…"
    if text.isprintable():
        return text
    escaped = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return escaped if limit is None or len(escaped) <= limit else escaped[: limit - 1] + "…"


def quoted(text: str) -> str:
    """Return `text` in quotation marks, short and on one line, as messages show it."""
    return f'"{printable(text, MAX_SHOWN)}"'


def nearest(word: str, known: Iterable[str], count: int = 3) -> list[str]:
    """Return the words of `known` that someone who wrote `word` may have meant, best first.

    Upper case, blanks and hyphens make no difference. Empty if nothing is close.
    """
    form = _form(word[:MAX_SHOWN])
    by_form: dict[str, str] = {}
    for candidate in known:
        by_form.setdefault(_form(candidate), candidate)
    if form in by_form:
        return [by_form[form]]
    close = difflib.get_close_matches(form, by_form, n=count, cutoff=0.6)
    # A word that differs in a letter or two leaves no doubt, and needs no company.
    if close and difflib.SequenceMatcher(None, close[0], form).ratio() > 0.85:
        del close[1:]
    return [by_form[match] for match in close]


def _form(word: str) -> str:
    return word.strip().lower().replace(" ", "_").replace("-", "_")
