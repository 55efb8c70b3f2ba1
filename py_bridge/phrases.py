"""Actions in words: `attack neos -> captain`, `enter battle_phase`, `activate drident 2 on neos`.

The words are read into the terms of the rules and back; nothing is decided here.
"""

from __future__ import annotations

import re

from clingo import Function, Number, Symbol, SymbolType, parse_term

from py_bridge.errors import quoted

_ID = r"[a-z][a-z0-9_]*"
_ATTACK = re.compile(rf"attack ({_ID}) (?:-> ?|on )({_ID})")
_DIRECT = re.compile(rf"attack ({_ID}) directly")
_ENTER = re.compile(rf"enter (?:the )?({_ID})")
_ACTIVATE = re.compile(rf"activate ({_ID}) ([0-9]{{1,2}})(?: on ({_ID}))?")
_GIVE_UP = re.compile(rf"give up ({_ID})")
_PASS = re.compile(r"pass (turn_player|non_turn_player)")
_CHOOSE = re.compile(rf"choose ({_ID})")
_TURN = re.compile(rf"turn ({_ID})")
_TOSS = re.compile(r"toss (heads|tails|[1-6])")
_ATTACKER = re.compile(rf"attack ({_ID})")

FORMS = (
    "attack A -> B, attack A directly, give up A, enter battle_phase, activate C 1, "
    "activate C 1 on B, turn B, pass turn_player, go on, choose B, toss heads"
)


class PhraseError(ValueError):
    """Words that are no action; the message says what would be."""


def action(text: str) -> Symbol:
    """Return the action that the words name. Raises PhraseError."""
    words = " ".join(text.split()).lower().replace("battle phase", "battle_phase")
    words = re.sub(r"\b(battle|damage|end|start) step\b", r"\1_step", words)
    words = re.sub(r"\bmain phase 2\b", "main_phase_2", words).replace("end phase", "end_phase")
    if found := _DIRECT.fullmatch(words):
        return Function("attack", [Function(found[1]), Function("player")])
    if found := _ATTACK.fullmatch(words):
        return Function("attack", [Function(found[1]), Function(found[2])])
    if found := _ENTER.fullmatch(words):
        return Function("enter", [Function(found[1])])
    if found := _ACTIVATE.fullmatch(words):
        on = [Function(found[3])] if found[3] else []
        return Function("activate", [Function(found[1]), Number(int(found[2])), *on])
    if found := _GIVE_UP.fullmatch(words):
        return Function("give_up", [Function(found[1])])
    if found := _PASS.fullmatch(words):
        return Function("pass", [Function(found[1])])
    if found := _CHOOSE.fullmatch(words):
        return Function("choose", [Function(found[1])])
    if found := _TURN.fullmatch(words):
        return Function("turn", [Function(found[1])])
    if found := _TOSS.fullmatch(words):
        result = found[1]
        return Function("toss", [Number(int(result)) if result.isdigit() else Function(result)])
    if words == "go on":
        return Function("go_on")
    raise PhraseError(f"{quoted(text)} is no action; right would be: {FORMS}")


def attacker_of(text: str) -> str | None:
    """Return A if the words are `attack A`, `` if they are `attack`, None otherwise."""
    words = " ".join(text.split()).lower()
    if words == "attack":
        return ""
    found = _ATTACKER.fullmatch(words)
    return found[1] if found else None


def finding(text: str) -> Symbol:
    """Return the finding that the text names as a term of the rules. Raises PhraseError."""
    try:
        return parse_term(text)
    except RuntimeError as error:
        example = "chooses(turn_player, target(neos))"
        raise PhraseError(f"{quoted(text)} is no finding; right would be {example}") from error


def in_words(act: Symbol) -> str:
    """Return an action in the words that `action` reads."""
    parts = [str(argument) for argument in act.arguments]
    if act.name == "attack":
        return (
            f"attack {parts[0]} directly"
            if parts[1] == "player"
            else f"attack {parts[0]} -> {parts[1]}"
        )
    if act.name == "activate":
        return f"activate {parts[0]} {parts[1]}" + (f" on {parts[2]}" if len(parts) > 2 else "")
    if act.name == "give_up":
        return f"give up {parts[0]}"
    return " ".join((act.name.replace("go_on", "go on"), *parts))


def is_text(symbol: Symbol) -> bool:
    """Whether a term of the rules is a string."""
    return symbol.type == SymbolType.String
