import re

from hypothesis import given
from hypothesis import strategies as st

from webmine_assets.crawl.rules.pathpattern import PathPattern, comparable


@given(pattern=st.text(alphabet="ab/*$", max_size=12), path=st.text(alphabet="ab/*$", max_size=12))
def test_matches_are_those_of_the_regular_expression(pattern: str, path: str) -> None:
    anchored = pattern.endswith("$")
    pieces = (pattern[:-1] if anchored else pattern).split("*")
    expression = ".*".join(map(re.escape, pieces)) + ("$" if anchored else "")
    assert PathPattern.of(pattern).matches(comparable(path)) is (
        re.match(expression, path) is not None
    )


@given(text=st.text())
def test_one_form_of_escapes_is_final(text: str) -> None:
    assert comparable(comparable(text)) == comparable(text)
