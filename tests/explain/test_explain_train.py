"""Sixty pairs of the train sets are explained as they were when somebody read them."""

import pytest

from tests.explain.train import DATA, EACH, SETS, explained, read_texts

TEXTS = read_texts()


def test_each_set_has_its_share():
    assert [sum(name == own for name, _ in TEXTS) for own in SETS] == [EACH] * len(SETS)


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.skipif(
    not DATA.is_dir(), reason=f"the train data of SemEval-2016 Task 2 is not in {DATA}"
)
@pytest.mark.parametrize("name", SETS)
def test_pairs_of_the_train_sets_are_explained_as_reviewed(name):
    reviewed = {identifier: text for (own, identifier), text in TEXTS.items() if own == name}
    assert explained(name) == reviewed
