"""``ssift replay``: a log as a live endpoint."""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING

from ssift.cli.arguments import command, reading
from ssift.cli.status import OK
from ssift.cli.terminal import Terminal
from ssift.errors import SsiftError

if TYPE_CHECKING:
    from ssift.cli.arguments import Commands


def add_to(commands: Commands) -> None:
    """Declare the command."""
    parser = command(
        commands,
        "replay",
        "serve a log as a live endpoint",
        "Answers each POST with the next recorded response, event by event and at the recorded pace, from the first "
        "again when all were sent; so any client can be tested against a log. A response that was cut short ends in "
        "a connection that breaks off. Stop it with Ctrl-C.",
        run,
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on; default: this machine alone")
    parser.add_argument("--port", type=int, default=8000, help="default: 8000; 0 takes a free one")
    parser.add_argument("--pace", type=float, default=1.0, metavar="X", help="X times the recorded waits; 0: none")
    parser.add_argument(
        "--interval", type=float, metavar="S", help="S seconds before each event, whatever was recorded"
    )


def run(arguments: argparse.Namespace) -> int:
    """Serve until interrupted."""
    from ssift.live.recorded import recorded
    from ssift.live.replay import ReplayServer

    for name in ("pace", "interval"):
        value = getattr(arguments, name)
        if value is not None and not 0 <= value < math.inf:
            raise SsiftError(f"--{name} {value:g}: at least 0, and finite")
    if not arguments.host:  # which would be every address of this machine
        raise SsiftError("--host is empty: 127.0.0.1 is this machine alone, 0.0.0.0 whoever can reach it")
    if "-" in arguments.paths:
        raise SsiftError("replay reads its log twice: give a file, not standard input")
    if arguments.omit:
        raise SsiftError("replay sends events as they were recorded; leave --omit out")
    responses = recorded(arguments.paths, **reading(arguments))
    address = (arguments.host, arguments.port)
    with ReplayServer(responses, address, pace=arguments.pace, interval=arguments.interval) as server:
        host, port = server.server_address[:2]
        terminal = Terminal()
        at = f"[{host!s}]" if ":" in str(host) else str(host)
        terminal.write(f"{len(responses)} responses at http://{at}:{port}/v1 (Ctrl-C stops)\n")
        terminal.flush()
        server.serve_forever()
    return OK
