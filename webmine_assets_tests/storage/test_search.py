import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmine_assets.errors import QueryError, StorageError
from webmine_assets.storage.search import SearchDocument, SearchIndex

PAGES: list[dict[str, Any]] = [
    {"title": "Quark physics", "text": "Our runners are measuring quarks.", "language": "en"},
    {"title": "Sports day", "text": "She runs. Physics students run too.", "language": "en"},
    {"title": "Studium", "text": "Die Häuser der Universitäten in München.", "language": "de"},
    {"title": "東京大学", "text": "東京大学の物理学研究科について。", "language": "ja"},
    {"title": "Uczelnia", "text": "Badania naukowe na uczelni łódzkiej.", "language": "pl"},
    {"title": "", "text": "", "language": None},
]


def document(number: int, **fields: Any) -> SearchDocument:
    values = {
        "page_id": f"p{number}",
        "institution": "u1",
        "url": f"https://u1.edu/{number}",
        "title": "",
        "text": "",
    } | fields
    return SearchDocument(**values)


@pytest.fixture
def index(tmp_path: Path) -> SearchIndex:
    found = SearchIndex(tmp_path / "search")
    found.update("u1", [document(number, **page) for number, page in enumerate(PAGES)])
    return found


SEARCHING = """
import os, sys
from pathlib import Path
from webmine_assets.storage.search import SearchIndex
if os.getuid() == 0:
    os.setuid(65534)
index = SearchIndex(Path(sys.argv[1]))
for _ in range(2):
    print(*[hit.page_id for hit in index.search("quark")], *index.counts())
    print("next", flush=True)
    input()
"""


@pytest.mark.slow
def test_a_folder_that_cannot_be_written_is_searched(index: SearchIndex, tmp_path: Path) -> None:
    folder = tmp_path / "search"

    def forbid(writing: bool) -> None:
        for each in (folder, *folder.rglob("*")):
            each.chmod((0o555 if each.is_dir() else 0o444) | (0 if writing else 0o200))

    forbid(writing=True)
    # Root may write anywhere: the reader is nobody then, who has to find the way here.
    for each in folder.parents:
        if each.stat().st_uid == os.getuid() and not each.stat().st_mode & 0o001:
            each.chmod(0o755)
    reader = subprocess.Popen(
        [sys.executable, "-c", SEARCHING, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with reader:
        assert reader.stdin
        assert reader.stdout
        assert reader.stdout.readline() == "p0 u1\n"
        forbid(writing=False)
        index.update("u2", [document(7, institution="u2", text="quark")])
        forbid(writing=True)
        reader.stdin.write("\n")
        reader.stdin.flush()
        assert reader.stdout.readline() == "next\n"
        assert sorted(reader.stdout.readline().split()) == ["p0", "p7", "u1", "u2"]
        reader.kill()


def ids(index: SearchIndex, words: str, **filters: Any) -> list[str]:
    return [hit.page_id for hit in index.search(words, **filters)]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("quark", ["p0"]),
        ("measured", ["p0"]),
        ("QUARKS measuring", ["p0"]),
        ("-physics -Studium", ["p3", "p4", "p5"]),
        ("-physics quark", []),
        ("students ( -quark", ["p1"]),
        ("Haus Universität", ["p2"]),
        ("münchen", ["p2"]),
        ("大学", ["p3"]),
        ("物理学", ["p3"]),
        ("学物", []),
        ("lodzkiej", ["p4"]),
        ('"physics students"', ["p1"]),
        ('"students physics"', []),
        ("physics -sports", ["p0"]),
        ("nowhere", []),
    ],
)
def test_words_are_found_in_any_form_of_their_language(
    index: SearchIndex, words: str, found: list[str]
) -> None:
    assert ids(index, words) == found


def test_a_title_counts_more_than_the_text(index: SearchIndex) -> None:
    assert ids(index, "physics") == ["p0", "p1"]


def test_pages_with_all_words_come_alone_and_else_those_with_any(index: SearchIndex) -> None:
    assert ids(index, "physics runs") == ["p1"]
    assert set(ids(index, "quark sports")) == {"p0", "p1"}


def test_a_hit_shows_where_the_words_are(index: SearchIndex) -> None:
    [hit] = index.search("universität")
    assert (hit.url, hit.title, hit.language) == ("https://u1.edu/2", "Studium", "de")
    assert [hit.snippet[a:b] for a, b in hit.highlights] == ["Universitäten"]
    [titled] = index.search("sports")
    assert titled.snippet.startswith("She runs.")
    assert titled.highlights == ()


def test_filters_narrow_what_is_found(tmp_path: Path) -> None:
    index = SearchIndex(tmp_path)
    old, new = datetime(2020, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC)
    first = document(1, text="lake", date=old, topics=("Water", "fish"))
    index.update("u1", [first, document(2, text="lake", date=new, topics=("boats",))])
    index.update("u2", [document(3, text="lake")])
    assert set(ids(index, "lake")) == {"p1", "p2", "p3"}
    assert ids(index, "lake", institution="u2") == ["p3"]
    assert ids(index, "lake", since=date(2026, 1, 1)) == ["p2"]
    assert ids(index, "lake", topic="water") == ["p1"]
    assert ids(index, "lake", topic="WATER", institution="u2") == []
    assert ids(index, "fish") == ["p1"]
    assert len(ids(index, "lake", limit=1)) == 1
    assert ids(index, "lake", limit=0) == []


def test_broken_characters_do_not_stop_an_update(tmp_path: Path) -> None:
    index = SearchIndex(tmp_path)
    naive = datetime(2026, 1, 1)  # noqa: DTZ001
    index.update("u1", [document(1, title="\ud800", text="lake \udfff", date=naive)])
    [hit] = index.search("lake \ud800")
    assert hit.date == naive.replace(tzinfo=UTC)


def test_an_update_replaces_one_institution_only(tmp_path: Path) -> None:
    index = SearchIndex(tmp_path)
    index.update("u1", [document(1, text="alpha"), document(2, text="alpha")])
    index.update("u2", [document(3, text="alpha")])
    assert index.counts() == {"u1": 2, "u2": 1}
    assert index.update("u1", [document(4, text="alpha")]) == 1
    assert set(ids(index, "alpha")) == {"p4", "p3"}
    assert index.counts() == {"u1": 1, "u2": 1}
    index.update("u1", [])
    assert index.counts() == {"u2": 1}


def test_another_reader_sees_a_commit_at_once(tmp_path: Path) -> None:
    writer, reader = SearchIndex(tmp_path), SearchIndex(tmp_path)
    writer.update("u1", [document(1, text="alpha")])
    assert ids(reader, "alpha") == ["p1"]
    writer.update("u1", [document(2, text="alpha")])
    assert ids(reader, "alpha") == ["p2"]


def test_an_update_that_fails_changes_nothing(index: SearchIndex) -> None:
    def documents() -> Iterator[SearchDocument]:
        yield document(99, text="alpha")
        raise RuntimeError

    with pytest.raises(RuntimeError):
        index.update("u1", documents())
    assert ids(index, "quark") == ["p0"]
    assert ids(index, "alpha") == []
    index.update("u1", [document(7, text="alpha")])
    assert ids(index, "alpha") == ["p7"]


NO_QUERIES = ["quark AND", "((quark", "quark:", "http://quark", '"quark', "quark'", "+quark +"]
NO_QUERIES += ["quark^x", "quark\\", "title:quark~", "quark {", "(" * 300 + "quark", "[quark TO"]


@pytest.mark.slow
@pytest.mark.parametrize("words", NO_QUERIES)
def test_what_is_no_query_is_taken_as_words(index: SearchIndex, words: str) -> None:
    assert "p0" in ids(index, words)


@pytest.mark.parametrize("words", ["", "   ", "-", "+", "((", '""', "\x00", "*" * 400])
def test_a_query_without_words_is_no_error(index: SearchIndex, words: str) -> None:
    index.search(words)


@given(words=st.text(max_size=60))
def test_no_text_makes_a_search_fail(words: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    index = SearchIndex(tmp_path_factory.getbasetemp() / "any")
    if not index.counts():
        index.update("u1", [document(n, **page) for n, page in enumerate(PAGES)])
    index.search(words)


def test_a_query_that_is_too_long_is_refused(index: SearchIndex) -> None:
    with pytest.raises(QueryError, match="at most 500"):
        index.search("x" * 501)


def test_no_index_finds_nothing(tmp_path: Path) -> None:
    assert SearchIndex(tmp_path / "none").search("x") == []
    assert SearchIndex(tmp_path / "none").counts() == {}


def test_a_folder_that_is_no_index_says_what_to_do(tmp_path: Path) -> None:
    index = SearchIndex(tmp_path)
    index.update("u1", [])
    [meta] = tmp_path.rglob("meta.json")
    meta.write_text("{broken")
    with pytest.raises(StorageError, match="remove the folder"):
        SearchIndex(tmp_path).search("x")


HOLDER = """
import sys
from pathlib import Path
from webmine_assets.storage.search import SearchIndex
def documents():
    print("held", flush=True)
    sys.stdin.read()
    yield from ()
SearchIndex(Path(sys.argv[1])).update("u2", documents())
"""


def test_a_second_process_waits_for_the_lock(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdin
        assert holder.stdout
        assert holder.stdout.readline() == b"held\n"
        waits: list[float] = []
        with pytest.raises(StorageError, match="cannot be written"):
            SearchIndex(tmp_path, lock_wait_s=1, sleep=waits.append).update("u1", [])
        assert len(waits) >= 4

        def release(_: float) -> None:
            if holder.stdin and not holder.stdin.closed:
                holder.stdin.close()
                holder.wait(timeout=20)

        patient = SearchIndex(tmp_path, lock_wait_s=60, sleep=release)
        assert patient.update("u1", [document(1, text="alpha")]) == 1
    assert ids(patient, "alpha") == ["p1"]


@pytest.mark.parametrize("since", [date(2999, 1, 1), date.max])
def test_a_day_far_ahead_finds_nothing_and_breaks_nothing(tmp_path: Path, since: date) -> None:
    index = SearchIndex(tmp_path)
    page = SearchDocument(
        page_id="p", institution="u1", url="https://u1.edu/", title="Rivers", text="rivers"
    )
    index.update("u1", [page])
    assert index.search("rivers", since=since) == []
