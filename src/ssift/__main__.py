"""The command ``ssift``, also as ``python -m ssift``.

What the command line needs is imported here and not above, so that an interrupt ends quietly then, too.
"""

import sys


def main() -> int:
    """Run the command line and give its exit status."""
    try:
        from ssift.cli import main as run

        return run()
    except KeyboardInterrupt:
        print("ssift: interrupted", file=sys.stderr)
        return 130  # as in ssift.cli.status


if __name__ == "__main__":
    sys.exit(main())
