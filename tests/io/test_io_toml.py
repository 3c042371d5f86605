"""TOML that nobody would write is refused in one pass, before a parser sees it."""

import time

import pytest

from ists_asp.io.toml import TomlError, key_lines, parse_toml, shown

SIZE = 1 << 16


def repeated(text, before="", after="\n"):
    return (before + text * (SIZE // len(text)) + after).encode()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (repeated("a.", after="a=1"), "1: a key of more than 4 parts"),
        (repeated('"a" . ', after='"a"=1'), "1: a key of more than 4 parts"),
        (repeated("a.", "b = 1\n[", "a]"), "2: a key of more than 4 parts"),
        (repeated("a.", "b = { c = 1, ", "a=1}"), "1: a key of more than 4 parts"),
        (repeated("[", "a = "), "1: too many brackets within brackets"),
        (repeated("{ a = ", "a = "), "1: too many brackets within brackets"),
        (repeated("a=1\n"), "2: no TOML: Cannot overwrite a value"),
        ("".join(f"a{number}=1\n" for number in range(9000)).encode(), None),
        (repeated("9", "\na = "), "2: a number has too many digits"),
        (repeated('\\"', 'a = "'), "1: no TOML"),
        (repeated('"'), "no TOML"),
        (repeated("'", "a = "), "no TOML"),
        (repeated("\\", 'a = """'), "no TOML"),
        (repeated(" "), None),
        (repeated("#"), None),
        (repeated("[[a]]\n"), None),
        (repeated("1.5, ", "a = [", "]"), None),
        (repeated("f", "a = 0x"), None),
        (b"a = 1\nb = ]", "2: no TOML: Invalid value"),
        (b"a = 1\nb = \xff", "2: byte 0xff is not UTF-8"),
        (b"a = 1\na = 2", "2: no TOML: Cannot overwrite a value"),
        (b'a = "', "1: no TOML"),
    ],
)
def test_what_people_do_not_write_takes_no_time(data, words):
    began = time.process_time()
    try:
        parse_toml(data)
        found = None
    except TomlError as error:
        found = f"{error.line}: {error.found}"
    assert time.process_time() - began < 1
    assert found is None if words is None else words in str(found)


@pytest.mark.parametrize(
    "text",
    [
        *("a.b.c.d = 1", 'a = "b.c.d.e.f.g.h"', "a = 'x' # b.c.d.e.f.g.h"),
        *('a = """\n[[[[[[[[[[ a.b.c.d.e.f\n"""', "a = [[[[[[[1]]]]]]]"),
        *("a = [1.5, 2.5, 3.5, 4.5, 5.5, 6.5]", "a = 1979-05-27T00:32:00.999999"),
    ],
)
def test_what_people_write_is_read(text):
    assert parse_toml(text.encode())[0] == text


def test_keys_have_lines():
    text = (
        'top = [\n1,\n2]\n[marks]\nquote = """\n[no]\nno = 1\n"""\n# no = 1\n"a el" = "al"\n[empty]'
    )
    assert key_lines(text) == {
        ("", "top"): 1,
        ("marks", ""): 4,
        ("marks", "quote"): 5,
        ("marks", "a el"): 10,
        ("empty", ""): 11,
    }


def test_messages_quote_little_of_a_value():
    for value in ("x" * 10**6, [1] * 10**5, 1 << 10**5):
        assert len(shown(value)) <= 80
