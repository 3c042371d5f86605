"""The annotator with the shipped models, and what it cuts; Spanish sentences are made up."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ists_asp.annotate import (
    BATCH,
    UNSEEN,
    WINDOW,
    Annotator,
    batches,
    cut,
    cut_text,
    spelling,
    spellings,
    windows,
)
from ists_asp.annotate.stanza import PROCESSORS, SHIPPED_PACKAGE, StanzaAdapter, find
from ists_asp.errors import DataError
from ists_asp.io.text import make_sentence
from ists_asp.lang import language
from ists_asp.limits import LONGEST_WORD
from ists_asp.model import Sentence, Token
from ists_asp.resources import data_dir
from tests.sharing import cases

SENTENCES = [
    *("The bulb isn't connected to terminal b.", "Dogs"),
    *("Three children are playing in the snow , and a woman watches them .", "“ Don’t go ! ”"),
    "Obama warns Syrian leaders about chemical weapons",
]
ODD = [
    *("zero\u200bwidth", "\u200b", "\ufeff", "no\u00a0break", "a b", " ", "\x00", "\x1b[0m"),
    *("\x85", "\ud800", "😀", "👩‍👩‍👧", "中文", "e\u0301", "İıŉß", "½", "_", "<UNK>"),
    "x" * 5_000,
]
WHOLE = (
    "-- ... :-) `` '' 😀 - % -LRB- well-known O'Neill 1,000 12:30 #tag @user www.a.org"
    " U.S. p.m. e.g. Ph.D. Mr. St. vs. etc. Inc. U.S.-led .5 '90s 'em 's ’s n't -dog-"
)
MARKS = (
    "connected|. b|. B|. 3.5|. no|. (|open|)|, \"|word|.|\" “|word|” ''|word|'' really|?! so|..."
    " …|so '|Hello|' students|' $|5 5|%|, p.m.|, etc.|) 'em|. U.S.|'s"
)
CLITICS = (
    "do|n't ca|n't|. WO|N'T is|n’t it|'s they|'re we|'ve she|'ll he|'d I|'m|, should|n't|'ve"
    " can|not Can|not|. does|nt must|nt gon|na"
)
OTHER = (
    "¿|d'Artagnan's|? Sra. ¡|No|! del hacérselo|. -|dijo|- —|¿|Vienes|? carne|–|, --|que -5"
    " franco-belga 1999-2000 (|1999|-|) -"
)
CUTS = [
    *(("en", words) for words in f"{WHOLE} {MARKS} {CLITICS}".split()),
    *(("es", words) for words in OTHER.split()),
]
MARKED = st.text(alphabet="ab'’.\"(),!?…nt5$%sreS -—", min_size=1, max_size=12)
PIECES = st.text(alphabet="aB1 .,:;'’\"()[]%$€-—…!?@/😀", max_size=30)


def tokens(text):
    return tuple(Token(index, form) for index, form in enumerate(text.split(), 1))


def words(annotator, text, *names):
    """The words of the tokens of a text, each by what is asked for, with blanks between them."""
    (sentence,) = annotator.annotate([tokens(text)])
    return " ".join(
        "+".join("/".join(getattr(word, name) for name in names) for word in token.words)
        for token in sentence
    )


@pytest.mark.parametrize(("code", "size"), [("en", 15e6), ("es", 10e6)])
def test_the_shipped_models_are_found_small_and_name_no_path(code, size):
    models, files = find(code), list((data_dir() / "stanza" / code).rglob("*.pt"))
    assert (models.directory, models.package) == (data_dir() / "stanza", SHIPPED_PACKAGE)
    assert len(files) == len(PROCESSORS)
    assert sum(path.stat().st_size for path in files) < size
    assert not [path for path in files if b"/tmp/" in path.read_bytes()]
    card = (data_dir() / "stanza" / "README.md").read_text(encoding="utf-8")
    assert "The models are shared under [CC BY-SA 4.0]" in card


@cases("""
code | names | text | found
en | form/lemma/xpos | The bulb isn't connected.
    The/the/DT bulb/bulb/NN is/be/VBZ+n't/not/RB connected/connect/VBN+././.
en | form/lemma/xpos | They don’t sleep -LRB- yet -RRB- now.
    They/they/PRP do/do/VBP+n’t/not/RB sleep/sleep/VB -LRB-/(/-LRB- yet/yet/RB -RRB-/)/-RRB- \
now/now/RB+././.
en | upos  | The old man reads a newspaper .   | DET ADJ NOUN VERB DET NOUN PUNCT
en | upos  | She was not happy .               | PRON AUX PART ADJ PUNCT
en | upos  | Two women walked to the river .   | NUM NOUN VERB ADP DET NOUN PUNCT
en | upos  | the dog is very big               | DET NOUN AUX ADV ADJ
en | upos  | We can go and he will stay .      | PRON AUX VERB CCONJ PRON AUX VERB PUNCT
es | upos  | La niña lee un libro nuevo .      | DET NOUN VERB DET NOUN ADJ PUNCT
es | upos  | Ellos no quieren jugar en la calle . | PRON ADV VERB VERB ADP DET NOUN PUNCT
es | upos  | los alumnos escriben una carta larga | DET NOUN VERB DET NOUN ADJ
es | upos  | Su hermano ha comprado tres libros . | DET NOUN AUX VERB NUM NOUN PUNCT
es | xpos  | Buenos días                       | _ _
en | lemma | The Children Were Eating Apples . | the child be eat apple .
en | lemma | THE CHILDREN WERE EATING APPLES . | the child be eat apple .
es | lemma | El año pasado los jóvenes piden canciones | el año pasado el joven pedir canción
es | lemma | El Ministro Presenta Nuevas Medidas | el ministro presentar nuevo medida
es | lemma | EL MINISTRO PRESENTA NUEVAS MEDIDAS | el ministro presentar nuevo medida
es | lemma | el ministro presenta nuevas medidas | el ministro presentar nuevo medida
en | lemma | She quizzed airstrikes in 1,004 of Decatur | she quizzed airstrike in 1,004 of decatur
en | lemma | They read Descartes at school . | they read descartes at school .
en | lemma | GPs saw MPs on DVDs           | gp see mp on dvd
en | lemma | A schoolteacher limiting fracking perched | a schoolteacher limiting fracking perch
es | lemma | Palabras de víctimas del propano en 217,8 | palabra de víctima de propano en 217,8
es | lemma | la rana y las antenas buenas | el rana y el antena bueno
es | lemma | remodelando las protolenguas paleárticas | remodelar el protolengua paleártico
""")
def test_words_have_their_forms_lemmas_and_tags(annotators, code, names, text, found):
    """Parts of a token are its words; forms stay as they are, lemmas do not depend on case."""
    assert words(annotators[code], text, *names.split("/")) == found


@cases("""
text                              | found
La puerta del museo da al parque. | del/de/ADP
La puerta del museo da al parque. | al/a/ADP
La puerta del museo da al parque. | parque/parque/NOUN+./
Quiere comprarlo en la ciudad .   | comprarlo/comprar/VERB
Quiere situarse en la ciudad .    | situarse/situar/VERB
Quiere diciéndole en la ciudad .  | diciéndole/decir/VERB
""")
def test_contractions_and_verbs_with_clitics_stay_one_word(annotators, text, found):
    assert f" {found}" in words(annotators["es"], text, "form", "lemma", "upos")


def test_spanish_marks_are_cut_off_and_have_no_tags_of_their_own(annotators):
    found = words(annotators["es"], "¿Vienes —preguntó ella— mañana?", "form", "upos")
    found = [word.split("/") for word in found.replace("+", " ").split()]
    assert " ".join(form for form, _ in found) == "¿ Vienes — preguntó ella — mañana ?"
    assert [form for form, upos in found if upos == "PUNCT"] == ["¿", "—", "—", "?"]
    (sentence,) = annotators["es"].tokenize(["El hijo del vecino, ¿quiere verlo?"])
    assert " ".join(token.form for token in sentence) == "El hijo del vecino , ¿ quiere verlo ?"


def test_a_batch_gives_what_single_sentences_give(annotator):
    sentences = [(Token(7, "can't."), Token(9, "go")), *map(tokens, SENTENCES)]
    together = annotator.annotate(sentences)
    assert together == [annotator.annotate([sentence])[0] for sentence in sentences]
    assert annotator.annotate(sentences[::-1]) == together[::-1]
    assert [(token.index, token.form) for token in together[0]] == [(7, "can't."), (9, "go")]
    raw = annotator.tokenize(SENTENCES)
    assert raw == [annotator.tokenize([text])[0] for text in SENTENCES]


def test_what_stanza_loses_is_an_error_that_shows_it(monkeypatch):
    monkeypatch.setattr(StanzaAdapter, "tag", lambda _, sentences: [s[1:] for s in sentences])
    with pytest.raises(DataError, match=r"sentence 'Dogs bark loudly'.*tagged 2 of 3 words"):
        Annotator().annotate([tokens("Dogs bark loudly")])
    monkeypatch.setattr(StanzaAdapter, "tokenize", lambda *_: [["Dogs"], ["bark"]])
    with pytest.raises(DataError, match=r"Dogs bark: Stanza returned 2 sentences for 1 texts"):
        Annotator().tokenize(["Dogs bark"])


def test_windows():
    for size, marks, found in (
        *((0, [], []), (1, [], [(0, 1)]), (WINDOW, [], [(0, WINDOW)])),
        # Without a mark a window is full, else it ends behind one in its second half.
        (WINDOW + 1, [], [(0, WINDOW), (WINDOW, WINDOW + 1)]),
        (300, [WINDOW // 4, WINDOW - 30], [(0, WINDOW - 29), (WINDOW - 29, 300)]),
    ):
        assert windows(["," if place in marks else "a" for place in range(size)]) == found


def test_nothing_gives_nothing(annotator):
    assert annotator.annotate([]) == []
    assert annotator.annotate([(), tokens("Dogs bark ."), ()])[::2] == [(), ()]
    assert annotator.tokenize([]) == []
    assert annotator.tokenize(["", " \n\t "]) == [(), ()]


def test_raw_text_is_one_sentence(annotator):
    (sentence,) = annotator.tokenize(["The dog\n\nisn't here. It left  the U.S., they say."])
    forms = "The dog isn't here . It left the U.S. , they say ."
    text = "The dog isn't here. It left the U.S., they say."
    assert sentence == make_sentence(forms.split(), text).tokens


@pytest.mark.slow
def test_a_very_long_sentence(annotator):
    text = "the dogs didn't bark , and the cat slept. " * 1250
    (sentence,) = annotator.annotate([tokens(text)])
    assert len(sentence) == 11250
    assert {token.words[0].lemma for token in sentence[1::9]} == {"dog"}
    (raw,) = annotator.tokenize([text])
    assert len(raw) == 12500


def test_odd_characters_do_not_shift_tokens(annotator):
    around = [tokens(f"dogs {'.' * n} bark") for n in range(3)]
    sentences = [[Token(1, odd)] for odd in ODD]
    sentences.append([Token(index, odd) for index, odd in enumerate(ODD, 1)])
    result = annotator.annotate([*around, *sentences])
    for before, after in zip([*around, *sentences], result, strict=True):
        assert [token.form for token in before] == [token.form for token in after]
        for token in after:
            assert "".join(word.form for word in token.words) == token.form
            assert all(word.lemma and word.upos and word.xpos for word in token.words)
    # In raw text neither.
    texts = [odd for odd in ODD if odd.isprintable() and odd.strip()]
    result = annotator.tokenize([*texts, "Dogs bark."])
    assert result.pop() == (Token(1, "Dogs"), Token(2, "bark"), Token(3, ".", glued=True))
    for text, sentence in zip(texts, result, strict=True):
        assert "".join(token.form for token in sentence) == "".join(text.split())


def test_no_network_is_asked_and_nothing_is_printed(monkeypatch, capfd):
    def refuse(*_, **__):
        raise AssertionError("the network was asked")

    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    fresh = Annotator()
    (sentence,) = fresh.annotate(fresh.tokenize(["Dogs bark."]))
    assert [token.words[0].lemma for token in sentence] == ["dog", "bark", "."]
    assert capfd.readouterr() == ("", "")


def test_importing_the_package_imports_no_stanza():
    program = (
        "import sys, ists_asp.annotate as a; a.Annotator();"
        "assert not {'stanza', 'torch', 'numpy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


@pytest.mark.slow
def test_reading_imports_no_compiler_and_leaves_torch_as_it_was():
    program = (
        "import sys, torch; told = torch.optim.Optimizer.add_param_group;"
        "import ists_asp.annotate as a; one = a.Annotator();"
        "one.annotate(one.tokenize(['Dogs bark.']));"
        "assert torch.optim.Optimizer.add_param_group is told;"
        "assert 'torch._dynamo' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


@given(st.lists(st.sampled_from(["a", "."]), max_size=1000))
def test_windows_cover_a_sentence_once_and_in_order(words):
    places = [place for start, end in windows(words) for place in range(start, end)]
    assert places == list(range(len(words)))
    assert all(0 < end - start <= WINDOW for start, end in windows(words))


@given(st.lists(st.integers(min_value=1, max_value=WINDOW), max_size=300))
def test_batches_hold_each_sentence_once_within_the_bound(lengths):
    found = list(batches(lengths))
    assert sorted(place for batch in found for place in batch) == list(range(len(lengths)))
    assert all(sum(lengths[place] for place in batch) <= BATCH for batch in found)
    # What is longer than a batch is alone.
    assert list(batches([1, BATCH + 1, 1])) == [[1], [0, 2]]


@pytest.mark.parametrize(("code", "words"), CUTS)
def test_a_token_is_cut_into_words(code, words):
    """At the strokes: marks and clitics come off, a period of the word stays."""
    assert list(cut(words.replace("|", ""), language(code).words)) == words.split("|")


def test_an_initial_keeps_its_period_before_a_name_only():
    for token, following, parts in (
        *(("W.", "Bush", ("W.",)), ("W.", "is", ("W", ".")), ("W.", None, ("W", "."))),
        ("(W.)", "Bush", ("(", "W", ".", ")")),
    ):
        assert cut(token, language("en").words, following) == parts


@pytest.mark.slow
@given(st.text(min_size=1, max_size=30) | MARKED, st.sampled_from(["en", "es"]))
def test_the_words_put_together_are_the_token(token, lang):
    words = cut(token, language(lang).words)
    assert "".join(words) == token
    assert all(words)


@cases(
    "word | shown",
    *(("n’t", "n't"), ("“", '"'), ("``", '"'), ("''", '"'), ("-LRB-", "("), ("-RRB-", ")")),
    *(("well‑known", "well-known"), ("…", "..."), ("e\u0301", "é")),
    *(("zero\u200bwidth", "zerowidth"), ("1\u00a0000", "1000")),
    *(("\u200b", UNSEEN), ("\x00", UNSEEN), ("😀", "😀")),
    ("x" * 5000, "x" * LONGEST_WORD),
)
def test_spelling(word, shown):
    assert spelling(word) == shown


@given(st.text(max_size=30))
def test_a_spelling_is_never_empty_and_has_no_blank(word):
    shown = spelling(word)
    assert shown
    assert shown.split() == [shown]


def test_what_a_sentence_is_shown_as():
    for code, words, shown in (
        # A sentence in capitals is shown in small letters, acronyms are not.
        ("en", "THE BULB IS A B2 !", "the bulb is a b2 !"),
        *(("en", words, words) for words in ("US , UK", "US UN EU talk", "A B C", "– yes")),
        ("es", "– sí —", "- sí -"),
    ):
        assert spellings(words.split(), language(code).words) == shown.split()


# A stroke is where a token ends that no blank follows.
ROWS = [
    (code, row)
    for code in ("en", "es")
    for row in Path(__file__).with_name(f"tokens-{code}.txt").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize(("lang", "row"), ROWS)
def test_no_word_is_cut_that_a_person_would_not_cut(annotators, lang, row):
    text = row.replace("|", "")
    (tokens,) = annotators[lang].tokenize([text])
    assert [token.form for token in tokens] == row.replace("|", " ").split()
    assert Sentence(tokens).text == text


@given(PIECES, st.lists(st.integers(1, 9)), st.sampled_from(["en", "es"]))
def test_nothing_is_lost_wherever_a_tokeniser_cuts(text, lengths, lang):
    known = ["x" * length for length in lengths]
    clean = " ".join(text.split())
    forms = list(cut_text(clean, known, language(lang).words))
    assert all(forms)
    assert make_sentence(forms, clean).text == clean


def test_parts_of_a_sentence_are_shown_as_they_were_written():
    text = "“Anna's dog,” she said"
    sentence = make_sentence(["“", "Anna", "'s", "dog", ",", "”", "she", "said"], text)
    assert sentence.text == text
    assert sentence.spaced == "“ Anna 's dog , ” she said"
    assert sentence.words((2, 3, 4)) == "Anna's dog"
    assert sentence.words((2, 4, 5)) == "Anna dog,"
    assert sentence.words((2, 5, 6), "…") == "Anna … ,”"
    assert make_sentence(["Anna", "'s"]).text == "Anna 's"
