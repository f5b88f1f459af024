"""The crawler: which URLs are taken, how they are fetched, and a reason for each one."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from webmine_assets.crawl.miner import WebMiner, build_web_miner

__all__ = ["WebMiner", "build_web_miner"]


def __getattr__(name: str) -> Any:
    # Parser processes import this package and need neither browser nor network: load on demand.
    if name in __all__:
        from webmine_assets.crawl import miner

        return getattr(miner, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
