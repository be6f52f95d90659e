"""Labels as blocks, in memory or in partitions on disk, and the workers that process them.

All labels of an item are in the same block, and statistics are functions of sums over blocks. This
package decides where blocks come from and who computes the sums.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submodules=["partitions"],
    submod_attrs={"partitions": ["PartitionedLabels"]},
)
