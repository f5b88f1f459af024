"""The JavaScript that runs inside a rendered page: before its scripts, and when we ask it.

One script, of the files beside this one: they share a scope that the page cannot reach. What we ask
later is in a property that it cannot change.
"""

import json
from pathlib import Path

# The address of a page that a seat is done with, the same in every origin; never one of the site.
LEFT_PATH = "/webmine-left"

# In this order: the first gives what the others use.
_PARTS = ("natives", "stillness", "moves", "requests", "settle", "read")
_ASKED = "__webmine"


def _prepare() -> str:
    folder = Path(__file__).parent
    parts = [(folder / f"{name}.js").read_text("utf-8") for name in _PARTS]
    tell = (
        "const answer = Object.freeze({ __proto__: null, settle, leave, read });\n"
        f"Object.defineProperty(window, '{_ASKED}', {{ value: answer }});"
    )
    return "\n".join(
        ["(() => {", f"const LEFT_PATH = {json.dumps(LEFT_PATH)};", *parts, tell, "})();"]
    )


# Before any script of the page, in every document of a seat.
PREPARE = _prepare()
# In the document that a seat shows from its last visit: what bears this mark is not the new page.
LEAVE = f"{_ASKED}.leave()"


def settle(quiet_ms: int, limit_ms: int) -> str:
    """Ends when the page was still for `quiet_ms`, or after `limit_ms` in any case."""
    return f"{_ASKED}.settle({quiet_ms}, {limit_ms})"


def read(max_chars: int) -> str:
    """The page as HTML, cut at `max_chars`, with its title and address."""
    return f"{_ASKED}.read({max_chars})"
