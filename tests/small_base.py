"""A rule base of a few rules with two cases, for trying what the audit does."""

from __future__ import annotations

from pathlib import Path

from py_bridge.audit import Source

SMALL_RULES = """\
% @rule small_could : bs-048
% en: A monster could attack an opposing one.
% zh: 怪兽可以攻击对方的怪兽。
could(A, T) :- holds(controller(A, turn_player)), monster(T),
               holds(controller(T, non_turn_player)).
monster(T) :- holds(in(T, monster_zone)).

% @rule small_answer : definition
% en: A face-up monster in Defense Position attacks nothing.
% zh: 表侧守备表示的怪兽不能攻击。
barred(A) :- holds(position(A, defense)), not holds(face(A, down)).
answer(attack(A, T), may) :- could(A, T), not barred(A).
answer(attack(A, T), cannot) :- could(A, T), barred(A), monster(T).

% @rule small_found : definition
% en: What else is found.
% zh: 其他结论。
idle(A) :- could(A, _), not could(A, A).
finding(attacking_monster(A)) :- idle(A), holds(value(A, atk, V)), strong(W), V >= W.
strong(1500).
loud(A) :- holds(value(A, atk, _)).
"""

CASES = """\
cases:
  - rulings: [bs-048]
    shows: A strong monster attacks.
    state:
      turn: 3
      turn_player:
        monsters: [{id: one, card: {name: One, card: monster, atk: 1800}}]
      non_turn_player:
        monsters: [{id: two, card: {name: Two, card: monster}}]
    expect: {attack one -> two: may}
    finds: ["attacking_monster(one)"]
  - rulings: [bs-048]
    shows: One in Defense Position does not.
    state:
      turn: 3
      turn_player:
        monsters: [{id: one, position: defense, card: {name: One, card: monster, atk: 1000}}]
      non_turn_player:
        monsters: [{id: two, card: {name: Two, card: monster}}]
    expect: {attack one -> two: cannot}
    finds_not: ["attacking_monster(one)"]
"""

PLAYED_RULES = """
% @rule small_played : definition
% en: A monster that has attacked attacks no more.
% zh: 攻击过的怪兽不能再攻击。
whole(Act) :- answer(Act, may).
starts(declared(A, 1)) :- do(attack(A, _)).
starts(declared_in(A, attack)) :- do(attack(A, _)).
barred(A) :- holds(declared(A, 1)).
"""

SCRIPT = """\
cases:
  - rulings: [bs-048]
    shows: Each of two monsters attacks once.
    state:
      turn: 3
      turn_player:
        monsters:
          - {id: one, card: {name: One, card: monster, atk: 1800}}
          - {id: three, card: {name: Three, card: monster, atk: 1800}}
      non_turn_player:
        monsters: [{id: two, card: {name: Two, card: monster}}]
    script:
      - attack one -> two
      - do: attack three -> two
        expect: {attack one -> two: cannot, attack three -> two: cannot}
"""


def small_base(folder: Path, cases: str = CASES, rules: str = SMALL_RULES) -> Source:
    """Write the rule base and its cases into a folder."""
    (folder / "rules").mkdir()
    (folder / "rules" / "small.lp").write_text(rules, encoding="utf-8")
    file = folder / "cases.yaml"
    file.write_text(cases, encoding="utf-8")
    return Source(folder, (file,), ("targets",))
