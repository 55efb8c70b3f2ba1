"""The command line."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from py_bridge import __version__

_LANGUAGES = click.Choice(["en", "zh"])

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON of a stable shape.")
language = click.option(
    "--lang", type=_LANGUAGES, default="en", show_default=True, help="Language."
)
as_of = click.option(
    "--as-of", metavar="DATE", help="Answer by the rulings of that day (YYYY-MM-DD)."
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__)
def main() -> None:
    """Answer questions about the battle phase, with the rulings behind each answer.

    Exit status: 0 answered; 1 the answer is no, or a check failed; 2 the input is wrong.
    """


@contextmanager
def _clear_errors() -> Iterator[None]:
    """Turn what a user can cause into its lines on stderr and exit status 2."""
    from py_bridge.errors import BattlejudgeError

    try:
        yield
    except BattlejudgeError as error:
        click.echo(str(error), err=True)
        sys.exit(2)
    except BrokenPipeError:
        sys.exit(0)


def _echo_json(data: Any) -> None:
    click.echo(json.dumps(data, ensure_ascii=False, indent=1))


@main.command()
@click.argument("state", type=click.Path())
@click.option(
    "--all", "everything", is_flag=True, help="Also what is refused, with the first reason."
)
@as_json
@language
@as_of
def legal(state: str, everything: bool, as_json: bool, lang: str, as_of: str | None) -> None:
    """Show the legal actions of the state file STATE, each with its ruling."""
    with _clear_errors():
        from py_bridge import answers, pages
        from py_bridge.dates import check_day
        from py_bridge.states import read_state

        check_day(as_of)
        found = answers.ask(read_state(state))
        speaker = answers.Speaker(found.state, lang)
        if as_json:
            _echo_json(answers.as_data(found, speaker))
        else:
            click.echo("\n".join(pages.legal(found, speaker, everything)))


@main.command(context_settings={"ignore_unknown_options": True})  # the arrow is no option
@click.argument("state", type=click.Path())
@click.argument("action", nargs=-1, required=True)
@as_json
@language
@as_of
def why(state: str, action: tuple[str, ...], as_json: bool, lang: str, as_of: str | None) -> None:
    """Explain the answer to ACTION in the state file STATE, back to the facts of the board.

    ACTION is, for example: attack neos -> captain. Exit status 1 if it is refused.
    """
    with _clear_errors():
        from py_bridge import answers, pages
        from py_bridge.dates import check_day
        from py_bridge.states import read_state

        check_day(as_of)
        found = answers.ask(read_state(state))
        answer = pages.asked(found, " ".join(action))
        speaker = answers.Speaker(found.state, lang)
        if as_json:
            _echo_json(pages.why_data(found, answer, speaker))
        else:
            click.echo("\n".join(pages.why(found, answer, speaker)))
        sys.exit(1 if answer.how == "cannot" else 0)


@main.command()
@click.argument("state", type=click.Path())
@as_json
@language
@as_of
def damage(state: str, as_json: bool, lang: str, as_of: str | None) -> None:
    """Take the attack in progress of the state file STATE through damage calculation.

    Line by line: the values compared, who is destroyed, the battle damage by the ten levels, what
    was not applied and why, and the LP of both players.
    """
    with _clear_errors():
        from py_bridge import damage_page, ledger
        from py_bridge.answers import Speaker
        from py_bridge.dates import check_day
        from py_bridge.states import read_state

        check_day(as_of)
        found = ledger.reckon(read_state(state))
        speaker = Speaker(found.state, lang)
        if as_json:
            _echo_json(ledger.as_data(found, speaker))
        else:
            click.echo("\n".join(damage_page.damage(found, speaker)))


@main.command()
@click.argument("ids", nargs=-1)
@click.option("--topic", help="Only rulings of this topic.")
@click.option("--edition", type=int, help="Only rulings of this edition: 2026, 2019 or 2009.")
@click.option("--blank-names", is_flag=True, help="Run each case again without card names, too.")
@as_json
@language
def rulings(
    ids: tuple[str, ...],
    topic: str | None,
    edition: int | None,
    blank_names: bool,
    as_json: bool,
    lang: str,
) -> None:
    """Run documented rulings against the rules: all, or those with the given IDS."""
    with _clear_errors():
        from py_bridge import pages, verdicts

        found = verdicts.report(ids, topic=topic, edition=edition, blank_names=blank_names)
        if as_json:
            _echo_json(verdicts.as_data(found))
        else:
            click.echo("\n".join(pages.rulings(found, bool(ids), lang)))
        sys.exit(0 if found.holds else 1)


@main.command()
@click.argument("words", nargs=-1)
@click.option("--classes", is_flag=True, help="List the effect classes with their wording.")
@as_json
@language
def cards(words: tuple[str, ...], classes: bool, as_json: bool, lang: str) -> None:
    """Find cards and effect classes that contain WORDS; show what is modelled of each card.

    With --classes the name of a class shows what it reads: its arguments, their values, an
    example. So does the name of a key such as is, event, subject, from or filter.
    """
    with _clear_errors():
        from py_bridge import catalogue

        found = catalogue.search(words, classes_only=classes)
        if as_json:
            _echo_json(catalogue.as_data(found))
        else:
            click.echo("\n".join(catalogue.page(found, lang)))
        sys.exit(0 if found.cards or found.words or found.keys else 1)


@main.command()
@click.argument(
    "kind", metavar="KIND", type=click.Choice(["predicates", "files", "priorities", "rulings"])
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "dot", "svg", "mermaid"]),
    default="text",
    show_default=True,
)
@click.option("--of", "name", metavar="NAME", help="Only what NAME rests on or supports.")
@click.option("--depth", type=click.IntRange(min=1), help="With --of: up to so many steps away.")
@click.option("--all", "everything", is_flag=True, help="The long lists in full.")
@click.option("--output", type=click.Path(dir_okay=False), metavar="FILE", help="Write to FILE.")
@as_json
@language
def graph(
    kind: str,
    form: str,
    name: str | None,
    depth: int | None,
    everything: bool,
    output: str | None,
    as_json: bool,
    lang: str,
) -> None:
    """Show how the rule base hangs together.

    KIND is predicates (what each depends on, in strata), files (the same between files),
    priorities (which class of clauses stands above which) or rulings (the rules that cite them,
    the cases that exercise them). Exit status 1 if something does not hold together: a circle
    through negation, a predicate that nothing derives, a circle of priorities, two levels of one
    class.
    """
    with _clear_errors():
        from py_bridge import graph_page
        from py_bridge.errors import BattlejudgeError
        from py_bridge.graph import around, as_data, build

        if depth is not None and name is None:
            raise BattlejudgeError("--depth: counts steps from a name; add --of NAME")
        if as_json and form != "text":
            raise BattlejudgeError("--json: is a format of its own; leave out --format")
        found = build(kind)
        part = None if name is None else around(found.diagram(), name, depth)
        if as_json:
            text = json.dumps(as_data(kind, found, part), ensure_ascii=False, indent=1) + "\n"
        elif form == "text":
            lines = (
                graph_page.page(found, lang, everything=everything)
                if part is None
                else graph_page.part(found, part, lang)
            )
            text = "\n".join(lines) + "\n"
        else:
            text = graph_page.picture(found, part, form)
        _put(text, output)
        sys.exit(0 if found.holds else 1)


def _put(text: str, file: str | None) -> None:
    """Print a text, or write it to a file."""
    from pathlib import Path

    from py_bridge.errors import BattlejudgeError

    if file is None:
        click.echo(text, nl=False)
        return
    try:
        Path(file).write_text(text, encoding="utf-8")
    except OSError as error:
        right = "right would be a file in a folder that exists"
        raise BattlejudgeError(f"--output: {file}: {error.strerror}; {right}") from None


@main.command()
@click.argument("a")
@click.argument("b")
@click.option("--scope", "scopes", multiple=True, help="Look at this scope only (may be repeated).")
@click.option("--monsters", type=click.IntRange(1, 6), help="Monsters a side, at most.")
@click.option("--texts", type=click.IntRange(0, 3), help="Texts a monster, at most.")
@click.option(
    "--limit", type=float, default=60.0, show_default=True, help="Seconds for each scope."
)
@as_json
@language
def diff(
    a: str,
    b: str,
    scopes: tuple[str, ...],
    monsters: int | None,
    texts: int | None,
    limit: float,
    as_json: bool,
    lang: str,
) -> None:
    """Find the smallest boards on which the rule bases A and B differ.

    A and B are folders that hold rules, git revisions of this repository, or . for the present
    rules. Where they are equal, that is proven for all boards of the scope. Exit status 1 if they
    differ.
    """
    with _clear_errors():
        from py_bridge import differences
        from py_bridge.bases import rule_base
        from py_bridge.scopes import names, read_scope

        changes = {"monsters": monsters, "texts": texts}
        numbers = {key: value for key, value in changes.items() if value is not None}
        wanted = [read_scope(one, numbers) for one in differences.check_scopes(scopes, names())]
        with rule_base(a) as left, rule_base(b) as right:
            found = differences.differences(left, right, wanted, limit)
        if as_json:
            _echo_json(differences.as_data(found))
        else:
            click.echo("\n".join(differences.page(found, (a, b), lang)))
        sys.exit(1 if found.told else 0)


@main.command()
@click.argument("names", metavar="PROPERTY...", nargs=-1)
@click.option("--list", "listing", is_flag=True, help="List the properties that come along.")
@click.option("--scope", help="Look at this scope, not at the one the property names.")
@click.option("--monsters", type=click.IntRange(1, 6), help="Monsters a side, at most.")
@click.option("--texts", type=click.IntRange(0, 3), help="Texts a monster, at most.")
@as_json
@language
def counterexample(
    names: tuple[str, ...],
    listing: bool,
    scope: str | None,
    monsters: int | None,
    texts: int | None,
    as_json: bool,
    lang: str,
) -> None:
    """Find the smallest state that violates PROPERTY, or prove that the scope holds none.

    A property is one of --list or a file of your own (.lp): `% en:` and `% scope:` lines, then
    rules that conclude violated(...). Exit status 1 if one is violated.
    """
    with _clear_errors():
        from py_bridge import counterexamples

        if listing:
            click.echo("\n".join(counterexamples.listing(lang)))
            return
        changes = {"monsters": monsters, "texts": texts}
        numbers = {key: value for key, value in changes.items() if value is not None}
        found = counterexamples.look_for(names, scope, numbers)
        if as_json:
            _echo_json(counterexamples.as_data(found))
        else:
            click.echo("\n".join(counterexamples.page(found, lang)))
        sys.exit(1 if any(one.state for one in found) else 0)


@contextmanager
def _progress(count: int) -> Iterator[Callable[[int], None]]:
    """Show on stderr how many of `count` trials are done; nothing where there are none."""
    if not count:
        yield lambda done: None
        return
    with click.progressbar(length=count, label="trials", file=sys.stderr) as bar:
        yield bar.update


@main.command()
@click.option("--only", multiple=True, metavar="CHECK", help="Only this check (may be repeated).")
@click.option(
    "--scripts", is_flag=True, help="Mutants of the rules of play too, tried on scripts (hours)."
)
@click.option("--quick", is_flag=True, help="Without the mutants.")
@click.option(
    "--every", type=click.IntRange(1), default=1, metavar="N", help="Only every Nth mutant."
)
@click.option("--resume", is_flag=True, help="Take up an audit that was broken off.")
@click.option("--workers", type=click.IntRange(1, 64), help="Processes; by default one a core.")
@click.option(
    "--output", type=click.Path(dir_okay=False), metavar="FILE", help="Write the report to FILE."
)
@as_json
@language
def audit(
    only: tuple[str, ...],
    quick: bool,
    every: int,
    scripts: bool,
    resume: bool,
    workers: int | None,
    output: str | None,
    as_json: bool,
    lang: str,
) -> None:
    """Check whether the rule base holds together.

    The checks: rulings (every documented ruling with a case agrees), citations (every rule is
    exercised by a case, every decided ruling cited by a rule), blank-names (no rule knows a card),
    one-answer (every action has one), shown (without the rules that cite a ruling, a case of it
    comes out otherwise, unless the register says why none does), dead-rules (every rule is missed
    when it is removed), mutants (95 of 100 small mistakes in the rules are noticed by a case).

    Ctrl-C prints what was found so far; --resume goes on from there, as long as rules and cases
    are the same. What is known of the mutants is kept beside --output (FILE.state), or else in
    the user's cache. Exit status 1 if a check fails or was broken off.
    """
    with _clear_errors():
        from concurrent.futures import ProcessPoolExecutor
        from pathlib import Path

        from py_bridge import audit as auditing
        from py_bridge import audit_page

        wanted = auditing.chosen_checks(only, quick)
        source = auditing.Source(scripts=scripts)
        file = Path(f"{output}.state") if output else auditing.memory_file()
        memory = auditing.Memory(file, source)
        if resume:
            memory.recall()
        count = auditing.prepare(source, wanted, every)
        with (
            ProcessPoolExecutor(workers, initializer=auditing.leave_ctrl_c) as pool,
            _progress(count) as update,
        ):
            found = auditing.audit(source, wanted, memory, pool, update, every=every)
            if len(found) < len(wanted) or not all(one.complete for one in found):
                auditing.end_workers()
        if as_json:
            data = audit_page.as_data(found)
            text = json.dumps(data, ensure_ascii=False, indent=1) + "\n"
        else:
            text = "\n".join(audit_page.page(found, lang)) + "\n"
        _put(text, output)
        sys.exit(0 if audit_page.holds(found) and len(found) == len(wanted) else 1)


@main.command()
@click.argument("script", type=click.Path())
@click.option("--until", metavar="WHEN", help="Stop after line number WHEN, or once it holds.")
@click.option("--interactive", is_flag=True, help="Go on by hand, from the legal actions.")
@click.option(
    "--write", type=click.Path(dir_okay=False), metavar="FILE", help="Write the state reached."
)
@click.option("--perft", type=click.IntRange(1, 12), help="Count the legal sequences up to here.")
@as_json
@language
@as_of
def play(
    script: str,
    until: str | None,
    interactive: bool,
    write: str | None,
    perft: int | None,
    as_json: bool,
    lang: str,
    as_of: str | None,
) -> None:
    """Perform the script file SCRIPT and show what happened, and why; then what is legal.

    SCRIPT may also be a state file. WHEN is a number of lines of the script, a step such as
    damage_step, or a fluent such as "in(neos, graveyard)". Exit status 1 if a check of the script
    failed, or if what --until names never came; 2 if a line cannot be performed: what happened
    before it is shown all the same.
    """
    with _clear_errors():
        from py_bridge import playing
        from py_bridge.dates import check_day
        from py_bridge.errors import BattlejudgeError

        check_day(as_of)
        playing.refuse_combination(interactive=interactive, as_json=as_json, perft=perft)
        found = playing.played(script, until)
        if found.problem is not None and perft is not None:
            raise BattlejudgeError(str(found.problem))
        if perft is not None:
            counted = playing.count(found, perft)
            if as_json:
                _echo_json(playing.count_data(counted))
            else:
                click.echo("\n".join(playing.count_page(counted, lang)))
            sys.exit(0 if counted.holds else 1)
        if as_json:
            _echo_json(playing.as_data(found, lang))
        else:
            with_legal = not interactive or found.problem is not None
            click.echo("\n".join(playing.page(found, lang, with_legal=with_legal)))
        if found.problem is not None:
            raise BattlejudgeError(str(found.problem))
        state = found.told.state
        if interactive:
            state = playing.play_on(found, lang, sys.stdin.readline, click.echo)
        if write is not None:
            playing.write(state, write)
        sys.exit(0 if found.holds else 1)


@main.command()
@click.argument("kind", metavar="[KIND]", type=click.Choice(["state", "script"]), default="state")
def schema(kind: str) -> None:
    """Print the JSON Schema of a state file, or of a script file (KIND: state, script)."""
    from py_bridge.formats import schema as state_schema
    from py_bridge.script_files import script_schema

    if kind == "script":
        _echo_json(script_schema())
    else:
        _echo_json(state_schema())
