"""Sets Paceline up, then starts it or its tests; on a fresh machine too, with nothing but Python.

    python3 packaging/dev.py run [arguments of the application]
    python3 packaging/dev.py test [arguments of pytest]

On Windows `py` stands for `python3`. This file stays in the syntax that every Python can read, so
that an old one says what is missing; the work is done in `devenv`.
"""

import sys

if sys.version_info < (3, 8):  # noqa: UP036 (an old Python gets this far)
    sys.exit(
        "This is Python " + sys.version.split()[0] + ", which cannot set Paceline up: install "
        "Python 3.11 to 3.14, from https://www.python.org/downloads/ or as a package of your "
        "system, and start this command with it."
    )

from devenv.main import main

sys.exit(main(sys.argv[1:]))
