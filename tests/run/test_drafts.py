"""Outputs that grow: what is there after an interruption, and after going on."""

import errno
import os
import shutil
import stat
from contextlib import nullcontext
from pathlib import Path

import pytest

from ists_asp.errors import DataError, UsageError
from ists_asp.io.temporary import journal_of
from ists_asp.run.partial_outputs import PartialOutputs


def write(drafts: PartialOutputs, *numbers: int) -> None:
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
    with PartialOutputs(targets, "run", resume=False) as drafts:
        write(drafts, 0, 1)
        drafts.save()
        assert targets[0].read_text() == "old"
        assert not targets[1].exists()
        drafts.publish()
    assert contents(targets) == expected(2)
    assert sorted(path.name for path in targets[0].parent.iterdir()) == ["out.jsonl", "out.wa"]


def test_what_has_vanished_with_its_folder_cannot_be_gone_on_with(tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    with PartialOutputs([folder / "a", folder / "b"], "run", resume=False) as drafts:
        assert not drafts.resumable
        write(drafts, 0)
        drafts.save()
        assert drafts.resumable
        shutil.rmtree(folder)
        assert not drafts.resumable


@pytest.mark.parametrize("unsaved", [0, 1, 2])
def test_going_on_gives_what_an_uninterrupted_run_gives(targets: list[Path], unsaved: int) -> None:
    with PartialOutputs(targets, "run", resume=False) as drafts:
        write(drafts, 0, 1, 2)
        drafts.fail("2", "no time")
        drafts.save()
        write(drafts, *range(3, 3 + unsaved))
    with PartialOutputs(targets, "run", resume=True) as drafts:
        assert drafts.done == 3
        assert (drafts.failed.count, drafts.failed.first) == (1, ["2"])
        write(drafts, *range(drafts.done, 6))
        drafts.publish()
    assert contents(targets) == expected(6)


def test_a_journal_cut_anywhere_is_understood(targets: list[Path]) -> None:
    with PartialOutputs(targets, "run", resume=False) as drafts:
        for number in range(4):
            write(drafts, number)
            drafts.save()
    whole = journal_of(targets[0]).read_bytes()
    for size in range(len(whole) + 1):
        journal_of(targets[0]).write_bytes(whole[:size])
        with PartialOutputs(targets, "run", resume=True) as drafts:
            write(drafts, *range(drafts.done, 4))
            drafts.save()
        assert [draft.read_text() for draft in drafts.drafts] == expected(4)


def test_another_run_is_not_resumed(targets: list[Path]) -> None:
    with PartialOutputs(targets, "run", resume=False) as drafts:
        write(drafts, 0)
        drafts.save()
    with pytest.raises(UsageError, match="had other inputs, rules or options"):
        PartialOutputs(targets, "another", resume=True)
    with PartialOutputs(targets, "another", resume=False) as drafts:
        assert drafts.done == 0


def test_a_draft_that_was_shortened_is_refused(targets: list[Path]) -> None:
    with PartialOutputs(targets, "run", resume=False) as drafts:
        write(drafts, 0)
        drafts.save()
    drafts.drafts[1].write_text("tr")
    with pytest.raises(DataError, match="does not hold what the journal says"):
        PartialOutputs(targets, "run", resume=True)


def test_nothing_is_left_of_a_run_that_did_nothing(targets: list[Path]) -> None:
    with PartialOutputs(targets, "run", resume=False) as drafts:
        drafts.discard()
    assert list(targets[0].parent.iterdir()) == []


def test_no_room() -> None:
    with pytest.raises(DataError, match="cannot be written"):
        PartialOutputs([Path("/proc/out.wa")], "run", resume=False)


@pytest.mark.parametrize("resume", [True, False])
@pytest.mark.parametrize("content", [b"mine\n", b'{"journal": "of mine"}\n', b"[]\n", b"\0\xff"])
def test_a_file_called_like_the_journal_stays_as_it_is(
    targets: list[Path], content: bytes, resume: bool
) -> None:
    journal_of(targets[0]).write_bytes(content)
    with pytest.raises(UsageError, match="this file is no journal of ists-asp"):
        PartialOutputs(targets, "run", resume=resume)
    assert contents_of(targets[0].parent) == {journal_of(targets[0]).name: content}


@pytest.mark.parametrize("make", ["folder", "pipe", "link"])
def test_what_is_no_plain_file_is_no_journal(targets: list[Path], make: str) -> None:
    journal, mine = journal_of(targets[0]), targets[0].with_name("mine")
    mine.write_text("")
    if make == "folder":
        journal.mkdir()
    elif make == "pipe":
        os.mkfifo(journal)
    else:
        journal.symlink_to(mine)
    with pytest.raises(UsageError, match="this file is no journal of ists-asp"):
        PartialOutputs(targets, "run", resume=False)
    assert contents_of(targets[0].parent) == {"mine": b""}


def test_an_old_output_is_not_taken_for_a_draft(targets: list[Path]) -> None:
    with PartialOutputs(targets, "run", resume=False) as drafts:
        write(drafts, 0)
        drafts.save()
    drafts.drafts[0].unlink()
    for old in ("old", "answer 0\nand more\n", "answer 1\n"):
        targets[0].write_text(old)
        with pytest.raises(DataError, match="it is gone"):
            PartialOutputs(targets, "run", resume=True)
        assert targets[0].read_text() == old


def test_a_link_in_the_place_of_a_draft_is_not_followed(targets: list[Path]) -> None:
    mine = targets[0].with_name("mine")
    for resume, expected in (
        (True, pytest.raises(DataError, match="symbolic links")),
        (False, nullcontext()),
    ):
        with PartialOutputs(targets, "run", resume=False) as drafts:
            write(drafts, 0)
            drafts.save()
        mine.write_bytes(drafts.drafts[0].read_bytes() + b"more")
        drafts.drafts[0].unlink()
        drafts.drafts[0].symlink_to(mine)
        with expected:
            PartialOutputs(targets, "run", resume=resume).discard()
        assert mine.read_text() == "answer 0\nmore"


def test_runs_that_share_one_output_have_a_draft_each(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    with (
        PartialOutputs([tmp_path / "one", shared], "1", resume=False) as first,
        PartialOutputs([tmp_path / "two", shared], "2", resume=False) as second,
    ):
        write(first, 0, 1)
        write(second, 0)
        second.publish()
        assert shared.read_text() == "trace 0\n"
        first.publish()
    assert shared.read_text() == "trace 0\ntrace 1\n"
    assert sorted(contents_of(tmp_path)) == ["one", "shared", "two"]


def test_an_output_keeps_its_mode(targets: list[Path]) -> None:
    targets[0].write_text("")
    targets[0].chmod(0o600)
    with PartialOutputs(targets, "run", resume=False) as drafts:
        write(drafts, 0)
        assert stat.S_IMODE(drafts.drafts[0].stat().st_mode) == 0o600
        drafts.publish()
    assert stat.S_IMODE(targets[0].stat().st_mode) == 0o600
    assert stat.S_IMODE(targets[1].stat().st_mode) & 0o077


def contents_of(folder: Path) -> dict[str, bytes]:
    return {
        path.name: path.read_bytes()
        for path in folder.iterdir()
        if stat.S_ISREG(path.lstat().st_mode)
    }


def test_a_full_disk_is_told_with_the_names_of_what_was_to_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    outputs = PartialOutputs([tmp_path / "out.wa", tmp_path / "out.trace"], "a run", resume=False)
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DataError, match=r"out\.wa or .*out\.trace: cannot be written: No space"):
        outputs.save()
    outputs.discard()
