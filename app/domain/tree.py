"""Which message follows which: all versions of all messages, and the path that is shown.

A tree knows ids alone. It never changes: every operation gives another tree.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

Link = tuple[str, str | None]
"""A message and the one it follows; None for the first of a conversation."""


@dataclass(frozen=True, slots=True)
class Branch:
    """A message cut off with all that follows it, and what it takes to put it back."""

    root: str
    place: int  # among the versions beside it
    followers: Mapping[str | None, tuple[str, ...]]
    parents: Mapping[str, str | None]  # the root comes first
    chosen: frozenset[str]


@dataclass(frozen=True, slots=True)
class MessageTree:
    """Versions of a message share a parent; of each group the newest is shown, or a chosen one.

    Attributes:
        followers: versions of what follows each message, oldest first; None leads to the first.
        parents: the message that each follows.
        chosen: shown though newer versions are there; at most one of a group.
    """

    followers: Mapping[str | None, tuple[str, ...]] = field(default_factory=dict)
    parents: Mapping[str, str | None] = field(default_factory=dict)
    chosen: frozenset[str] = frozenset()

    @property
    def path(self) -> list[str]:
        """The messages that are shown, first to last."""
        return list(self._shown_after(None))

    @property
    def links(self) -> Iterator[Link]:
        """Every message with the one it follows, parents before children."""
        return iter(self.parents.items())

    def versions(self, message: str) -> tuple[str, ...]:
        """A message and the other versions of it, oldest first."""
        return self.followers[self.parents[message]]

    def path_to(self, message: str) -> list[str]:
        """The messages from the first to this one, shown or not."""
        path = [message]
        while (parent := self.parents[path[-1]]) is not None:
            path.append(parent)
        return path[::-1]

    def add(self, message: str, after: str | None) -> "MessageTree":
        """Add a message; beside other versions it is the newest, and so the one that is shown."""
        versions = self.followers.get(after, ())
        return MessageTree(
            {**self.followers, after: (*versions, message)},
            {**self.parents, message: after},
            self.chosen.difference(versions),
        )

    def show(self, message: str) -> "MessageTree":
        """Bring a message into the path that is shown."""
        chosen = self.chosen
        for step in self.path_to(message):
            versions = self.versions(step)
            chosen = chosen.difference(versions)
            if step != versions[-1]:
                chosen |= {step}
        return replace(self, chosen=chosen)

    def cut(self, message: str) -> tuple["MessageTree", Branch]:
        """Take a message out, with all that follows any version of it."""
        parent, versions = self.parents[message], self.versions(message)
        gone = dict(self._links_from(message))
        left = tuple(version for version in versions if version != message)
        branch = Branch(
            message,
            versions.index(message),
            {id_: self.followers[id_] for id_ in gone if id_ in self.followers},
            gone,
            self.chosen.intersection(gone),
        )
        followers = {id_: after for id_, after in self.followers.items() if id_ not in gone}
        parents = {id_: after for id_, after in self.parents.items() if id_ not in gone}
        chosen = self.chosen.difference(gone, left[-1:])
        return MessageTree({**followers, parent: left}, parents, chosen), branch

    def put_back(self, branch: Branch) -> "MessageTree":
        """Undo a cut, and show what came back. The message it follows must be there."""
        parent = branch.parents[branch.root]
        versions = self.followers.get(parent, ())
        beside = (*versions[: branch.place], branch.root, *versions[branch.place :])
        tree = MessageTree(
            {**self.followers, **branch.followers, parent: beside},
            {**self.parents, **branch.parents},
            self.chosen | branch.chosen,
        )
        return tree.show(branch.root)

    def renamed(self, names: Mapping[str, str]) -> "MessageTree":
        """The same tree over other ids."""
        links = [(names[id_], after and names[after]) for id_, after in self.links]
        return tree_from(links, (names[id_] for id_ in self.chosen))

    def _shown_after(self, message: str | None) -> Iterator[str]:
        while versions := self.followers.get(message, ()):
            message = next((id_ for id_ in versions if id_ in self.chosen), versions[-1])
            yield message

    def _links_from(self, message: str) -> Iterator[Link]:
        unvisited = [message]
        while unvisited:
            step = unvisited.pop()
            yield step, self.parents[step]
            unvisited.extend(reversed(self.followers.get(step, ())))


def tree_from(links: Iterable[Link], chosen: Iterable[str] = ()) -> MessageTree:
    """Build a tree from what was stored or comes from a file, in the order messages were made.

    What cannot be is mended, so that no message is lost: one that follows nothing known, or
    itself by way of others, becomes a version of the first.
    """
    wanted = dict(links)
    parents: dict[str, str | None] = {}
    for message in wanted:
        _place(message, wanted, parents)
    grouped: dict[str | None, list[str]] = {}
    for message in wanted:
        grouped.setdefault(parents[message], []).append(message)
    followers = {parent: tuple(group) for parent, group in grouped.items()}
    tree = MessageTree(followers, parents)
    return replace(tree, chosen=_sound(chosen, tree))


def _place(message: str, wanted: Mapping[str, str | None], parents: dict[str, str | None]) -> None:
    """Enter a message into `parents`, after those it follows."""
    waiting: dict[str, str | None] = {}
    step: str | None = message
    while step is not None and step in wanted and step not in parents and step not in waiting:
        waiting[step] = wanted[step]
        step = wanted[step]
    for id_, after in reversed(waiting.items()):
        parents[id_] = after if after in parents else None


def _sound(chosen: Iterable[str], tree: MessageTree) -> frozenset[str]:
    """Those of `chosen` that say something: known, not the newest, the only ones of their group."""
    by_group: dict[str | None, str] = {}
    for message in chosen:
        if message in tree.parents and message != tree.versions(message)[-1]:
            by_group.setdefault(tree.parents[message], message)
    return frozenset(by_group.values())
