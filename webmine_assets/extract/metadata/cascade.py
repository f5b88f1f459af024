"""The engine of every field: ordered sources, a check, the first valid offer wins.

What a field's sources are and in which order is data in the field's own file.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from itertools import islice
from typing import Generic, TypeVar

from webmine_assets.extract.metadata.evidence import Evidence
from webmine_assets.records import FieldProvenance, LostCandidate

# After a win only to tell what else there was: two offers of each later source are read for it.
MAX_OFFERS_PER_SOURCE, MAX_OFFERS_AFTER_WIN = 50, 2
MAX_LOST = 24
MAX_RAW_CHARS = 500

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Offer:
    """One value as it stood in the page; `flaw` is what its place already says against it."""

    raw: str
    flaw: str = ""


@dataclass(frozen=True, slots=True)
class Rejected:
    """Why an offer is not a valid value."""

    reason: str


@dataclass(frozen=True, slots=True)
class Source:
    """One step of a cascade; a last resort is read only if nothing before it won."""

    name: str
    read: Callable[[Evidence], Iterable[Offer]]
    last_resort: bool = False


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """The valid values of the winning source (none if no source won), and how it came about."""

    values: tuple[T, ...]
    provenance: FieldProvenance

    @property
    def value(self) -> T | None:
        return self.values[0] if self.values else None


Check = Callable[[str, str, Evidence], T | Rejected]
"""(raw, source name, evidence) to the clean value, or why it is none."""


@dataclass(slots=True)
class _Course(Generic[T]):
    """How a cascade stands: the winner so far and those that lost."""

    field: str
    winner: str = ""
    raw: str = ""
    values: list[T] = dataclass_field(default_factory=list)
    lost: list[LostCandidate] = dataclass_field(default_factory=list)

    def win(self, source: Source, offer: Offer, value: T) -> None:
        self.winner, self.raw = source.name, self.raw or offer.raw
        self.values.append(value)

    def lose(self, source: Source, offer: Offer, reason: str) -> None:
        if len(self.lost) < MAX_LOST:
            name, raw = f"{self.field}:{source.name}", offer.raw[:MAX_RAW_CHARS]
            self.lost.append(LostCandidate(source=name, raw=raw, reason=reason))

    def outcome(self) -> Outcome[T]:
        provenance = FieldProvenance(
            field=self.field,
            source=f"{self.field}:{self.winner}" if self.winner else "",
            raw=self.raw[:MAX_RAW_CHARS],
            lost=tuple(self.lost),
        )
        return Outcome(tuple(self.values), provenance)


def run(
    field: str,
    sources: Iterable[Source],
    evidence: Evidence,
    check: Check[T],
    *,
    gather: frozenset[str] = frozenset(),
) -> Outcome[T]:
    """Try the sources in order; of those in `gather` every valid offer is kept, not the first."""
    course: _Course[T] = _Course(field)
    for source in sources:
        if course.winner and source.last_resort:
            break
        most = MAX_OFFERS_AFTER_WIN if course.winner else MAX_OFFERS_PER_SOURCE
        for offer in islice(source.read(evidence), most):
            if course.winner and not (course.winner == source.name and source.name in gather):
                course.lose(source, offer, f"{field}:{course.winner} came first")
                continue
            verdict = (
                Rejected(offer.flaw) if offer.flaw else check(offer.raw, source.name, evidence)
            )
            if isinstance(verdict, Rejected):
                course.lose(source, offer, verdict.reason)
                continue
            course.win(source, offer, verdict)
            if source.last_resort:
                break
    return course.outcome()


def offers(values: Iterable[str]) -> Iterator[Offer]:
    """Plain values with nothing against them; empty ones are no offers."""
    return (Offer(value) for value in values if value and not value.isspace())


def meta(name: str, *, source: str = "") -> Source:
    """The meta tags of one name, property or itemprop; Dublin Core is also written `dc:title`."""
    names = (name, name.replace(".", ":", 1)) if name.startswith("dc") else (name,)

    def read(evidence: Evidence) -> Iterable[Offer]:
        values = [value for key in names for value in evidence.metas.get(key, ())]
        return offers(values) if values else ()

    return Source(source or name, read)
