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

from webmine_assets.urls import MAX_PORT, url_problem

ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")
_HOST = re.compile(r"(\*\.)?([a-z0-9_]([a-z0-9_-]*[a-z0-9])?\.)*[a-z0-9_]([a-z0-9_-]*[a-z0-9])?")
_HOST_WITH_PORT = re.compile(r"(?P<host>.+?)(?P<port>:\d{1,5})?")


def _http_url(value: str) -> str:
    if not re.match(r"https?://[^/\s]+", value, re.IGNORECASE):
        raise ValueError("expected an absolute http:// or https:// URL")
    if problem := url_problem(value):
        raise ValueError(f"expected an address that can be asked for: {problem}")
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
    if match and match["port"] and not 0 < int(match["port"][1:]) <= MAX_PORT:
        raise ValueError(f"expected a port from 1 to {MAX_PORT}")
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
    max_redirects: int = Field(
        default=5, ge=0, le=20, description="steps from the URL asked for to its page"
    )


class Politeness(_Strict):
    """How gently each host is asked."""

    delay_ms: int = Field(default=250, ge=0, description="least time between requests to a host")
    concurrency: int = Field(default=4, ge=1, le=64, description="connections to one host")
    respect_crawl_delay: bool = Field(default=True, description="obey Crawl-delay of robots.txt")


class Rendering(_Strict):
    """When a browser is used."""

    mode: Literal["auto", "never", "always"] = Field(
        default="auto",
        description="`auto` (pages that show that they need one), `always` or `never`",
    )
    timeout_s: float = Field(
        default=15, gt=0, le=120, description="seconds for one page; then it is read as it is"
    )
    max_pages: int = Field(default=200, ge=0, description="at most so many renders a crawl")
    screenshots: bool = Field(default=False, description="keep a picture of each rendered page")


class Policy(_Strict):
    """Which pages are worth storing."""

    min_text_length: int = Field(default=50, ge=0, description="characters of main text")
    languages: tuple[str, ...] = Field(default=(), description="allowed languages; empty: all")
    language_confidence: float = Field(
        default=0.7, ge=0, le=1, description="a guess below it refuses no page"
    )


class ExtractionRule(_Strict):
    """One thing to remove from this institution's pages before content is chosen."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    type: Literal["css_selector", "xpath"] = Field(
        default="css_selector", description="`css_selector` or `xpath`"
    )
    value: str = Field(min_length=1, description="what is removed: a selector or an expression")
    description: str = Field(default="", description="for people")
    created_at: datetime | None = Field(
        default=None, validation_alias="createdAt", description="when it was made"
    )


class Institution(_Strict):
    """One institution file."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    institution_id: str = Field(description="the file's name; partition and folder bear it")
    name: str = Field(default="", description="for people; the id if empty")
    seed_urls: tuple[HttpUrl, ...] = Field(min_length=1, description="where the crawl starts")
    allowed_domains: tuple[Domain, ...] = Field(
        min_length=1,
        description="exact host, `*.host` for its subdomains, `host:port` for a port",
    )
    disallowed_paths: tuple[str, ...] = Field(
        default=(), description="path prefixes that are not taken; `*` is any text"
    )
    include_patterns: tuple[Pattern, ...] = Field(
        default=(), description="URLs that match go first: path text or a regular expression"
    )
    max_pages: int = Field(default=500, ge=1, description="pages stored by one crawl")
    max_depth: int = Field(default=4, ge=0, description="links from a seed")
    ttl_days: float = Field(
        default=7, ge=0, description="younger pages come from the last crawl without a request"
    )
    feeds: tuple[HttpUrl, ...] = Field(
        default=(), description="RSS, Atom or JSON feeds whose entries are seeds"
    )
    fetch_limit: int = Field(
        default=500, ge=1, validation_alias="fetchLimit", description="entries taken of one feed"
    )
    topics: tuple[str, ...] = Field(
        default=(), description="topics of every page; extracted ones are added"
    )
    extraction_rules: tuple[ExtractionRule, ...] = Field(
        default=(), description="what is removed before content is chosen"
    )
    budgets: Budgets = Field(default=Budgets(), description="where a crawl stops")
    politeness: Politeness = Field(default=Politeness(), description="how gently hosts are asked")
    rendering: Rendering = Field(default=Rendering(), description="when a browser is used")
    policy: Policy = Field(default=Policy(), description="which pages are stored")
    allow_networks: tuple[Network, ...] = Field(
        default=(), description="CIDRs that may be asked besides public addresses"
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
