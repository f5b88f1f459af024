"""A local site that does everything wrong, one page for each wrong."""

from webmine_assets_tests.hostile.site import HostileSite

__all__ = ["HostileSite"]
