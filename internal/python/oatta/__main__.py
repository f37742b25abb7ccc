"""``python -m oatta`` is the program."""

import subprocess
import sys

from ._program import environment, program

sys.exit(subprocess.run([program(), *sys.argv[1:]], env=environment(), check=False).returncode)
