"""CDXJ: the sorted index beside each archive file, from which pywb replays it."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote_from_bytes, unquote, unquote_to_bytes, urlsplit

from webmine_assets.archive.container import escape_uri, format_date
from webmine_assets.errors import ArchiveError

SUFFIX = ".cdxj"
# As in the `surt` package, by whose keys pywb looks a page up: with others it finds nothing.
_WWW = re.compile(r"www\d*\.")
_SESSION = re.compile(
    r"(?:(?:jsessionid|phpsessid|sid)=[0-9a-z]{32}"
    r"|aspsessionid[a-z]{8}=[a-z]{24}|cfid=[^&]+&cftoken=[^&]+)(?:&|$)"
)
_PATH_SESSION = re.compile(r"\((?:[a-z]\([0-9a-z]{24}\))+\)/")
_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexLine:
    """One response record: where it is, and what it holds."""

    url: str
    fetched_at: datetime
    mime: str
    status: int
    digest: str
    offset: int
    length: int
    filename: str

    def __str__(self) -> str:
        stamp = re.sub(r"\D", "", format_date(self.fetched_at))
        fields = {
            "url": self.url,
            "mime": self.mime,
            "status": str(self.status),
            "digest": self.digest,
            "length": str(self.length),
            "offset": str(self.offset),
            "filename": self.filename,
        }
        return f"{surt(self.url)} {stamp} {json.dumps(fields)}"


def index_path(archive: Path) -> Path:
    """`NAME.cdxj` beside `NAME.warc.gz`."""
    return archive.with_name(archive.name.removesuffix(".gz").removesuffix(".warc") + SUFFIX)


def write_index(archive: Path, lines: Iterable[IndexLine]) -> Path:
    """Write the index of one archive file, sorted as bytes: pywb searches it by halves."""
    text = "".join(f"{line}\n" for line in sorted(map(str, lines), key=str.encode))
    path = index_path(archive)
    aside = path.with_name(f".{path.name}.part")
    aside.write_text(text, "utf-8")
    aside.replace(path)
    return path


def read_index(path: Path) -> list[IndexLine]:
    """The lines of an index file, in its order."""
    lines = []
    for number, text in enumerate(path.read_text("utf-8").splitlines(), start=1):
        try:
            lines.append(_parse_line(text))
        except (ValueError, KeyError, TypeError) as problem:
            raise ArchiveError(str(path), f"line {number} is not CDXJ ({problem!r})") from None
    return lines


def _parse_line(text: str) -> IndexLine:
    _, stamp, raw = text.split(" ", 2)
    fields = json.loads(raw)
    return IndexLine(
        url=fields["url"],
        fetched_at=datetime.strptime(stamp, "%Y%m%d%H%M%S").replace(tzinfo=UTC),
        mime=fields["mime"],
        status=int(fields["status"]),
        digest=fields["digest"],
        offset=int(fields["offset"]),
        length=int(fields["length"]),
        filename=fields["filename"],
    )


def surt(url: str) -> str:
    """The sort key of a URL: host labels reversed, path and query as replay tools fold them.

    It has no spaces, whatever the URL has: in an index line a space ends it.
    """
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return escape_uri(url).lower()
    if parts.scheme not in _DEFAULT_PORTS or not host:
        return escape_uri(url).lower()
    labels = _WWW.sub("", _ascii_host(host), count=1).split(".")
    reversed_host = ",".join(reversed(labels))
    shown_port = f":{port}" if port and port != _DEFAULT_PORTS[parts.scheme] else ""
    query = _query(parts.query)
    return f"{reversed_host}{shown_port}){_path(parts.path)}{f'?{query}' if query else ''}"


def _ascii_host(host: str) -> str:
    try:
        return escape_uri(unquote(host).rstrip(".").encode("idna").decode())
    except UnicodeError:
        return escape_uri(host)


def _path(path: str) -> str:
    segments: list[str] = []
    for segment in _fold(path).split("/"):
        if segment == "..":
            segments = segments[:-1]
        elif segment not in ("", "."):
            segments.append(segment)
    return _PATH_SESSION.sub("", "/" + "/".join(segments))


def _query(query: str) -> str:
    folded = _SESSION.sub("", _fold(query))
    # An empty piece, left by a session, stays: so it does in `surt`.
    return "&".join(sorted(folded.split("&"))) if folded else ""


def _fold(text: str) -> str:
    """Percent-escapes undone until none is left, lower-cased, and escaped again where needed."""
    raw = text.encode()
    while (plain := unquote_to_bytes(raw)) != raw:
        raw = plain
    return quote_from_bytes(raw, safe="!\"$&'()*+,-./:;<=>?@[\\]^_`{|}~").lower()
