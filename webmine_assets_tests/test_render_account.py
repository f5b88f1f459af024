"""What a row says of its browser, told to people."""

from dataclasses import asdict

import pytest

from webmine_assets.records import SnapshotMeta
from webmine_assets.render_account import account_of_render

LOG = tuple(f"https://u1.edu/{name}.js http_404" for name in "abcd")


@pytest.mark.parametrize(
    ("meta", "account"),
    [
        (SnapshotMeta(), None),
        (
            SnapshotMeta(rendered=True, render_reason="empty_root", render_ms=228),
            "rendered in a browser: empty_root, 228 ms",
        ),
        (SnapshotMeta(rendered=True), "rendered in a browser"),
        (
            SnapshotMeta(rendered=True, render_reason="empty_root", render_timed_out=True)
            , "rendered in a browser: empty_root; still changing at the time limit",
        ),
        (
            SnapshotMeta(render_reason="short_text", render_ms=2529, render_log=LOG[:1]),
            "kept as received, for a browser showed no more of it: short_text, 2529 ms; "
            f"1 request gave nothing: {LOG[0]}",
        ),
        (
            SnapshotMeta(render_reason="empty_root", render_error="crash: gone", render_log=LOG),
            "kept as received, though it may need a browser: empty_root, crash: gone; "
            f"4 requests gave nothing: {LOG[0]}, {LOG[1]}, {LOG[2]} and 1 more",
        ),
    ],
)  # fmt: skip
def test_account_of_a_render(meta: SnapshotMeta, account: str | None) -> None:
    assert account_of_render(asdict(meta)) == account


def test_rows_of_an_earlier_version_have_an_account() -> None:
    assert account_of_render({"rendered": True}) == "rendered in a browser"
    assert account_of_render({}) is None
