"""The other ways in: feeds, CSV files of URLs, stored HTML, WARC files."""
