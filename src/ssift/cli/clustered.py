"""``--ray``: a command on a cluster."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from ssift.cli.arguments import reading
from ssift.cli.status import OK, UNREADABLE
from ssift.errors import SsiftError
from ssift.printable import printable
from ssift.progress import Bar

Done = TypeVar("Done")


def add_to(parser: argparse.ArgumentParser) -> None:
    """Declare the option."""
    parser.add_argument(
        "--ray",
        nargs="?",
        const="",
        metavar="ADDRESS",
        help="on the Ray cluster at ADDRESS (--ray=ADDRESS), without one on that of RAY_ADDRESS or one that runs on "
        "this machine, else on one that is started here, as with --ray=local; files that cannot be read, or not whole, "
        "are told, the others are read, and the exit status is 2",
    )


def run(arguments: argparse.Namespace, work: Callable[..., Done], *given: Any, **options: Any) -> tuple[Done, int]:
    """Do ``work``, of :mod:`ssift.ray`, with the arguments on reading too; what it gives, and the exit status."""
    from ssift.ray import UnreadWarning
    from ssift.ray.tasks import cluster
    from ssift.sources import find
    from ssift.sources.remote import is_url

    how = reading(arguments)
    if how.pop("threads") is not None:
        raise SsiftError("--ray takes one core for each task; leave --threads out")
    if how.pop("omit"):
        raise SsiftError("--ray leaves no entries out; leave --omit out")
    for path in arguments.paths:
        if path == "-" or (os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)):
            raise SsiftError(f"--ray reads files, folders and URLs, which workers open by their names; {path} is none")
        if not (is_url(path) or os.path.exists(path)):
            find(path)  # raises where it is no pattern either, before there is a cluster
    cluster(arguments.ray)
    bar = None if arguments.no_progress else Bar()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UnreadWarning)
        try:
            done = work(*given, unreadable="skip", progress=bar or False, **options, **how)
        except ValueError as error:
            raise SsiftError(str(error)) from error
    status = OK
    for warning in caught:
        if isinstance(warning.message, UnreadWarning):
            status = UNREADABLE
            for reason in warning.message.unread.values():
                print(f"ssift: not read: {printable(reason)}", file=sys.stderr)
    return done, status
