"""The command line: `webmine`. Parses arguments, calls stages, shows results; decides nothing."""

import sys

from webmine_assets.cli.app import build_app
from webmine_assets.cli.console import errors, tell
from webmine_assets.errors import WebmineError

__all__ = ["main"]


def main() -> None:
    """Run the command line; a problem we know is one clear message and an exit code."""
    try:
        build_app(sys.argv[1:])()
    except WebmineError as problem:
        tell("error", str(problem))
        sys.exit(problem.exit_code)
    except BrokenPipeError:
        # The reader of our output went away (`webmine query … | head`): that is not our failure.
        sys.stderr.close()
        sys.exit(0)
    except OSError as problem:
        # The disk is full, a folder may not be written, a file is gone: the user's to mend.
        tell("error", str(problem))
        sys.exit(1)
    except KeyboardInterrupt:
        errors.print("stopped; the same command goes on from here")
        sys.exit(130)
