"""The exceptions and warnings of annobench.

Every message has three parts: what is wrong with the value got, where it stands,
and how to mend it.
"""


class AnnotationError(ValueError):
    """Labels that can't be made into `Annotations`, or that a method can't use."""


class ReaderError(ValueError):
    """A file that a reader can't take: names the file, the line where known, and the remedy."""


class DataUnavailableError(RuntimeError):
    """Real data were demanded, and neither mirror, cache nor network has them."""


class ChecksumError(ValueError):
    """A file whose bytes are not the pinned ones."""


class PublicationError(ValueError):
    """A paper's folder whose tables break the contract of published and computed values."""


class DegenerateWarning(UserWarning):
    """An estimate that the data leave undefined; the value returned is NaN."""
