"""Long sentences are cut into windows, many sentences are grouped into batches."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ists_asp.annotate.batches import BATCH, WINDOW, batches, windows


def test_a_short_sentence_is_one_window() -> None:
    assert windows([]) == []
    assert windows(["a"]) == [(0, 1)]
    assert windows(["a"] * WINDOW) == [(0, WINDOW)]


def test_a_window_ends_after_a_mark_in_its_second_half() -> None:
    words = ["a"] * 300
    words[WINDOW // 4] = ","
    words[WINDOW - 30] = ","
    assert windows(words) == [(0, WINDOW - 29), (WINDOW - 29, 300)]


def test_a_window_without_a_mark_is_full() -> None:
    assert windows(["a"] * (WINDOW + 1)) == [(0, WINDOW), (WINDOW, WINDOW + 1)]


@given(st.lists(st.sampled_from(["a", "."]), max_size=1000))
def test_windows_cover_a_sentence_once_and_in_order(words: list[str]) -> None:
    places = [place for start, end in windows(words) for place in range(start, end)]
    assert places == list(range(len(words)))
    assert all(0 < end - start <= WINDOW for start, end in windows(words))


@given(st.lists(st.integers(min_value=1, max_value=WINDOW), max_size=300))
def test_batches_hold_each_sentence_once_within_the_bound(lengths: list[int]) -> None:
    found = list(batches(lengths))
    assert sorted(place for batch in found for place in batch) == list(range(len(lengths)))
    assert all(sum(lengths[place] for place in batch) <= BATCH for batch in found)


def test_what_is_longer_than_a_batch_is_alone() -> None:
    assert list(batches([1, BATCH + 1, 1])) == [[1], [0, 2]]
