"""Rows of CSV files as they come: columns by name, any usual delimiter, bounded lines."""

import codecs
import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
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
_NO_DELIMITER = "\x1f"  # a control character that no list of URLs holds
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_WINDOWS = "windows-1252"
_BARE_URL = re.compile(r'https?://[^\s"]+')


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table, its values by lower-case column name."""

    line: int
    values: dict[str, str]

    def first(self, names: Iterable[str]) -> str | None:
        """The value of the first of these columns that has one."""
        return next((value for name in names if (value := self.values.get(name))), None)


def read_rows(stream: BinaryIO, *, name: str, needed: Sequence[str]) -> Iterator[Row]:
    """The rows of a table, gzip or not, in UTF-8, windows-1252 or, with its mark, UTF-16.

    One that has none of the `needed` columns is an error.

    In a file without a header the column of URLs, or of numbers if they are all, is the first of
    these.
    """
    data = unpacked(stream, MAX_TABLE_BYTES)
    # Spreadsheets save "Unicode text" as UTF-16, always with its mark.
    is_utf16 = data.peek(2)[:2] in _UTF16_MARKS
    encoding, errors = ("utf-16", "replace") if is_utf16 else ("utf-8-sig", _WINDOWS)
    text = io.TextIOWrapper(data, encoding=encoding, errors=errors, newline="")
    lines = _bounded_lines(text, name)
    first = next(lines, "")
    reader = csv.reader(chain([first], lines), delimiter=_delimiter(first))
    try:
        first_cells = next(reader, [])
        made_up = _made_up_header(first_cells, needed[0])
        header = made_up or [cell.strip().lower() for cell in first_cells]
        if any(header) and not {*needed} & {*header}:
            raise ImportSourceError(_no_column(name, needed, header))
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


def _as_windows(problem: UnicodeError) -> tuple[str, int]:
    """Bytes that are no UTF-8: spreadsheets save CSV as windows-1252 where nobody says otherwise.

    Detection is no help: it took short tables of French, Spanish and Norwegian for windows-1250.
    """
    if not isinstance(problem, UnicodeDecodeError):
        raise problem
    found = problem.object[problem.start : problem.end]
    return found.decode("cp1252", "replace"), problem.end


codecs.register_error(_WINDOWS, _as_windows)


def _no_column(name: str, needed: Sequence[str], header: Sequence[str]) -> str:
    found = ", ".join(cell[:40] for cell in header[:10])
    return f"{name}: no column named {' or '.join(needed)}; its first line has {found!r}"


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
    if "://" in first:
        return _delimiter_of_data(first.strip())
    return max(_DELIMITERS, key=first.count) if any(map(first.count, _DELIMITERS)) else ","


def _delimiter_of_data(line: str) -> str:
    """The delimiter of a line with a URL: the one that leaves a cell that is a URL.

    A URL may hold any of them but the tab, so a line that is all URL is not cut.
    """
    if _BARE_URL.fullmatch(line):
        return _NO_DELIMITER
    for delimiter in ("\t", *_DELIMITERS):
        cells = line.split(delimiter)
        if len(cells) > 1 and any(_BARE_URL.fullmatch(cell.strip(' "')) for cell in cells):
            return delimiter
    return ","


def _bounded_lines(text: io.TextIOWrapper, name: str) -> Iterator[str]:
    number = 0
    while line := text.readline(_MAX_LINE_CHARACTERS + 1):
        number += 1
        if len(line) > _MAX_LINE_CHARACTERS:
            raise ImportSourceError(
                f"{name}, line {number}: longer than {_MAX_LINE_CHARACTERS} characters"
            )
        yield line.replace("\0", "")
