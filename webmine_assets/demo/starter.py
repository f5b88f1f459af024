"""The institution files of the demo: written for the user, never over the user's own changes."""

import hashlib
from dataclasses import asdict
from pathlib import Path

from webmine_assets.demo.ports import DEFAULT_PORTS, HOST, DemoPorts
from webmine_assets.errors import ConfigurationError

DEMO_IDS = ("demo-university", "demo-newsroom", "demo-portal")
_SOURCES = Path(__file__).parent / "institutions"
_MARK = "# webmine demo file, unchanged while this digest fits: "


def write_demo_institutions(folder: Path, *, ports: DemoPorts = DEFAULT_PORTS) -> list[Path]:
    """The paths of the three files; one that the user changed or wrote is left as it is."""
    paths = [folder / f"{name}.yaml" for name in DEMO_IDS]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path in paths:
            if not path.exists() or _is_ours(path):
                _write(path, _marked(_text(path.stem, ports)))
    except OSError as problem:
        raise _unwritable(folder, problem) from problem
    return paths


def remove_demo_institutions(folder: Path) -> list[Path]:
    """Takes the demo's files away; a changed one stays beside its place as `.yaml.changed`."""
    marked = [path for name in DEMO_IDS if _has_mark(path := folder / f"{name}.yaml")]
    try:
        for path in marked:
            if _is_ours(path):
                path.unlink()
            else:
                path.replace(path.with_name(f"{path.name}.changed"))
    except OSError as problem:
        raise _unwritable(folder, problem) from problem
    return marked


def has_demo_institutions(folder: Path) -> bool:
    return any(_has_mark(folder / f"{name}.yaml") for name in DEMO_IDS)


def _text(institution: str, ports: DemoPorts) -> str:
    text = (_SOURCES / f"{institution}.yaml").read_text("utf-8")
    name = institution.removeprefix("demo-")
    default, port = asdict(DEFAULT_PORTS)[name], asdict(ports)[name]
    return text.replace(f"{HOST}:{default}", f"{HOST}:{port}")


def _marked(text: str) -> str:
    return f"{_MARK}{_digest(text)}\n{text}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _has_mark(path: Path) -> bool:
    return path.is_file() and _MARK in _read(path)


def _is_ours(path: Path) -> bool:
    first, _, rest = _read(path).partition("\n")
    return first == _MARK + _digest(rest)


def _read(path: Path) -> str:
    return path.read_text("utf-8", errors="replace")


def _write(path: Path, text: str) -> None:
    aside = path.with_name(f".{path.name}.new")
    aside.write_text(text, "utf-8")
    aside.replace(path)


def _unwritable(folder: Path, problem: OSError) -> ConfigurationError:
    return ConfigurationError(
        f"{folder}: cannot write the demo's institution files ({problem.strerror}); "
        "make the folder writable or point WEBMINE_DATA at one that is"
    )
