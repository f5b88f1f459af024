import json

import pytest
from lxml import html

from webmine_assets.demo.painter import read_records
from webmine_assets.demo.portal import BUNDLE, api_path, build_portal
from webmine_assets.demo.site import find_resource
from webmine_assets_tests.demo.walk import BASE_URL, assert_well_formed, parse

SITE = build_portal(BASE_URL)
ROUTES = [route["path"] for route in read_records("portal", "route")]


def page_of(route: str) -> dict[str, object]:
    return json.loads(SITE.resources[api_path(route)].body)


def links_of(route: str) -> set[str]:
    items = json.loads(SITE.resources["/api/navigation.json"].body)["items"]
    return {item["path"] for item in [*items, *page_of(route)["links"]]}


def test_there_are_at_least_eight_routes():
    assert len(ROUTES) == len(set(ROUTES)) >= 8


@pytest.mark.parametrize("path", [*ROUTES, "/unknown/route"])
def test_every_route_serves_a_body_without_text(path):
    shell = find_resource(SITE, path)
    body = parse(shell).find("body")
    assert_well_formed(shell)
    assert html.tostring(body).strip() == b'<body><div id="root"></div></body>'
    assert parse(shell).xpath("//script/@src") == [BUNDLE]


@pytest.mark.parametrize("route", ROUTES)
def test_every_route_has_more_than_300_characters(route):
    text = html.fromstring(f"<div>{page_of(route)['html']}</div>").text_content()
    assert len(text) > 300


def test_links_reach_every_route_and_one_that_is_unknown():
    found, waiting = set(), {"/"}
    while waiting:
        route = waiting.pop()
        found.add(route)
        if route in ROUTES:
            waiting |= links_of(route) - found
    assert found == {*ROUTES, "/datasets/retired-survey"}


def test_unknown_page_of_the_api_is_no_json():
    assert "json" not in find_resource(SITE, "/api/pages/nothing.json").content_type
