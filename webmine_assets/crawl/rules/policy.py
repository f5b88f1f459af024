"""Which responses and which texts are worth storing; a refusal says why, and the crawl goes on."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from webmine_assets.crawl.exchange import Refusal
from webmine_assets.crawl.pages.links import MetaRobots
from webmine_assets.crawl.pages.text import PageText
from webmine_assets.reading.charset import UTF16_TAG
from webmine_assets.reading.language import Language
from webmine_assets.reading.pdf import is_pdf
from webmine_assets.records import Decision

if TYPE_CHECKING:
    # The processes that read pages import this module: pydantic and YAML double their start.
    from webmine_assets.institutions import Budgets, Policy

_SNIFF_BYTES = 1024
# Text has tabs and line ends; more than a few other control characters make it something else.
_MAX_CONTROL_SHARE = 0.02
# A page that says no more than "not found" is short; an article about missing pages is not.
_SOFT_404_MAX_CHARS = 1500


class Kind(StrEnum):
    """How a body is read."""

    HTML = "html"
    PDF = "pdf"
    TEXT = "text"


_KINDS = {
    "text/html": Kind.HTML,
    "application/xhtml+xml": Kind.HTML,
    "application/vnd.wap.xhtml+xml": Kind.HTML,
    "application/pdf": Kind.PDF,
    "application/x-pdf": Kind.PDF,
    "text/plain": Kind.TEXT,
}
# Types that servers give when they do not know; the body decides.
_UNKNOWN_TYPES = frozenset(
    {"", "application/octet-stream", "binary/octet-stream", "application/x-unknown"}
)
_MAGIC = (
    (b"\x89PNG", "PNG image"), (b"\xff\xd8\xff", "JPEG image"), (b"GIF8", "GIF image"),
    (b"PK\x03\x04", "ZIP archive"), (b"\x1f\x8b", "gzip file"), (b"BZh", "bzip2 file"),
    (b"7z\xbc\xaf", "7z archive"), (b"Rar!", "RAR archive"), (b"\x7fELF", "program"),
    (b"MZ\x90", "program"), (b"\xd0\xcf\x11\xe0", "Office document"), (b"OggS", "Ogg media"),
    (b"ID3", "MP3 audio"), (b"wOFF", "font"), (b"wOF2", "font"), (b"\0asm", "WebAssembly"),
    (b"SQLite format 3", "database"), (b"\0\0\x01\0", "icon"),
)  # fmt: skip
_BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_CONTROL = bytes(set(range(32)) - set(b"\t\n\r\f\x1b")) + b"\x7f"
_MARKUP = re.compile(
    rb"<(?:!doctype\s+html|html|head|body|title|meta|div|p|h1|script)\b", re.IGNORECASE
)
_CHARSET = re.compile(r";\s*charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_NOT_FOUND = re.compile(
    r"\b(?:404|410)\b.{0,40}\b(?:error|not found|page)\b|\berror\b.{0,10}\b404\b|^\s*404\b"
    r"|\b(?:page|file|document|resource|url)\b.{0,30}\b(?:not found|can(?:no|')t be found"
    r"|(?:could not|cannot) be found|does(?: not|n't) exist|no longer (?:exists|available))"
    r"|^\s*(?:page )?not found\b"
    r"|\bseite (?:wurde )?nicht gefunden|\bpage (?:non trouvée|introuvable)"
    r"|\bpágina no encontrada|\bpagina non trovata|\bpágina não encontrada|страница не найдена",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ContentType:
    """A Content-Type header: media type in lower case, and the charset if it names one."""

    media_type: str
    charset: str | None


def parse_content_type(header: str | None) -> ContentType:
    """The parts of a Content-Type header; empty for none."""
    value = header or ""
    match = _CHARSET.search(value)
    return ContentType(
        re.split(r"[;,\s]", value.strip(), maxsplit=1)[0].lower(), match[1] if match else None
    )


def kind_of(content_type: str | None, body: bytes) -> Kind | None:
    """How to read a body, by its header or, where that says nothing, by its first bytes."""
    media_type = parse_content_type(content_type).media_type
    if is_pdf(body):
        return Kind.PDF
    if media_type in _UNKNOWN_TYPES:
        return Kind.HTML if _MARKUP.search(body[:_SNIFF_BYTES]) else None
    return _KINDS.get(media_type)


def decide_response(
    status: int, content_type: str | None, body: bytes, *, budgets: "Budgets"
) -> Refusal | None:
    """Why a response cannot be stored, told from its status, type, size and first bytes."""
    if status >= 400:
        return Refusal(
            decision=Decision.HTTP_ERROR, reason=f"http_{status}", detail=f"status {status}"
        )
    if status != 200:
        return _refusal("status", f"status {status}")
    kind = kind_of(content_type, body)
    if kind is None:
        return _refusal("content_type", parse_content_type(content_type).media_type or "none given")
    if kind is Kind.PDF:
        return _decide_pdf_size(len(body), budgets)
    if len(body) > budgets.max_body_bytes:
        return _refusal("body_size", f"{len(body)} bytes, limit {budgets.max_body_bytes}")
    charset = parse_content_type(content_type).charset
    if (found := _binary_as_text(body, charset)) is not None:
        return _refusal("binary", found)
    return None


def decide_text(text: str, language: Language | None, *, policy: "Policy") -> Refusal | None:
    """Why a text is not worth storing: too short, or in a language that was not asked for.

    A guess below the confidence asked for does not refuse a page.
    """
    length = len(text.strip())
    if length < policy.min_text_length:
        return _refusal("min_text", f"{length} characters, at least {policy.min_text_length}")
    if language is None or not policy.languages:
        return None
    allowed = {code.lower().partition("-")[0] for code in policy.languages}
    if language.code in allowed or language.confidence < policy.language_confidence:
        return None
    return _refusal("language", f"{language.code} with confidence {language.confidence:.2f}")


def decide_page(page: PageText, robots: MetaRobots) -> Refusal | None:
    """Why a page is not one to store: it asks not to be, or it says that it does not exist."""
    if robots.noindex:
        return _refusal("noindex", "the page or its headers say noindex")
    if len(page.text) <= _SOFT_404_MAX_CHARS:
        for line in (page.title, page.heading):
            if line and _NOT_FOUND.search(line):
                return _refusal("soft_404", line[:200])
    return None


def _refusal(reason: str, detail: str) -> Refusal:
    return Refusal(decision=Decision.CONTENT_POLICY, reason=reason, detail=detail)


def _decide_pdf_size(size_bytes: int, budgets: "Budgets") -> Refusal | None:
    if size_bytes <= budgets.pdf_size_limit_mb * 1_000_000:
        return None
    return _refusal("pdf_size", f"{size_bytes} bytes, limit {budgets.pdf_size_limit_mb:g} MB")


def _binary_as_text(body: bytes, charset: str | None) -> str | None:
    """What a body that calls itself text really is, if its first bytes give it away."""
    head = body[:_SNIFF_BYTES]
    for magic, name in _MAGIC:
        if head.startswith(magic):
            return name
    if head[4:8] == b"ftyp" or head[:4] == b"RIFF":
        return "media file"
    if head.startswith(_BYTE_ORDER_MARKS) or _is_utf16(head, charset):
        return None
    controls = len(head) - len(head.translate(None, _CONTROL))
    share = controls / max(1, len(head))
    return f"{share:.0%} control characters" if share > _MAX_CONTROL_SHARE else None


def _is_utf16(head: bytes, charset: str | None) -> bool:
    """Text in UTF-16 without its mark: as the header or the first `<` says, or by its bytes.

    Outside Latin the bytes do not tell: half of Cyrillic ones are 0x04, a control character.
    """
    if (charset or "").lower().startswith("utf-16") or UTF16_TAG.match(head):
        return True
    # Every other byte is NUL, and few of the rest are controls.
    even, odd = head[0::2], head[1::2]
    nuls, letters = (even, odd) if even.count(0) > odd.count(0) else (odd, even)
    return (
        nuls.count(0) > len(nuls) * 0.4
        and len(letters.translate(None, _CONTROL)) > len(letters) * 0.95
    )
