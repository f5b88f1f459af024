"""Whether two machines see one data folder: it bears a name that nobody else gives."""

import os
from pathlib import Path
from uuid import uuid4

FOLDER_TAG = "webmine/data_folder"
"""Of a run for several machines: its value names the folder of who launched it."""


def folder_name(home: Path) -> str:
    """The name of the folder, which it gets when it is asked for the first time."""
    path = home / "folder"
    if not path.exists():
        aside = path.with_name(f".{path.name}.{uuid4().hex}")
        aside.write_text(uuid4().hex, "utf-8")
        try:
            os.link(aside, path)
        except FileExistsError:
            pass  # another machine was first
        finally:
            aside.unlink()
    return path.read_text("utf-8")
