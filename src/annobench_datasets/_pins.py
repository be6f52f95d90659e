"""The sources of this package, whose files are pinned in its folder `pins`."""

from functools import partial
from pathlib import Path

from annobench.datasets.sources import Source

PINS = Path(__file__).with_name("pins")

pinned = partial(Source.pinned, folder=PINS)
