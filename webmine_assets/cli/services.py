"""`webmine ui`, `worker` and `doctor`: servers of this project, and what they need."""

import contextlib
import fcntl
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from webmine_assets.cli.console import errors, output, print_json, print_table, tell
from webmine_assets.cli.examination import examine
from webmine_assets.demo.server import DemoSites
from webmine_assets.demo.starter import has_demo_institutions
from webmine_assets.errors import ConfigurationError, ServiceError
from webmine_assets.institutions import load_institutions
from webmine_assets.settings import Settings, read_settings
from webmine_assets.storage.lake import Lake
from webmine_assets.storage.warehouse import write_warehouse


def ui(
    port: Annotated[int, typer.Option(min=1, max=65535, help="where the UI listens")] = 3000,
    host: Annotated[str, typer.Option(help="127.0.0.1 keeps it on this machine")] = "127.0.0.1",
    daemon: Annotated[
        bool,
        typer.Option("--daemon/--no-daemon", help="without: a second UI beside a daemon elsewhere"),
    ] = True,
) -> None:
    """Dagster's web UI and daemon on this project.

    Institutions are there as partitions; sensors and schedules run while this runs. While the demo
    institutions are present their sites are served too, so that materialising them works.
    """
    settings = read_settings()
    _refuse_port_in_use(host, port)
    with contextlib.ExitStack() as stack:
        if has_demo_institutions(settings.institutions):
            _serve_demo(stack)
        home = _prepare(settings)
        address = f"http://{host}:{port}"
        held = [stack.enter_context(_only_daemon(home, address))] if daemon else []
        output.print(f"Dagster's UI: {address}  (Ctrl-C ends it)")
        raise typer.Exit(_serve(host, port, home, settings, held=held))


def _serve_demo(stack: contextlib.ExitStack) -> None:
    """Serve the demo sites while the stack is open; the UI is of use without them, too."""
    try:
        sites = stack.enter_context(DemoSites())
    except ServiceError as problem:
        errors.print(f"[yellow]the demo sites are not served:[/] {problem}")
    else:
        errors.print(f"[dim]serving the demo sites at {', '.join(sites.base_urls.values())}[/]")


def _prepare(settings: Settings) -> Path:
    """Bring views and partitions up to date; DAGSTER_HOME of these settings."""
    # Dagster takes a second to import: only commands that run it pay for it.
    from webmine_assets.defs.instance import open_instance, prepare_home, using_the_database
    from webmine_assets.defs.partitions import register_institutions

    lake = Lake(settings.lake)
    write_warehouse(lake, settings.warehouse)
    loaded = load_institutions(settings.institutions)
    for problem in loaded.errors:
        tell("skipped", str(problem))
    with open_instance(settings) as instance, using_the_database(settings):
        register_institutions(instance, list(loaded.institutions))
    return prepare_home(settings)


@contextlib.contextmanager
def _only_daemon(home: Path, address: str) -> Iterator[int]:
    """Holds the place of the one daemon of a DAGSTER_HOME; two would run every schedule twice.

    Whoever gets the descriptor holds it too: the system frees it when the last of them is gone.
    """
    with (home / "ui.lock").open("a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise ServiceError(
                f"another `webmine ui` keeps the daemon of {home}: {file.read().strip()}; "
                "end it first, or add --no-daemon for a second UI beside it"
            ) from None
        file.truncate(0)
        file.write(f"{address}\n")
        file.flush()
        yield file.fileno()


def _serve(host: str, port: int, home: Path, settings: Settings, *, held: Sequence[int]) -> int:
    """Run Dagster as a child, in its own group so that all of it ends with us.

    What holds a daemon's place is `held` by the child too, which may outlive us.
    """
    # Before the child starts: a signal that is handled here has its default there, while one that
    # is ignored, as a shell ignores SIGINT for `webmine ui &`, would stay ignored in all of it.
    signal.signal(signal.SIGINT, lambda signum, frame: _stop(process.pid))
    signal.signal(signal.SIGTERM, lambda signum, frame: _stop(process.pid))
    program = ["dagster", "dev"] if held else ["dagster_webserver"]
    command = [sys.executable, "-m", *program, "-m", "webmine_assets.definitions"]
    # Started in its home, Dagster takes the dagster.yaml there for the one that is meant, and does
    # not warn of the repository's. That `dg` is newer than `dagster dev` helps nobody here.
    environment = os.environ | {
        "WEBMINE_DATA": str(settings.data),
        "WEBMINE_LAKE": settings.lake,
        "PYTHONWARNINGS": "ignore:Function `dev_command` is superseded",
    }
    process = subprocess.Popen(  # noqa: S603  # our own interpreter with fixed arguments
        [*command, "--host", host, "--port", str(port)],
        start_new_session=True,
        pass_fds=held,
        cwd=home,
        env=environment,
    )
    code = process.wait()
    return 0 if code in (0, -signal.SIGINT, -signal.SIGTERM, 130) else 1


def _stop(group: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGINT)


def _refuse_port_in_use(host: str, port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as problem:
            raise ServiceError(
                f"port {port} of {host} cannot be used ({problem.strerror}); "
                "choose another with --port"
            ) from problem


def worker(
    runs: Annotated[int, typer.Option(min=1, max=64, help="runs at a time")] = 1,
) -> None:
    """Take runs from the queue and execute them here, until Ctrl-C.

    For a corpus that is too much for one machine: deploy/README.md says what they share. Ctrl-C
    waits for the runs under way; a second one leaves them to other workers.
    """
    settings = read_settings()
    if settings.broker is None:
        raise ConfigurationError(
            "WEBMINE_BROKER is not set: a worker needs the Redis in which runs wait, such as "
            "redis://queue.example.org:6379/0; without one, `webmine ui` executes runs by itself"
        )
    _prepare(settings)
    name = f"webmine-{os.getpid()}@{socket.gethostname()}"
    output.print(f"Worker {name}: {runs} at a time  (Ctrl-C ends it)")
    sys.stdout.flush()
    # An extra, and slow to import.
    from webmine_assets.defs.instance.celery_worker import work

    raise typer.Exit(work(name=name, runs=runs))


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="a list of objects")] = False,
) -> None:
    """What is installed, what is missing and how to get it."""
    findings = examine(read_settings())
    rows = [
        {"what": f.what, "state": "ok" if f.ok else f.lack, "detail": f.detail} for f in findings
    ]
    print_json(rows) if as_json else print_table(rows)
    raise typer.Exit(1 if any(not f.ok and f.needed for f in findings) else 0)
