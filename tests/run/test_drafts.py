"""Outputs that grow: what is there after an interruption, and after going on."""

from pathlib import Path

import pytest

from ists_asp.errors import DataError, UsageError
from ists_asp.run.draft import Drafts, draft_of, journal_of


def write(drafts: Drafts, *numbers: int) -> None:
    for number in numbers:
        drafts.write(f"answer {number}\n", f"trace {number}\n")


@pytest.fixture
def targets(tmp_path: Path) -> list[Path]:
    return [tmp_path / "out.wa", tmp_path / "out.jsonl"]


def contents(targets: list[Path]) -> list[str]:
    return [target.read_text() for target in targets]


def expected(count: int) -> list[str]:
    return ["".join(f"{what} {n}\n" for n in range(count)) for what in ("answer", "trace")]


def test_outputs_appear_at_the_end(targets: list[Path]) -> None:
    targets[0].write_text("old")
    with Drafts(targets, "run", resume=False) as drafts:
        write(drafts, 0, 1)
        drafts.save()
        assert targets[0].read_text() == "old"
        assert not targets[1].exists()
        drafts.publish()
    assert contents(targets) == expected(2)
    assert sorted(path.name for path in targets[0].parent.iterdir()) == ["out.jsonl", "out.wa"]


@pytest.mark.parametrize("unsaved", [0, 1, 2])
def test_going_on_gives_what_an_uninterrupted_run_gives(targets: list[Path], unsaved: int) -> None:
    with Drafts(targets, "run", resume=False) as drafts:
        write(drafts, 0, 1, 2)
        drafts.fail("2", "no time")
        drafts.save()
        write(drafts, *range(3, 3 + unsaved))
    with Drafts(targets, "run", resume=True) as drafts:
        assert drafts.done == 3
        assert (drafts.failed.count, drafts.failed.first) == (1, ["2"])
        write(drafts, *range(drafts.done, 6))
        drafts.publish()
    assert contents(targets) == expected(6)


def test_a_journal_cut_anywhere_is_understood(targets: list[Path]) -> None:
    with Drafts(targets, "run", resume=False) as drafts:
        for number in range(4):
            write(drafts, number)
            drafts.save()
    whole = journal_of(targets[0]).read_bytes()
    for size in range(len(whole) + 1):
        journal_of(targets[0]).write_bytes(whole[:size])
        with Drafts(targets, "run", resume=True) as drafts:
            write(drafts, *range(drafts.done, 4))
            drafts.save()
        assert [draft_of(target).read_text() for target in targets] == expected(4)


def test_another_run_is_not_resumed(targets: list[Path]) -> None:
    with Drafts(targets, "run", resume=False) as drafts:
        write(drafts, 0)
        drafts.save()
    with pytest.raises(UsageError, match="had other inputs, rules or options"):
        Drafts(targets, "another", resume=True)
    with Drafts(targets, "another", resume=False) as drafts:
        assert drafts.done == 0


def test_a_draft_that_was_shortened_is_refused(targets: list[Path]) -> None:
    with Drafts(targets, "run", resume=False) as drafts:
        write(drafts, 0)
        drafts.save()
    draft_of(targets[1]).write_text("tr")
    with pytest.raises(DataError, match="does not hold what the journal says"):
        Drafts(targets, "run", resume=True)


def test_nothing_is_left_of_a_run_that_did_nothing(targets: list[Path]) -> None:
    with Drafts(targets, "run", resume=False) as drafts:
        drafts.discard()
    assert list(targets[0].parent.iterdir()) == []


def test_no_room() -> None:
    with pytest.raises(DataError, match="cannot be written"):
        Drafts([Path("/proc/out.wa")], "run", resume=False)
