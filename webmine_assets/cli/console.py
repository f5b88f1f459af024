"""What the command line shows: tables, errors, and progress as bars or as plain lines."""

import base64
import json
import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)
from rich.progress import Progress as RichProgress
from rich.table import Table

from webmine_assets.progress import LineProgress, Progress, Task

# A pipe or a log has no width: wide enough for our widest table, so that no cell is folded.
_PIPE_WIDTH = 140
_CELL_CHARS = 400


def _console(*, stderr: bool) -> Console:
    console = Console(stderr=stderr, highlight=False)
    return (
        console
        if console.is_terminal
        else Console(stderr=stderr, highlight=False, width=_PIPE_WIDTH)
    )


output = _console(stderr=False)
errors = _console(stderr=True)


class _Bar:
    def __init__(self, bars: RichProgress, task: TaskID) -> None:
        self._bars, self._task = bars, task

    def update(self, done: int, total: int | None = None, note: str = "") -> None:
        self._bars.update(self._task, completed=done, note=note)
        if total is not None:
            self._bars.update(self._task, total=total)


class BarProgress:
    """Progress bars on a terminal, one line a task; finished ones stay."""

    def __init__(self, bars: RichProgress) -> None:
        self._bars = bars

    @contextmanager
    def task(self, label: str, total: int | None = None) -> Iterator[Task]:
        task = self._bars.add_task(label, total=total, note="")
        try:
            yield _Bar(self._bars, task)
        finally:
            done = self._bars.tasks[self._bars.task_ids.index(task)].completed
            self._bars.update(task, total=done or 1, completed=done or 1)

    def say(self, message: str) -> None:
        self._bars.console.print(message)


@contextmanager
def showing_progress() -> Iterator[Progress]:
    """Bars on a terminal, plain lines elsewhere; both on standard error."""
    if not errors.is_terminal:
        yield LineProgress(lambda line: errors.print(line, markup=False, soft_wrap=True))
        return
    columns = (
        SpinnerColumn(finished_text="[green]✓"),
        TextColumn("{task.description}", justify="left"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("[dim]{task.fields[note]}"),
    )
    with RichProgress(*columns, console=errors) as bars:
        yield BarProgress(bars)


def tell(kind: str, message: str) -> None:
    """One message for a person on standard error; what it quotes is shown as it is."""
    style = "bold red" if kind == "error" else "yellow"
    errors.print(f"[{style}]{kind}:[/] {escape(message)}", soft_wrap=True)


def print_json(value: Any) -> None:
    sys.stdout.write(to_json(value) + "\n")


def to_json(value: Any, *, indent: int | None = 2) -> str:
    """JSON for people and programs; times in ISO 8601, bytes as base64, what is no number null."""
    # Few answers hold such a number: the rest need not be copied to look for one.
    try:
        return _dumps(value, indent=indent, allow_nan=False)
    except ValueError:
        return _dumps(_finite(value), indent=indent)


def _dumps(value: Any, **how: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=_json_value, **how)


def _finite(value: Any) -> Any:
    """NaN and infinity are numbers to DuckDB and none to JSON."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list | tuple) else value


def _json_value(value: Any) -> Any:
    if isinstance(value, Decimal):
        # What DuckDB's sum() of whole numbers is, too.
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    return str(value)


def print_table(rows: list[dict[str, Any]], *, title: str | None = None) -> None:
    """Rows as a table for a person; numbers to the right."""
    if not rows:
        output.print("[dim]no rows[/]")
        return
    table = Table(title=title, title_justify="left", header_style="bold", box=SIMPLE_HEAD)
    for name in rows[0]:
        is_number = all(_is_number(row[name]) for row in rows)
        table.add_column(name, justify="right" if is_number else "left", overflow="fold")
    for row in rows:
        table.add_row(*(_cell(value) for value in row.values()))
    output.print(table)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Decimal | None) and not isinstance(value, bool)


def _cell(value: Any) -> str:
    if value is None:
        return "[dim]–[/]"
    if isinstance(value, float):
        return f"{value:,.3f}".rstrip("0").rstrip(".")
    if isinstance(value, bool):
        return to_json(value)
    if isinstance(value, datetime):
        value = value.replace(microsecond=0)
    text = to_json(value, indent=None) if isinstance(value, list | dict) else str(value)
    return escape(text if len(text) <= _CELL_CHARS else text[: _CELL_CHARS - 1] + "…")
