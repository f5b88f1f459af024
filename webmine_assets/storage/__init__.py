"""The lake: Parquet tables, DuckDB views over them, and the search index."""
