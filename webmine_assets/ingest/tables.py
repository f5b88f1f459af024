"""Rows of CSV files as they come: columns by name, any usual delimiter, bounded lines."""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from itertools import chain
from typing import BinaryIO

from webmine_assets.errors import ImportSourceError
from webmine_assets.ingest.inputs import unpacked

MAX_TABLE_BYTES = 4_000_000_000
_MAX_LINE_CHARACTERS = 1_000_000
_DATE = re.compile(r"(?<!\d)((?:19|20)\d\d)([-_.]?)(\d\d)\2(\d\d)(?!\d)")
_DELIMITERS = (",", ";", "\t", "|")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table, its values by lower-case column name."""

    line: int
    values: dict[str, str]

    def first(self, names: Iterable[str]) -> str | None:
        """The value of the first of these columns that has one."""
        return next((value for name in names if (value := self.values.get(name))), None)


def read_rows(stream: BinaryIO, *, name: str, lone_column: str) -> Iterator[Row]:
    """The rows of a table, gzip or not.

    In a file without a header `lone_column` is the column of URLs, or of the numbers that are all.
    """
    text = io.TextIOWrapper(
        unpacked(stream, MAX_TABLE_BYTES), encoding="utf-8-sig", errors="replace", newline=""
    )
    lines = _bounded_lines(text, name)
    first = next(lines, "")
    reader = csv.reader(chain([first], lines), delimiter=_delimiter(first))
    try:
        first_cells = next(reader, [])
        made_up = _made_up_header(first_cells, lone_column)
        header = made_up or [cell.strip().lower() for cell in first_cells]
        for cells in chain([first_cells] if made_up else [], reader):
            values = {k: v.strip() for k, v in zip(header, cells, strict=False) if v.strip()}
            if values:
                yield Row(reader.line_num, values)
    except csv.Error as problem:
        raise ImportSourceError(f"{name}, line {reader.line_num}: {problem}") from None


def date_in_name(name: str) -> date | None:
    """The first date in a file name: 2022-01-25, 2022_01_25 or 20220125."""
    for year, _, month, day in _DATE.findall(name):
        try:
            return date(int(year), int(month), int(day))
        except ValueError:
            continue
    return None


def _made_up_header(first: list[str], lone_column: str) -> list[str] | None:
    """Names for the columns if the first line is no header: it has a URL, or is a lone number."""
    found = [number for number, cell in enumerate(first) if "://" in cell]
    if not found and len(first) == 1 and first[0].strip().isdigit():
        found = [0]
    if not found:
        return None
    return [
        lone_column if number == found[0] else f"column_{number}" for number in range(len(first))
    ]


def _delimiter(first: str) -> str:
    if "://" in first:  # a line of data: a URL may hold any of the others
        return "\t" if "\t" in first else ","
    return max(_DELIMITERS, key=first.count) if any(map(first.count, _DELIMITERS)) else ","


def _bounded_lines(text: io.TextIOWrapper, name: str) -> Iterator[str]:
    number = 0
    while line := text.readline(_MAX_LINE_CHARACTERS + 1):
        number += 1
        if len(line) > _MAX_LINE_CHARACTERS:
            raise ImportSourceError(
                f"{name}, line {number}: longer than {_MAX_LINE_CHARACTERS} characters"
            )
        yield line.replace("\0", "")
