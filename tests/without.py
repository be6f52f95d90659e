"""Plugin of pytest: hides the libraries that ANNOBENCH_WITHOUT lists, as if not installed."""

import os
import sys

for name in os.environ.get("ANNOBENCH_WITHOUT", "").split():
    sys.modules[name] = None
