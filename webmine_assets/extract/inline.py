"""The text of one block as one piece of Markdown: links, emphasis, code and pictures in a line."""

import re
from itertools import zip_longest

from lxml.html import HtmlElement

from webmine_assets.extract.document import Document
from webmine_assets.extract.images import image_url
from webmine_assets.extract.outline import BREAK, Block, Token

_MARKS = {
    "b": "**", "strong": "**", "i": "*", "em": "*", "cite": "*", "code": "`", "kbd": "`",
    "samp": "`", "tt": "`", "del": "~~", "s": "~~", "strike": "~~",
}  # fmt: skip
# As few as Markdown needs: a reader sees these too.
_ALWAYS_SPECIAL = ("\\", "`", "*")  # the backslash first: the others bring one
# A pattern a sign, so that replacements are constant: a template is expanded in Python for each
# match, and 5 MB of asterisks took 4.5 s.
_SOMETIMES_SPECIAL = (
    ("<", re.compile(r"<(?=[a-zA-Z/!?])")),
    ("]", re.compile(r"\](?=\()")),
    ("[", re.compile(r"\[(?=[^\[\]]{0,200}\\\])")),  # its closing one was escaped just now
    ("&", re.compile(r"&(?=#?\w{1,31};)")),
    ("~", re.compile(r"~(?=~)")),
    ("!", re.compile(r"!(?=\[)")),
)
# Within a word it is no mark. Escaped with the others and taken back: they are the rare ones where
# there are so many that it matters.
_WITHIN_WORD = re.compile(r"\\_(?<=[^\W_]\\_)(?=[^\W_])")
# What would begin a heading, a list, a quote, a rule, a fence or the definition of a link.
_LINE_START = re.compile(
    r"(?:#{1,6}|[-+])(?=\s|$)|>|~{3}|[=-]+$|\[(?=[^\[\]\n]{1,200}\]:)|\d{1,9}(?=[.)](?:\s|$))"
)
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
        for token, following in zip_longest(block.tokens, block.tokens[1:]):
            if isinstance(token, str):
                out.append(_plain(token, in_code=bool(opened) and _is_code(opened)))
            else:
                self._mark(token, _first_sign(following), out, opened)
        while opened:
            self._close(opened.pop(), "", out)
        return _tidy("".join(out))

    def _mark(
        self,
        token: tuple[str, HtmlElement],
        following: str,
        out: list[str],
        opened: list[_Opened],
    ) -> None:
        tag, element = token
        if tag in ("img", "amp-img"):
            out.append(self._image(element))
        elif tag in ("video", "audio"):
            out.append(self._media(element, tag))
        elif tag == "a" or tag in _MARKS:
            opened.append((tag, len(out), element))
        elif opened and opened[-1][0] == tag[1:]:
            self._close(opened.pop(), following, out)

    def _close(self, mark: _Opened, following: str, out: list[str]) -> None:
        tag, start, element = mark
        raw = "".join(out[start:])
        inner = raw.strip()
        if not inner:
            return
        lead, tail = raw[: len(raw) - len(raw.lstrip())], raw[len(raw.rstrip()) :]
        before = lead[-1:] or _last_sign(out, start)
        sign = _MARKS.get(tag)
        if sign is None:
            written = self._link(inner, element)
            if before == "!" and written is not inner:
                lead = " "  # else the exclamation mark would make it a picture
        elif sign == "`" and "`" in inner and BREAK not in inner:
            written = _fenced(inner)
        elif BREAK in inner or not _can_mark(sign, before, inner, (tail or following)[:1]):
            written = inner
        else:
            written = f"{sign}{inner}{sign}"
        out[start:] = [lead, written, tail]

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


def _first_sign(token: Token | None) -> str:
    """The character that the next token begins with, as far as emphasis must know."""
    if token is None:
        return ""
    if isinstance(token, str):
        return token[:1]
    return _MARKS.get(token[0], "")[:1]


def _last_sign(out: list[str], end: int) -> str:
    """The last character written before a place."""
    while end and not out[end - 1]:
        end -= 1
    return out[end - 1][-1] if end else ""


def _can_mark(sign: str, before: str, inner: str, following: str) -> bool:
    """Whether signs around a text would be read as such (CommonMark 6.2: flanking delimiters)."""
    if inner.startswith(sign) or sign[0] in (before, following):
        return False
    if sign == "`":
        return True
    opens = inner[0].isalnum() or not before.isalnum()
    closes = inner[-1].isalnum() or not following.isalnum()
    return opens and closes


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
    if "_" in text:
        text = _WITHIN_WORD.sub("_", text.replace("_", "\\_"))
    for sign, pattern in _SOMETIMES_SPECIAL:
        if sign in text:
            text = pattern.sub(rf"\\{sign}", text)
    return text


def _tidy(text: str) -> str:
    """One paragraph: single spaces, breaks as line ends, no accidental heading or list."""
    lines = [" ".join(line.split()) for line in text.split(BREAK)]
    return "  \n".join(_as_text(line) for line in lines if line)


def _as_text(line: str) -> str:
    """A line that begins no heading or list: 1. becomes 1\\. and all others get a backslash."""
    match = _LINE_START.match(line)
    if match is None:
        return line
    return f"{match[0]}\\{line[match.end() :]}" if line[0].isdigit() else "\\" + line


def _destination(url: str) -> str:
    return url.replace(" ", "%20").replace("(", "%28").replace(")", "%29").replace("<", "%3C")
