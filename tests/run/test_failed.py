"""The pairs of a run that have no answer."""

from ists_asp.run.checkpoint_log import NAMED, Failed


def test_the_first_are_named_and_the_rest_counted():
    failed = Failed()
    for number in range(1, NAMED + 4):
        failed.add(str(number))
    assert failed.first == [str(number) for number in range(1, NAMED + 1)]
    assert str(failed).endswith(f", {NAMED} and 3 more")
