"""A small corpus for tests of the upper layers: demo sites, institution files, a data folder."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from webmine_assets.demo.ports import DemoPorts
from webmine_assets.demo.server import DemoSites
from webmine_assets.demo.starter import write_demo_institutions
from webmine_assets.settings import Settings, read_settings
from webmine_assets.storage.lake import Lake


@dataclass(frozen=True, slots=True)
class DemoCorpus:
    """A data folder whose institutions are served on loopback while it is open."""

    settings: Settings
    sites: DemoSites

    @property
    def lake(self) -> Lake:
        return Lake(self.settings.lake)


@contextmanager
def demo_corpus(data: Path) -> Iterator[DemoCorpus]:
    """Demo sites on free ports, with files that name them."""
    settings = read_settings({"WEBMINE_DATA": str(data)})
    with DemoSites(DemoPorts(university=0, newsroom=0, portal=0)) as sites:
        settings.institutions.mkdir(parents=True)
        write_demo_institutions(settings.institutions, ports=sites.ports)
        yield DemoCorpus(settings, sites)
