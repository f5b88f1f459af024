"""Who may import whom: the layers of ARCHITECTURE.md, held by a test."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "webmine_assets"

GROUND = {"errors", "records", "urls"}
SHARED = GROUND | {"settings", "institutions", "progress", "workers", "reading"}
DOMAIN = {"crawl", "extract", "archive", "ingest"}

# Each part of the package, and the parts it may import besides itself.
MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "records": set(),
    "reasons": {"records"},
    "render_account": set(),
    "urls": {"errors"},
    "settings": {"errors"},
    "institutions": GROUND,
    "progress": set(),
    "workers": {"errors"},
    "reading": GROUND,
    "crawl": SHARED,
    "extract": SHARED,
    "archive": SHARED,
    "ingest": SHARED,
    "storage": {"errors", "records", "settings"},
    "stages": SHARED | DOMAIN | {"storage"},
    "demo": {"errors", "institutions", "settings"},
    "defs": SHARED | {"stages", "storage", "extract"},
    "studio": SHARED | DOMAIN | {"stages", "storage", "reasons", "render_account"},
    # The command line puts everything together; nothing imports it.
    "cli": SHARED
    | DOMAIN
    | {"stages", "storage", "defs", "studio", "demo", "reasons", "render_account"},
    "definitions": {"defs"},
    "__init__": set(),
}

# The home of each third-party library that more than one part could be tempted to use.
HOMES: dict[str, set[str]] = {
    "dagster": {"defs", "definitions"},
    "duckdb": {"storage"},
    "pyarrow": {"storage", "cli"},
    "tantivy": {"storage"},
    "fsspec": {"storage", "ingest", "archive"},
    "aiohttp": {"crawl", "demo", "studio"},
    "playwright": {"crawl"},
    "lxml": {"reading", "extract", "crawl", "ingest"},
    "selectolax": {"reading", "crawl"},
    "pypdfium2": {"reading"},
    "py3langid": {"reading"},
    "fastwarc": {"archive"},
    "feedparser": {"ingest"},
    "ruamel": {"institutions"},
    "pydantic": {"institutions", "defs"},
    "typer": {"cli"},
    "rich": {"cli"},
    "jinja2": {"studio", "demo"},
}


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def part_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_imports_only_what_its_layer_may(path: Path) -> None:
    part = part_of(path)
    allowed = MAY_IMPORT[part] | {part}
    ours = {name.split(".")[1] for name in imports(path) if name.startswith("webmine_assets.")}
    parts = {
        name for name in ours if (PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").exists()
    }
    assert parts <= allowed, f"{part} may not import {parts - allowed}"


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_library_is_used_only_in_its_home(path: Path) -> None:
    part = part_of(path)
    libraries = {name.split(".")[0] for name in imports(path)}
    strangers = {lib for lib in libraries & HOMES.keys() if part not in HOMES[lib]}
    assert not strangers, f"{part} may not use {strangers}"


# What dagster.yaml names in place of a part of Dagster's own has no public base class to build on.
# Dagster is pinned, and tests of these modules read through Dagster what they wrote.
INSTANCE_PARTS = {
    PACKAGE / "defs/instance" / name for name in ("sqlite.py", "launcher.py", "celery_launcher.py")
}


def test_dagster_s_private_modules_are_not_used() -> None:
    users = {path for path in modules() for name in imports(path) if name.startswith("dagster._")}
    assert users == INSTANCE_PARTS
