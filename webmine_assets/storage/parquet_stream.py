"""One Parquet file written in a stream of row groups, with notes about it kept inside."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from webmine_assets.storage.schemas import schema_of, to_row

# A row group is closed at whichever comes first. Bodies average 40–200 kB, so a group holds at most
# about 32 MB of them: that bounds the writer's memory, and a query over other columns skips them.
GROUP_ROWS = 2_000
GROUP_BYTES = 32_000_000
# Arrow keeps its own words in the same place.
_NOTE = "webmine."


class ParquetStream:
    """Streams records into one Parquet file; memory is one row group."""

    def __init__(self, sink: Any, record: type) -> None:
        self._schema = schema_of(record)
        self._writer = pq.ParquetWriter(
            sink, self._schema, compression="zstd", use_dictionary=True, write_statistics=True
        )
        self._rows: list[dict[str, Any]] = []
        self._bytes = 0
        self.count = 0

    def add(self, record: Any) -> None:
        row = to_row(record)
        self._rows.append(row)
        self._bytes += sum(len(v) for v in row.values() if isinstance(v, bytes | str))
        if len(self._rows) >= GROUP_ROWS or self._bytes >= GROUP_BYTES:
            self._flush()

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_table(pa.Table.from_pylist(self._rows, schema=self._schema))
            self.count += len(self._rows)
            self._rows, self._bytes = [], 0

    def note(self, note: Mapping[str, str]) -> None:
        """Words about the file, kept with it; before `close`."""
        self._writer.add_key_value_metadata({_NOTE + name: text for name, text in note.items()})

    def close(self) -> None:
        self._flush()
        self._writer.close()


def notes_of(file: pq.ParquetFile) -> dict[str, str]:
    """What was noted in a file that was written here."""
    found = {name.decode(): text for name, text in (file.metadata.metadata or {}).items()}
    return {
        name.removeprefix(_NOTE): text.decode()
        for name, text in found.items()
        if name.startswith(_NOTE)
    }
