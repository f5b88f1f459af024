"""The text of one block as one piece of Markdown: links, emphasis, code and pictures in a line."""

import re

from lxml.html import HtmlElement

from webmine_assets.extract.document import Document
from webmine_assets.extract.images import image_url
from webmine_assets.extract.outline import BREAK, Block

_MARKS = {
    "b": "**", "strong": "**", "i": "*", "em": "*", "cite": "*", "code": "`", "kbd": "`",
    "samp": "`", "tt": "`", "del": "~~", "s": "~~", "strike": "~~",
}  # fmt: skip
# As few as Markdown needs: a reader sees these too.
_ALWAYS_SPECIAL = ("\\", "`", "*")  # the backslash first: the others bring one
# A pattern a sign, so that replacements are constant: a template is expanded in Python for each
# match, and 5 MB of asterisks took 4.5 s.
_SOMETIMES_SPECIAL = (
    ("_", re.compile(r"(?<!\w)_|_(?!\w)")),
    ("<", re.compile(r"<(?=[a-zA-Z/!?])")),
    ("]", re.compile(r"\](?=\()")),
)
_LINE_START = re.compile(r"(?:#{1,6}|[-+>])(?=\s)|\d{1,9}(?=[.)]\s)|(?:={2,}|-{3,})$")
_TICKS = re.compile("`+")
_SPACES = re.compile(r"\s+")
_MAX_URL_CHARS = 2000
# One run of text without any element: no line of a page, and escaping it could double it.
_MAX_ESCAPED_CHARS = 100_000

_Opened = tuple[str, int, HtmlElement]


class InlineWriter:
    """Writes the tokens of blocks; resolves each address once."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._written: dict[Block, str] = {}

    def write(self, block: Block) -> str:
        """The Markdown of a block without its list marker, heading sign or quote sign."""
        text = self._written.get(block)
        if text is None:
            text = self._written[block] = self._fresh(block)
        return text

    def _fresh(self, block: Block) -> str:
        out: list[str] = []
        opened: list[_Opened] = []
        for token in block.tokens:
            if isinstance(token, str):
                out.append(_plain(token, in_code=bool(opened) and _is_code(opened)))
            else:
                self._mark(token, out, opened)
        while opened:
            self._close(opened.pop(), out)
        return _tidy("".join(out))

    def _mark(self, token: tuple[str, HtmlElement], out: list[str], opened: list[_Opened]) -> None:
        tag, element = token
        if tag in ("img", "amp-img"):
            out.append(self._image(element))
        elif tag in ("video", "audio"):
            out.append(self._media(element, tag))
        elif tag == "a" or tag in _MARKS:
            opened.append((tag, len(out), element))
        elif opened and opened[-1][0] == tag[1:]:
            self._close(opened.pop(), out)

    def _close(self, mark: _Opened, out: list[str]) -> None:
        tag, start, element = mark
        raw = "".join(out[start:])
        inner = raw.strip()
        if not inner:
            return
        sign = _MARKS.get(tag)
        if sign is None:
            written = self._link(inner, element)
        elif sign == "`" and "`" in inner and BREAK not in inner:
            written = _fenced(inner)
        elif inner.startswith(sign) or BREAK in inner:
            written = inner
        else:
            written = f"{sign}{inner}{sign}"
        lead = raw[: len(raw) - len(raw.lstrip())]
        out[start:] = [lead, written, raw[len(raw.rstrip()) :]]

    def _link(self, inner: str, element: HtmlElement) -> str:
        href = (element.get("href") or "").strip()
        if not href or href[0] == "#":
            return inner
        url = self._document.resolve(href)
        if url is None or len(url) > _MAX_URL_CHARS:
            return inner
        return f"[{inner.replace(BREAK, ' ')}]({_destination(url)})"

    def _image(self, element: HtmlElement) -> str:
        url = image_url(element, self._document)
        if url is None or len(url) > _MAX_URL_CHARS:
            return ""
        alt = _SPACES.sub(" ", element.get("alt") or "").strip().replace("[", "(").replace("]", ")")
        return f"![{alt}]({_destination(url)})"

    def _media(self, element: HtmlElement, tag: str) -> str:
        for holder in (element, *element.iterchildren("source")):
            source = holder.get("src")
            if source and (url := self._document.resolve(source)):
                return f"[{tag}]({_destination(url)})"
        return ""


def _is_code(opened: list[_Opened]) -> bool:
    return any(_MARKS.get(tag) == "`" for tag, _, _ in opened)


def _fenced(code: str) -> str:
    """Code that has backticks, between more of them than it holds in a row (CommonMark 6.1)."""
    fence = "`" * (max(len(run) for run in _TICKS.findall(code)) + 1)
    return f"{fence} {code} {fence}"


def _plain(text: str, *, in_code: bool) -> str:
    if text == BREAK:
        return BREAK
    if len(text) > _MAX_ESCAPED_CHARS:
        return text
    return text if in_code else _escaped(text)


def _escaped(text: str) -> str:
    for sign in _ALWAYS_SPECIAL:
        text = text.replace(sign, "\\" + sign)
    for sign, pattern in _SOMETIMES_SPECIAL:
        if sign in text:
            text = pattern.sub(rf"\\{sign}", text)
    return text


def _tidy(text: str) -> str:
    """One paragraph: single spaces, breaks as line ends, no accidental heading or list."""
    lines = [" ".join(line.split()) for line in text.split(BREAK)]
    text = "  \n".join(line for line in lines if line)
    return "\\" + text if _LINE_START.match(text) and not text[0].isdigit() else _number(text)


def _number(text: str) -> str:
    match = _LINE_START.match(text)
    return f"{match[0]}\\{text[match.end() :]}" if match else text


def _destination(url: str) -> str:
    return url.replace(" ", "%20").replace("(", "%28").replace(")", "%29").replace("<", "%3C")
