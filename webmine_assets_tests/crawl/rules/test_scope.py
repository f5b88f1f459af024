from typing import Any

import pytest

from webmine_assets.crawl.exchange import Refusal
from webmine_assets.crawl.rules.scope import Scope
from webmine_assets.institutions import Institution


def scope(**changes: Any) -> Scope:
    given = {
        "institution_id": "u1",
        "seed_urls": ("https://u1.edu/",),
        "allowed_domains": ("u1.edu", "*.labs.u1.edu"),
        **changes,
    }
    return Scope.of(Institution.model_validate(given))


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("https://u1.edu/", None),
        ("http://u1.edu/a?b=c", None),
        ("http://U1.EDU/a", None),
        ("http://u1.edu./a", None),
        ("https://a.labs.u1.edu/", None),
        ("https://b.a.labs.u1.edu/", None),
        ("https://labs.u1.edu/", "host"),
        ("https://www.u1.edu/", "host"),
        ("https://evilu1.edu/", "host"),
        ("https://u1.edu.evil.example/", "host"),
        ("https://u1.edu@evil.example/", "host"),
        ("https://xlabs.u1.edu/", "host"),
        ("https://u1.edu:8443/", "port"),
        ("https://u1.edu:80/", None),
        ("ftp://u1.edu/", "scheme"),
        ("mailto:a@u1.edu", "scheme"),
        ("http://", "host"),
    ],
)
def test_only_the_named_hosts_are_in_scope(url: str, reason: str | None) -> None:
    refusal = scope().decide(url)
    assert (refusal.reason if refusal else None) == reason
    assert refusal is None or refusal.decision == "out_of_scope"


@pytest.mark.parametrize(
    ("domains", "seed", "url", "is_ours"),
    [
        ("127.0.0.1:8801", "http://127.0.0.1:8801/", "http://127.0.0.1:8801/a", True),
        ("127.0.0.1:8801", "http://127.0.0.1:8801/", "http://127.0.0.1:8802/a", False),
        ("127.0.0.1:8801", "http://127.0.0.1:8801/", "http://127.0.0.1/a", False),
        ("127.0.0.1", "http://127.0.0.1:8801/", "http://127.0.0.1:8801/a", True),
        ("127.0.0.1", "http://127.0.0.1:8801/", "http://127.0.0.1/a", True),
        ("127.0.0.1", "http://127.0.0.1:8801/", "http://127.0.0.1:8802/a", False),
        ("u1.edu:443", "https://u1.edu/", "https://u1.edu/a", True),
        ("u1.edu:443", "https://u1.edu/", "http://u1.edu/a", False),
        ("*.u1.edu", "http://a.u1.edu:81/", "http://b.u1.edu:81/", True),
        ("[::1]:8801", "http://[::1]:8801/", "http://[::1]:8801/a", True),
        ("münchen.example", "https://münchen.example/", "https://xn--mnchen-3ya.example/a", True),
    ],
)
def test_a_port_is_named_by_the_domain_or_by_a_seed(
    domains: str, seed: str, url: str, is_ours: bool
) -> None:
    refusal = scope(allowed_domains=(domains,), seed_urls=(seed,)).decide(url)
    assert (refusal is None) is is_ours


@pytest.mark.parametrize(
    ("path", "url", "is_refused"),
    [
        ("/login", "https://u1.edu/login", True),
        ("/login", "https://u1.edu/login?next=/", True),
        ("/login", "https://u1.edu/a/login", False),
        ("/*/print", "https://u1.edu/a/b/print/1", True),
        ("*.zip$", "https://u1.edu/a.zip", True),
        ("*.zip$", "https://u1.edu/a.zip.html", False),
        ("search", "https://u1.edu/search", True),
        ("/caf%C3%A9", "https://u1.edu/caf%c3%a9", True),
        ("/café", "https://u1.edu/caf%C3%A9", True),
        ("", "https://u1.edu/", False),
    ],
)
def test_disallowed_paths_are_refused_with_the_deciding_path(
    path: str, url: str, is_refused: bool
) -> None:
    refusal = scope(disallowed_paths=("/never", path)).decide(url)
    expected = Refusal(decision="disallowed_path", reason="path", detail=path)
    assert refusal == (expected if is_refused else None)


def test_include_patterns_are_path_text_or_expressions() -> None:
    ours = scope(include_patterns=("/departments", r"^/people/\d+$", r"^https://u1\.edu/x"))
    assert ours.is_preferred("https://u1.edu/a/departments/b")
    assert ours.is_preferred("https://u1.edu/people/17")
    assert ours.is_preferred("https://u1.edu/x")
    assert not ours.is_preferred("https://u1.edu/people/anna")
    assert not scope().is_preferred("https://u1.edu/departments")
