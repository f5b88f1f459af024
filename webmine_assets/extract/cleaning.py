"""Which blocks are left when boilerplate is removed by rule: tags, roles, and names of boxes.

Nothing is cut from the tree: a block is clean if no container around it is boilerplate. Hints of a
container that holds much of the page were dropped before (`candidates.measure`).
"""

from webmine_assets.extract.candidates import JUNK
from webmine_assets.extract.hints import EXCLUDED, selectors
from webmine_assets.extract.outline import Block

DEFAULT_EXCLUDED_SELECTORS = selectors(EXCLUDED)
"""The names behind the hints as CSS selectors, for people who write rules of their own."""


def is_clean(block: Block) -> bool:
    """Whether no container around a block is boilerplate."""
    return not block.node.hints & JUNK
