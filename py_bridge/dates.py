"""The day of a question."""

from __future__ import annotations

import datetime

from py_bridge.errors import BattlejudgeError, quoted

# The newest official answer that the 2026 edition cites; before it some answers were others.
EDITION_2026 = datetime.date(2026, 3, 19)


def check_day(text: str | None) -> None:
    """Check the day that a question is asked of. Raises BattlejudgeError.

    Earlier editions are registered but not yet written as rules; a question about their time is
    refused rather than answered by today's rulings.
    """
    if text is None:
        return
    try:
        day = datetime.date.fromisoformat(text)
    except ValueError:
        raise BattlejudgeError(
            f"--as-of: {quoted(text)} is no date; right would be 2026-03-19"
        ) from None
    if day < EDITION_2026:
        raise BattlejudgeError(
            f"--as-of: {day} lies before the edition that the rules state; "
            f"right would be {EDITION_2026} or later"
        )
