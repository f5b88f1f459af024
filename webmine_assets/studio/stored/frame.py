"""The document around a sanitised page: a readable default style, and the picker where wanted."""

from functools import cache
from html import escape
from pathlib import Path

from webmine_assets.extract.document import Document
from webmine_assets.studio.stored.sanitiser import sanitise, sanitise_styles

# Style sheets of the site are not stored; :where() has no weight, so the page's own styles win.
_DEFAULT_STYLE = """
:where(html){color-scheme:light;background:#fff;color:#1b1f24}
:where(body){font:16px/1.55 system-ui,sans-serif;margin:1.25rem;max-width:60rem}
:where(body){overflow-wrap:anywhere}
:where(a){color:#0b57d0;text-decoration:underline;cursor:default}
:where(img){max-width:100%;height:auto;background:#eef1f4;border:1px dashed #9aa4af;padding:.25rem;
font-size:.8rem;color:#55606b}
:where(table){border-collapse:collapse}:where(td,th){border:1px solid #ccd3da;padding:.25rem .5rem}
"""


def frame_page(document: Document, *, title: str) -> str:
    """A stored page to look at: nothing in it runs."""
    return _frame(document, title=title, body=sanitise(document), script="")


def frame_picker(document: Document, *, title: str, nonce: str) -> str:
    """A stored page to pick elements from; our script is the only one its policy lets run."""
    script = f'<script nonce="{nonce}">{_picker_script()}</script>'
    return _frame(document, title=title, body=sanitise(document, numbered=True), script=script)


def frame_text(text: str, *, title: str) -> str:
    """The text of a page that is no HTML."""
    return (
        f'<!doctype html><html><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{_DEFAULT_STYLE}pre{{white-space:pre-wrap}}</style></head>"
        f"<body><pre>{escape(text)}</pre></body></html>"
    )


def _frame(document: Document, *, title: str, body: str, script: str) -> str:
    # The script stands before the page, so that nothing in the page can change what it means.
    language = escape(document.root.get("lang") or "")
    return (
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width"><title>{escape(title)}</title>'
        f"{script}<style>{_DEFAULT_STYLE}</style><style>{sanitise_styles(document)}</style>"
        f"</head><body>{body}</body></html>"
    )


@cache
def _picker_script() -> str:
    return (Path(__file__).parent.parent / "static" / "picker.js").read_text("utf-8")
