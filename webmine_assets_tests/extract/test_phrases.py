"""Furniture in several languages, and prose that only looks like it."""

import pytest

from webmine_assets.extract.phrases import FURNITURE, is_cookie_notice, is_end_mark

SAID = {
    "read_more": ["Read also: the ferry", "Lesen Sie auch: Kraniche", "À lire aussi",
                  "Lea también: x", "Leggi anche: il porto", "Zobacz także", "Lees ook: de haven",
                  "Saiba mais", "Читайте также"],
    "appeal": ["Subscribe to our paper", "Jetzt kostenlos testen, einloggen", "Suscríbete hoy",
               "Abbonati ora", "Already a subscriber?", "Zapisz się", "Inscreva-se"],
    "legal": ["All rights reserved", "Tous droits réservés", "Dieser Beitrag enthält Werbung",
              "© 2020 Us"],
    "credit": ["Foto: Ann Other", "Getty Images"],
    "dated": ["Published 4 May 2023", "04.05.2023", "Publié le 4 mai"],
    "byline": ["By Ann Other", "Von Ann Other", "Tags: sea, harbour"],
    "comments": ["12 comments", "Leave a reply", "Kommentare"],
    "bio": ["Ann Other is a freelance journalist.", "Er ist Redakteur bei uns.", "Es periodista."],
    "duration": ["5 min read", "Lesezeit: 4 Minuten", "3 min"],
    "social": ["Facebook", "WhatsApp"],
}  # fmt: skip
CASES = [(name, text) for name, texts in SAID.items() for text in texts]
MATCHES = dict(FURNITURE)


@pytest.mark.parametrize(("name", "text"), CASES)
def test_furniture_is_recognised(name: str, text: str) -> None:
    assert MATCHES[name](text.lower())


@pytest.mark.parametrize(
    "text",
    ["The harbour was dredged in spring.", "Drei Höfe fürchten, dass ihre Wiesen nass werden.",
     "La remise en eau a demandé quatorze portes.", "El canal estaba cerrado."],
)  # fmt: skip
def test_prose_is_no_furniture(text: str) -> None:
    assert not [name for name, match in FURNITURE if match(text.lower())]


def test_every_kind_has_cases() -> None:
    assert set(SAID) == set(MATCHES)


def test_a_sentence_that_begins_like_a_byline_is_none() -> None:
    assert not MATCHES["byline"]("de haven was gesloten, " + "en niemand wist waarom " * 6)


def test_end_marks_and_cookie_notices() -> None:
    assert is_end_mark("related stories")
    assert is_end_mark("3 comments")
    assert not is_end_mark("the anchors")
    assert is_cookie_notice("This site uses cookies")
    assert not is_cookie_notice("She bakes cookies")
