"""Values of options, in a separate module so that the command line loads quickly."""

from __future__ import annotations

from typing import Literal, get_args

#: What the order and distance of categories mean.
Scale = Literal["nominal", "ordinal", "interval", "set"]
SCALES: tuple[Scale, ...] = get_args(Scale)

#: Whether an annotator who saw an item and chose nothing gave no label, or a category of its own.
Empty = Literal["missing", "category"]

#: What that category is called.
NOTHING = "(nothing)"

#: What to do where the real files of a data set can't be had.
Mode = Literal["auto", "real", "simulated"]

#: The model of a consensus, unless another is named.
DEFAULT_MODEL = "adjusted_dawid_skene"

#: The seed of whatever is random, unless another is given.
DEFAULT_SEED = 20081
