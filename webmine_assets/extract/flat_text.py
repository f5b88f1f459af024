"""A document without markup, a PDF or plain text, as a page: so one path serves all kinds."""

from collections.abc import Mapping
from html import escape


def as_html(text: str, *, pdf_properties: Mapping[str, str]) -> str:
    """Lines as paragraphs, a PDF's properties as meta elements `pdf:title`, `pdf:author` …"""
    metas = (
        f'<meta name="pdf:{escape(name.lower())}" content="{escape(value)}">'
        for name, value in pdf_properties.items()
    )
    paragraphs = (f"<p>{escape(line)}</p>" for line in text.split("\n") if line.strip())
    return (
        f"<html><head>{''.join(metas)}</head>"
        f"<body><article>{''.join(paragraphs)}</article></body></html>"
    )
