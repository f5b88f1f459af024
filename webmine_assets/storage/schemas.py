"""Parquet schemas derived from the records, and conversion of records to rows and back."""

import dataclasses
import types
from collections.abc import Mapping
from datetime import date, datetime
from enum import StrEnum
from functools import lru_cache
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

import pyarrow as pa

from webmine_assets.errors import StorageError
from webmine_assets.records import TABLES

T = TypeVar("T")

_SCALARS: dict[type, pa.DataType] = {
    str: pa.string(),
    int: pa.int64(),
    float: pa.float64(),
    bool: pa.bool_(),
    # Offsets of `binary` have 32 bits: the bodies of a partition read at once may exceed 2 GB.
    bytes: pa.large_binary(),
    date: pa.date32(),
    datetime: pa.timestamp("us", tz="UTC"),
}


@lru_cache
def schema_of(record: type) -> pa.Schema:
    """The Parquet schema of a record; column meanings travel in the field metadata."""
    return pa.schema([_field(name, hint) for name, hint in _hints(record).items()])


def table_schema(table: str) -> pa.Schema:
    """The schema of a table by its name."""
    return schema_of(record_of(table))


def record_of(table: str) -> type:
    """The record of a table's rows, or an error that names the known tables."""
    if table not in TABLES:
        raise StorageError(f"there is no table {table!r}; known: {', '.join(TABLES)}")
    return TABLES[table]


def column_docs(table: str) -> dict[str, str]:
    """What each column of a table means, in the order of the columns."""
    return {
        field.name: (field.metadata or {}).get(b"doc", b"").decode()
        for field in table_schema(table)
    }


def to_row(record: Any) -> dict[str, Any]:
    """A record as a plain mapping that pyarrow can take; nested records become mappings."""
    return {name: _plain(getattr(record, name)) for name in _hints(type(record))}


def from_row(record: type[T], row: Mapping[str, Any]) -> T:
    """A record from a row as pyarrow gives it; columns a file lacks take their defaults."""
    hints = _hints(record)
    return record(**{name: _value(hint, row[name]) for name, hint in hints.items() if name in row})


_HINTS: dict[Any, dict[str, Any]] = {}


def _hints(record: Any) -> dict[str, Any]:
    """Type hints, remembered: resolving them costs more than a row."""
    if record not in _HINTS:
        _HINTS[record] = get_type_hints(record, include_extras=True)
    return _HINTS[record]


def _field(name: str, hint: Any) -> pa.Field:
    doc = get_args(hint)[1] if get_origin(hint) is Annotated else ""
    bare = _bare(hint)
    inner = _optional(bare)
    # Always nullable: a file of an earlier version lacks columns, and is read with nulls in them.
    return pa.field(name, _type(inner), nullable=True, metadata={"doc": str(doc)} if doc else None)


def _bare(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


def _optional(hint: Any) -> Any:
    """The type inside `X | None`, or the type itself."""
    if isinstance(hint, types.UnionType):
        return next(part for part in get_args(hint) if part is not type(None))
    return hint


def _type(hint: Any) -> pa.DataType:
    if hint in _SCALARS:
        return _SCALARS[hint]
    origin = get_origin(hint)
    if origin is tuple:
        return pa.list_(_type(_optional(_bare(get_args(hint)[0]))))
    if origin is dict:
        key, value = get_args(hint)
        return pa.map_(_type(key), _type(value))
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return pa.string()
    if dataclasses.is_dataclass(hint):
        return pa.struct([_field(name, inner) for name, inner in _hints(hint).items()])
    raise TypeError(f"no Parquet type for {hint!r}")


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return to_row(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return list(value.items())
    return value


def _value(hint: Any, value: Any) -> Any:
    inner = _optional(_bare(hint))
    if value is None:
        return () if get_origin(inner) is tuple else {} if get_origin(inner) is dict else None
    if get_origin(inner) is tuple:
        element = get_args(inner)[0]
        return tuple(_value(element, item) for item in value)
    if get_origin(inner) is dict:
        return dict(value)
    if dataclasses.is_dataclass(inner):
        return from_row(inner, value)  # type: ignore[arg-type]  # is_dataclass also admits instances
    if isinstance(inner, type) and issubclass(inner, StrEnum):
        return inner(value)
    return value
