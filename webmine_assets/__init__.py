"""webmine_assets: institutional web sites as Dagster assets, from seeds to archives."""

from importlib.metadata import version

__version__ = version("webmine-assets")
