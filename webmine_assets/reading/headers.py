"""Headers of a response, one value a name."""

# An agent named in an X-Robots-Tag holds to the end of its line. An empty element, which readers of
# lists skip (RFC 9110, 5.6.1.2), keeps the end of a line known.
_SEPARATORS = {"x-robots-tag": ", , "}


def joined(name: str, first: str, second: str) -> str:
    """The value of a header (by its lower-case name) that was sent on two lines."""
    return f"{first}{_SEPARATORS.get(name, ', ')}{second}"
