"""WARC files: written, indexed, checked and read back."""
