"""Path patterns as robots.txt has them: a prefix, with * for any text and a final $ for the end."""

import re
from dataclasses import dataclass

_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_NON_ASCII = re.compile(r"[^\x21-\x7e]")


def comparable(target: str) -> str:
    """A path as patterns are compared with it: in one form, its own `*` and `$` escaped.

    A pattern means those characters themselves by %2A and %24 (RFC 9309, section 2.2.3).
    """
    return _one_form(target).replace("*", "%2A").replace("$", "%24")


def _one_form(target: str) -> str:
    """A path or pattern with its percent-encoding in one form (RFC 9309, section 2.2.2)."""
    if "%" in target:
        target = _ESCAPE.sub(_unescape_unreserved, target)
    return target if target.isascii() and target.isprintable() else _NON_ASCII.sub(_escape, target)


@dataclass(frozen=True, slots=True)
class PathPattern:
    """One pattern, cut at its wildcards so that a match takes one pass over the path."""

    pieces: tuple[str, ...]
    anchored: bool
    length: int

    @classmethod
    def of(cls, text: str) -> "PathPattern":
        pattern = _one_form(text)
        anchored = pattern.endswith("$")
        pieces = pattern[:-1].split("*") if anchored else pattern.split("*")
        # Only at the end does $ mean more than itself.
        literal = tuple(piece.replace("$", "%24") for piece in pieces)
        return cls(literal, anchored, len(pattern))

    @property
    def prefix(self) -> str:
        """What every matching path starts with."""
        return self.pieces[0]

    def matches(self, path: str) -> bool:
        """Whether the pattern covers a path that `comparable` has prepared.

        Each piece is looked for after the one before: leftmost choices lose no match, so there is
        no backtracking.
        """
        if not path.startswith(self.pieces[0]):
            return False
        at = len(self.pieces[0])
        if len(self.pieces) == 1:
            return not self.anchored or at == len(path)
        for piece in self.pieces[1:-1]:
            found = path.find(piece, at)
            if found < 0:
                return False
            at = found + len(piece)
        last = self.pieces[-1]
        if self.anchored:
            return path.endswith(last) and len(path) - len(last) >= at
        return path.find(last, at) >= 0


def _unescape_unreserved(match: re.Match[str]) -> str:
    character = chr(int(match[0][1:], 16))
    return character if character in _UNRESERVED else match[0].upper()


def _escape(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", "replace"))
