"""Keeps the objects of an earlier reading where a later one has equal ones.

A view can then tell by identity what it has laid out already.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar, cast

from app.text.blocks import Block, CodeBlock, ListBlock, ListItem, Paragraph, Quote, Row, Run, Table

AnyNode = Block | ListItem | Row | Run
Node = TypeVar("Node", bound=AnyNode)


def keep(old: Sequence[Node], new: Sequence[Node]) -> list[Node]:
    """`new`, with the objects of `old` where they are equal, inside them too."""
    kept = [
        node if node is before else cast(Node, _keep_one(before, node))
        for before, node in zip(old, new, strict=False)
    ]
    return [*kept, *new[len(kept) :]]


def _keep_one(old: AnyNode, new: AnyNode) -> AnyNode:
    if old == new:
        return old
    match old, new:
        case ListBlock(), ListBlock():
            return replace(new, items=tuple(keep(old.items, new.items)))
        case ListItem(), ListItem():
            return replace(new, blocks=tuple(keep(old.blocks, new.blocks)))
        case Quote(), Quote():
            return replace(new, blocks=tuple(keep(old.blocks, new.blocks)))
        case Table(), Table():
            return replace(new, rows=tuple(keep(old.rows, new.rows)))
        case Paragraph(), Paragraph():
            return replace(new, runs=tuple(keep(old.runs, new.runs)))
        case CodeBlock(), CodeBlock():
            return replace(new, runs=tuple(keep(old.runs, new.runs)))
    return new
