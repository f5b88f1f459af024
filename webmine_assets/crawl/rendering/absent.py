"""The renderer of a machine without a browser: each page that needs one says so."""

from dataclasses import dataclass

from webmine_assets.crawl.exchange import FetchResponse, RenderFailure

UNAVAILABLE = "unavailable"


@dataclass(frozen=True, slots=True)
class AbsentRenderer:
    """`why` is what a person has to do about it."""

    why: str

    async def render(self, response: FetchResponse) -> RenderFailure:
        return RenderFailure(
            url=response.url, reason=UNAVAILABLE, detail=self.why, is_attempt=False
        )
