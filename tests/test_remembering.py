"""What is worked out about an object is worked out once."""

from ists_asp.syntax import trees
from ists_asp.syntax.trees import remembered_by_identity


def test_objects_are_told_apart_by_identity_and_options():
    @remembered_by_identity
    def repeated(thing, times=1):
        return thing * times

    one, same = [1], [1]
    assert repeated(one) is repeated(one)
    assert repeated(one) is not repeated(same)
    assert repeated(one, 2) is repeated(one, 2) == [1, 1]
    assert repeated(one) == [1]


def test_what_was_remembered_first_makes_room(monkeypatch):
    monkeypatch.setattr(trees, "_MOST", 2)
    asked = []

    @remembered_by_identity
    def noted(thing):
        asked.append(thing)
        return thing

    things = [["a"], ["b"], ["c"]]
    assert [noted(thing) for thing in (*things, *things)] == [*things, *things]
    assert len(asked) > len(things)
