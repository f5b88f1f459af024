"""Well-formed answers with hostile content: charsets, sizes, traps, sitemaps, PDFs."""

from functools import cache, partial

from webmine_assets_tests.hostile.exchange import Exchange, Handler, page, prose
from webmine_assets_tests.hostile.wire import bomb

LINKS = 200_000
NESTING = 50_000
JAPANESE = "<p>" + "大学の図書館は一般の利用者にも開かれています。" * 20 + "</p>"
RUSSIAN = "<p>" + "Университетская библиотека открыта для всех посетителей города. " * 20 + "</p>"


async def _fixed(body: bytes, content_type: str | None, exchange: Exchange) -> None:
    await exchange.send(body, content_type=content_type)


def _document(inner: str, meta: str = "") -> str:
    return (
        f"<!doctype html><html><head>{meta}<title>Library</title></head><body>{inner}</body></html>"
    )


def _meta(charset: str) -> str:
    return f'<meta http-equiv="Content-Type" content="text/html; charset={charset}">'


CHARSETS: dict[str, tuple[bytes, str | None]] = {
    "utf-16-bom": (_document(RUSSIAN).encode("utf-16"), "text/html"),
    "utf-16-header": (_document(RUSSIAN).encode("utf-16-le"), "text/html; charset=utf-16le"),
    "utf-16-silent": (_document(RUSSIAN).encode("utf-16-be"), "text/html"),
    "shift-jis-header": (_document(JAPANESE).encode("shift_jis"), "text/html; charset=Shift_JIS"),
    "shift-jis-meta": (_document(JAPANESE, _meta("Shift_JIS")).encode("shift_jis"), "text/html"),
    "windows-1251-meta": (_document(RUSSIAN, _meta("windows-1251")).encode("cp1251"), "text/html"),
    "windows-1251-silent": (_document(RUSSIAN).encode("cp1251"), "text/html"),
    "windows-1251-as-utf-8": (_document(RUSSIAN).encode("cp1251"), "text/html; charset=utf-8"),
    "unknown": (_document(RUSSIAN).encode(), "text/html; charset=klingon"),
    "no-type": (_document(RUSSIAN).encode(), None),
}


async def _many_links(exchange: Exchange) -> None:
    await exchange.send(_many_links_body())


@cache
def _many_links_body() -> bytes:
    return page("Links", "".join(f'<a href="/soft/{n}">{n}</a> ' for n in range(LINKS)))


async def _deep(exchange: Exchange) -> None:
    await exchange.send(page("Deep", "<div>" * NESTING + prose("depth") + "</div>" * NESTING))


async def _nul_bytes(exchange: Exchange) -> None:
    body = page("Nul", prose("nul") + "<p>\0\0\0</p>" + "<a href='/ok\0'>x</a>")
    await exchange.send(body.replace(b"record", b"re\0cord"))


async def _calendar(exchange: Exchange) -> None:
    month = int(exchange.query.get("month", "0"))
    links = f'<a href="/calendar?month={month + 1}">next</a><a href="?month={month - 1}">before</a>'
    await exchange.send(page(f"Month {month}", prose(f"month {month}") + links))


async def _session(exchange: Exchange) -> None:
    """Each visit mints new session ids for the same page."""
    links = "".join(
        f'<a href="/session?PHPSESSID={exchange.visit * 31 + n:032x}">page</a>' for n in range(3)
    )
    path_ids = f'<a href="/session;jsessionid={exchange.visit:016X}">path</a>'
    await exchange.send(page("Session", prose("session") + links + path_ids))


async def _repeating(exchange: Exchange) -> None:
    await exchange.send(page("Again", prose("again") + '<a href="again/again/">deeper</a>'))


async def _soft_404(exchange: Exchange) -> None:
    await exchange.send(page("Page not found", "<p>Sorry, this page does not exist.</p>"))


def _sitemap(urls: list[str]) -> bytes:
    entries = "".join(f"<url><loc>{url}</loc></url>" for url in urls)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'
    ).encode()


def _index(urls: list[str]) -> bytes:
    entries = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>'
        f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</sitemapindex>'
    ).encode()


async def _sitemap_index(exchange: Exchange) -> None:
    names = ("bomb.xml.gz", "many.xml", "entities.xml", "foreign.xml", "broken.xml", "nested/0")
    urls = [f"{exchange.origin}/sitemap/{name}" for name in names]
    await exchange.send(
        _index([f"{exchange.origin}/sitemap.xml", *urls]), content_type="application/xml"
    )


async def _sitemap_nested(exchange: Exchange) -> None:
    level = int(exchange.path.rsplit("/", 1)[1])
    urls = [f"{exchange.origin}/sitemap/nested/{level + 1}"]
    await exchange.send(_index(urls), content_type="application/xml")


async def _sitemap_many(exchange: Exchange) -> None:
    urls = [f"{exchange.origin}/soft/map-{number}" for number in range(60_000)]
    await exchange.send(_sitemap(urls), content_type="application/xml")


async def _sitemap_foreign(exchange: Exchange) -> None:
    urls = ["http://elsewhere.invalid/", "http://169.254.169.254/", "file:///etc/passwd"]
    await exchange.send(_sitemap(urls), content_type="application/xml")


async def _sitemap_bomb(exchange: Exchange) -> None:
    await exchange.send(bomb("gzip"), content_type="application/gzip")


_LAUGHS = "".join(f'<!ENTITY l{level} "{f"&l{level - 1};" * 10}">' for level in range(1, 10))
_ENTITIES = (
    f'<?xml version="1.0"?><!DOCTYPE urlset [<!ENTITY l0 "lol">{_LAUGHS}'
    '<!ENTITY file SYSTEM "file:///etc/passwd">]>'
    "<urlset><url><loc>&file;</loc></url><url><loc>http://127.0.0.1/&l9;</loc></url></urlset>"
).encode()

PDFS: dict[str, bytes] = {
    "broken.pdf": b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 9 0 R >>\nendobj\n%%EOF",
    "truncated.pdf": b"%PDF-1.4\n1 0 obj\n<< /Type /Cat",
    "empty.pdf": b"",
    "really-html.pdf": page("Not a PDF", prose("pretence")),
    "noise.pdf": b"%PDF-1.5\n" + bytes(range(256)) * 400,
}


async def _hub(paths: tuple[str, ...], exchange: Exchange) -> None:
    links = "".join(f'<li><a href="{path}">{path}</a></li>' for path in paths)
    await exchange.send(page("Hostile site", f"{prose('hostility')}<ul>{links}</ul>"))


async def _ok(exchange: Exchange) -> None:
    fields = (("ETag", '"one"'), ("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT"))
    if exchange.headers.get("if-none-match") == '"one"':
        await exchange.head("304 Not Modified", *fields)
    else:
        await exchange.send(page("A good page", prose("good")), *fields, ("Set-Cookie", "a=b"))


PAGES: dict[str, Handler] = {
    "/ok": _ok,
    **{f"/charset/{name}": partial(_fixed, *answer) for name, answer in CHARSETS.items()},
    **{f"/pdf/{name}": partial(_fixed, body, "application/pdf") for name, body in PDFS.items()},
    "/content/many-links": _many_links,
    "/content/deep": _deep,
    "/content/nul-bytes": _nul_bytes,
    "/content/binary-as-html": partial(
        _fixed, b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20, "text/html"
    ),
    "/content/empty": partial(_fixed, b"", "text/html"),
    "/calendar": _calendar,
    "/session": _session,
    "/again/": _repeating,
    "/soft/missing": _soft_404,
    "/sitemap.xml": _sitemap_index,
    "/sitemap/many.xml": _sitemap_many,
    "/sitemap/foreign.xml": _sitemap_foreign,
    "/sitemap/bomb.xml.gz": _sitemap_bomb,
    "/sitemap/entities.xml": partial(_fixed, _ENTITIES, "application/xml"),
    "/sitemap/broken.xml": partial(_fixed, b"<urlset><url><loc>http://", "application/xml"),
}
PAGE_PREFIXES: dict[str, Handler] = {
    "/soft/": _soft_404,
    "/again/": _repeating,
    "/session;": _session,
    "/sitemap/nested/": _sitemap_nested,
}


def hub(paths: tuple[str, ...]) -> Handler:
    """The front page: links to every other."""
    return partial(_hub, paths)
