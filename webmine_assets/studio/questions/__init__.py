"""What the studio asks of the lake: one module a view, SQL here and nowhere else in the studio."""

from collections.abc import Callable
from typing import Any

Row = dict[str, Any]
Ask = Callable[..., list[Row]]
"""Answers SQL with a list of parameters as a list of rows."""
