"""Markdown of stored pages as HTML that is safe to show: no raw HTML, no images, no scripts."""

from collections.abc import Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup, escape

# Rendering takes about a second per million characters; a page for a person needs less.
MAX_CHARACTERS = 200_000


class _Renderer(RendererHTML):
    def image(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        """The words of an image instead of the image: nothing is loaded from elsewhere."""
        token = tokens[idx]
        words = token.content or "image"
        source = escape(str(token.attrGet("src") or ""))
        return f'<span class="md-image" title="{source}">{escape(words)}</span>'

    def heading_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        """One level down: the page around it has the first heading."""
        return f"<{_lower(tokens[idx].tag)}>"

    def heading_close(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return f"</{_lower(tokens[idx].tag)}>\n"

    def link_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        token = tokens[idx]
        token.attrSet("rel", "noopener noreferrer nofollow")
        token.attrSet("target", "_blank")
        return self.renderToken(tokens, idx, options, env)


def _lower(tag: str) -> str:
    return f"h{min(int(tag[1]) + 1, 6)}"


_PARSER = MarkdownIt("js-default", {"html": False, "linkify": False}, renderer_cls=_Renderer)


def render_markdown(text: str) -> Markup:
    """HTML of Markdown; what is beyond the limit is cut, as the page says."""
    return Markup(_PARSER.render(text[:MAX_CHARACTERS]))  # noqa: S704  # html=False escapes all markup
