"""Runs one command and prints its wall time, processor time and peak memory as JSON.

    python -I -S bench/launch.py COMMAND ...

It exists because Linux counts the memory of the process that starts another one into the peak of that other: the
benchmarks are large, and this is small. What the command prints goes to this program's standard output, which the
caller may throw away; the figures go to standard error.
"""

import json
import os
import sys
import time

start = time.perf_counter()
# From a user's second start on, Python finds the bytecode that the first one wrote.
environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], environment)
_, status, used = os.wait4(child, 0)
print(
    json.dumps(
        {
            "status": os.waitstatus_to_exitcode(status),
            "wall": time.perf_counter() - start,
            "processor": used.ru_utime + used.ru_stime,
            "peak": used.ru_maxrss * (1 if sys.platform == "darwin" else 1024),
        }
    ),
    file=sys.stderr,
)
