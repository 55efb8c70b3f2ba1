"""Pictures of graphs: DOT, Mermaid, and SVG with a layout of its own.

The SVG needs no other program. A rank is a row, or a column. What leads from one node to several
others leaves it as one line, runs through the ranks between, and branches off before each of them,
so that a node with many users does not fill the picture with lines.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from xml.sax.saxutils import escape, quoteattr

Item = tuple[str, int]  # a node in its own rank, or its line where it passes another rank
Link = tuple[Item, Item]


@dataclass(frozen=True, slots=True)
class Node:
    """A node: its name, the group (a file) it belongs to, its rank from 0, what kind it is.

    `note` says more about it than its name, where there is room or a pointer rests on it.
    """

    name: str
    group: str
    rank: int
    kind: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge from what comes first to what rests on it; `place` says where it is written."""

    source: str
    target: str
    kind: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class Diagram:
    """A graph to be drawn.

    `bands` gives headings to ranks; neighbours with the same heading share it. `downwards` makes a
    rank a row: for many ranks.
    """

    title: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    bands: Mapping[int, str] = field(default_factory=dict)
    downwards: bool = False


_LOOSE = ("negation", "aggregate")


def groups(diagram: Diagram) -> dict[str, list[Node]]:
    """Return the nodes by group, both in the order in which they first occur."""
    found: dict[str, list[Node]] = {}
    for node in diagram.nodes:
        found.setdefault(node.group, []).append(node)
    return found


def dot(diagram: Diagram) -> str:
    """Return the diagram in the language of Graphviz, one cluster for each group."""
    lines = [
        f"digraph {_dot_text(diagram.title)} {{",
        "  rankdir=LR;",
        "  node [shape=box, fontname=sans];",
    ]
    for number, (group, nodes) in enumerate(groups(diagram).items()):
        lines += [f"  subgraph cluster_{number} {{", f"    label={_dot_text(group)};"]
        lines += [
            f"    {_dot_text(node.name)} [tooltip={_dot_text(node.note or node.name)}];"
            for node in nodes
        ]
        lines.append("  }")
    styles = {"negation": ' [style=dashed, label="not"]', "aggregate": " [style=dotted]"}
    lines += [
        f"  {_dot_text(edge.source)} -> {_dot_text(edge.target)}{styles.get(edge.kind, '')};"
        for edge in diagram.edges
    ]
    return "\n".join([*lines, "}"]) + "\n"


def _dot_text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def mermaid(diagram: Diagram) -> str:
    """Return the diagram as a Mermaid flowchart, one subgraph for each group.

    Nodes are numbered n0, n1, .. in the order of the diagram; their names are the labels.
    """
    numbers = {node.name: f"n{index}" for index, node in enumerate(diagram.nodes)}
    lines = ["flowchart LR"]
    for number, (group, nodes) in enumerate(groups(diagram).items()):
        lines.append(f"  subgraph g{number}[{_mermaid_text(group)}]")
        lines += [f"    {numbers[node.name]}[{_mermaid_text(node.name)}]" for node in nodes]
        lines.append("  end")
    arrows = {"negation": "-.->|not|", "aggregate": "-.->"}
    lines += [
        f"  {numbers[edge.source]} {arrows.get(edge.kind, '-->')} {numbers[edge.target]}"
        for edge in diagram.edges
    ]
    return "\n".join(lines) + "\n"


def _mermaid_text(text: str) -> str:
    codes = {"#": "#35;", '"': "#quot;", "<": "#lt;", ">": "#gt;", "&": "#amp;", "\n": " "}
    return '"' + "".join(codes.get(letter, letter) for letter in text) + '"'


# --- SVG: the layout ------------------------------------------------------------------------------

_BOX = 25.0  # the height of a box, in pixels, as all lengths here
_LOW_BOX = 17.0  # ... without the line that tells the group
_THIN = 5.0  # the room of a line that passes
_MARGIN = 16.0
_SWEEPS = 12
_MOST_IN_A_ROW = 12
_MANY = 60


@dataclass(frozen=True, slots=True)
class _Box:
    x: float
    y: float
    width: float
    height: float


@dataclass(slots=True)
class _Layout:
    """Where everything is.

    `along` counts in the direction of the lines, `across` at right angles to it; `start` and
    `size` say along where each rank lies, `middle` across where each item does.
    """

    downwards: bool
    box: float
    gap: float
    nodes: dict[str, Node]
    links: dict[Link, str]
    middle: dict[Item, float]
    start: list[float]
    size: list[float]
    across: float

    @property
    def along(self) -> float:
        return self.start[-1] + self.size[-1]

    def box_of(self, node: Node) -> _Box:
        start, middle = self.start[node.rank], self.middle[node.name, node.rank]
        width = _box_width(node)
        if self.downwards:
            return _Box(middle - width / 2, start, width, self.box)
        return _Box(start, middle - self.box / 2, width, self.box)

    def point(self, along: float, across: float) -> str:
        x, y = (across, along) if self.downwards else (along, across)
        return f"{x:.0f} {y:.1f}"


def _layout(diagram: Diagram) -> _Layout:
    nodes = {node.name: node for node in diagram.nodes}
    ranks = {name: node.rank for name, node in nodes.items()}
    links = _links(diagram.edges, ranks)
    rows: list[list[Item]] = [[] for _ in range(max(ranks.values(), default=0) + 1)]
    items = dict.fromkeys(
        [(name, node.rank) for name, node in nodes.items()]
        + [item for link in links for item in link]
    )
    for item in sorted(items, key=lambda item: (nodes[item[0]].group, item[0])):
        rows[item[1]].append(item)
    fullest = max(Counter(ranks.values()).values(), default=0)
    box = _LOW_BOX if fullest > _MANY else _BOX
    extent = {
        item: _THIN
        if item[1] != ranks[item[0]]
        else _box_width(nodes[item[0]]) + 10
        if diagram.downwards
        else box + 5
        for item in items
    }
    along = [box if diagram.downwards else 0.0] * len(rows)
    if not diagram.downwards:
        for node in nodes.values():
            along[node.rank] = max(along[node.rank], _box_width(node))
    wide = 70.0 if box == _BOX else 160.0
    gap = 32.0 if diagram.downwards else wide
    start = [sum(along[:rank]) + rank * gap for rank in range(len(rows))]
    middle, across = _arranged(rows, links, extent)
    return _Layout(diagram.downwards, box, gap, nodes, links, middle, start, along, across)


def _links(edges: Iterable[Edge], ranks: Mapping[str, int]) -> dict[Link, str]:
    """Return the links between neighbouring ranks with the kind of the edge that ends there."""
    links: dict[Link, str] = {}
    for edge in edges:
        first, last = ranks[edge.source], ranks[edge.target]
        if first < last:
            for rank in range(first, last - 1):
                links.setdefault(((edge.source, rank), (edge.source, rank + 1)), "")
            end = ((edge.source, last - 1), (edge.target, last))
            if links.get(end) not in _LOOSE:
                links[end] = edge.kind
    return links


def _arranged(
    rows: Sequence[list[Item]], links: Iterable[Link], extent: Mapping[Item, float]
) -> tuple[dict[Item, float], float]:
    """Return the middle of each item, and the room that all of them take.

    Each item goes to the mean of those to which it is linked, row by row, there and back again.
    """
    room = max(sum(extent[item] for item in row) for row in rows)
    middle: dict[Item, float] = {}
    for row in rows:
        _stack(row, extent, room, middle)
    before: dict[Item, list[Item]] = {}
    after: dict[Item, list[Item]] = {}
    for one, other in links:
        before.setdefault(other, []).append(one)
        after.setdefault(one, []).append(other)

    def mean(item: Item, *sides: Mapping[Item, list[Item]]) -> float:
        linked = [middle[one] for side in sides for one in side.get(item, ())] or [middle[item]]
        return sum(linked) / len(linked)

    for sweep in range(_SWEEPS):
        side = before if sweep % 2 == 0 else after
        for row in rows if side is before else reversed(rows):
            wanted = {item: mean(item, side) for item in row}
            row.sort(key=wanted.__getitem__)
            _stack(row, extent, room, middle)
    for row in (*rows, *reversed(rows)):
        _settle(row, [mean(item, before, after) for item in row], extent, room, middle)
    return middle, room


def _stack(
    row: Iterable[Item], extent: Mapping[Item, float], room: float, middle: dict[Item, float]
) -> None:
    """Put the items of a rank side by side, around the middle of the picture."""
    row = list(row)
    end = (room - sum(extent[item] for item in row)) / 2
    for item in row:
        middle[item] = end + extent[item] / 2
        end += extent[item]


def _settle(
    row: Sequence[Item],
    wanted: Iterable[float],
    extent: Mapping[Item, float],
    room: float,
    middle: dict[Item, float],
) -> None:
    """Move the items of a rank towards where they are wanted, and keep their order."""
    end = 0.0
    for item, want in zip(row, wanted, strict=True):
        middle[item] = max(end + extent[item] / 2, want)
        end = middle[item] + extent[item] / 2
    end = room
    for item in reversed(row):
        middle[item] = min(end - extent[item] / 2, middle[item])
        end = middle[item] - extent[item] / 2


def _columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def _box_width(node: Node) -> float:
    return max(_columns(node.name) * 7.4, _columns(_short(node.group)) * 5.6) + 14


def _short(group: str) -> str:
    return group.rpartition("/")[2].removesuffix(".lp")


def _folder(node: Node) -> str:
    folder, _, last = node.group.rpartition("/")
    return folder if folder and "." in last else node.group


def _in_short_rows(diagram: Diagram) -> Diagram:
    """Return the diagram with ranks of many nodes broken into several: they need not be level."""
    ranks: dict[int, list[Node]] = {}
    for node in diagram.nodes:
        ranks.setdefault(node.rank, []).append(node)
    rows: dict[str, int] = {}
    bands: dict[int, str] = {}
    last = -1
    for rank, nodes in sorted(ranks.items()):
        nodes.sort(key=lambda node: (node.group, node.name))
        count = -(-len(nodes) // _MOST_IN_A_ROW)
        for index, node in enumerate(nodes):
            rows[node.name] = last + 1 + index * count // len(nodes)
        for row in range(last + 1, last + 1 + count):
            bands[row] = diagram.bands.get(rank, "")
        last += count
    nodes_in_rows = tuple(replace(node, rank=rows[node.name]) for node in diagram.nodes)
    return replace(diagram, nodes=nodes_in_rows, bands=bands)


# --- SVG: the picture -----------------------------------------------------------------------------

_FILLS = (
    "#cfe3f7", "#fbe3c0", "#d5efcf", "#f6d3dc", "#e2d8f3", "#fdf3b4", "#cdeeee", "#ead9c8",
    "#dfe6a8", "#e4e4e4",
)  # fmt: skip
_LINES = (
    "#4878a8", "#c07f1c", "#4d9a3f", "#b8506e", "#7d62b0", "#a08c00", "#2f8f8f", "#8d6a45",
    "#7f8c1f", "#7a7a7a",
)  # fmt: skip
_STYLE = (
    "text{font-family:'DejaVu Sans',Arial,'Noto Sans CJK SC',sans-serif;font-size:12px}"
    ".g{font-size:9px;fill:#555}.h{font-size:15px;font-weight:bold}.b{fill:#666}"
    "path{fill:none;stroke-width:1;stroke-opacity:.75}"
    ".negation{stroke:#c00;stroke-dasharray:5 3}.aggregate{stroke:#c60;stroke-dasharray:1.5 2.5}"
    ".l:hover path{stroke-width:3;stroke-opacity:1}"
)
_KINDS = {"negation": "needs its absence", "aggregate": "counts it, or needs all of it"}


def svg(diagram: Diagram) -> str:
    """Return the diagram as an SVG document.

    Ranks run downwards or to the right. The colour of a node is that of its folder, its border is
    dashed if no rule derives it. Lines end dashed and red in what needs the absence of a node,
    dotted and orange in what counts it.
    """
    if diagram.downwards:
        diagram = _in_short_rows(diagram)
    layout = _layout(diagram)
    folders = sorted({_folder(node) for node in diagram.nodes})
    colours = {folder: number % len(_FILLS) for number, folder in enumerate(folders)}
    beside = _MARGIN
    if any(diagram.bands.values()):  # room for the headings, or for the edge of the first band
        beside = 84.0 if diagram.downwards else layout.gap / 2 + 4
    across, along = layout.across, layout.along
    inner_width, inner_height = (across, along) if diagram.downwards else (along, across)
    width = max(beside + inner_width + 2 * _MARGIN, _columns(diagram.title) * 10.0, 640.0)
    legend, below = _legend(diagram, folders, colours, width)
    top = below + 26
    height = top + inner_height + _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}">',
        f"<title>{escape(diagram.title)}</title>",
        f"<style>{escape(_STYLE)}</style>",
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="#fff"/>',
        f'<text class="h" x="{_MARGIN:.0f}" y="26">{escape(diagram.title)}</text>',
        *legend,
        f'<g transform="translate({beside:.0f} {top:.0f})">',
        *_bands(diagram, layout, beside, width),
        *_lines(diagram, layout, colours),
        *_boxes(diagram, layout, colours),
        "</g>",
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _legend(
    diagram: Diagram, folders: Iterable[str], colours: Mapping[str, int], width: float
) -> tuple[list[str], float]:
    """Return the lines of the legend, and where it ends: folders, and the kinds of lines."""
    kinds = {edge.kind for edge in diagram.edges}
    keys = [(folder, "") for folder in folders]
    keys += [(text, kind) for kind, text in _KINDS.items() if kind in kinds]
    parts: list[str] = []
    x, y = _MARGIN, 48.0
    for text, kind in keys:
        room = 22 + _columns(text) * 7.4 + 16
        if x > _MARGIN and x + room > width:
            x, y = _MARGIN, y + 18
        parts.append(
            f'<path class="{kind}" d="M{x:.0f} {y - 4:.0f}h16"/>'
            if kind
            else f'<rect x="{x:.0f}" y="{y - 10:.0f}" width="14" height="12" rx="2" '
            f'fill="{_FILLS[colours[text]]}" stroke="{_LINES[colours[text]]}"/>'
        )
        parts.append(f'<text x="{x + 22:.0f}" y="{y:.0f}">{escape(text)}</text>')
        x += room
    return parts, y + 8


def _bands(diagram: Diagram, layout: _Layout, beside: float, width: float) -> Iterator[str]:
    spans: list[tuple[str, int, int]] = []
    for rank in range(len(layout.start)):
        heading = diagram.bands.get(rank, "")
        if spans and spans[-1][0] == heading:
            spans[-1] = (heading, spans[-1][1], rank)
        else:
            spans.append((heading, rank, rank))
    for number, (heading, first, last) in enumerate(spans):
        if not heading:
            continue
        begin = layout.start[first] - layout.gap / 2 + 2
        long = layout.start[last] + layout.size[last] + layout.gap / 2 - 2 - begin
        x, y, wide, high = (
            (6 - beside, begin, width - 12, long)
            if layout.downwards
            else (begin, -24.0, long, layout.across + 30)
        )
        fill = "#f3f5f9" if number % 2 == 0 else "#faf9f1"
        text_y = y + (layout.gap / 2 + 15 if layout.downwards else 15)
        yield (
            f'<rect x="{x:.0f}" y="{y:.0f}" width="{wide:.0f}" height="{high:.0f}" fill="{fill}"/>'
            f'<text class="b" x="{x + 6:.0f}" y="{text_y:.0f}">{escape(heading)}</text>'
        )


def _lines(diagram: Diagram, layout: _Layout, colours: Mapping[str, int]) -> Iterator[str]:
    paths: dict[str, list[str]] = {}
    for link, kind in layout.links.items():
        paths.setdefault(link[0][0], []).append(_path(_link(layout, link), kind))
    for name, rank in dict.fromkeys(item for link in layout.links for item in link):
        if rank != layout.nodes[name].rank:  # past the boxes of a rank
            begin, middle = layout.start[rank], layout.middle[name, rank]
            end = begin + layout.size[rank]
            path = f"M{layout.point(begin, middle)}L{layout.point(end, middle)}"
            paths.setdefault(name, []).append(_path(path, ""))
    for edge in diagram.edges:
        source, target = layout.nodes[edge.source], layout.nodes[edge.target]
        if source.rank >= target.rank:
            path = _around(layout.box_of(source), layout.box_of(target))
            paths.setdefault(edge.source, []).append(_path(path, edge.kind))
    for name, drawn in paths.items():
        colour = _LINES[colours[_folder(layout.nodes[name])]]
        title = f"<title>{escape(name)}</title>"
        yield f'<g class="l" stroke="{colour}">{title}{"".join(drawn)}</g>'


def _link(layout: _Layout, link: Link) -> str:
    """Return the path from one rank to the next."""
    one, other = link
    node = layout.nodes[one[0]]
    begin = layout.start[one[1]] + layout.size[one[1]]
    leaves = begin
    if one[1] == node.rank and not layout.downwards:
        leaves = layout.start[one[1]] + _box_width(node)
    end, here, there = layout.start[other[1]], layout.middle[one], layout.middle[other]
    half = layout.gap / 2
    straight = f"M{layout.point(leaves, here)}L{layout.point(begin, here)}"
    curve = (layout.point(begin + half, here), layout.point(end - half, there))
    return f"{straight}C{' '.join(curve)} {layout.point(end, there)}"


def _around(source: _Box, target: _Box) -> str:
    """Return the path of an edge that leads back, around the right of both boxes."""
    x, y = source.x + source.width, source.y + source.height / 3
    end, to = target.x + target.width, target.y + target.height * 2 / 3
    out = max(x, end) + 24
    return f"M{x:.0f} {y:.1f}C{out:.0f} {y - 6:.1f} {out:.0f} {to + 6:.1f} {end:.0f} {to:.1f}"


def _path(path: str, kind: str) -> str:
    css = f' class="{kind}"' if kind in _LOOSE else ""
    return f'<path{css} d="{path}"/>'


def _boxes(diagram: Diagram, layout: _Layout, colours: Mapping[str, int]) -> Iterator[str]:
    for node in diagram.nodes:
        number = colours[_folder(node)]
        box = layout.box_of(node)
        title = "\n".join(part for part in (node.name, node.group, node.note) if part)
        dashes = ' stroke-dasharray="3 2"' if node.kind in ("given", "facts") else ""
        group = ""
        if layout.box == _BOX:
            group = f'<text class="g" x="{box.x + 6:.0f}" y="{box.y + 22:.1f}">'
            group += f"{escape(_short(node.group))}</text>"
        yield (
            f"<g id={quoteattr(node.name)}><title>{escape(title)}</title>"
            f'<rect x="{box.x:.0f}" y="{box.y:.1f}" width="{box.width:.0f}" '
            f'height="{box.height:.0f}" rx="4" fill="{_FILLS[number]}" '
            f'stroke="{_LINES[number]}"{dashes}/>'
            f'<text x="{box.x + 6:.0f}" y="{box.y + 12.5:.1f}">{escape(node.name)}</text>'
            f"{group}</g>"
        )
