"""Where things are and what the environment says: the only module that reads variables."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from webmine_assets.errors import ConfigurationError

_FILE_PREFIX = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,30}[A-Za-z0-9])?")
_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The environment, read once."""

    data: Path
    lake: str
    auto_enhance: bool = True
    pg_url: str | None = None
    broker: str | None = None
    chromium: str | None = None
    contact: str | None = None
    archive_prefix: str = "mc"
    elastic_url: str | None = None
    elastic_key: str | None = None
    llm_url: str | None = None
    llm_key: str | None = None
    llm_model: str | None = None

    @property
    def institutions(self) -> Path:
        return self.data / "institutions"

    @property
    def journals(self) -> Path:
        return self.data / "journals"

    @property
    def archives(self) -> Path:
        return self.data / "archives"

    @property
    def screenshots(self) -> Path:
        return self.data / "screenshots"

    @property
    def tracker(self) -> Path:
        return self.data / "imports.sqlite"

    @property
    def search_index(self) -> Path:
        return self.data / "search"

    @property
    def warehouse(self) -> Path:
        return self.data / "webmine.duckdb"

    @property
    def dagster_home(self) -> Path:
        return self.data / "dagster"

    @property
    def living_runs(self) -> Path:
        return self.dagster_home / "living"

    @property
    def taken_runs(self) -> Path:
        return self.dagster_home / "taken"


def read_settings(environment: dict[str, str] | None = None) -> Settings:
    """Settings from the environment; a value that makes no sense is an error that names it."""
    env = dict(os.environ) if environment is None else environment
    data = Path(env.get("WEBMINE_DATA") or "data").expanduser().resolve()
    return Settings(
        data=data,
        lake=_place(env.get("WEBMINE_LAKE") or str(data / "lake")),
        auto_enhance=_flag(env, "AUTO_ENHANCE_METADATA", default=True),
        pg_url=env.get("WEBMINE_PG_URL") or None,
        broker=_broker(env),
        chromium=env.get("WEBMINE_CHROMIUM") or None,
        contact=env.get("WEBMINE_CONTACT") or None,
        archive_prefix=_prefix(env, "WEBMINE_ARCHIVE_PREFIX", default="mc"),
        elastic_url=env.get("WEBMINE_ELASTIC_URL") or None,
        elastic_key=env.get("WEBMINE_ELASTIC_KEY") or None,
        llm_url=env.get("WEBMINE_LLM_URL") or None,
        llm_key=env.get("WEBMINE_LLM_KEY") or None,
        llm_model=env.get("WEBMINE_LLM_MODEL") or None,
    )


def _broker(env: dict[str, str]) -> str | None:
    """The queue of runs; workers elsewhere need a database that they can reach, too."""
    broker = env.get("WEBMINE_BROKER") or None
    if broker and not broker.startswith(("redis://", "rediss://")):
        # Without what follows the scheme, which may hold a password.
        scheme = broker.partition("://")[0] if "://" in broker else "no URL"
        raise ConfigurationError(f"WEBMINE_BROKER is {scheme}: expected redis://HOST:PORT/NUMBER")
    if broker and not env.get("WEBMINE_PG_URL"):
        raise ConfigurationError(
            "WEBMINE_BROKER needs WEBMINE_PG_URL as well: workers keep their runs in PostgreSQL"
        )
    return broker


def _place(location: str) -> str:
    """A URL as it is, a path as an absolute one: other processes may start in another folder."""
    return location if "://" in location else str(Path(location).expanduser().resolve())


def _prefix(env: dict[str, str], name: str, *, default: str) -> str:
    """The beginning of file names, without the hyphen behind it."""
    value = env.get(name) or default
    if not _FILE_PREFIX.fullmatch(value):
        raise ConfigurationError(f"{name}={value!r}: expected letters, digits and . _ inside")
    return value


def _flag(env: dict[str, str], name: str, *, default: bool) -> bool:
    value = env.get(name, "").strip().lower()
    if not value:
        return default
    if value in _TRUE | _FALSE:
        return value in _TRUE
    raise ConfigurationError(f"{name}={env[name]!r}: expected true or false")
