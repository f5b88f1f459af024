"""Where a page in real Chromium may go and what it may ask for."""

import asyncio
from dataclasses import replace

from webmine_assets.crawl.exchange import FetchFailure, FetchReason
from webmine_assets.crawl.network.fake import FakeFetcher
from webmine_assets_tests.browser import IN_CHROMIUM
from webmine_assets_tests.crawl.rendering.browser_site import (
    FAST,
    SHELL,
    SITE,
    TEXT,
    Site,
    opened,
)

pytestmark = IN_CHROMIUM


def blocked_address(url: str) -> FetchFailure:
    return FetchFailure(
        requested_url=url,
        reason=FetchReason.BLOCKED_ADDRESS,
        detail="private address",
        fetched_at=FakeFetcher({}).response(url).fetched_at,
    )


async def test_script_redirect_within_scope_is_followed(site: Site) -> None:
    site.serve("/target", f"<title>Target</title><p>{TEXT}</p>")
    moved = site.page("/moved", "x")
    site.answers[f"{SITE}/old"] = replace(moved, requested_url=f"{SITE}/old", redirects=("/old",))
    async with opened(site) as browser:
        page = await browser.render(site.page("/p/a", "<script>location = '/target'</script>"))
        refreshed = await browser.render(
            site.page("/r", '<meta http-equiv="refresh" content="0; url=/target">')
        )
        twice = await browser.render(site.page("/p/b", "<script>location = '/old'</script>"))
    assert (page.url, page.title) == (f"{SITE}/target", "Target")
    assert page.moved_to == refreshed.moved_to == refreshed.url == f"{SITE}/target"
    assert twice.moved_to == twice.url == f"{SITE}/moved"


async def test_only_another_document_is_a_move(site: Site) -> None:
    site.serve("/target", f"<p>{TEXT}</p><script>history.replaceState(0, '', '?view=1')</script>")
    # A static host's error page hands the route to the application's start, which puts it back.
    site.serve("/start", f"<p>{TEXT}</p><script>history.replaceState(0, '', '/p/c')</script>")
    push = f"<p>{TEXT}</p><script>history.pushState(0, '', '/elsewhere')</script>"
    async with opened(site) as browser:
        pushed = await browser.render(site.page("/p/a", push))
        replaced = await browser.render(site.page("/p/b", "<script>location = '/target'</script>"))
        detour = await browser.render(site.page("/p/c", "<script>location = '/start'</script>"))
    assert (pushed.url, pushed.moved_to) == (f"{SITE}/elsewhere", None)
    assert (replaced.url, replaced.moved_to) == (f"{SITE}/target?view=1", f"{SITE}/target")
    assert (detour.url, detour.moved_to) == (f"{SITE}/p/c", None)


async def test_page_that_leads_to_an_error_keeps_what_it_has(site: Site) -> None:
    missing = f"{SITE}/missing"
    site.answers[missing] = replace(site.page("/missing", "<h1>Not found</h1>"), status=404)
    async with opened(site) as browser:
        page = await browser.render(
            site.page("/p/a", f"<p>{TEXT}</p><script>location = '/missing'</script>")
        )
    assert TEXT in page.html
    assert (page.moved_to, page.blocked) == (None, (f"{missing} http_404",))


REFUSED_TARGETS = {
    "http://169.254.169.254/latest/meta-data/": "out_of_scope",
    "http://127.0.0.1:1/": "out_of_scope",
    "https://elsewhere.example/": "out_of_scope",
    f"{SITE}/private/page": "robots_blocked",
    f"{SITE}/internal": "blocked_address",
}


async def test_script_redirects_out_of_bounds_are_refused(site: Site) -> None:
    site.answers[f"{SITE}/internal"] = blocked_address(f"{SITE}/internal")
    async with opened(site) as browser:
        for target, reason in REFUSED_TARGETS.items():
            page = await browser.render(
                site.page("/p/a", f"<p>{TEXT}</p><script>location = '{target}'</script>")
            )
            assert (page.url, page.blocked) == (f"{SITE}/p/a", (f"{target} {reason}",))
            assert TEXT in page.html
        after = await browser.render(site.page("/p/b", SHELL))
    assert (after.title, after.blocked) == ("Page b", ())


async def test_requests_of_a_page_pass_the_guard(site: Site) -> None:
    other = "http://10.0.0.1/secret"
    site.answers[other] = blocked_address(other)
    script = f"""
      fetch('{other}').catch(() => {{ document.title = 'refused'; }});
      fetch('/form', {{ method: 'POST', body: 'x' }}).catch(() => 0);
      fetch('/private/data').catch(() => 0);
      navigator.sendBeacon('/beacon', 'x');
      new EventSource('/events');
    """
    frame = '<iframe src="https://elsewhere.example/embed"></iframe>'
    async with opened(site) as browser:
        page = await browser.render(
            site.page("/p/a", f"<p>{TEXT}</p>{frame}<script>{script}</script>")
        )
    assert page.title == "refused"
    assert {
        f"{other} blocked_address",
        f"{SITE}/form method",
        f"{SITE}/private/data robots_blocked",
        f"{SITE}/events type_eventsource",
        "https://elsewhere.example/embed out_of_scope",
    } <= set(page.blocked)
    assert browser.fetcher.urls == [other]


class Datagrams(asyncio.DatagramProtocol):
    """Counts what arrives by UDP."""

    def __init__(self) -> None:
        self.received = 0

    def datagram_received(self, data: bytes, address: tuple[str, int]) -> None:
        self.received += 1


async def test_browser_has_no_network_of_its_own(site: Site) -> None:
    """Every way out of a page that is known, tried on ports where someone listens."""
    connections: list[object] = []
    server = await asyncio.start_server(
        lambda reader, writer: connections.append(writer.close()), "127.0.0.1", 0
    )
    port = server.sockets[0].getsockname()[1]
    udp, datagrams = await asyncio.get_running_loop().create_datagram_endpoint(
        Datagrams, local_addr=("127.0.0.1", port)
    )
    there = f"http://127.0.0.1:{port}"
    worker = f"fetch('{there}/w'); new WebSocket('ws://127.0.0.1:{port}/w')"
    script = f"""
      new WebSocket('ws://127.0.0.1:{port}/socket');
      new Worker(URL.createObjectURL(new Blob([`{worker}`])));
      new Image().src = '{there}/image';
      new EventSource('{there}/events');
      navigator.sendBeacon('{there}/beacon', 'x');
      navigator.serviceWorker?.register('/worker.js').catch(() => 0);
      open('{there}/popup');
      document.title = typeof RTCPeerConnection + typeof WebTransport;
      for (const rel of ['preconnect', 'dns-prefetch', 'prefetch', 'prerender', 'modulepreload',
                         'icon', 'stylesheet']) {{
        const link = document.createElement('link');
        link.rel = rel; link.href = '{there}/' + rel; document.head.append(link);
      }}
      const rules = document.createElement('script');
      rules.type = 'speculationrules';
      rules.textContent = JSON.stringify({{ prefetch: [{{ urls: ['{there}/rules'] }}] }});
      document.head.append(rules);
      const frame = document.createElement('iframe');
      document.body.append(frame);
      const Peer = frame.contentWindow.RTCPeerConnection;
      if (Peer) {{
        const peer = new Peer({{ iceServers: [{{ urls: 'stun:127.0.0.1:{port}' }}] }});
        peer.createDataChannel('x');
        peer.createOffer().then((offer) => peer.setLocalDescription(offer));
      }}
      const form = document.createElement('form');
      form.action = '{there}/form'; form.method = 'post'; document.body.append(form);
      form.submit();
    """
    async with opened(site, replace(FAST, quiet_ms=500)) as browser:
        page = await browser.render(
            replace(
                site.page("/p/a", f"<head></head><p>{TEXT}</p><script>{script}</script>"),
                url="http://portal.example/p/a",
            )
        )
        asked = browser.fetcher.urls
    udp.close()
    server.close()
    await server.wait_closed()
    assert connections == []
    assert datagrams.received == 0
    assert page.title == "undefinedundefined"
    assert {
        f"ws://127.0.0.1:{port}/socket type_websocket",
        f"{there}/events type_eventsource",
        f"{there}/form method",
    } <= set(page.blocked)
    # What was not refused went to the fetcher, behind which the guard stands.
    assert f"{there}/w" in asked
