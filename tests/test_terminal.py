"""The door to the terminal: what it lets through, and how the rest is shown."""

import io
import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ists_asp.cli.console import progress, warn
from ists_asp.errors import DataError, RuleError
from ists_asp.terminal import behind, door, one_line, open_doors, plain, styled, unbroken, visible
from tests.terminal import acts

ANY = st.text(st.characters(categories=None))


class Screen(io.StringIO):
    def isatty(self):
        return True


def test_what_acts_is_shown_and_nothing_else_is_touched():
    everything = [chr(number) for number in range(0x110000)]
    active = {character for character in everything if acts(character)} - {"\t", "\n"}
    for character in active:
        shown = visible(character)
        assert (shown.isascii(), shown.isprintable()) == (True, True)
        assert json.loads(f'"{shown}"') == character
    # Deprecated ones are not for display either.
    shown_as_codes = active | set("\u206a\u206b\u206c\u206d\u206e\u206f")
    rest = "".join(char for char in everything if char not in shown_as_codes)
    assert visible(rest) == rest
    assert visible("a\x1b[31m\r\x9b2J\u202e\udcff\tb\nc") == (
        "a\\u001b[31m\\r\\u009b2J\\u202e\\udcff\tb\nc"
    )
    assert one_line("a\tb\nc\r\x0b\x85") == "a\\tb\\nc\\r\\u000b\\u0085"
    assert unbroken("  a \n\n  b\t\x1b ") == "  a  b\t\x1b"


@given(ANY)
def test_a_line_stays_a_line_and_cleaning_twice_is_cleaning_once(text):
    shown = one_line(text)
    assert shown.splitlines() in ([], [shown])
    assert not any(map(acts, shown))
    assert one_line(shown) == shown
    assert visible(visible(text)) == visible(text)


@given(ANY, ANY)
def test_only_our_own_colours_pass_and_only_to_terminals(ours, theirs):
    text = f"{theirs}\x1b[31m{styled(ours, 'red')}\x1b[0m"
    screen, file = Screen(), io.StringIO()
    for stream in (screen, file):
        print(text, end="", file=door(stream))
    before, after = visible(f"{theirs}\x1b[31m"), "\\u001b[0m"
    assert screen.getvalue() == f"{before}\x1b[31m{visible(ours)}\x1b[0m{after}"
    assert file.getvalue() == f"{before}{visible(ours)}{after}"
    assert plain(text) == f"{theirs}\x1b[31m{ours}\x1b[0m"
    # There is one door only.
    once = door(screen)
    assert door(once) is once
    assert behind(once) is behind(screen) is screen
    once.writelines(["a\x1b", "b"])
    assert screen.getvalue().endswith("a\\u001bb")


@pytest.mark.parametrize("kind", [Screen, io.StringIO])
def test_standard_output_is_cleaned_for_people_only(kind, monkeypatch):
    out, err = kind(), io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    open_doors()
    print("\x9b", end="")
    print("\x9b", end="", file=sys.stderr)
    assert (out.getvalue(), err.getvalue()) == ("\\u009b" if kind is Screen else "\x9b", "\\u009b")


@given(ANY, ANY, ANY)
def test_an_error_is_one_line_whatever_it_quotes(found, where, hint):
    text = str(DataError(found, where=where, expected=found, hint=hint))
    assert not any(map(acts, text))
    assert str(RuleError(found, excerpt="    a\n    ^")).split("\n")[1:] == ["    a", "    ^"]


def test_what_is_printed_while_a_bar_is_drawn_is_cleaned(monkeypatch):
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    with progress(2, shown=True) as step:
        warn("a\x9b\u202e\x1b[41m[red]\nb")
        print("c\x9b\x1b[41m", file=sys.stderr)
        step()
    shown = screen.getvalue()
    assert "warning: a\\u009b\\u202e\\u001b[41m[red]\\nb" in shown
    assert "c\\u009b\\u001b[41m" in shown
    assert "\x1b[41m" not in shown
    assert sys.stderr is screen
