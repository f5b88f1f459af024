"""The processes of a browser, as /proc tells them."""

from pathlib import Path


def renderer_processes(browser_pid: int) -> list[int]:
    """The processes that show pages, told by their command lines: all descend from the browser."""
    pids = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
    return [pid for pid in pids if is_renderer(pid) and browser_pid in ancestors(pid)]


def is_renderer(pid: int) -> bool:
    try:
        return b"--type=renderer" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def ancestors(pid: int) -> list[int]:
    found: list[int] = []
    while pid > 1:
        try:
            stat = Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            break
        pid = int(stat.rsplit(")", 1)[1].split()[1])
        found.append(pid)
    return found


def is_running(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rsplit(")", 1)[1].split()[0] != "Z"


def ticks(browser_pid: int) -> dict[int, int]:
    """The processor time that each page's process has had, in hundredths of a second."""
    found = {}
    for pid in renderer_processes(browser_pid):
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        found[pid] = int(fields[11]) + int(fields[12])
    return found
