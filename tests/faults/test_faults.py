"""Whatever happens: no pair lost or there twice, no hang, one line that says what is wrong."""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from ists_asp.evaluate.wa_check import check_file

from . import scenarios  # noqa: F401
from .place import FAULTS, FEW, MANY, SECONDS, Failed, Place, Same, Silent, Told

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
        assert (ending.code, ending.errors) == (0, "")
        assert place.answers() == [(str(number), "") for number in range(count)]
        answers[count] = place.out.read_bytes()
    return root / "cache", answers


@pytest.fixture(scope="module")
def endings(request, whole, tmp_path_factory):
    """What becomes of each fault that is asked for; as many at a time as there are cores."""
    cache, answers = whole
    wanted = [item.callspec.params["fault"] for item in request.session.items if _is_fault(item)]

    def work(fault):
        place = Place(tmp_path_factory.mktemp("fault"), cache, answers)
        return place, fault.inject(place)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield {fault.name: pool.submit(work, fault) for fault in wanted}


def _is_fault(item):
    return getattr(item, "originalname", "") == "test_fault"


def test_no_fault_is_there_twice():
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) > 60


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_fault(fault, endings):
    place, ending = endings[fault.name].result()
    assert "Traceback" not in ending.errors
    assert ending.seconds < SECONDS
    expected = fault.ends
    if isinstance(expected, Told):
        lines = [line for line in ending.errors.splitlines() if line.startswith("error: ")]
        assert len(lines) == 1, ending
        assert expected.words in lines[0]
        assert ending.code == expected.code
        assert not place.out.exists()
        return
    if isinstance(expected, Silent):
        assert (ending.code, ending.errors) == (expected.code, "")
        assert not place.out.exists()
        return
    if isinstance(expected, Same):
        assert ending.code == 0, ending
        assert place.out.read_bytes() == place.whole[expected.pairs]
    else:
        assert isinstance(expected, Failed)
        assert ending.code == 3, ending
        assert place.answers() == [
            (str(number), "failed" if str(number) in expected.ids else "")
            for number in range(expected.pairs)
        ]
        for identifier in expected.ids:
            told = f"warning: pair {identifier}: "
            reasons = [line for line in ending.errors.splitlines() if line.startswith(told)]
            assert len(reasons) == 1, ending
        last = ending.errors.splitlines()[-1]
        count = f"{len(expected.ids)} of {expected.pairs}"
        assert last == f"warning: no answer for {count} pairs: {', '.join(expected.ids)}"
        assert check_file(place.out).correct
    assert place.drafts == []
