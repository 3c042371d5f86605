"""Universal Dependencies treebanks: reading, re-casing and writing back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

__all__ = ["CASES", "Node", "Tree", "Treebank", "read", "recase", "without_xpos", "write"]

Treebank = list["Tree"]

_VERBS = frozenset({"VERB", "AUX"})


@dataclass(frozen=True, slots=True)
class Node:
    """One word; ``glued`` says that no blank follows it in the text."""

    form: str
    lemma: str
    upos: str
    xpos: str
    misc: str
    deprel: str
    glued: bool


@dataclass(frozen=True, slots=True)
class Tree:
    """A sentence; ``paragraph`` says that it begins one."""

    nodes: tuple[Node, ...]
    paragraph: bool


def _tree(lines: list[str], whole: bool) -> Tree:
    """Build a sentence from its CoNLL-U lines; empty nodes are left out.

    A multi-word range (``don't`` over ``do`` and ``n't``, ``del`` over ``de`` and ``el``)
    is dissolved: its parts become words that are glued together. If ``whole``, it stays
    one word instead, read as its verb, or as its first part where it has none.
    """
    nodes: list[Node] = []
    paragraph = False
    range_form, range_end, range_glued = "", 0, False
    parts: list[Node] = []
    for line in lines:
        if line.startswith("#"):
            paragraph = paragraph or line.startswith(("# newpar", "# newdoc"))
            continue
        number, form, lemma, upos, xpos, _, _, deprel, _, misc = line.split("\t")
        glued = "SpaceAfter=No" in misc
        if "." in number:
            continue
        if "-" in number:
            range_form, range_end, range_glued = form, int(number.partition("-")[2]), glued
            continue
        position = int(number)
        if position < range_end:
            glued = True
        elif position == range_end:
            glued = range_glued
        node = Node(form, lemma, upos, xpos, misc, deprel, glued)
        if not whole or position > range_end:
            nodes.append(node)
            continue
        parts.append(node)
        if position == range_end:
            sense = next((part for part in parts if part.upos in _VERBS), parts[0])
            nodes.append(replace(sense, form=range_form, glued=glued))
            parts = []
    return Tree(tuple(nodes), paragraph)


def _blocks(path: Path) -> Iterator[list[str]]:
    block: list[str] = []
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                block.append(line.rstrip("\n"))
            elif block:
                yield block
                block = []
    if block:
        yield block


def read(paths: Iterable[Path], *, whole: bool = False) -> Treebank:
    """Read CoNLL-U files into one list of sentences; see :func:`_tree` for ``whole``."""
    return [_tree(block, whole) for path in paths for block in _blocks(path)]


def write(treebank: Treebank, path: Path) -> Path:
    """Write CoNLL-U for Stanza's loaders, without what no model is to learn: FEATS, syntax.

    All words hang on the first, since Stanza's scorer insists on a tree.
    """
    with path.open("w", encoding="utf-8") as out:
        for tree in treebank:
            for number, node in enumerate(tree.nodes, 1):
                fields = (
                    *(str(number), node.form, node.lemma, node.upos, node.xpos, "_"),
                    *(("0", "root") if number == 1 else ("1", "dep")),
                    *("_", node.misc),
                )
                out.write("\t".join(fields) + "\n")
            out.write("\n")
    return path


def _as_is(tree: Tree) -> Tree:
    return tree


def _lower(tree: Tree) -> Tree:
    return replace(tree, nodes=tuple(replace(node, form=node.form.lower()) for node in tree.nodes))


def _title(tree: Tree) -> Tree:
    """Capitalise each word, but not a clitic (``n't``, ``'s``) or the rest of a word."""
    nodes: list[Node] = []
    inside = False
    for node in tree.nodes:
        form = node.form if inside else node.form[:1].upper() + node.form[1:]
        nodes.append(replace(node, form=form))
        inside = node.glued and node.form[-1:].isalnum()
    return replace(tree, nodes=tuple(nodes))


CASES: dict[str, Callable[[Tree], Tree]] = {"plain": _as_is, "lower": _lower, "title": _title}
"""Ways to write a sentence: as it is, ``all lower case``, ``Each Word Capitalised``."""


def without_xpos(treebank: Treebank) -> Treebank:
    """Blank XPOS, so that no model learns it."""
    return [
        replace(tree, nodes=tuple(replace(node, xpos="_") for node in tree.nodes))
        for tree in treebank
    ]


def recase(treebank: Treebank, case: str) -> Treebank:
    """Re-case every form; ``case`` is a key of :data:`CASES`."""
    return [CASES[case](tree) for tree in treebank]
