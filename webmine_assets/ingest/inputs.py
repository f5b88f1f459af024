"""What to import: files, folders, http URLs and fsspec URLs with `*`, one stream each.

http goes through a fetch that is handed in: the guarded door of the crawler.
"""

import glob
import gzip
import hashlib
import io
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, cast
from urllib.parse import urlsplit

import fsspec

from webmine_assets.errors import ImportSourceError

_CHUNK_BYTES = 1024 * 1024
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """An http response with its content coding undone; header names in lower case."""

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes


# URL and request headers to a response; a fetch that fails raises ImportSourceError.
Fetch = Callable[[str, Mapping[str, str]], Fetched]


@dataclass(frozen=True, slots=True)
class Input:
    """One thing to import: `name` for people and the tracker, `open` for a fresh stream."""

    name: str
    open: Callable[[], BinaryIO] = field(repr=False)

    @property
    def base_name(self) -> str:
        """The last part of the name, in which dates and file kinds are looked for."""
        return self.name.rstrip("/").rpartition("/")[2]

    def digest(self) -> str:
        """What the bytes are, whatever they are called."""
        digest = hashlib.sha256()
        with self.open() as stream:
            while chunk := stream.read(_CHUNK_BYTES):
                digest.update(chunk)
        return f"sha256:{digest.hexdigest()}"


def expand_inputs(
    specs: Iterable[str], *, fetch: Fetch | None = None, endings: tuple[str, ...] = ()
) -> Iterator[Input]:
    """The inputs that files, folders and URLs stand for, in order; none found is an error.

    Of a folder only the files with one of the `endings` are taken, or all if there are none.
    """
    for spec in specs:
        scheme = urlsplit(spec).scheme if "://" in spec else ""
        if scheme in ("http", "https"):
            yield _http_input(spec, fetch)
        elif scheme:
            yield from _fsspec_inputs(spec, endings)
        elif "*" in spec and not Path(spec).exists():
            for path in _matching(spec):
                yield from _local_inputs(path, endings)
        else:
            yield from _local_inputs(Path(spec), endings)


def unpacked(stream: BinaryIO, max_bytes: int) -> io.BufferedReader:
    """The stream with gzip undone if it is gzip; more than `max_bytes` of output is an error."""
    head = stream.read(len(_GZIP))
    joined: io.BufferedReader = io.BufferedReader(_Joined(head, stream))
    if head != _GZIP:
        return joined
    return io.BufferedReader(_Bounded(gzip.GzipFile(fileobj=joined), max_bytes))


def _local_inputs(path: Path, endings: tuple[str, ...]) -> Iterator[Input]:
    if path.is_dir():
        there = sorted(p for p in path.rglob("*") if p.is_file() and not _is_hidden(p, path))
        files = [file for file in there if _has_ending(file.name, endings)]
        if not files:
            raise ImportSourceError(f"{path}: the folder has no {_files_with(endings)}")
        yield from (Input(str(file), partial(_open_file, file)) for file in files)
    elif path.is_file():
        yield Input(str(path), partial(_open_file, path))
    else:
        raise ImportSourceError(f"{path}: there is no such file or folder")


def _has_ending(name: str, endings: tuple[str, ...]) -> bool:
    return not endings or name.endswith(endings)


def _files_with(endings: tuple[str, ...]) -> str:
    return f"files named *{' or *'.join(endings)}" if endings else "files"


def _matching(spec: str) -> list[Path]:
    found = sorted(glob.glob(spec))  # noqa: PTH207  # Path.glob wants the folder apart
    if not found:
        raise ImportSourceError(f"{spec}: no file or folder has such a name")
    return [Path(name) for name in found]


def _open_file(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as problem:
        raise ImportSourceError(f"{path}: cannot be read ({problem.strerror})") from None


def _is_hidden(path: Path, root: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(root).parts)


def _http_input(url: str, fetch: Fetch | None) -> Input:
    if fetch is None:
        raise ImportSourceError(f"{url}: http inputs cannot be fetched here; download it first")
    if "*" in url:
        raise ImportSourceError(f"{url}: `*` works with files and object stores, not with http")
    kept: list[bytes] = []

    def read() -> BinaryIO:
        # Fetched once: the digest and the import are to see the same bytes.
        if not kept:
            answer = fetch(url, {})
            if answer.status != 200:
                raise ImportSourceError(f"{url}: the server answered {answer.status}")
            kept.append(answer.body)
        return io.BytesIO(kept[0])

    return Input(url, read)


def _fsspec_inputs(url: str, endings: tuple[str, ...]) -> Iterator[Input]:
    if "::" in url:
        # `simplecache::http://…` would reach the network beside the guarded door.
        raise ImportSourceError(f"{url}: chained URLs are not taken; name the store itself")
    try:
        store, path = fsspec.core.url_to_fs(url)
        paths = sorted(store.glob(path)) if "*" in path else [path]
        files = [p for p in paths if store.isfile(p)]
        if not files and store.isdir(path):
            files = [file for file in sorted(store.find(path)) if _has_ending(file, endings)]
    except (ImportError, ValueError, OSError) as problem:
        raise ImportSourceError(f"{url}: cannot be listed ({problem})") from None
    if not files:
        raise ImportSourceError(f"{url}: no {_files_with(endings)} there")
    for file in files:
        yield Input(store.unstrip_protocol(file), partial(_open, store, file, url))


def _open(store: Any, file: str, url: str) -> BinaryIO:
    try:
        return cast(BinaryIO, store.open(file, "rb"))
    except OSError as problem:
        raise ImportSourceError(f"{url}: {file} cannot be read ({problem})") from None


class _Joined(io.RawIOBase):
    """Bytes that were read to look at them, and the rest of their stream."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head = head
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._head[: len(buffer)] or self._rest.read(len(buffer))
        self._head = self._head[len(buffer) :]
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._rest.close()
        super().close()


class _Bounded(io.RawIOBase):
    """A stream that may not be longer than it is allowed to be, and says so if it is broken."""

    def __init__(self, inner: gzip.GzipFile, max_bytes: int) -> None:
        self._inner = inner
        self._left = max_bytes

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._inner.read(len(buffer))
        except (OSError, EOFError, zlib.error) as problem:
            raise ImportSourceError(f"the gzip data is broken ({problem})") from None
        self._left -= len(data)
        if self._left < 0:
            raise ImportSourceError("the gzip data is larger than allowed when unpacked")
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._inner.close()
        super().close()
