"""Labels as blocks, whether memory holds them or not: partitions on disk, and who passes over them.

All labels of an item are in one block. A statistic is a sum over blocks and what follows from it;
where blocks come from, and who adds up, is decided here.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submodules=["partitions"],
    submod_attrs={"partitions": ["PartitionedLabels"]},
)
