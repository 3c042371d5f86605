"""The annotator with the shipped Spanish models; all sentences are made up."""

import pytest

from ists_asp.annotate import Annotator
from ists_asp.annotate.stanza import PROCESSORS
from ists_asp.model import Token
from ists_asp.resources import data_dir


@pytest.fixture(scope="module")
def spanish():
    return Annotator("es")


def read(annotator, text):
    """Form, lemma and UPOS of each word."""
    sentence = tuple(Token(index, form) for index, form in enumerate(text.split(), 1))
    (tagged,) = annotator.annotate([sentence])
    return [(word.form, word.lemma, word.upos) for token in tagged for word in token.words]


def test_the_files_fit_the_bound_and_name_no_path():
    directory = data_dir() / "stanza" / "es"
    models = sorted(directory.rglob("*.pt"))
    assert len(models) == len(PROCESSORS)
    assert sum(path.stat().st_size for path in models) < 10e6
    assert not [path for path in models if b"/tmp/" in path.read_bytes()]
    card = (data_dir() / "stanza" / "README.md").read_text(encoding="utf-8")
    assert "The models are shared under [CC BY-SA 4.0]" in card


@pytest.mark.parametrize(
    ("text", "upos"),
    [
        ("La niña lee un libro nuevo .", "DET NOUN VERB DET NOUN ADJ PUNCT"),
        ("Ellos no quieren jugar en la calle .", "PRON ADV VERB VERB ADP DET NOUN PUNCT"),
        ("los alumnos escriben una carta larga", "DET NOUN VERB DET NOUN ADJ"),
        ("Su hermano ha comprado tres libros .", "DET NOUN AUX VERB NUM NOUN PUNCT"),
    ],
)
def test_plain_sentences_are_tagged_right(spanish, text, upos):
    assert " ".join(word[2] for word in read(spanish, text)) == upos


@pytest.mark.parametrize(
    ("text", "lemmas"),
    [
        (
            "El año pasado los jóvenes pidieron más canciones rápidas.",
            "el año pasado el joven pedir más canción rápido .",
        ),
        *(
            (text, "el ministro presentar nuevo medida")
            for text in (
                "El Ministro Presenta Nuevas Medidas",
                "EL MINISTRO PRESENTA NUEVAS MEDIDAS",
                "el ministro presenta nuevas medidas",
            )
        ),
    ],
)
def test_lemmas_do_not_depend_on_accents_and_case(spanish, text, lemmas):
    assert [lemma for _, lemma, _ in read(spanish, text)] == lemmas.split()


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("La puerta del museo da al parque.", "del de ADP"),
        ("La puerta del museo da al parque.", "al a ADP"),
        ("La puerta del museo da al parque.", "parque parque NOUN"),
        ("Quiere comprarlo en la ciudad .", "comprarlo comprar VERB"),
        ("Quiere situarse en la ciudad .", "situarse situar VERB"),
        ("Quiere diciéndole en la ciudad .", "diciéndole decir VERB"),
    ],
)
def test_contractions_and_verbs_with_clitics_stay_one_word(spanish, text, word):
    assert tuple(word.split()) in read(spanish, text)


def test_marks_and_dashes_are_cut_off(spanish):
    words = read(spanish, "¿Vienes —preguntó ella— mañana?")
    assert [word[0] for word in words] == [
        "¿",
        "Vienes",
        "—",
        "preguntó",
        "ella",
        "—",
        "mañana",
        "?",
    ]
    assert [form for form, _, upos in words if upos == "PUNCT"] == ["¿", "—", "—", "?"]


def test_raw_text(spanish):
    (sentence,) = spanish.tokenize(["El hijo del vecino, ¿quiere verlo?"])
    assert " ".join(token.form for token in sentence) == "El hijo del vecino , ¿ quiere verlo ?"


def test_there_are_no_language_specific_tags(spanish):
    (tagged,) = spanish.annotate([(Token(1, "Buenos"), Token(2, "días"))])
    assert {word.xpos for token in tagged for word in token.words} == {"_"}
