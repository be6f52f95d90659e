"""Compiled kernel of messages between items and annotators."""

from __future__ import annotations

from annobench.core.compiled import kernel


@kernel()
def exchange(item, annotator, sign, block, message, fresh, of_item, of_annotator, largest):
    """Send messages to the items and back, scale the largest of each block to 1, in place."""
    of_item[:] = 0.0
    of_annotator[:] = 0.0
    largest[:] = 0.0
    for n in range(item.size):
        of_item[item[n]] += sign[n] * message[n]
    for n in range(item.size):
        back = of_item[item[n]] - sign[n] * message[n]
        of_annotator[annotator[n]] += sign[n] * back
    for n in range(item.size):
        back = of_item[item[n]] - sign[n] * message[n]
        fresh[n] = of_annotator[annotator[n]] - sign[n] * back
        largest[block[n]] = max(largest[block[n]], abs(fresh[n]))
    change = 0.0
    for n in range(item.size):
        if largest[block[n]] > 0.0:
            scaled = fresh[n] / largest[block[n]]
            change = max(change, abs(scaled - message[n]))
            message[n] = scaled
    return change
