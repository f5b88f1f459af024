"""The version stored with every extracted row: a change of output needs a new one."""

EXTRACTOR_VERSION = "1.4.0"
