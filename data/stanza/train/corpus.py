"""Universal Dependencies treebanks: reading, re-casing and writing back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

__all__ = ["CASES", "Node", "Tree", "Treebank", "read", "recase", "write"]

Treebank = list["Tree"]


@dataclass(frozen=True, slots=True)
class Node:
    """One syntactic word; ``glued`` says that no blank follows it in the text."""

    form: str
    lemma: str
    upos: str
    xpos: str
    misc: str
    deprel: str
    head: str
    glued: bool


@dataclass(frozen=True, slots=True)
class Tree:
    """A sentence; ``paragraph`` says that it begins one."""

    nodes: tuple[Node, ...]
    paragraph: bool


def _tree(lines: list[str]) -> Tree:
    """Build a sentence from its CoNLL-U lines.

    Multi-word ranges (``don't`` over ``do`` and ``n't``) are dissolved: their parts
    become words that are glued together, which is how the tokeniser is to cut them.
    Empty nodes are left out.
    """
    nodes: list[Node] = []
    paragraph = False
    range_end, range_glued = 0, False
    for line in lines:
        if line.startswith("#"):
            paragraph = paragraph or line.startswith(("# newpar", "# newdoc"))
            continue
        number, form, lemma, upos, xpos, _, head, deprel, _, misc = line.split("\t")
        glued = "SpaceAfter=No" in misc
        if "." in number:
            continue
        if "-" in number:
            range_end, range_glued = int(number.partition("-")[2]), glued
            continue
        if int(number) < range_end:
            glued = True
        elif int(number) == range_end:
            glued = range_glued
        nodes.append(Node(form, lemma, upos, xpos, misc, deprel, head, glued))
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


def read(paths: Iterable[Path]) -> Treebank:
    """Read CoNLL-U files into one list of sentences."""
    return [_tree(block) for path in paths for block in _blocks(path)]


def write(treebank: Treebank, path: Path) -> Path:
    """Write CoNLL-U for Stanza's loaders; FEATS is blank, so that no model learns it."""
    with path.open("w", encoding="utf-8") as out:
        for tree in treebank:
            for number, node in enumerate(tree.nodes, 1):
                fields = (
                    *(str(number), node.form, node.lemma, node.upos, node.xpos, "_"),
                    *(node.head, node.deprel, "_", node.misc),
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


def recase(treebank: Treebank, case: str) -> Treebank:
    """Re-case every form; ``case`` is a key of :data:`CASES`."""
    return [CASES[case](tree) for tree in treebank]
