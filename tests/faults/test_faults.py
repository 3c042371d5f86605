"""Whatever happens: no pair lost or there twice, no hang, one line that says what is wrong."""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from ists_asp.evaluate.wa_check import check_file

from .scenarios import FAULTS, FEW, MANY, Failed, Place, Same, Told

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The answers of undisturbed runs by number of pairs, and a cache that knows all words."""
    root = tmp_path_factory.mktemp("whole")
    answers = {}
    for count in (FEW, MANY):
        folder = root / str(count)
        folder.mkdir()
        place = Place(folder, root / "cache", {}).pairs(count)
        ending = place.solve("-q")
        assert (ending.returncode, ending.stderr) == (0, "")
        assert place.answers() == [(str(number), "") for number in range(count)]
        answers[count] = place.out.read_bytes()
    return root / "cache", answers


@pytest.fixture(scope="module")
def endings(request, whole, tmp_path_factory):
    """What becomes of each fault that is asked for; as many at a time as there are cores."""
    cache, answers = whole
    items = (one for one in request.session.items if one.name.startswith("test_fault["))

    def work(fault):
        place = Place(tmp_path_factory.mktemp("fault"), cache, answers)
        return place, fault.inject(place)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield {item.callspec.id: pool.submit(work, item.callspec.params["fault"]) for item in items}


def test_no_fault_is_there_twice():
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) > 50


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_fault(fault, endings):
    place, ending = endings[fault.name].result()
    lines, expected = ending.stderr.splitlines(), fault.ends
    assert "Traceback" not in ending.stderr
    if isinstance(expected, Told):
        errors = [line for line in lines if line.startswith("error: ")]
        words = [] if expected.words is None else [expected.words]
        assert (ending.returncode, len(errors)) == (expected.code, len(words)), ending
        assert all(word in error for word, error in zip(words, errors, strict=True)), ending
        assert words or not lines, ending
        assert not place.out.exists()
    elif isinstance(expected, Same):
        assert ending.returncode == 0, ending
        assert place.out.read_bytes() == place.whole[expected.pairs]
        assert place.drafts == []
    else:
        assert isinstance(expected, Failed)
        assert ending.returncode == 3, ending
        numbers = list(map(str, range(expected.pairs)))
        statuses = ["failed" if number in expected.ids else "" for number in numbers]
        assert place.answers() == list(zip(numbers, statuses, strict=True))
        for identifier in expected.ids:
            assert sum(one.startswith(f"warning: pair {identifier}: ") for one in lines) == 1
        count = f"{len(expected.ids)} of {expected.pairs}"
        assert lines[-1] == f"warning: no answer for {count} pairs: {', '.join(expected.ids)}"
        assert check_file(place.out).correct
        assert place.drafts == []
