"""What a submission may use."""

__all__ = [
    "MAX_ANSWERS",
    "MAX_AT_ONCE",
    "MAX_FILE",
    "MAX_FOLDER",
    "MAX_LINE",
    "MAX_MEMORY",
    "MAX_PROCESSES",
    "MAX_WRITTEN",
]

#: Bytes of a notebook, of memory, of one line that a submission says, of one file that it writes,
#: and of its folder.
MAX_FILE = 50 << 20
MAX_MEMORY = 2 << 30
MAX_LINE = 4 << 20
MAX_WRITTEN = 1 << 26
MAX_FOLDER = 1 << 28

#: Submissions that run at once, each with its memory.
MAX_AT_ONCE = 4

#: Processes and threads.
MAX_PROCESSES = 128

#: How many answers to one exercise are looked at.
MAX_ANSWERS = 20
