"""`webmine query`: SQL over the views."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import pyarrow
import pyarrow.csv
import pyarrow.parquet
import typer

from webmine_assets.cli.chosen import lake_to_ask
from webmine_assets.cli.console import output, print_json, print_table, to_json
from webmine_assets.errors import ConfigurationError
from webmine_assets.settings import read_settings
from webmine_assets.storage import warehouse

_SHOWN_ROWS = 200


class Format(StrEnum):
    """How an answer is written."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"


def query(
    sql: Annotated[str, typer.Argument(help="for example: select count(*) from page_snapshots")],
    format: Annotated[Format, typer.Option("--format", "-f", help="json is a list of objects")] = (
        Format.TABLE
    ),
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", dir_okay=False, help="write to this file instead of the screen"
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="the same as --format json")] = False,
) -> None:
    """Ask DuckDB about every table: seeds, page_snapshots, url_ledger, page_content …

    "show tables" lists the views, "describe page_metadata" the columns of one.
    """
    answer = warehouse.query(lake_to_ask(read_settings()), sql)
    match Format.JSON if as_json else format:
        case Format.TABLE:
            print_table(_rows(answer.slice(0, _SHOWN_ROWS)))
            if answer.num_rows > _SHOWN_ROWS:
                output.print(f"[dim]{_SHOWN_ROWS} of {answer.num_rows} rows; -f csv gives all[/]")
        case Format.CSV:
            pyarrow.csv.write_csv(_flat(answer), out or sys.stdout.buffer)
        case Format.JSON if out:
            out.write_text(to_json(_rows(answer)) + "\n", "utf-8")
        case Format.JSON:
            print_json(_rows(answer))
        case Format.PARQUET:
            if out is None:
                raise ConfigurationError("--format parquet needs --out FILE")
            pyarrow.parquet.write_table(answer, out, compression="zstd")


def _rows(table: pyarrow.Table) -> list[dict[str, Any]]:
    """A map is an object, as in JSON, not a list of pairs."""
    rows: list[dict[str, Any]] = table.to_pylist(maps_as_pydicts="lossy")
    return rows


def _flat(table: pyarrow.Table) -> pyarrow.Table:
    """Columns that CSV cannot hold (lists, maps, bytes) as JSON text."""
    for position, field in enumerate(table.schema):
        if pyarrow.types.is_nested(field.type) or pyarrow.types.is_large_binary(field.type):
            values = table.column(position).to_pylist(maps_as_pydicts="lossy")
            texts = [to_json(value, indent=None) for value in values]
            table = table.set_column(position, field.name, pyarrow.array(texts, pyarrow.string()))
    return table
