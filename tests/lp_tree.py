"""Walking the syntax trees of rule files, for tests that hold the rule base against its own rules.

Written apart from the bridge, which these tests are to check as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from clingo.ast import AST, ASTType, parse_files


def statements(files: Iterable[Path]) -> list[AST]:
    """Every statement of the files, comments and the `#program base` of the parser left out."""
    found: list[AST] = []
    parse_files([str(file) for file in files], found.append)
    return [one for one in found if one.ast_type not in (ASTType.Comment, ASTType.Program)]


def rules_of(files: Iterable[Path]) -> list[AST]:
    """The rules, facts among them."""
    return [one for one in statements(files) if one.ast_type == ASTType.Rule]


def children(node: AST) -> Iterator[AST]:
    """The nodes directly below."""
    for key in node.child_keys:
        value = getattr(node, key)
        if isinstance(value, AST):
            yield value
        elif value is not None:
            yield from (child for child in value if isinstance(child, AST))


def nodes(node: AST, *kinds: ASTType) -> Iterator[AST]:
    """The node and all below it that are of one of these kinds."""
    if node.ast_type in kinds:
        yield node
    for child in children(node):
        yield from nodes(child, *kinds)


def place(node: AST) -> str:
    """File and line of a node."""
    begin = node.location.begin
    return f"{Path(begin.filename).name}:{begin.line}"
