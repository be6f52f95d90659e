"""Untrusted XML, read with expat without entities, external files or a tree in memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from xml.parsers import expat

from annobench.core.errors import ReaderError

__all__ = ["read_xml"]


def read_xml(path: Path, prepare: Callable[[expat.XMLParserType], object], remedy: str) -> None:
    """Parse a document with handlers.

    Parameters
    ----------
    path : Path
        The document.
    prepare : callable
        Called with the parser before parsing, to set its handlers.
    remedy : str
        Remedy, for messages.

    Raises
    ------
    ReaderError
        Naming file and line: it can't be read, is not well-formed, is in an encoding that can't
        be read, or has a document type declaration.

    Notes
    -----
    Without a document type declaration no entity can be defined, which excludes entity expansion
    and external entities.
    """
    parser = expat.ParserCreate()

    def refuse(*_: object) -> None:
        raise ReaderError(
            f"{path}, line {parser.CurrentLineNumber}: a document type declaration, which could "
            f"define entities; the format needs none. Remove it. {remedy}"
        )

    parser.StartDoctypeDeclHandler = refuse
    prepare(parser)
    try:
        parser.Parse(path.read_bytes(), True)
    except OSError as error:
        raise ReaderError(f"{path}: can't be read ({error.strerror}). Check the path.") from error
    except expat.ExpatError as error:
        message = expat.errors.messages.get(error.code, str(error))
        raise ReaderError(
            f"{path}, line {error.lineno}: not well-formed XML ({message}). {remedy}"
        ) from error
    except ReaderError:
        raise
    except (LookupError, ValueError) as error:
        # What Python says of an encoding that expat does not know.
        raise ReaderError(f"{path}, line 1: {error}. Save it as UTF-8. {remedy}") from error
