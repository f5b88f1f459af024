import pytest

from webmine_assets.demo.ports import DemoPorts
from webmine_assets.demo.starter import (
    DEMO_IDS,
    has_demo_institutions,
    remove_demo_institutions,
    write_demo_institutions,
)
from webmine_assets.errors import ConfigurationError
from webmine_assets.institutions import load_institution, load_institutions


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "institutions"


def test_written_files_load_and_name_the_default_ports(folder):
    paths = write_demo_institutions(folder)
    loaded = load_institutions(folder)
    assert loaded.errors == ()
    assert [path.stem for path in paths] == list(DEMO_IDS)
    hosts = {loaded.institutions[name].allowed_domains[0] for name in DEMO_IDS}
    assert hosts == {"127.0.0.1:8801", "127.0.0.1:8802", "127.0.0.1:8803"}


def test_other_ports_are_named_everywhere(folder):
    ports = DemoPorts(university=9001, newsroom=9002, portal=9003)
    for path in write_demo_institutions(folder, ports=ports):
        assert "127.0.0.1:88" not in path.read_text()
    newsroom = load_institution(folder / "demo-newsroom.yaml")
    assert newsroom.feeds[0] == "http://127.0.0.1:9002/feeds/rss.xml"


def test_unchanged_file_is_renewed(folder):
    write_demo_institutions(folder, ports=DemoPorts(university=9001))
    write_demo_institutions(folder)
    assert "127.0.0.1:8801" in (folder / "demo-university.yaml").read_text()


def test_changed_file_is_never_overwritten(folder):
    changed, *_ = write_demo_institutions(folder)
    text = changed.read_text().replace("max_pages: 200", "max_pages: 20")
    changed.write_text(text)
    write_demo_institutions(folder, ports=DemoPorts(university=9001))
    assert changed.read_text() == text


def test_removal_takes_all_and_keeps_what_the_user_changed_aside(folder):
    changed, *others = write_demo_institutions(folder)
    changed.write_text(changed.read_text() + "# my note\n")
    own = folder / "mine.yaml"
    own.write_text("institution_id: mine\n")
    assert remove_demo_institutions(folder) == [changed, *others]
    kept = folder / "demo-university.yaml.changed"
    assert sorted(folder.iterdir()) == [kept, own]
    assert kept.read_text().endswith("# my note\n")
    assert not has_demo_institutions(folder)


def test_file_without_our_mark_belongs_to_the_user(folder):
    folder.mkdir()
    own = folder / "demo-portal.yaml"
    own.write_text("institution_id: demo-portal\n")
    write_demo_institutions(folder)
    assert own.read_text() == "institution_id: demo-portal\n"
    assert own not in remove_demo_institutions(folder)
    assert own.exists()


def test_nothing_to_remove_is_no_error(folder):
    assert remove_demo_institutions(folder) == []
    assert not has_demo_institutions(folder)


def test_folder_that_cannot_be_made_is_a_clear_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="cannot write the demo's institution files"):
        write_demo_institutions(tmp_path / "file" / "institutions")
