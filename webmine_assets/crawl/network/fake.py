"""A fetcher without a network: answers from a table and keeps a log of what was asked."""

from collections.abc import Callable, Mapping

from webmine_assets.crawl.exchange import (
    FetchFailure,
    FetchReason,
    FetchRequest,
    FetchResponse,
)
from webmine_assets.crawl.network.clock import Clock, FakeClock

Answer = FetchResponse | FetchFailure
Responder = Callable[[FetchRequest], Answer]


class FakeFetcher:
    """Implements `Fetcher` from `answers`; a URL that is not there gets a 404.

    A redirect is an answer whose `url` differs: its `redirects` are put to the request's hop
    check as the live fetcher would. Each fetch takes `latency_s(url)` seconds of `clock`.
    """

    def __init__(
        self,
        answers: Mapping[str, Answer | Responder],
        *,
        clock: Clock | None = None,
        latency_s: Callable[[str], float] | None = None,
    ) -> None:
        self.requests: list[FetchRequest] = []
        self._answers = dict(answers)
        self._clock = clock or FakeClock()
        self._latency_s = latency_s

    @property
    def urls(self) -> list[str]:
        """What was asked for, in order."""
        return [request.url for request in self.requests]

    async def fetch(self, request: FetchRequest) -> Answer:
        self.requests.append(request)
        if self._latency_s is not None:
            await self._clock.sleep(self._latency_s(request.url))
        answer = self._answers.get(request.url)
        if answer is None:
            return self.response(request.url, status=404)
        if callable(answer):
            answer = answer(request)
        return await self._checked(request, answer)

    def response(
        self,
        url: str,
        *,
        status: int = 200,
        body: bytes = b"",
        content_type: str = "text/html; charset=utf-8",
    ) -> FetchResponse:
        """A plain answer, stamped by the fake's clock."""
        return FetchResponse(
            requested_url=url,
            url=url,
            status=status,
            headers={"content-type": content_type},
            body=body,
            fetched_at=self._clock.utcnow(),
            wire_bytes=len(body),
        )

    async def _checked(self, request: FetchRequest, answer: Answer) -> Answer:
        if isinstance(answer, FetchFailure):
            return answer
        hops = (*answer.redirects[1:], answer.url) if answer.redirects else ()
        for passed, hop in enumerate(hops, start=1):
            refusal = await request.check_hop(hop)
            if refusal is not None:
                return FetchFailure(
                    requested_url=request.url,
                    reason=FetchReason.REDIRECT_REFUSED,
                    detail=f"{hop}: {refusal.reason}",
                    fetched_at=self._clock.utcnow(),
                    redirects=answer.redirects[:passed],
                    refusal=refusal,
                )
        return answer
