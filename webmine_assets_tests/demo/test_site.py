from datetime import date

import pytest

from webmine_assets.demo.site import MARKER_PATH, Resource, Site, answer, find_resource

PAGE = Resource(body=b"<p>page</p>", modified_on=date(2025, 3, 1))
MONTH = Resource(body=b"<p>month</p>", modified_on=date(2025, 3, 1))
MISSING = Resource(body=b"missing", status=404, modified_on=date(2025, 3, 1))
SITE = Site(
    name="university",
    resources={
        "/page": PAGE,
        "/page?month=2": MONTH,
        "/old": Resource(status=301, location="/page"),
    },
    fallback=MISSING,
)


@pytest.mark.parametrize(
    ("path", "query", "expected"),
    [
        ("/page", "", PAGE),
        ("/page", "ref=nav", PAGE),
        ("/page/", "", PAGE),
        ("/page/", "ref=nav", PAGE),
        ("/page", "month=2", MONTH),
        ("/nothing", "", MISSING),
        ("/", "", MISSING),
    ],
)
def test_variants_of_an_address_lead_to_one_resource(path, query, expected):
    assert find_resource(SITE, path, query) is expected


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"if-none-match": PAGE.etag}, 304),
        ({"if-none-match": f'"other", W/{PAGE.etag}'}, 304),
        ({"if-none-match": "*"}, 304),
        ({"if-none-match": '"other"'}, 200),
        ({"if-modified-since": "Sat, 01 Mar 2025 06:30:00 GMT"}, 304),
        ({"if-modified-since": "Sat, 01 Mar 2025 06:29:59 GMT"}, 200),
        ({"if-modified-since": "yesterday"}, 200),
        ({"if-none-match": '"other"', "if-modified-since": "Sat, 01 Mar 2035 06:30:00 GMT"}, 200),
    ],
)
def test_conditional_requests_follow_the_validators(headers, status):
    reply = answer(SITE, "/page", "", headers)
    assert reply.status == status
    assert reply.headers["ETag"] == PAGE.etag
    assert reply.headers["Last-Modified"] == "Sat, 01 Mar 2025 06:30:00 GMT"
    assert bool(reply.body) == (status == 200)


def test_missing_page_is_never_answered_as_unchanged():
    reply = answer(SITE, "/nothing", "", {"if-none-match": "*"})
    assert (reply.status, reply.body) == (404, b"missing")
    assert "ETag" not in reply.headers


def test_redirect_names_its_target():
    reply = answer(SITE, "/old", "", {})
    assert (reply.status, reply.headers["Location"]) == (301, "/page")


def test_marker_names_the_site():
    assert answer(SITE, MARKER_PATH, "", {}).body == b'{"webmine_demo": "university"}'
