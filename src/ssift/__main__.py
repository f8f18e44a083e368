"""``python -m ssift`` is the command ``ssift``."""

import sys

from ssift.cli import main

if __name__ == "__main__":
    sys.exit(main())
