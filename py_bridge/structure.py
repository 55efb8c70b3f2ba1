"""The shape of a document, checked against a JSON Schema, with messages for players.

jsonschema_rs says what does not fit; this module says it in words: what stands there, and what
would be right. A part of a schema may hold `x-hint`, a noun phrase for what is expected there
("the id of a card, or player"), which then ends the message; `x-class`, the class whose arguments
stand there; and `x-elsewhere`, where else that class reads others.

Where a schema offers several forms (`oneOf`, `anyOf`), the form that was probably meant is looked
for and only its faults are told. To find them without listing the faults of every form for every
place, the schema is folded first: each choice of forms becomes a condition that fails as a whole,
and the forms of a failed one are tried at that place alone.
"""

from __future__ import annotations

import json
import urllib.parse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from jsonschema_rs import Draft202012Validator, Registry, ValidationError, ValidationErrorKind

from py_bridge.errors import MAX_PROBLEMS, Problem, more_problems, nearest, printable, quoted
from py_bridge.yaml_text import DataPath, Document, path_text, slip

_FOLDED = "urn:folded"
_FORMS = ("oneOf", "anyOf")
_MAX_LISTED = 12
# Unknown keys of one mapping that are looked at; nobody reads on to the next.
_MAX_NAMES = 100

# Keywords that lead to a part of the schema: by a further name or number, or directly; and those
# that lead on to a value inside the one at hand.
_NAMED = {"properties", "patternProperties", "dependentSchemas", "prefixItems", "allOf", *_FORMS}
_PLAIN = {"items", "additionalProperties", "unevaluatedProperties", "unevaluatedItems"}
_PLAIN |= {"contains", "propertyNames", "if", "then", "else", "not"}
_INWARD = {"properties", "patternProperties", "prefixItems", "items", "additionalProperties"}
_INWARD |= {"unevaluatedProperties", "unevaluatedItems", "contains", "propertyNames"}

_TYPE_WORDS = {
    "object": 'a mapping (lines "key: value")',
    "array": 'a list (lines "- item")',
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "nothing",
}
_FORMAT_WORDS = {"date": "a date such as 2026-01-31"}


def check(document: Document, schema: dict[str, Any]) -> list[Problem]:
    """Return what is wrong with the shape of a document, in the order of its lines.

    At most 20 problems; one more line then says how many others there are. The schema is JSON
    Schema Draft 2020-12, compiled once for each schema object, which therefore must not change;
    it may refer to its own parts by `#/...` paths, but not to a path through `oneOf` or `anyOf`.
    """
    shape = _shape(schema)
    if shape.validator.is_valid(document.data):
        return []
    failures = [f for e in shape.validator.iter_errors(document.data) for f in shape.failures(e)]
    failures.sort(key=lambda failure: document.line_of(failure.place))
    problems: dict[str, Problem] = {}
    while failures and len(problems) < MAX_PROBLEMS:
        for found in _forms_resolved(shape, failures.pop(0), document.data):
            problem = _problem(shape, found, document)
            problems.setdefault(str(problem), problem)
    told = sorted(problems.values(), key=lambda problem: problem.line or 0)
    more = len(told[MAX_PROBLEMS:]) + len(failures)
    if more:
        # A failure may turn out to be several problems.
        told[MAX_PROBLEMS:] = [more_problems(document.file, f"at least {more}")]
    return told


@dataclass(frozen=True, slots=True)
class _Failure:
    """One thing that does not fit.

    `path` leads to the value, `name` is the key that is unknown, missing or badly named, `node`
    the part of the folded schema with the keyword that failed, `at` the path of that part.
    `choices` are the values, or the keys, of which one would have been right.

    Keywords of our own: `unknown` (a key that does not exist), `forms` (no form fits), `kinds`
    (the same, and what stands there resembles none), `several` (more than one form fits),
    `forbidden` (nothing may stand there), `one of the keys` (none of `choices` is there),
    `misplaced` (a key of another form).
    """

    path: DataPath
    keyword: str
    node: Mapping[str, Any]
    at: DataPath
    name: str = ""
    choices: tuple[Any, ...] = ()
    hint: str = ""

    @property
    def place(self) -> DataPath:
        named = self.keyword in ("unknown", "misplaced", "propertyNames")
        return (*self.path, self.name) if named else self.path

    @property
    def likeness(self) -> tuple[DataPath, str, str]:
        """Equal for failures of two forms that are about the same thing."""
        return self.path, "enum" if self.keyword == "const" else self.keyword, self.name


@dataclass(frozen=True, slots=True)
class _Shape:
    """A schema, folded and compiled."""

    folded: Mapping[str, Any]
    validator: Draft202012Validator
    registry: Registry
    validators: dict[DataPath, Draft202012Validator] = field(default_factory=dict)

    def node(self, path: Iterable[str | int]) -> Any:
        node: Any = self.folded
        for key in path:
            node = node[key]
        return node

    def failures(self, error: ValidationError, base: _Failure | None = None) -> Iterator[_Failure]:
        """Return the failures that an error of the validator stands for; usually one.

        `base` is the failed choice of forms, if the error is about one of its forms.
        """
        path = (*base.path, *error.instance_path) if base else tuple(error.instance_path)
        at, keyword = tuple(error.schema_path[:-1]), str(error.schema_path[-1])
        node = self.node(at)
        hint = self.hint(error.evaluation_path, base)
        match error.kind:
            case ValidationErrorKind.FalseSchema():
                if keyword == "else" and any(word in node.get("if", {}) for word in _FORMS):
                    yield _Failure(path, "forms", node, at, hint=hint)
                else:
                    yield _Failure(path, "forbidden", {}, at)
            case ValidationErrorKind.AdditionalProperties(unexpected=names):
                keys = tuple(sorted(self.keys(node)))
                for name in names[:_MAX_NAMES]:
                    yield _Failure(path, "unknown", node, at, name, keys)
            case ValidationErrorKind.UnevaluatedProperties(unexpected=names):
                keys = tuple(sorted(self.keys(node)))
                # A part that fails elsewhere makes its own keys unevaluated: those are known.
                for name in [name for name in names if name not in keys][:_MAX_NAMES]:
                    yield _Failure(path, "unknown", node, at, name, keys)
            case ValidationErrorKind.Required(property=name):
                found = [_values(part) for part in self.properties(node, name)]
                choices = tuple(dict.fromkeys(value for values in found for value in values))
                # A part without fixed values allows others than those of the rest.
                yield _Failure(path, keyword, node, at, name, choices if all(found) else ())
            case ValidationErrorKind.PropertyNames(error=inner):
                at = at[: at.index("propertyNames") + 1] if "propertyNames" in at else at
                name = str(inner.instance)
                yield _Failure(path, "propertyNames", self.node(at), at, name, hint=hint)
            case _:
                choices = tuple(_values(node)) if keyword in ("enum", "const") else ()
                yield _Failure(path, keyword, node, at, choices=choices, hint=hint)

    def hint(self, steps: Sequence[str | int], base: _Failure | None) -> str:
        """Return the hint for a value: that of the innermost part of the schema about it.

        A hint beside a `$ref` counts more than one inside what it refers to. `steps` is the way
        that the validator took through the schema.
        """
        node: Any = self.folded
        hint, fixed, rest = "", False, list(steps)
        if base is not None:
            # The way begins inside the list of the forms: allOf, number, $ref.
            node, hint, rest = self.forms(base)[int(steps[1])], base.hint, list(steps[3:])
        while isinstance(node, dict):
            if not fixed:
                hint = str(node.get("x-hint", hint))
            step = rest.pop(0) if rest else ""
            fixed = step == "$ref" and (fixed or "x-hint" in node)
            if step in _INWARD:
                hint = ""
            if step == "$ref":
                node = self.target(node["$ref"])
            elif step in _NAMED:
                node = node[step][rest.pop(0)]
            elif step in _PLAIN:
                node = node[step]
            else:
                break
        return hint

    def forms(self, failure: _Failure) -> list[Any]:
        """Return the forms of a failed choice of forms."""
        choice = failure.node["if"]
        forms: list[Any] = next(choice[word] for word in _FORMS if word in choice)
        return forms

    def branches(self, failure: _Failure, value: Any) -> list[list[_Failure]]:
        """Return what is wrong with a value as each of the forms of a failed choice of forms."""
        forms = self.forms(failure)
        if failure.at not in self.validators:
            word = next(iter(failure.node["if"]))
            start = f"{_FOLDED}#{_pointer((*failure.at, 'if', word))}"
            references = [{"$ref": f"{start}/{number}"} for number in range(len(forms))]
            self.validators[failure.at] = _compiled({"allOf": references}, self.registry)
        branches: list[list[_Failure]] = [[] for _ in forms]
        for error in self.validators[failure.at].iter_errors(value):
            branches[int(error.evaluation_path[1])].extend(self.failures(error, failure))
        return branches

    def parts(self, node: Any) -> Iterator[Mapping[str, Any]]:
        """Return a part of the schema and the parts that speak about the same value."""
        waiting, seen = [node], set()
        while waiting:
            part = waiting.pop(0)
            if not isinstance(part, dict) or id(part) in seen:
                continue
            seen.add(id(part))
            yield part
            if "$ref" in part:
                waiting.append(self.target(part["$ref"]))
            for keyword in ("allOf", *_FORMS):
                waiting += part.get(keyword, [])
            waiting += [part.get(keyword) for keyword in ("if", "then", "else")]
            waiting += part.get("dependentSchemas", {}).values()

    def target(self, reference: str) -> Any:
        node: Any = self.folded
        for token in urllib.parse.unquote(reference.removeprefix("#")).split("/")[1:]:
            key = token.replace("~1", "/").replace("~0", "~")
            node = node[int(key)] if isinstance(node, list) else node[key]
        return node

    def keys(self, node: Any) -> set[str]:
        return {key for part in self.parts(node) for key in part.get("properties", {})}

    def properties(self, node: Any, name: str) -> list[Any]:
        """Return the parts of the schema that speak about the key `name` of a mapping."""
        found = (part.get("properties", {}).get(name) for part in self.parts(node))
        return [part for part in found if part is not None]


_shapes: dict[int, tuple[dict[str, Any], _Shape]] = {}


def _shape(schema: dict[str, Any]) -> _Shape:
    # The schema itself is kept too: as long as it lives, no other object gets its id.
    if id(schema) not in _shapes:
        folded = {key: value for key, value in _fold(schema).items() if key != "$id"}
        registry = Registry([(_FOLDED, folded)])
        _shapes[id(schema)] = schema, _Shape(folded, _compiled(folded, registry), registry)
    return _shapes[id(schema)][1]


def _compiled(schema: dict[str, Any], registry: Registry) -> Draft202012Validator:
    return Draft202012Validator(schema, registry=registry, validate_formats=True)


def _fold(node: Any) -> Any:
    """Return a schema in which every choice of forms fails as a whole, without details."""
    if isinstance(node, list):
        return [_fold(part) for part in node]
    if not isinstance(node, dict):
        return node
    folded = {key: _fold(value) for key, value in node.items()}
    for word in _FORMS:
        if isinstance(folded.get(word), list):
            choice = {"if": {word: folded.pop(word)}, "else": False}
            folded["allOf"] = [*folded.get("allOf", []), choice]
    return folded


def _pointer(path: DataPath) -> str:
    tokens = (str(key).replace("~", "~0").replace("/", "~1") for key in path)
    return "".join(f"/{urllib.parse.quote(token, safe='~')}" for token in tokens)


def _forms_resolved(shape: _Shape, failure: _Failure, data: Any) -> list[_Failure]:
    """Return the failure, or if it is a choice of forms the faults of the form that was meant."""
    if failure.keyword != "forms":
        return [failure]
    branches = shape.branches(failure, _value(data, failure.path))
    if not all(branches):
        return [replace(failure, keyword="several")]
    fitting = [b for b in branches if not any(_other_kind(shape, f, failure, data) for f in b)]
    if not fitting:
        return [replace(failure, keyword="kinds")]
    return [
        resolved
        for found in _meant(failure, fitting)
        for resolved in _forms_resolved(shape, found, data)
    ]


def _other_kind(shape: _Shape, found: _Failure, forms: _Failure, data: Any) -> bool:
    """Return whether the value is nothing like the form: a list for a text, or the like."""
    if found.path != forms.path:
        return False
    if found.keyword == "forms":
        branches = shape.branches(found, _value(data, found.path))
        return all(any(_other_kind(shape, f, found, data) for f in b) for b in branches)
    if found.keyword in ("enum", "const"):
        kind = _kind(_value(data, found.path))
        return all(_kind(choice) != kind for choice in found.choices)
    return found.keyword in ("type", "forbidden")


def _meant(forms: _Failure, branches: list[list[_Failure]]) -> list[_Failure]:
    """Return the faults of the form that was probably meant.

    That is the one whose fixed values (`kind: attack`) are there; among those the one with the
    fewest keys too many or missing, then the one with the fewest faults, then with the deepest.
    Of forms that are equally near, only what they all complain about is told.
    """
    depth = len(forms.path)

    def marks(branch: list[_Failure]) -> list[_Failure]:
        return [f for f in branch if f.keyword == "const" and len(f.path) == depth + 1]

    def distance(branch: list[_Failure]) -> tuple[int, int, int, int]:
        near = sum(len(f.path) == depth for f in branch)
        near += sum(f.keyword == "enum" and len(f.path) == depth + 1 for f in branch)
        return len(marks(branch)), near, len(branch), -max(len(f.path) for f in branch)

    marked = [marks(branch) for branch in branches]
    if len(branches) > 1 and all(marked) and (same := _shared(marked)):
        return same
    least = min(map(distance, branches))
    tied = [branch for branch in branches if distance(branch) == least]
    faults = _shared(tied)
    if not faults:
        missing = [f for branch in tied for f in branch if f.keyword == "required"]
        names = tuple(dict.fromkeys(f.name for f in missing if f.path == forms.path))
        if len(names) > 1:
            return [replace(forms, keyword="one of the keys", choices=names)]
        faults = tied[0]
    own = {key for branch in branches for f in branch if _is_stray(f, forms) for key in f.choices}
    return [
        replace(f, keyword="misplaced") if _is_stray(f, forms) and f.name in own else f
        for f in faults
    ]


def _is_stray(failure: _Failure, forms: _Failure) -> bool:
    return failure.keyword == "unknown" and failure.path == forms.path


def _shared(branches: list[list[_Failure]]) -> list[_Failure]:
    """Return the failures that all branches have, each with the choices of all of them."""
    groups = [{f.likeness: f for f in branch} for branch in branches]
    shared = []
    for likeness, failure in groups[0].items():
        alike = [group[likeness] for group in groups if likeness in group]
        if len(alike) == len(groups):
            choices = dict.fromkeys(choice for f in alike for choice in f.choices)
            shared.append(replace(failure, choices=tuple(choices)))
    return shared


def _problem(shape: _Shape, failure: _Failure, document: Document) -> Problem:
    value = _value(document.data, failure.path)
    message = _message(shape, failure, value)
    place = failure.place
    if failure.keyword == "maxItems":
        place = (*place, failure.node["maxItems"])
    elif failure.keyword == "uniqueItems":
        place = (*place, _repeated(value))
    return Problem(document.file, document.line_of(place), message, path_text(failure.path))


def _message(shape: _Shape, failure: _Failure, value: Any) -> str:
    node = failure.node
    limit = node.get(failure.keyword)
    right = f"expected {failure.hint or _phrase(shape, node) or 'something else'}"
    name = quoted(failure.name)
    match failure.keyword:
        case "unknown" if "x-class" in node:
            return _unread(node, failure)
        case "unknown":
            hint = slip(failure.name) or _known(failure.name, failure.choices, "")
            return f"unknown key {name}; {hint}"
        case "misplaced":
            return f"the key {name} does not go with the others here; leave out it or the others"
        case "required":
            one_of = "one of " if len(failure.choices) > 1 else ""
            wanted = one_of + _listed(failure.choices)
            for part in shape.properties(node, failure.name):
                wanted = wanted or _phrase(shape, part)
            return f"the key {name} is missing; add it" + (f": {wanted}" if wanted else "")
        case "dependentRequired":
            return f"the key {name} is missing; add it, or leave out the keys that need it"
        case "one of the keys":
            return f"a key is missing; add one of {_listed(failure.choices)}"
        case "propertyNames":
            return f"the key {name} is no good; {right}"
        case "enum" | "const":
            known = _known(value, failure.choices, failure.hint)
            return f"{_shown(value)} is not known here; {known}"
        case "forms" | "kinds":
            return f"found {_shown(value)}; {right}{_slip(value)}"
        case "several":
            return f"{_shown(value)} can be read in several ways; {right}"
        case "forbidden":
            return f"found {_shown(value)}; nothing may stand here, leave it out"
        case "minItems" | "minProperties" | "minLength":
            return f"{_counted(value)}; {right if failure.hint else f'give at least {limit}'}"
        case "maxItems" | "maxProperties" | "maxLength":
            return f"{_counted(value)}; {right if failure.hint else f'give at most {limit}'}"
        case "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum":
            return f"{_shown(value)} is out of range; {right}"
        case "multipleOf":
            return f"{_shown(value)} is no multiple of {limit}; give one"
        case "uniqueItems":
            again = _shown(value[_repeated(value)])
            return f"{again} stands in the list twice; name it once"
        case "type":
            return f"found {_shown(value)}; {right}{_slip(value)}"
        case _:
            return f"{_shown(value)} does not fit; {right}"


def _unread(node: Mapping[str, Any], failure: _Failure) -> str:
    """Return what is said of an argument that the class of the part `node` does not read."""
    name = quoted(failure.name)
    elsewhere = node.get("x-elsewhere", {})
    if failure.name in elsewhere:
        return f"{node['x-class']} reads {name} {elsewhere[failure.name]}; leave it out"
    listed = ", ".join(failure.choices)
    right = f"right would be {listed}" if listed else "it reads none, leave it out"
    near = nearest(failure.name, failure.choices)
    meant = f"did you mean {' or '.join(map(quoted, near))}? " if near else ""
    return f"{node['x-class']} reads no argument {name}; {slip(failure.name) or meant + right}"


def _phrase(shape: _Shape, node: Any, depth: int = 0) -> str:
    """Return in a few words what a part of the schema allows; empty if that is anything."""
    if not isinstance(node, dict) or depth > 8:
        return ""
    if "x-hint" in node:
        return str(node["x-hint"])
    if "enum" in node or "const" in node:
        values = _values(node)
        return ("one of " if len(values) > 1 else "") + _listed(values)
    if "type" in node:
        types = node["type"] if isinstance(node["type"], list) else [node["type"]]
        return " or ".join(_type_phrase(name, node) for name in types)
    if "format" in node or "pattern" in node:
        return _type_phrase("string", node)
    for word in _FORMS:
        if word in node.get("if", {}):
            phrases = dict.fromkeys(_phrase(shape, p, depth + 1) for p in node["if"][word])
            return " or ".join(phrase for phrase in phrases if phrase)
    parts = list(node.get("allOf", []))
    if "$ref" in node:
        parts.insert(0, shape.target(node["$ref"]))
    return next(filter(None, (_phrase(shape, part, depth + 1) for part in parts)), "")


def _type_phrase(name: str, node: Mapping[str, Any]) -> str:
    word = _TYPE_WORDS[name]
    if name == "string":
        if "pattern" in node and "format" not in node:
            return f"{word} of the form {node['pattern']}"
        return _FORMAT_WORDS.get(node.get("format", ""), word)
    if name not in ("integer", "number"):
        return word
    low, high = node.get("minimum"), node.get("maximum")
    above, below = node.get("exclusiveMinimum"), node.get("exclusiveMaximum")
    if low is not None and high is not None:
        return f"{word} from {low} to {high}"
    limits = {"at least": low, "at most": high, "more than": above, "less than": below}
    return " and ".join(
        [word, *(f"{words} {limit}" for words, limit in limits.items() if limit is not None)]
    ).replace(" and ", " of ", 1)


def _known(value: Any, choices: Sequence[Any], hint: str) -> str:
    """Return what is known, nearest first, for someone who wrote `value`."""
    words = [choice for choice in choices if isinstance(choice, str)]
    near = nearest(value, words) if isinstance(value, str) else []
    if near:
        meant = " or ".join(quoted(word) for word in near)
        return f"did you mean {meant}?" + (f" ({hint})" if hint else "")
    if hint:
        return f"expected {hint}"
    return f"known here: {_listed(choices)}" if choices else "leave it out"


def _listed(choices: Sequence[Any]) -> str:
    shown = [printable(_plain(choice), 40) for choice in choices[:_MAX_LISTED]]
    more = len(choices) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def _plain(value: Any) -> str:
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _shown(value: Any) -> str:
    """Return what stands in the file, in words."""
    match value:
        case str():
            return f"the text {quoted(value)}" if value else "an empty text"
        case None:
            return "nothing"
        case bool():
            return _plain(value)
        case list():
            return "a list" if value else "an empty list"
        case dict():
            return "a mapping" if value else "an empty mapping"
        case _:
            return f"the number {value}"


def _counted(value: Any) -> str:
    if isinstance(value, str):
        return f"{_shown(value)} has {len(value)} characters" if value else "found an empty text"
    return f"the number of entries is {len(value)}"


def _slip(value: Any) -> str:
    hint = slip(value) if isinstance(value, str) else ""
    return f" ({hint})" if hint else ""


def _kind(value: Any) -> str:
    return "number" if type(value) in (int, float) else type(value).__name__


def _values(node: Any) -> list[Any]:
    if not isinstance(node, dict):
        return []
    if "const" in node:
        return [node["const"]]
    return [value for value in node.get("enum", []) if not isinstance(value, (list, dict))]


def _value(data: Any, path: DataPath) -> Any:
    for key in path:
        data = data[key]
    return data


def _repeated(items: list[Any]) -> int:
    """Return the index of the first item that stands in the list before it too."""
    seen: set[str] = set()
    for index, item in enumerate(items):
        if (form := json.dumps(item, sort_keys=True)) in seen:
            return index
        seen.add(form)
    return 0
