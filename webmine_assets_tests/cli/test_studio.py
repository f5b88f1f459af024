"""`webmine studio` as a process: the address it prints, rules through Dagster, its end."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from webmine_assets_tests.studio.corpus import ARTICLE_ID, NEWSROOM, write_corpus

COMMAND = [sys.executable, "-c", "from webmine_assets.cli import main; main()", "studio"]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def started(data: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A studio that answers, and the line it printed."""
    process = subprocess.Popen(
        [*COMMAND, *options],
        env={**os.environ, "WEBMINE_DATA": str(data)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield process, process.stdout.readline()
    finally:
        process.kill()
        process.communicate()


def asked(url: str, body: Any = None) -> Any:
    data = json.dumps(body).encode() if body is not None else None
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


@pytest.mark.slow
def test_a_saved_rule_is_applied_through_dagster_without_a_fetch(tmp_path: Path) -> None:
    write_corpus(tmp_path, articles=3)
    with started(tmp_path, "--port", str(free_port())) as (process, line):
        base = re.search(r"http://127\.0\.0\.1:\d+", line)
        assert base is not None
        rule = {"institution": NEWSROOM, "value": ".related-articles", "description": "Teasers"}
        task = asked(f"{base[0]}/api/rules", rule)["task"]
        deadline = time.monotonic() + 90
        while task["state"] in {"queued", "running"} and time.monotonic() < deadline:
            time.sleep(0.3)
            (task,) = asked(f"{base[0]}/api/tasks")["tasks"]
        assert (task["state"], task["note"]) == ("done", "")
        page = asked(f"{base[0]}/api/pages/{ARTICLE_ID}")
        assert page["content"]["rules_applied"] == [".related-articles"]
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0


@pytest.mark.slow
def test_a_port_in_use_is_one_clear_error(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        with started(tmp_path, "--port", port) as (process, line):
            assert line == ""
            _, errors = process.communicate(timeout=30)
            assert process.returncode == 1
            assert f"port {port} of 127.0.0.1 cannot be used" in errors
            assert "Traceback" not in errors


@pytest.mark.slow
def test_beyond_loopback_a_token_is_made_and_asked_for(tmp_path: Path) -> None:
    with started(tmp_path, "--host", "0.0.0.0", "--port", str(port := free_port())) as (_, line):
        token = re.search(r"\?token=(\S+)", line)
        assert token is not None
        with pytest.raises(urllib.error.HTTPError, match="401"):
            asked(f"http://127.0.0.1:{port}/api/pages")
        request = urllib.request.Request(f"http://127.0.0.1:{port}/api/pages")
        request.add_header("Authorization", f"Bearer {token[1]}")
        with urllib.request.urlopen(request, timeout=30) as answer:
            assert json.load(answer) == {"total": 0, "pages": []}
