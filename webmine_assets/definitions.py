"""The only Dagster entry point: everything `dagster dev`, the UI and the daemon load."""

from webmine_assets.defs.project import build_definitions

defs = build_definitions()
