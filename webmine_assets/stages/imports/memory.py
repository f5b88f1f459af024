"""What an import took, remembered only once it is published: a crash in between loses nothing."""

from webmine_assets.ingest.tracker import FeedState, Taken, Tracker


class DeferredMemory:
    """A tracker's memory whose new entries are written by `keep`, after publication.

    With `again` it knows nothing of earlier imports: inputs are taken once more.
    """

    def __init__(self, tracker: Tracker, *, again: bool = False) -> None:
        self._tracker = tracker
        self._again = again
        self._taken: dict[tuple[str, str], Taken] = {}
        self._feeds: dict[str, FeedState] = {}

    def find(self, kind: str, digest: str) -> Taken | None:
        earlier = None if self._again else self._tracker.find(kind, digest)
        return self._taken.get((kind, digest)) or earlier

    def save(self, kind: str, digest: str, *, name: str, position: int, done: bool = False) -> None:
        self._taken[kind, digest] = Taken(name=name, position=position, done=done, at="")

    def find_feed(self, url: str) -> FeedState | None:
        return None if self._again else self._tracker.find_feed(url)

    def save_feed(self, url: str, state: FeedState) -> None:
        self._feeds[url] = state

    def keep(self) -> None:
        """Call when all that was taken is published."""
        for (kind, digest), taken in self._taken.items():
            self._tracker.save(
                kind, digest, name=taken.name, position=taken.position, done=taken.done
            )
        for url, state in self._feeds.items():
            self._tracker.save_feed(url, state)
