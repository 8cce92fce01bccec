"""Shows comment bodies as HTML for the sandbox's pages: CommonMark and tables, raw HTML escaped but for a few plain tags."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_PLAIN_TAGS = re.compile(r"&lt;(/?(?:details|summary|sub|sup|br|kbd|b|i|em|strong))( open)?\s*/?&gt;")


def _raw_html(_: RendererHTML, tokens: Sequence[Token], index: int, *__: Any) -> str:
    """Raw HTML of a body: comments are left out, as on GitHub; a tag that is not one of the few plain ones shows as text."""
    shown = html.escape(_COMMENT.sub("", tokens[index].content), quote=False)
    return _PLAIN_TAGS.sub(r"<\1\2>", shown)


def _renderer() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": True, "breaks": True}).enable(["table", "strikethrough"])
    for rule in ("html_block", "html_inline"):
        markdown.add_render_rule(rule, _raw_html)
    return markdown


_MARKDOWN = _renderer()


def render(body: str) -> str:
    """Safe HTML for a comment's body."""
    return str(_MARKDOWN.render(body))
