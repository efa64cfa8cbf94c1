from hypothesis import given
from hypothesis import strategies as st

from app.domain.tree import MessageTree, tree_from


@st.composite
def trees(draw):
    """Trees grown message by message, with versions chosen here and there."""
    tree = MessageTree()
    for number in range(draw(st.integers(1, 8))):
        after = draw(st.sampled_from([None, *tree.parents]))
        tree = tree.add(f"m{number}", after)
        if draw(st.booleans()):
            tree = tree.show(draw(st.sampled_from(list(tree.parents))))
    return tree


@st.composite
def trees_with_one(draw):
    tree = draw(trees())
    return tree, draw(st.sampled_from(list(tree.parents)))


@given(trees())
def test_the_path_leads_from_the_first_message_to_one_that_nothing_follows(tree):
    path = tree.path
    assert [tree.parents[id_] for id_ in path] == [None, *path[:-1]]
    assert not tree.followers.get(path[-1])


@given(trees())
def test_every_message_is_one_version_of_what_follows_its_parent(tree):
    listed = [id_ for versions in tree.followers.values() for id_ in versions]
    assert sorted(listed) == sorted(tree.parents)
    for message in tree.parents:
        assert message in tree.versions(message)


@given(trees())
def test_parents_come_before_their_children(tree):
    seen = {None}
    for message, parent in tree.links:
        assert parent in seen
        seen.add(message)


@given(trees_with_one())
def test_what_is_to_be_shown_is_shown(tree_and_message):
    tree, message = tree_and_message
    shown = tree.show(message)
    assert message in shown.path
    assert shown.show(message) == shown
    assert shown.followers == tree.followers


@given(trees_with_one())
def test_showing_a_message_leaves_the_choices_elsewhere_alone(tree_and_message):
    tree, message = tree_and_message
    touched = {version for step in tree.path_to(message) for version in tree.versions(step)}
    assert tree.show(message).chosen - touched == tree.chosen - touched


@given(trees_with_one())
def test_a_new_version_of_a_shown_message_is_shown(tree_and_message):
    tree, message = tree_and_message
    tree = tree.show(message)
    grown = tree.add("new", tree.parents[message])
    assert grown.path[-1] == "new"
    assert grown.versions("new") == (*tree.versions(message), "new")


@given(trees_with_one())
def test_a_message_goes_with_all_that_follows_it_and_comes_back_as_it_was(tree_and_message):
    tree, message = tree_and_message
    tree = tree.show(message)
    left, branch = tree.cut(message)
    gone = {id_ for id_ in tree.parents if message in tree.path_to(id_)}
    assert set(left.parents) == set(tree.parents) - gone
    assert set(branch.parents) == gone
    back = left.put_back(branch)
    assert back.path == tree.path
    assert back.chosen == tree.chosen
    assert all(back.versions(id_) == tree.versions(id_) for id_ in tree.parents)


@given(trees_with_one())
def test_what_was_cut_comes_back_beside_what_was_added_meanwhile(tree_and_message):
    tree, message = tree_and_message
    left, branch = tree.cut(message)
    back = left.add("meanwhile", tree.parents[message]).put_back(branch)
    assert message in back.path
    assert set(back.versions(message)) == {*tree.versions(message), "meanwhile"}


@given(trees())
def test_a_tree_is_rebuilt_from_its_links_in_the_order_of_writing(tree):
    rebuilt = tree_from(tree.links, tree.chosen)
    assert rebuilt.path == tree.path
    assert rebuilt == tree


@given(trees(), st.randoms())
def test_the_order_of_links_decides_only_the_order_of_versions(tree, random):
    links = list(tree.links)
    random.shuffle(links)
    assert dict(tree_from(links).parents) == dict(tree.parents)


@given(trees())
def test_a_copy_under_other_names_shows_the_same(tree):
    names = {id_: f"copy of {id_}" for id_ in tree.parents}
    assert tree.renamed(names).path == [names[id_] for id_ in tree.path]


ids = st.sampled_from("abcdef")


@given(st.lists(st.tuples(ids, st.one_of(st.none(), ids))), st.lists(ids))
def test_whatever_a_file_says_every_message_has_its_place(links, chosen):
    tree = tree_from(links, chosen)
    assert set(tree.parents) == {message for message, _ in links}
    for message in tree.parents:
        assert message in tree.show(message).path
