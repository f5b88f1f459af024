"""From bytes to characters: the charset a page declares or, failing that, the one it is in."""

import codecs
import re
from dataclasses import dataclass

from charset_normalizer import from_bytes

_META_WINDOW_BYTES = 4096
# charset-normalizer needs about 10 ms for this much; more changed no answer on the test encodings.
_SAMPLE_BYTES = 8192
_SAMPLE_SEARCH_BYTES = 262_144
# A UTF-8 page with a stray byte (one comment pasted in Latin-1) is still a UTF-8 page.
_STRAY_SHARE = 0.001

_META = re.compile(
    rb"<meta[^<>]{0,512}?charset\s{0,8}=\s{0,8}[\"']?\s{0,8}([\w.:-]{1,40})", re.IGNORECASE
)
_XML = re.compile(rb"^\s{0,64}<\?xml[^<>]{0,256}?encoding\s{0,8}=\s{0,8}[\"']([\w.:-]{1,40})")
_TAG = re.compile(rb"<[^<>]*>")
_ASCII_RUN = re.compile(rb"[\x00-\x7f]{64,}")
UTF16_TAG = re.compile(rb"<\0[a-z!?]\0|\0<\0[a-z!?]", re.IGNORECASE)
_MULTIBYTE_UTF8 = re.compile(rb"[\xc3-\xf4][\x80-\xbf]")

# The encodings of the web (WHATWG) under the names Python has for them. A label that leads to none
# of these (utf-7, rot13 …) is no charset of a page.
_WEB_NAMES = {
    "utf-8": "utf-8", "utf-16": "utf-16le", "utf-16-le": "utf-16le", "utf-16-be": "utf-16be",
    "ascii": "windows-1252", "iso8859-1": "windows-1252", "cp1252": "windows-1252",
    "iso8859-2": "iso-8859-2", "iso8859-3": "iso-8859-3", "iso8859-4": "iso-8859-4",
    "iso8859-5": "iso-8859-5", "iso8859-6": "iso-8859-6", "iso8859-7": "iso-8859-7",
    "iso8859-8": "iso-8859-8", "iso8859-9": "windows-1254", "iso8859-10": "iso-8859-10",
    "iso8859-13": "iso-8859-13", "iso8859-14": "iso-8859-14", "iso8859-15": "iso-8859-15",
    "iso8859-16": "iso-8859-16", "cp1250": "windows-1250", "cp1251": "windows-1251",
    "cp1253": "windows-1253", "cp1254": "windows-1254", "cp1255": "windows-1255",
    "cp1256": "windows-1256", "cp1257": "windows-1257", "cp1258": "windows-1258",
    "cp866": "ibm866", "koi8-r": "koi8-r", "koi8-u": "koi8-u", "mac-roman": "macintosh",
    "mac-cyrillic": "x-mac-cyrillic", "cp874": "windows-874", "iso8859-11": "windows-874",
    "tis-620": "windows-874", "shift_jis": "shift_jis", "cp932": "shift_jis", "euc_jp": "euc-jp",
    "iso2022_jp": "iso-2022-jp", "gb2312": "gb18030", "gbk": "gb18030", "gb18030": "gb18030",
    "big5": "big5", "big5hkscs": "big5", "cp950": "big5", "euc_kr": "euc-kr", "cp949": "euc-kr",
}  # fmt: skip
_CODECS = {
    "shift_jis": "cp932", "euc-kr": "cp949", "big5": "big5hkscs", "windows-874": "cp874",
    "windows-1252": "cp1252", "macintosh": "mac-roman", "x-mac-cyrillic": "mac-cyrillic",
    "utf-16le": "utf-16-le", "utf-16be": "utf-16-be", "euc-jp": "euc_jis_2004",
}  # fmt: skip
_ALIASES = {
    "x-sjis": "shift_jis", "x-gbk": "gbk", "x-euc-jp": "euc_jp", "windows-31j": "cp932",
    "ks_c_5601-1987": "cp949", "x-x-big5": "big5", "unicode": "utf-16", "utf8": "utf-8",
}  # fmt: skip
_DETECTABLE = (
    "cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "koi8_r",
    "iso8859_2", "cp932", "euc_jp", "gb18030", "big5", "cp949", "cp874",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Decoded:
    """The characters of a body, and the charset (its name on the web) that gave them."""

    text: str
    encoding: str


def decode(body: bytes, header_charset: str | None) -> Decoded:
    """Decode by byte order mark, HTTP header, meta element, then detection; never raises.

    A declaration that the bytes contradict is passed over. NUL characters are removed.
    """
    text, encoding = _decode(body, header_charset)
    return Decoded(text.replace("\0", ""), encoding)


def _decode(body: bytes, header_charset: str | None) -> tuple[str, str]:
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8"),
        (b"\xff\xfe", "utf-16le"),
        (b"\xfe\xff", "utf-16be"),
    ):
        if body.startswith(mark):
            return body[len(mark) :].decode(_codec(encoding), "replace"), encoding
    declared = _declared(body, header_charset)
    for encoding in declared:
        if (text := _strictly(body, encoding)) is not None:
            return text, encoding
    if "utf-8" in declared and (text := _nearly_utf8(body)) is not None:
        return text, "utf-8"
    encoding = _detected(body) or (declared[0] if declared else "windows-1252")
    return body.decode(_codec(encoding), "replace"), encoding


def _declared(body: bytes, header_charset: str | None) -> list[str]:
    """What header and markup say, in order, each if it is a charset and can be true."""
    head = body[:_META_WINDOW_BYTES]
    meta = _META.search(head) or _XML.search(head)
    in_markup = _web_name(meta[1].decode("ascii", "replace")) if meta else None
    if in_markup and in_markup.startswith("utf-16"):
        in_markup = "utf-8"  # the declaration itself was read as ASCII (WHATWG prescan)
    named = [_web_name(header_charset) if header_charset else None, in_markup]
    encodings = [name for name in named if name]
    # Latin-1 is what servers say when nobody told them; such bytes are UTF-8 by no accident.
    if encodings[:1] == ["windows-1252"] and _MULTIBYTE_UTF8.search(body):
        encodings.insert(0, "utf-8")
    return encodings


def _web_name(label: str) -> str | None:
    label = label.strip(" \t\r\n\"'").lower()
    try:
        return _WEB_NAMES.get(codecs.lookup(_ALIASES.get(label, label)).name)
    except (LookupError, ValueError):
        return None


def _codec(encoding: str) -> str:
    return _CODECS.get(encoding, encoding)


def _strictly(body: bytes, encoding: str) -> str | None:
    """The text if every byte fits; an unfinished last character (a cut body) is forgiven."""
    if encoding == "windows-1252":
        # The web's windows-1252 gives the five bytes that Python's lacks a (control) meaning.
        return body.decode("cp1252", "replace")
    try:
        return codecs.getincrementaldecoder(_codec(encoding))("strict").decode(body)
    except ValueError:
        return None


def _nearly_utf8(body: bytes) -> str | None:
    """UTF-8 with a few stray bytes; without one valid sequence they are not strays."""
    if not _MULTIBYTE_UTF8.search(body):
        return None
    text = body.decode("utf-8", "replace")
    return text if text.count("\ufffd") <= max(1, len(text) * _STRAY_SHARE) else None


def _detected(body: bytes) -> str | None:
    if (encoding := _utf16_without_mark(body[:2048])) is not None:
        return encoding
    if b"\x1b$" in body[:_SAMPLE_SEARCH_BYTES] and _strictly(body, "iso-2022-jp") is not None:
        return "iso-2022-jp"
    if _strictly(body, "utf-8") is not None or _nearly_utf8(body) is not None:
        return "utf-8"
    best = from_bytes(
        _telling_sample(body), cp_isolation=list(_DETECTABLE), enable_fallback=False
    ).best()
    return _web_name(best.encoding) if best else None


def _utf16_without_mark(head: bytes) -> str | None:
    """Markup in UTF-16 has a NUL beside its first `<`, and beside almost every Latin letter."""
    if match := UTF16_TAG.match(head):
        return "utf-16be" if match[0].startswith(b"\0") else "utf-16le"
    pairs = len(head) // 2
    if pairs < 8:
        return None
    if head[1::2].count(0) > pairs * 0.4 and head[0::2].count(0) < pairs * 0.1:
        return "utf-16le"
    if head[0::2].count(0) > pairs * 0.4 and head[1::2].count(0) < pairs * 0.1:
        return "utf-16be"
    return None


def _telling_sample(body: bytes) -> bytes:
    """The first bytes that can tell encodings apart: no markup, no long runs of plain ASCII."""
    prose = _ASCII_RUN.sub(b" ", _TAG.sub(b" ", body[:_SAMPLE_SEARCH_BYTES]))
    if not any(byte > 0x7F for byte in prose[:_SAMPLE_BYTES]):
        first = next((i for i, byte in enumerate(body) if byte > 0x7F), 0)
        prose = body[max(0, first - 64) :]
    return prose[:_SAMPLE_BYTES]
