"""What an institution file may say: one model a section, strict about unknown keys."""

import ipaddress
import re
from datetime import datetime
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
)

ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")
_HOST = re.compile(r"(\*\.)?([a-z0-9_]([a-z0-9_-]*[a-z0-9])?\.)*[a-z0-9_]([a-z0-9_-]*[a-z0-9])?")
_HOST_WITH_PORT = re.compile(r"(?P<host>.+?)(?P<port>:\d{1,5})?")


def _http_url(value: str) -> str:
    if not re.match(r"https?://[^/\s]+", value, re.IGNORECASE):
        raise ValueError("expected an absolute http:// or https:// URL")
    return value


def _domain(value: str) -> str:
    lowered = value.strip().lower().rstrip(".")
    match = _HOST_WITH_PORT.fullmatch(lowered)
    host = match["host"] if match else lowered
    try:
        host = host.encode("idna").decode() if not host.isascii() else host
    except UnicodeError:
        raise ValueError("expected a host name") from None
    if not (_HOST.fullmatch(host) or re.fullmatch(r"\[[0-9a-f:.]+\]", host)):
        raise ValueError("expected a host such as u1.edu, or *.u1.edu for its subdomains")
    return host + (match["port"] or "" if match else "")


def _network(value: str) -> str:
    ipaddress.ip_network(value, strict=False)
    return value


def _pattern(value: str) -> str:
    try:
        re.compile(value)
    except re.error as problem:
        raise ValueError(f"expected a regular expression or path text: {problem}") from None
    return value


HttpUrl = Annotated[str, AfterValidator(_http_url)]
Domain = Annotated[str, AfterValidator(_domain)]
Network = Annotated[str, AfterValidator(_network)]
Pattern = Annotated[str, AfterValidator(_pattern)]


def _ascii_host(host: str) -> str:
    try:
        return host.lower() if host.isascii() else host.encode("idna").decode()
    except UnicodeError:
        return host.lower()


def _covers(domain: str, host: str) -> bool:
    """Whether a domain pattern names a host; ports do not matter here."""
    name = (urlsplit(f"//{domain.removeprefix('*.')}").hostname or "").lower()
    return host.endswith(f".{name}") if domain.startswith("*.") else host == name


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Budgets(_Strict):
    """Where a crawl stops cleanly."""

    max_seconds: float | None = Field(
        default=None, gt=0, allow_inf_nan=False, description="wall-clock seconds"
    )
    max_bytes: int | None = Field(default=None, gt=0, description="bytes received in all")
    max_body_bytes: int = Field(default=10_000_000, gt=0, description="decoded bytes of one page")
    pdf_size_limit_mb: float = Field(default=20, gt=0, description="larger PDFs are not parsed")
    max_redirects: int = Field(default=5, ge=0, le=20)


class Politeness(_Strict):
    """How gently each host is asked."""

    delay_ms: int = Field(default=250, ge=0, description="least time between requests to a host")
    concurrency: int = Field(default=4, ge=1, le=64, description="connections to one host")
    respect_crawl_delay: bool = Field(default=True, description="obey Crawl-delay of robots.txt")


class Rendering(_Strict):
    """When a browser is used."""

    mode: Literal["auto", "never", "always"] = "auto"
    timeout_s: float = Field(default=15, gt=0, le=120)
    max_pages: int = Field(default=200, ge=0, description="at most so many renders a crawl")
    screenshots: bool = False


class Policy(_Strict):
    """Which pages are worth storing."""

    min_text_length: int = Field(default=50, ge=0, description="characters")
    languages: tuple[str, ...] = Field(default=(), description="allowed languages; empty: all")
    language_confidence: float = Field(default=0.7, ge=0, le=1)


class ExtractionRule(_Strict):
    """One thing to remove from this institution's pages before content is chosen."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    type: Literal["css_selector", "xpath"] = "css_selector"
    value: str = Field(min_length=1)
    description: str = ""
    created_at: datetime | None = Field(default=None, validation_alias="createdAt")


class Institution(_Strict):
    """One institution file."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    institution_id: str
    name: str = ""
    seed_urls: tuple[HttpUrl, ...] = Field(min_length=1)
    allowed_domains: tuple[Domain, ...] = Field(
        min_length=1, description="exact host, or *.host for its subdomains"
    )
    disallowed_paths: tuple[str, ...] = Field(
        default=(), description="path prefixes; * is any text"
    )
    include_patterns: tuple[Pattern, ...] = Field(
        default=(), description="URLs that match go first: path text or a regular expression"
    )
    max_pages: int = Field(default=500, ge=1)
    max_depth: int = Field(default=4, ge=0)
    ttl_days: float = Field(default=7, ge=0)
    feeds: tuple[HttpUrl, ...] = ()
    fetch_limit: int = Field(
        default=500, ge=1, validation_alias="fetchLimit", description="entries taken of one feed"
    )
    topics: tuple[str, ...] = ()
    extraction_rules: tuple[ExtractionRule, ...] = ()
    budgets: Budgets = Budgets()
    politeness: Politeness = Politeness()
    rendering: Rendering = Rendering()
    policy: Policy = Policy()
    allow_networks: tuple[Network, ...] = Field(
        default=(), description="CIDRs the guard lets through besides public addresses"
    )

    @field_validator("institution_id")
    @classmethod
    def _id_is_a_folder_name(cls, value: str) -> str:
        if not ID.fullmatch(value):
            raise ValueError(
                "expected lower-case letters, digits, - and _, starting with a letter or digit"
            )
        return value

    @field_validator("allowed_domains")
    @classmethod
    def _seeds_are_in_scope(cls, domains: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        for url in info.data.get("seed_urls", ()):
            host = _ascii_host(urlsplit(url).hostname or "")
            if not any(_covers(domain, host) for domain in domains):
                raise ValueError(f"expected the host of every seed; {url} is on {host}")
        return domains

    @property
    def display_name(self) -> str:
        return self.name or self.institution_id
