from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmine_assets.extract.metadata.moment import find_days, parse_moment


@pytest.mark.parametrize(
    ("raw", "iso"),
    [
        ("2019-08-02", "2019-08-02"),
        ("2019-08-02T10:20:30Z", "2019-08-02T10:20:30+00:00"),
        ("2019-08-02T10:20:30.123+0200", "2019-08-02T10:20:30+02:00"),
        ("2019-08-02 10:20", "2019-08-02T10:20:00"),
        ("2019/08/02", "2019-08-02"),
        ("20190802", "2019-08-02"),
        ("20190802T102030", "2019-08-02"),
        ("1564740030", "2019-08-02T10:00:30+00:00"),
        ("1564740030000", "2019-08-02T10:00:30+00:00"),
        ("Fri, 02 Aug 2019 10:20:30 GMT", "2019-08-02T10:20:30+00:00"),
        ("Fri Aug 02 2019 10:20:30 GMT+0200", "2019-08-02T10:20:30+02:00"),
        ("August 2nd, 2019 at 3:05 pm", "2019-08-02T15:05:00"),
        ("2. August 2019", "2019-08-02"),
        ("2 août 2019", "2019-08-02"),
        ("2 de agosto de 2019", "2019-08-02"),
        ("02.08.2019", "2019-08-02"),
        ("02.08.19", "2019-08-02"),
        ("2019年8月2日", "2019-08-02"),
        ("2019. augusztus 2.", "2019-08-02"),
        ("2 августа 2019", "2019-08-02"),
        ("07 أكتوبر 2020", "2020-10-07"),
        ("٧ أكتوبر ٢٠٢٠", "2020-10-07"),
        ("２０１９年８月２日", "2019-08-02"),
        ("D:20190802102030+02'00'", "2019-08-02T10:20:30+02:00"),
        ("D:201908021020Z", "2019-08-02T10:20:00+00:00"),
        ("D:20190802102030-05", "2019-08-02T10:20:30-05:00"),
        ("D:20190802", "2019-08-02"),
        ("D:20190802996099", "2019-08-02"),
        ("31/12/2019", "2019-12-31"),
        ("12/31/2019", "2019-12-31"),
    ],
)
def test_dates_are_read_as_people_and_machines_write_them(raw, iso):
    moment = parse_moment(raw)
    assert moment is not None
    assert moment.iso == iso
    assert moment.day == date.fromisoformat(iso[:10])


@pytest.mark.parametrize(
    "raw", ["", "soon", "2019", "13/13/2019", "2019-13-01", "v1.2.3", "99:99", "D:20191399"]
)
def test_other_values_are_no_dates(raw):
    assert parse_moment(raw) is None


@pytest.mark.parametrize(("month_first", "month"), [(False, 8), (True, 2)])
def test_an_ambiguous_date_follows_the_habit_of_the_page(month_first, month):
    moment = parse_moment("02/08/2019", month_first=month_first)
    assert moment is not None
    assert moment.day.month == month


def test_days_are_found_in_running_text_in_order():
    text = "From 1 May 2020 to May 3, 2020, and again on 2020-05-02; not 99.99.2020."
    assert [written.day.day for written in find_days(text)] == [1, 3, 2]
    assert [text[written.start : written.end] for written in find_days(text)] == [
        "1 May 2020", "May 3, 2020", "2020-05-02",
    ]  # fmt: skip


@given(st.text(max_size=200))
def test_no_text_makes_it_raise(text):
    parse_moment(text)
    list(find_days(text))


@given(st.dates(min_value=date(1990, 1, 1), max_value=date(2089, 12, 31)))
def test_a_written_date_is_read_back(day):
    for written in (day.isoformat(), day.strftime("%d.%m.%Y"), day.strftime("%B %d, %Y")):
        moment = parse_moment(written)
        assert moment is not None
        assert moment.day == day


@pytest.mark.parametrize(
    ("raw", "iso"),
    [
        ("2020-01-01T10:00:00+14:00", "2020-01-01T10:00:00+14:00"),
        ("2020-01-01T10:00:00-12:00", "2020-01-01T10:00:00-12:00"),
        ("2020-01-01T10:00:00+05:75", "2020-01-01T10:00:00"),
        ("2020-01-01T10:00:00+14:30", "2020-01-01T10:00:00"),
        ("2020-01-01T10:00:00-14:59", "2020-01-01T10:00:00"),
        ("2020-01-01T10:00:00+99:99", "2020-01-01T10:00:00"),
        ("2020-01-01T24:61:61", "2020-01-01"),
    ],
)
def test_an_offset_that_no_place_has_is_left_off(raw, iso):
    assert parse_moment(raw).iso == iso


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Sunday, March 3rd, 2019", "2019-03-03"),
        ("in Sept. 5 2019", "2019-09-05"),
        ("Jan 21 14:52 CET 2019", "2019-01-21"),
    ],
)
def test_a_month_before_the_day_is_found(text, day):
    assert parse_moment(text).day.isoformat() == day


def test_a_word_that_only_ends_like_a_month_names_none():
    assert parse_moment("Antidisestablishmay 5 2019") is None
