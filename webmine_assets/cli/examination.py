"""What `webmine doctor` looks at, each finding with the way out."""

import platform
import sys
import tempfile
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from webmine_assets.crawl.rendering.chromium import find_chromium
from webmine_assets.errors import StorageError
from webmine_assets.institutions import load_institutions
from webmine_assets.settings import Settings
from webmine_assets.storage.lake import Lake


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at; without a needed one nothing works. `lack` is its state if not ok."""

    what: str
    ok: bool
    detail: str
    needed: bool = True
    lack: str = "missing"


def examine(settings: Settings) -> list[Finding]:
    """Everything worth knowing about this installation."""
    return [
        Finding("python", sys.version_info >= (3, 11), platform.python_version()),
        *(_package(name) for name in ("dagster", "dagster-webserver", "duckdb", "pyarrow")),
        _browser(settings),
        _contact(settings),
        _package("dagster-postgres", needed=settings.pg_url is not None, extra="postgres"),
        _package("dagster-celery", needed=settings.broker is not None, extra="celery"),
        _data(settings),
        _lake(settings),
        _institutions(settings),
    ]


def _package(name: str, *, needed: bool = True, extra: str | None = None) -> Finding:
    try:
        return Finding(name, True, version(name), needed)
    except PackageNotFoundError:
        # An extra is pinned to the version of Dagster that it belongs to.
        how = f'pip install ".[{extra}]" in the clone' if extra else f"pip install {name}"
        return Finding(name, False, how, needed)


def _browser(settings: Settings) -> Finding:
    search = find_chromium(settings.chromium)
    detail = f"{search.path} ({search.detail})" if search.path else search.detail
    if search.is_whole_browser:
        detail += "; chromium-headless-shell would render half as many pages again"
    return Finding("chromium (for rendering)", search.path is not None, detail, needed=False)


def _contact(settings: Settings) -> Finding:
    detail = settings.contact or "set WEBMINE_CONTACT to a URL or address: sites see who is asking"
    return Finding("contact in the user agent", settings.contact is not None, detail, needed=False)


def _data(settings: Settings) -> Finding:
    """Whether it may be written; where it is not there yet, whether it can be made."""
    folder = settings.data
    place = next(one for one in (folder, *folder.parents) if one.exists())
    try:
        with tempfile.TemporaryDirectory(dir=place):
            detail = str(folder) if place == folder else f"{folder}, made by the first command"
            return Finding("data folder", True, detail)
    except OSError as problem:
        detail = f"{folder}: {problem.strerror}; set WEBMINE_DATA to a folder you can write"
        return Finding("data folder", False, detail, lack="not writable")


def _lake(settings: Settings) -> Finding:
    try:
        lake = Lake(settings.lake)
        tables = len(lake.institutions("page_snapshots"))
        damaged = list(lake.damaged())
    except StorageError as problem:
        return Finding("lake", False, str(problem), lack="not usable")
    if damaged:
        return Finding("lake", False, "\n".join(map(str, damaged)), lack="damaged")
    return Finding("lake", True, f"{settings.lake}, {tables} institutions crawled")


def _institutions(settings: Settings) -> Finding:
    loaded = load_institutions(settings.institutions)
    if loaded.errors:
        detail = "\n".join(str(e) for e in loaded.errors)
        return Finding("institution files", False, detail, lack="mistakes")
    detail = f"{len(loaded.institutions)} in {settings.institutions}"
    return Finding("institution files", True, detail, needed=False)
