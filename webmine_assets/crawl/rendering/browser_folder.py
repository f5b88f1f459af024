"""Where a browser notes what it would leave in a home: a folder that goes with its owner.

Who was killed takes nothing away, so the next browser does it; the name tells whose a folder is.
"""

import os
import re
import shutil
import tempfile
from pathlib import Path

_PREFIX = "webmine-browser-"
_OWNED = re.compile(rf"{_PREFIX}(\d+)-.+")


def open_folder() -> "tempfile.TemporaryDirectory[str]":
    """A new folder of this process."""
    prefix = f"{_PREFIX}{os.getpid()}-"
    # Children of the browser may still write while it goes.
    return tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True)


def remove_left_folders() -> None:
    """Remove our folders of processes that are gone."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        owner = _OWNED.fullmatch(folder.name)
        if owner and _is_ours(folder) and not _is_running(int(owner[1])):
            shutil.rmtree(folder, ignore_errors=True)


def _is_ours(folder: Path) -> bool:
    try:
        # Not what a link leads to: anyone may put one into a folder that all share.
        return folder.lstat().st_uid == os.getuid() and not folder.is_symlink()
    except OSError:
        return False


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
