"""What the command says by its exit status."""

OK = 0
FOUND = 1
"""``check`` found problems, or ``compare`` a limit that was passed."""
UNREADABLE = 2
"""Usage, or an input or output that cannot be read or written."""
INTERRUPTED = 130
