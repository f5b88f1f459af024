"""What every reason in the ledger means, and what to do if the URL should have been taken.

The one place that explains them: `webmine why`, the studio and docs/reasons.md read it.
"""

import re
from dataclasses import dataclass

from webmine_assets.records import Decision

_STATUS = re.compile(r"http_\d+")
ANY_STATUS = "http_*"


@dataclass(frozen=True, slots=True)
class Meaning:
    """What happened, in a sentence; `remedy` is what changes it, empty if nothing is amiss."""

    says: str
    remedy: str = ""


UNKNOWN = Meaning("A reason that this version does not know.")

_ROOMIER = "Raise `{key}` in the institution file."
_BROWSER_HINT = "Raise `rendering.timeout_s`, or set `rendering.mode: never` if its text is enough."
_LATER = "The next crawl tries again."
_DEAD_LINK = "If the address is wrong, mend the page or the list that it was found in."
_STAYS = "The page of the last crawl stays. "

MEANINGS: dict[Decision, dict[str, Meaning]] = {
    Decision.STORED: {
        "new": Meaning("Fetched, and not known before."),
        "changed": Meaning("Fetched; its text is not that of the last crawl."),
        "unchanged": Meaning("Fetched; its text is that of the last crawl."),
        "imported": Meaning("Taken from an archive or an older system, without a request."),
    },
    Decision.ALIAS: {
        "redirect": Meaning("It leads to a page that is stored under its own address."),
        "canonical": Meaning("Its page names another address as its canonical one."),
        "checksum": Meaning("Its text is that of a page stored before: one of both is kept."),
        "normalised": Meaning("Another spelling of the same address."),
    },
    Decision.FRESH: {
        "ttl": Meaning(
            "Taken from the last crawl without a request: it is younger than `ttl_days`.",
            "Lower `ttl_days`, or set it to 0 for one run.",
        ),
    },
    Decision.NOT_MODIFIED: {
        "304": Meaning("The server said that it did not change since the last crawl."),
    },
    Decision.KEPT: {
        ANY_STATUS: Meaning(f"{_STAYS}The server answered with this error.", _LATER),
        "timeout": Meaning(f"{_STAYS}The server, or the browser, took too long.", _LATER),
        "dns": Meaning(f"{_STAYS}Its host has no address.", f"See whether it moved. {_LATER}"),
        "connect": Meaning(f"{_STAYS}Its host does not take connections.", _LATER),
        "tls": Meaning(
            f"{_STAYS}The connection is not safe: the certificate is wrong or has run out.",
            "Tell the site's operator.",
        ),
        "protocol": Meaning(f"{_STAYS}The server's answer is no HTTP.", _LATER),
        "reset": Meaning(f"{_STAYS}The server broke off.", _LATER),
        "truncated": Meaning(f"{_STAYS}The answer ended before it was whole.", _LATER),
        "bad_redirect": Meaning(f"{_STAYS}It leads to what is no address.", _LATER),
        "unsupported_coding": Meaning(
            f"{_STAYS}The answer is packed in a way that nobody asked for.", _LATER
        ),
        "robots_unreachable": Meaning(
            f"{_STAYS}The site's robots.txt could not be read, so nothing of the host was "
            "asked for.",
            f"See whether the host answers. {_LATER}",
        ),
        "internal": Meaning(f"{_STAYS}A fault of ours.", "Please report it with the detail."),
        "parser_timeout": Meaning(f"{_STAYS}What came in its place took too long to read.", _LATER),
        "parser_crashed": Meaning(
            f"{_STAYS}What came in its place ended the process that read it, or none could be "
            "started: see the detail.",
            _LATER,
        ),
        "pdf_timeout": Meaning(f"{_STAYS}The PDF now takes too long to read.", _LATER),
        "pdf_crashed": Meaning(f"{_STAYS}The PDF now ends the process that reads it.", _LATER),
        "unreadable": Meaning(
            f"{_STAYS}What came in its place could not be read: a fault of ours.",
            "Please report it with the detail.",
        ),
        "unavailable": Meaning(
            f"{_STAYS}It needs a browser, and there is none.",
            "`webmine doctor` says how to get one.",
        ),
        "over_budget": Meaning(
            f"{_STAYS}It needs a browser, and as many pages as may be were rendered.",
            _ROOMIER.format(key="rendering.max_pages"),
        ),
        "unresponsive": Meaning(f"{_STAYS}Its scripts do not let go of the page.", _BROWSER_HINT),
        "crash": Meaning(f"{_STAYS}It ended the process that showed it.", _LATER),
        "browser_crash": Meaning(f"{_STAYS}It ended the browser, twice.", _LATER),
        "closed": Meaning(f"{_STAYS}It closed itself.", _LATER),
        "download": Meaning(f"{_STAYS}The browser would save it, not show it.", _LATER),
        "navigation": Meaning(f"{_STAYS}It does not stop moving to other documents.", _LATER),
        "max_seconds": Meaning(
            f"{_STAYS}The crawl had used up its time before it came to it.",
            _ROOMIER.format(key="budgets.max_seconds"),
        ),
        "max_bytes": Meaning(
            f"{_STAYS}The crawl had received as much as it may before it came to it.",
            _ROOMIER.format(key="budgets.max_bytes"),
        ),
        "max_requests": Meaning(
            f"{_STAYS}The crawl had asked for many more pages than it could store.",
            "See what the others were refused for; raise `max_pages`.",
        ),
        "max_pages": Meaning(
            f"{_STAYS}The run was to take fewer pages than the institution file allows.",
            "Run without `--max-pages`.",
        ),
    },
    Decision.ROBOTS_BLOCKED: {
        "robots_rule": Meaning(
            "A line of the site's robots.txt asks crawlers to stay away.",
            "Ask the site's operator; a crawl does not pass over it.",
        ),
        "robots_unreachable": Meaning(
            "The site's robots.txt could not be read, so nothing of the host was asked for.",
            f"See whether the host answers. {_LATER}",
        ),
        "nofollow": Meaning(
            "Every link to it is marked nofollow.",
            "Name it in `seed_urls` to have it all the same.",
        ),
    },
    Decision.OUT_OF_SCOPE: {
        "host": Meaning(
            "Its host is none of the institution's.",
            "Add the host to `allowed_domains`; `*.` takes in subdomains.",
        ),
        "port": Meaning(
            "Its host is allowed, but not at this port.",
            "Add `host:port` to `allowed_domains`.",
        ),
        "scheme": Meaning("It is no http or https address."),
    },
    Decision.DISALLOWED_PATH: {
        "path": Meaning(
            "The institution file keeps its path out.", "Take the path out of `disallowed_paths`."
        ),
    },
    Decision.OVER_DEPTH: {
        "max_depth": Meaning(
            "It is more links away from the seeds than allowed.",
            "Raise `max_depth`, or name a page near to it in `seed_urls`.",
        ),
    },
    Decision.OVER_PAGES: {
        "max_pages": Meaning(
            "The crawl had stored as many pages as it may.",
            "Raise `max_pages`; `include_patterns` say which go first.",
        ),
        "max_requests": Meaning(
            "The crawl had asked for many more pages than it could store.",
            "See what the others were refused for; raise `max_pages`.",
        ),
        "max_queue": Meaning(
            "Too many URLs were waiting already.",
            "Keep useless parts out with `disallowed_paths`; raise `max_pages`.",
        ),
    },
    Decision.OVER_TIME: {
        "max_seconds": Meaning(
            "The crawl had used up its time.", _ROOMIER.format(key="budgets.max_seconds")
        ),
    },
    Decision.OVER_BYTES: {
        "max_bytes": Meaning(
            "The crawl had received as much as it may.", _ROOMIER.format(key="budgets.max_bytes")
        ),
    },
    Decision.TRAP: {
        "calendar": Meaning("One of endlessly many pages of a calendar."),
        "session_id": Meaning("It carries a session, which makes a new address at every visit."),
        "filters": Meaning("One of very many combinations of filters."),
        "pattern": Meaning("One of very many addresses that differ in a part only."),
        "repeated_segments": Meaning("A part of its path comes again and again."),
        "too_deep": Meaning("Its path has more parts than real sites have."),
        "too_long": Meaning("It is longer than addresses of real pages are."),
    },
    Decision.CONTENT_POLICY: {
        "min_text": Meaning("It has less text than asked for.", "Lower `policy.min_text_length`."),
        "language": Meaning(
            "It is in a language that was not asked for.",
            "Add the language to `policy.languages`; against a wrong guess, raise "
            "`policy.language_confidence` above the confidence that the detail names.",
        ),
        "noindex": Meaning("The page or its headers ask not to be kept."),
        "soft_404": Meaning("The server says 200, but the page says that it does not exist."),
        "content_type": Meaning("It is no HTML, plain text or PDF."),
        "binary": Meaning("It calls itself text, but its bytes are none."),
        "sitemap": Meaning(
            "A sitemap that could not be read, or not to its end: see the detail. What it named "
            "before that counts.",
            "Tell the site's operator.",
        ),
        "not_http": Meaning("An imported record whose address is no web page's."),
        "empty": Meaning("An imported record that holds no body."),
        "undecodable": Meaning("An imported record that is packed in a way that does not open."),
        "status": Meaning("The server answered with neither a page nor an error."),
        "body_size": Meaning(
            "It is larger than allowed.", _ROOMIER.format(key="budgets.max_body_bytes")
        ),
        "expansion": Meaning("It unpacks to far more than was received, as bombs do."),
        "header_size": Meaning("Its headers are larger than any server needs."),
        "redirects": Meaning(
            "It leads on more often than allowed.", _ROOMIER.format(key="budgets.max_redirects")
        ),
        "redirect_loop": Meaning("It leads back to itself."),
        "pdf_size": Meaning(
            "The PDF is larger than allowed.", _ROOMIER.format(key="budgets.pdf_size_limit_mb")
        ),
        "pdf_encrypted": Meaning("The PDF opens with a password only."),
        "pdf_broken": Meaning("The PDF is damaged."),
        "pdf_timeout": Meaning("The PDF took too long to read."),
        "pdf_crashed": Meaning("The PDF ended the process that read it."),
        "parser_timeout": Meaning("The page took too long to read."),
        "parser_crashed": Meaning(
            "The page ended the process that read it, or none could be started: see the detail."
        ),
        "unreadable": Meaning(
            "The page could not be read: a fault of ours.", "Please report it with the detail."
        ),
    },
    Decision.HTTP_ERROR: {
        "http_404": Meaning("The server knows no such page.", _DEAD_LINK),
        "http_410": Meaning("The server says that the page is gone for good.", _DEAD_LINK),
        ANY_STATUS: Meaning("The server answered with this error.", _LATER),
        "gone": Meaning("It was there at the last crawl, and is no more."),
    },
    Decision.FETCH_ERROR: {
        "timeout": Meaning("The server took too long.", _LATER),
        "dns": Meaning("Its host has no address.", "See whether the name is right."),
        "connect": Meaning("Its host does not take connections.", _LATER),
        "tls": Meaning(
            "The connection is not safe: the certificate is wrong or has run out.",
            "Tell the site's operator.",
        ),
        "protocol": Meaning("The server's answer is no HTTP."),
        "reset": Meaning("The server broke off.", _LATER),
        "truncated": Meaning("The answer ended before it was whole.", _LATER),
        "blocked_address": Meaning(
            "Its host is at an address that is not public.",
            "Name the network in `allow_networks` if it is yours.",
        ),
        "bad_redirect": Meaning("It leads to what is no address."),
        "redirect_refused": Meaning("It leads where a link may not."),
        "unsupported_coding": Meaning("The answer is packed in a way that nobody asked for."),
        "internal": Meaning("A fault of ours.", "Please report it with the detail."),
    },
    Decision.RENDER_ERROR: {
        "unavailable": Meaning(
            "It needs a browser, and there is none.", "`webmine doctor` says how to get one."
        ),
        "over_budget": Meaning(
            "It needs a browser, and as many pages as may be were rendered.",
            _ROOMIER.format(key="rendering.max_pages"),
        ),
        "timeout": Meaning("The browser did not open it in time.", _BROWSER_HINT),
        "unresponsive": Meaning(
            "Its scripts, or its sheer size, do not let go of the page.", _BROWSER_HINT
        ),
        "unreadable": Meaning(
            "The browser shows it, but it cannot be read there.",
            "Please report it with the detail.",
        ),
        "crash": Meaning("It ended the process that showed it."),
        "browser_crash": Meaning("It ended the browser, twice."),
        "closed": Meaning("It closed itself."),
        "download": Meaning("The browser would save it, not show it."),
        "navigation": Meaning("It does not stop moving to other documents."),
    },
}


def known_reasons() -> frozenset[str]:
    """Every reason that a crawl may give, whatever was decided."""
    statuses = (f"http_{status}" for status in range(400, 600))
    named = (reason for reasons in MEANINGS.values() for reason in reasons)
    return frozenset({*named, *statuses} - {ANY_STATUS})


def meaning_of(decision: str, reason: str) -> Meaning:
    """What a ledger row's decision and reason mean; `UNKNOWN` for those of another version."""
    reasons = MEANINGS.get(Decision(decision), {}) if decision in set(Decision) else {}
    known = reason in reasons or not _STATUS.fullmatch(reason)
    return reasons.get(reason if known else ANY_STATUS, UNKNOWN)
