"""Random boards that a duel could look like, as the data of a state file, and ways to rewrite them.

Cards are described in their place; their effects are put together from the words of the
vocabulary, with filters, conditions and arguments that card texts have. Every card has an id.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from hypothesis import strategies as st

from py_bridge.states import State, state_from_text

Data = dict[str, Any]

SIDES = ("turn_player", "non_turn_player")
RACES = ("warrior", "dragon", "fiend")
NAMES = ("Alpha", "Beta", "Gamma")
# Whom restrictions of the attack target name, and what a monster can or has to do.
NARROWING = (
    "must_attack",
    "must_target",
    "can_only_target",
    "can_only_attack",
    "only_equipped_can_be_attacked",
)
# These have to say which monsters they mean.
BARRING = ("cannot_target", "cannot_attack_those")
PLAIN = (
    "can_attack_directly",
    "must_attack_directly",
    "cannot_attack_directly",
    "cannot_attack",
    "cannot_declare_attack",
    "has_to_attack",
    "attacks_in_defense",
    "cannot_be_attack_target",
)
PLAYER = (
    "cannot_conduct_battle_phase",
    "skips_battle_phase",
    "must_conduct_battle_phase",
    "cannot_activate",
    "player_cannot_declare_attacks",
)
# Cards of the library with effects on attacks of both sides.
LIBRARY = ("Marauding Captain", "Belial - Marquis of Darkness", "Yubel")
SPELLS = ("Nightmare Pain",)

sides = st.sampled_from(["own", "opponent"])
kinds_of_card = st.lists(st.sampled_from(["monster", "spell", "trap"]), min_size=1, unique=True)


@lru_cache
def filters(names: bool = True) -> st.SearchStrategy[Data]:
    """Filters such as "other Warrior monsters that the opponent controls"."""
    words: dict[str, st.SearchStrategy[Any]] = {
        "is": st.sampled_from(["this", "other", "bearer", "chosen"]),
        "side": sides,
        "race": st.sampled_from(RACES),
        "face": st.sampled_from(["up", "down"]),
        "position": st.sampled_from(["attack", "defense"]),
        "atk": st.sampled_from([{"at_least": 1500}, {"at_most": 1500}, 1000]),
        "highest": st.sampled_from(["atk", "def"]),
    }
    if names:
        words["name"] = st.sampled_from(NAMES)
        words["archetype"] = st.sampled_from(NAMES)
    plain = _some(words, 2)
    options = st.fixed_dictionaries({"any_of": st.lists(plain, min_size=1, max_size=2)})
    excepted = st.lists(st.one_of(plain, options), min_size=1, max_size=2)
    nested = st.fixed_dictionaries({}, optional={"side": sides, "except": excepted})
    return st.one_of(plain, plain, plain, nested, options)


def _some(words: Mapping[str, st.SearchStrategy[Any]], at_most: int) -> st.SearchStrategy[Data]:
    keys = st.lists(st.sampled_from(sorted(words)), max_size=at_most, unique=True)
    return keys.flatmap(lambda some: st.fixed_dictionaries({key: words[key] for key in some}))


@lru_cache
def clauses(names: bool = True) -> st.SearchStrategy[Data]:
    """One clause with its arguments."""
    monsters: dict[str, st.SearchStrategy[Any]] = {"monsters": filters(names)}
    narrowing = st.tuples(
        st.sampled_from(NARROWING),
        st.fixed_dictionaries({}, optional={"targets": filters(names), **monsters}),
    )
    barring = st.tuples(
        st.sampled_from(BARRING),
        st.fixed_dictionaries({"targets": filters(names)}, optional=monsters),
    )
    plain = st.tuples(st.sampled_from(PLAIN), st.fixed_dictionaries({}, optional=monsters))
    times = st.tuples(
        st.just("can_attack_times"),
        st.fixed_dictionaries(
            {"times": st.integers(1, 3)},
            optional={"on": st.sampled_from(["monsters", "any"]), **monsters},
        ),
    )
    immune = st.tuples(
        st.just("unaffected"),
        st.fixed_dictionaries(
            {},
            optional={"kinds": kinds_of_card, "of": st.sampled_from(["opponent", "any"])}
            | monsters,
        ),
    )
    negating = st.tuples(
        st.just("negates_effects"), st.fixed_dictionaries({"monsters": filters(names)})
    )
    player = st.tuples(
        st.sampled_from(PLAYER),
        st.fixed_dictionaries({"player": st.sampled_from(["own", "opponent", "both"])}),
    )
    cost = st.tuples(
        st.just("declaration_cost"), st.fixed_dictionaries({"lp": st.sampled_from([500, 9000])})
    )
    nothing: Data = {}
    choosing = st.tuples(st.just("chooses_attack_targets"), st.just(nothing))
    chosen = st.one_of(narrowing, narrowing, barring, plain, plain, times, immune, negating)
    return st.one_of(chosen, chosen, player, cost, choosing).map(lambda pair: {pair[0]: pair[1]})


@lru_cache
def conditions() -> st.SearchStrategy[list[Data]]:
    """What has to be so while an effect holds."""
    one: st.SearchStrategy[Data] = st.one_of(
        st.fixed_dictionaries({"exists": filters()}),
        st.fixed_dictionaries({"none": filters()}),
        st.fixed_dictionaries({"this": filters()}),
        st.fixed_dictionaries({"phase": st.just("battle")}),
        st.fixed_dictionaries({"turn": sides}),
        st.just({"outnumbered": True}),
        st.builds(
            lambda of, count: {"at_least": {"count": count, "of": of}},
            filters(),
            st.integers(1, 3),
        ),
    )
    return st.lists(one, min_size=1, max_size=2)


@lru_cache
def continuous(plain: bool = False) -> st.SearchStrategy[Data]:
    """Continuous effects; a plain one has no conditions and asks for no names."""
    says = _clause_lists(not plain)
    bare = st.fixed_dictionaries({"kind": st.just("continuous"), "says": says})
    if plain:
        return bare
    held = st.fixed_dictionaries(
        {"kind": st.just("continuous"), "says": says, "while": conditions()}
    )
    return st.one_of(bare, bare, held)


@lru_cache
def _clause_lists(names: bool) -> st.SearchStrategy[list[Data]]:
    return st.lists(clauses(names), min_size=1, max_size=2)


@lru_cache
def activated() -> st.SearchStrategy[Data]:
    """Effects that are activated."""
    operation: st.SearchStrategy[Data] = st.one_of(
        st.builds(lambda clause: {"applies": clause}, clauses()),
        st.builds(lambda of: {"redirects": {"to": of}}, filters()),
        st.just({"destroys": {}}),
        st.just({"negates_attack": {}}),
    )
    moments = st.sampled_from(["battle_phase", "battle_step", "main_1", "own_turn"])
    common = {"does": st.lists(operation, min_size=1, max_size=2)}
    event = st.sampled_from(
        ["attack_declared", "target_selected", "battle_phase_starts", "battle_phase_ends"]
    )
    optional: dict[str, st.SearchStrategy[Any]] = {
        "targets": filters(),
        "usable_in": st.lists(moments, min_size=1, max_size=2),
        "mandatory": st.booleans(),
    }
    trigger = {"kind": st.just("trigger"), "event": event, **common}
    other = {"kind": st.sampled_from(["quick", "ignition", "activation"]), **common}
    return st.one_of(
        st.fixed_dictionaries(trigger, optional=optional),
        st.fixed_dictionaries(other, optional={"event": event, **optional}),
    )


@lru_cache
def effects(plain: bool = False) -> st.SearchStrategy[list[Data]]:
    """The numbered effects of one card."""
    one = continuous(plain) if plain else st.one_of(continuous(), continuous(), activated())

    def numbered(found: list[Data]) -> list[Data]:
        return [{"nr": number, **effect} for number, effect in enumerate(found, 1)]

    return st.lists(one, max_size=2).map(numbered)


@lru_cache
def monsters(plain: bool = False) -> st.SearchStrategy[Data]:
    """Monsters in their zone, face-up or Set, without id."""
    described = st.fixed_dictionaries(
        {
            "name": st.sampled_from(NAMES),
            "card": st.just("monster"),
            "kinds": st.just(["effect"]),
            "race": st.sampled_from(RACES),
            "atk": st.sampled_from([1000, 1500, 2000]),
            "def": st.sampled_from([1000, 2000]),
            "effects": effects(plain),
        },
        optional={"archetypes": st.sampled_from(NAMES).map(lambda name: [name])},
    )
    attacking: Data = {"position": "attack"}
    postures: list[Data] = [
        *[attacking] * 6,
        {"position": "defense"},
        {"position": "defense", "face": "down"},
        {"position": "attack", "declared": 1},
        {"position": "attack", "negated": True},
    ]
    card = described if plain else st.one_of(*[described] * 5, st.sampled_from(LIBRARY))
    return st.builds(
        lambda card, posture: {"card": card, **posture}, card, st.sampled_from(postures)
    )


@lru_cache
def spells_and_traps(plain: bool = False) -> st.SearchStrategy[Data]:
    """Equip Spells without host, Spells and Traps that stay, and Set ones."""
    kinds = {"equip": "spell", "continuous": "trap", "quick_play": "spell"}
    described: st.SearchStrategy[Data] = st.builds(
        lambda name, kind, says: {
            "card": {"name": name, "card": kinds[kind], "kinds": [kind], "effects": says}
        },
        st.sampled_from(NAMES),
        st.sampled_from(list(kinds)),
        effects(plain),
    )
    library: st.SearchStrategy[Data] = st.sampled_from(SPELLS).map(lambda name: {"card": name})
    return described if plain else st.one_of(*[described] * 4, library)


@lru_cache
def applied(plain: bool = False) -> st.SearchStrategy[Data]:
    """Effects that go on applying without their card, not yet applied to a monster."""
    says = st.fixed_dictionaries(
        {"nr": st.just(1), "kind": st.just("lingering"), "says": _clause_lists(not plain)}
    )
    return st.builds(
        lambda name, card, effect, by: {
            "card": {"name": name, "card": card, "effects": [effect]},
            "effect": 1,
            "by": by,
        },
        st.sampled_from(NAMES),
        st.sampled_from(["spell", "trap", "monster"]),
        says,
        st.sampled_from(SIDES),
    )


_COUNTS = {"turn_player": [1, 1, 2, 2, 3, 5], "non_turn_player": [0, 1, 2, 2, 3, 5]}
_MOMENTS: list[Data] = [
    *[{}] * 10,
    {"phase": "main_1"},
    {"phase": "main_1"},
    {"phase": "main_2"},
    {"phase": "battle", "step": "start"},
    {"phase": "battle", "step": "end"},
    {"phase": "battle", "step": "damage"},
]
_STAGES: list[Data] = [
    {"stage": "declaration"},
    {"stage": "open"},
    {"stage": "replay"},
    {"stage": "reselected"},
    {"stage": "open", "over": "negated"},
]


@st.composite
def boards(draw: st.DrawFn, plain: bool = False, quiet: bool = False) -> Data:
    """A board with 1 to 5 monsters a side; a quiet one is in the Battle Step before any attack.

    A plain board has continuous effects only, without conditions and without names.
    """
    board: Data = {"turn": 3, **({} if quiet else draw(st.sampled_from(_MOMENTS)))}
    for side, letter in zip(SIDES, "ab", strict=True):
        count = draw(st.sampled_from(_COUNTS[side]))
        found = draw(st.lists(monsters(plain), min_size=count, max_size=count))
        board[side] = {"monsters": _with_ids(found, letter)}
    every = [one for side in SIDES for one in board[side]["monsters"]]
    hosts = [one["id"] for one in every if one.get("face") != "down"]
    for side, letter in zip(SIDES, "xy", strict=True):
        cards = _with_ids(draw(st.lists(spells_and_traps(plain), max_size=1)), letter)
        for card in cards:
            if isinstance(card["card"], dict) and card["card"]["kinds"] == ["equip"]:
                card["equipped_to"] = draw(st.sampled_from(hosts)) if hosts else ""
        board[side]["spells_traps"] = [one for one in cards if one.get("equipped_to", "-")]
    board["applied"] = _with_ids(draw(st.lists(applied(plain), max_size=1)), "l")
    for one in board["applied"]:
        one["chosen"] = [draw(st.sampled_from([monster["id"] for monster in every]))]
    if not quiet and board.get("phase", "battle") == "battle":
        _add_moment(draw, board)
    return board


def _with_ids(entries: list[Data], letter: str) -> list[Data]:
    return [{**one, "id": f"{letter}{number}"} for number, one in enumerate(entries, 1)]


def _add_moment(draw: st.DrawFn, board: Data) -> None:
    """Add an attack in progress, or who has passed, where the step can have them."""
    step = board.get("step", "battle")
    attackers, targets = ([one["id"] for one in board[side]["monsters"]] for side in SIDES)
    if step == "damage" or (step == "battle" and draw(st.integers(0, 3)) == 3):
        board["attack"] = {
            "attacker": draw(st.sampled_from(attackers)),
            "target": draw(st.sampled_from(targets or ["player"])),
            **(draw(st.sampled_from(_STAGES)) if step == "battle" else {}),
        }
    if draw(st.integers(0, 7)) == 7:
        for side in SIDES:
            board[side]["passed"] = draw(st.booleans())


# --- states and rewritten boards ------------------------------------------------------------------


def state_of(board: Data) -> State:
    """The state that a board describes, through the text of a file as a user would write it."""
    return state_from_text(json.dumps(board), "board.yaml")


def cards_of(board: Data) -> Iterator[Data]:
    """Every entry of a card and of an applied effect on a board."""
    for side in SIDES:
        yield from board[side]["monsters"]
        yield from board[side]["spells_traps"]
    yield from board["applied"]


def ids_of(board: Data) -> list[str]:
    """The ids on a board."""
    return [one["id"] for one in cards_of(board)]


def renamed(board: Data, names: Mapping[str, str]) -> Data:
    """The board with other ids."""
    found = copy.deepcopy(board)
    for one in cards_of(found):
        one["id"] = names[one["id"]]
        if "equipped_to" in one:
            one["equipped_to"] = names[one["equipped_to"]]
        if "chosen" in one:
            one["chosen"] = [names[other] for other in one["chosen"]]
    for key in ("attacker", "target"):
        if key in found.get("attack", {}):
            found["attack"][key] = names.get(found["attack"][key], found["attack"][key])
    return found


def reordered(board: Data, order: Callable[[list[Any]], list[Any]]) -> Data:
    """The board with its cards listed in another order."""
    found = copy.deepcopy(board)
    for side in SIDES:
        for pile in ("monsters", "spells_traps"):
            found[side][pile] = order(found[side][pile])
    found["applied"] = order(found["applied"])
    return found


def with_effects(board: Data, change: Callable[[list[Data]], list[Data]]) -> Data:
    """The board with the effects of every described card changed."""
    found = copy.deepcopy(board)
    for one in cards_of(found):
        if isinstance(one["card"], dict):
            one["card"]["effects"] = change(one["card"]["effects"])
    return found
