"""Ground terms as text have the parts that clingo's symbols have."""

import pytest
from clingo import SymbolType, parse_term
from hypothesis import given
from hypothesis import strategies as st

from ists_asp.syntax.ground import Ground, plain, symbols, texts

TERMS = st.recursive(
    st.integers(-20, 20).map(str)
    | st.sampled_from(["a", "bc", "_d", "e'", "#inf", "#sup", "-f", "()"])
    | st.text('a,()"\\ é%\n', max_size=4).map(
        lambda text: '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    ),
    lambda inner: st.builds(
        lambda name, parts: (
            f"{name}({','.join(parts)}{',' if not name and len(parts) == 1 else ''})"
        ),
        st.sampled_from(["", "f", "-g", "_h"]),
        st.lists(inner, min_size=1, max_size=3),
    ),
    max_leaves=12,
)


def check(text, symbol):
    assert text == str(symbol)
    assert text.type is symbol.type
    if symbol.type is SymbolType.Number:
        assert text.number == symbol.number
    elif symbol.type is SymbolType.String:
        assert plain(text) == symbol.string
    elif symbol.type is SymbolType.Function:
        assert (text.name, text.positive) == (symbol.name, symbol.positive)
        assert len(text.arguments) == len(symbol.arguments)
        for part, other in zip(text.arguments, symbol.arguments, strict=True):
            check(part, other)


@given(st.lists(TERMS, max_size=4))
def test_text_has_the_parts_of_a_symbol(terms):
    found = [parse_term(term) for term in terms]
    written = texts(found)
    assert len(written) == len(found)
    for text, symbol in zip(written, found, strict=True):
        check(text, symbol)
    assert symbols(written) == found


@pytest.mark.parametrize("depth", [3, 6, 30])
def test_brackets_may_be_deep(depth):
    text = "f(" * depth + '"a,(",b' + ")" * depth
    check(Ground(text), parse_term(text))
