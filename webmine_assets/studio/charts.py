"""Charts as inline SVG: no script, no style attributes, so they pass the strictest policy."""

from collections.abc import Sequence

from markupsafe import Markup, escape


def bars(
    rows: Sequence[tuple[str, float]],
    *,
    title: str,
    kinds: Sequence[str] = (),
    links: Sequence[str] = (),
) -> Markup:
    """Horizontal bars with label and value; `kinds` (classes) and `links` have one a row."""
    if not rows:
        return Markup('<p class="empty">Nothing to draw yet.</p>')
    top = max(max(value for _, value in rows), 0) or 1
    parts = [f'<dl class="bars" aria-label="{escape(title)}">']
    for index, (label, value) in enumerate(rows):
        kind = kinds[index] if index < len(kinds) else "bar"
        # A bar of almost nothing is still seen.
        width = max(1000 * max(value, 0) / top, 4)
        parts.append(
            f'<dt title="{escape(label)}">{_linked(label, links[index : index + 1])}</dt><dd>'
            '<svg viewBox="0 0 1000 16" preserveAspectRatio="none" aria-hidden="true">'
            f'<rect class="{escape(kind)}" width="{width:.0f}" height="16"/></svg></dd>'
            f'<dd class="num">{_figure(value)}</dd>'
        )
    return Markup("".join([*parts, "</dl>"]))  # noqa: S704  # every text above is escaped


def _linked(label: str, links: Sequence[str]) -> Markup:
    if not links:
        return escape(label)
    return Markup('<a href="{}">{}</a>').format(links[0], label)


def spark(values: Sequence[float], *, title: str, kind: str = "") -> Markup:
    """A small line of values over time; a single value is a dot."""
    width, height, pad = 96, 28, 4
    if not values:
        return Markup("")
    low, high = min(values), max(values)
    span = (high - low) or 1
    step = (width - 2 * pad) / max(len(values) - 1, 1)
    points = [
        (
            pad + index * step,
            height - pad - (height - 2 * pad) * ((v - low) / span if high > low else 0.5),
        )
        for index, v in enumerate(values)
    ]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    x, y = points[-1]
    return Markup(  # noqa: S704  # every text is escaped
        f"{_open(title, width, height, f'spark {kind}'.strip())}"
        f'<polyline class="line" points="{line}"/>'
        f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="3"/></svg>'
    )


def meter(share: float, *, title: str) -> Markup:
    """A share of one as a thin bar."""
    width = 160 * min(max(share, 0), 1)
    return Markup(  # noqa: S704  # every text is escaped
        f'{_open(title, 160, 8, "meter")}<rect class="track" width="160" height="8"/>'
        f'<rect class="bar" width="{width:.1f}" height="8"/></svg>'
    )


def _open(title: str, width: int, height: int, kind: str) -> str:
    return (
        f'<svg class="{kind}" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        f' preserveAspectRatio="{"none" if kind == "meter" else "xMinYMid"}"'
        f' role="img" aria-label="{escape(title)}">'
    )


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) or abs(value) >= 1_000 else f"{value:,.3g}"
