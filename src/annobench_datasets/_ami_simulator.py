"""Simulated dialogue acts and focus of attention, from the counts of AMI's release 1.6.2."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.datasets.base import DataTables

#: Meeting, annotator of its dialogue acts, acts, seconds, acts with an addressee, and with one
#: single participant as addressee.
MEETINGS = """
ES2002a dharshi 475 1242 1 0
ES2002b dharshi 1003 2281 0 0
ES2002c dharshi 1034 2401 1 0
ES2002d dharshi 1362 2701 1 1
ES2003a vkaraisk 309 1124 0 0
ES2003b vkaraisk 789 2121 0 0
ES2003c vkaraisk 790 2251 0 0
ES2003d vkaraisk 961 2341 0 0
ES2004a s9553330 493 1186 0 0
ES2004b s9553330 887 2333 0 0
ES2004c dharshi 967 2264 0 0
ES2004d vkaraisk 1164 2220 0 0
ES2005a vkaraisk 152 958 0 0
ES2005b dharshi 969 2308 0 0
ES2005c dharshi 1181 2310 0 0
ES2005d dharshi 805 1741 0 0
ES2006a s9553330 510 1290 0 0
ES2006b s9553330 905 2190 0 0
ES2006c s9553330 992 2189 0 0
ES2006d s9553330 1188 1991 0 0
ES2007a dharshi 481 1221 0 0
ES2007b dharshi 615 1701 0 0
ES2007c dharshi 881 2386 0 0
ES2007d dharshi 598 1249 0 0
ES2008a vkaraisk 386 1051 269 67
ES2008b vkaraisk 955 2101 681 225
ES2008c vkaraisk 933 2098 0 0
ES2008d vkaraisk 1517 2641 0 0
ES2009a vkaraisk 879 1411 0 0
ES2009b vkaraisk 639 1451 0 0
ES2009c vkaraisk 904 1966 597 208
ES2009d vkaraisk 1249 2128 807 352
ES2010a dharshi 255 651 0 0
ES2010b dharshi 702 1764 0 0
ES2010c dharshi 788 1853 0 0
ES2010d dharshi 617 973 0 0
ES2011a dharshi 437 1128 0 0
ES2011b dharshi 651 1581 0 0
ES2011c dharshi 788 1616 0 0
ES2011d dharshi 883 1982 0 0
ES2012a vkaraisk 379 1104 0 0
ES2012b vkaraisk 819 2239 0 0
ES2012c vkaraisk 1016 2208 0 0
ES2012d vkaraisk 505 949 0 0
ES2013a vkaraisk 278 825 0 0
ES2013b vkaraisk 737 2128 0 0
ES2013c vkaraisk 827 2358 0 0
ES2013d vkaraisk 796 1898 0 0
ES2014a s9553330 359 1149 0 0
ES2014b s9553330 867 2319 0 0
ES2014c s9553330 925 2273 0 0
ES2014d s9553330 1221 2911 0 0
ES2015a dharshi 447 1146 0 0
ES2015b dharshi 1062 2294 0 0
ES2015c dharshi 1049 2135 0 0
ES2015d dharshi 1253 1931 0 0
ES2016a vkaraisk 521 1384 0 0
ES2016b vkaraisk 768 2412 0 0
ES2016c dharshi 627 2308 0 0
ES2016d dharshi 749 1523 0 0
IB4003 s9553330 866 2023 0 0
IS1000a vkaraisk 658 1490 404 245
IS1000b vkaraisk 989 2341 0 0
IS1000c vkaraisk 842 2143 0 0
IS1000d vkaraisk 1532 2610 0 0
IS1001a s9553330 323 890 174 112
IS1001b dharshi 897 2110 534 182
IS1001c dharshi 565 1435 362 104
IS1001d vkaraisk 432 771 0 0
IS1002b s9553330 857 2370 0 0
IS1002c s9553330 829 2060 0 0
IS1002d dharshi 557 1241 0 0
IS1003a vkaraisk 418 905 0 0
IS1003b vkaraisk 693 1635 447 270
IS1003c vkaraisk 931 1870 0 0
IS1003d dharshi 1234 2093 701 160
IS1004a dharshi 214 791 0 0
IS1004b dharshi 730 2166 0 0
IS1004c dharshi 933 2255 0 0
IS1004d dharshi 988 1955 0 0
IS1005a dharshi 307 1026 1 1
IS1005b dharshi 706 2183 0 0
IS1005c dharshi 662 2062 0 0
IS1006a dharshi 455 846 0 0
IS1006b vkaraisk 953 2149 631 261
IS1006c vkaraisk 999 1935 0 0
IS1006d s9553330 1232 1830 697 393
IS1007a s9553330 375 960 0 0
IS1007b s9553330 513 1290 0 0
IS1007c s9553330 751 2100 0 0
IS1007d s9553330 857 2005 0 0
IS1008a s9553330 263 931 186 117
IS1008b vkaraisk 640 1764 464 182
IS1008c s9553330 584 1546 332 129
IS1008d s9553330 589 1470 382 145
IS1009a dharshi 344 831 0 0
IS1009b dharshi 705 2051 0 0
IS1009c dharshi 568 1806 0 0
IS1009d dharshi 807 1929 0 0
TS3003a vkaraisk 541 1506 0 0
TS3003b vkaraisk 746 2210 0 0
TS3003c vkaraisk 756 2567 0 0
TS3003d vkaraisk 1079 2645 0 0
TS3004a vkaraisk 697 1345 0 0
TS3004b vkaraisk 1246 2246 0 0
TS3004c vkaraisk 1421 2964 0 0
TS3004d dharshi 1249 2745 0 0
TS3005a vkaraisk 641 1319 380 142
TS3005b vkaraisk 1401 2440 823 329
TS3005c vkaraisk 1255 2400 0 0
TS3005d vkaraisk 2280 2718 0 0
TS3006a vkaraisk 694 1253 0 0
TS3006b dharshi 1269 2354 0 0
TS3006c dharshi 1369 2584 0 0
TS3006d dharshi 1772 3008 0 0
TS3007a vkaraisk 735 1609 0 0
TS3007b vkaraisk 1013 3355 0 0
TS3007c dharshi 1107 2430 0 0
TS3007d dharshi 1623 2725 0 0
TS3008a dharshi 577 1352 0 0
TS3008b dharshi 951 2320 0 0
TS3008c dharshi 1062 2340 0 0
TS3008d dharshi 1403 2765 0 0
TS3009a s9553330 809 1505 0 0
TS3009b s9553330 1306 2460 0 0
TS3009c s9553330 1432 2460 0 0
TS3009d s9553330 1360 2101 0 0
TS3010a s9553330 270 1041 0 0
TS3010b s9553330 570 2085 0 0
TS3010c dharshi 782 2100 0 0
TS3010d dharshi 715 1987 0 0
TS3011a dharshi 543 1509 0 0
TS3011b vkaraisk 1032 2214 0 0
TS3011c vkaraisk 1080 2340 0 0
TS3011d vkaraisk 998 1921 0 0
TS3012a vkaraisk 416 859 0 0
TS3012b vkaraisk 1576 2457 0 0
TS3012c vkaraisk 1661 2376 0 0
TS3012d vkaraisk 1381 2331 0 0
"""

#: Dialogue acts of each type by annotator; the last column has no type.
TYPES = """
type inf ass fra bck sug stl el.inf und el.ass be.pos oth off el.sug el.und be.neg -
dharshi 12138 10478 6031 5464 3156 2623 1798 338 947 889 1003 575 278 37 5 13
s9553330 7827 3016 3402 3112 1681 582 785 334 192 435 303 286 133 27 6 12
vkaraisk 13519 7897 7363 3997 4554 5254 1657 1695 1126 886 898 669 275 129 87 3
"""

#: Acts that begin with "Yeah": backchannels, assessments, informs and others by annotator, as
#: printed in Table 1 of Reidsma and op den Akker (2008), train and test together.
YEAH = """
type bck ass inf other
dharshi 2140 2640 569 525
s9553330 911 878 267 225
vkaraisk 1339 2065 323 1135
"""

#: Targets of the focus of attention of each speaker, in intervals, by annotator.
TARGETS = """
target A B C D slide-screen table unspecified whiteboard
IDIAP.A 0 1150 638 930 411 1190 351 194
IDIAP.B 1152 0 957 424 617 1032 497 103
IDIAP.C 679 1026 0 852 822 762 675 163
IDIAP.D 976 632 736 0 776 990 385 124
natasa.A 0 688 454 446 533 756 135 50
natasa.B 624 0 523 402 565 683 330 31
natasa.C 411 520 0 554 463 640 176 40
natasa.D 545 333 553 0 709 579 250 34
"""

#: Annotator of the focus of attention in a meeting, and the intervals of speakers A to D.
FOCUS = """
ES2008a IDIAP 430 274 506 550
IS1000a IDIAP 341 366 287 224
IS1001a IDIAP 294 395 220 310
IS1001b natasa 776 857 495 766
IS1001c natasa 534 480 584 702
IS1003b natasa 561 849 552 585
IS1003d IDIAP 716 582 528 339
IS1006b natasa 1191 972 1173 950
IS1006d IDIAP 956 843 1038 710
IS1008a IDIAP 277 457 441 493
IS1008b IDIAP 396 595 599 645
IS1008c IDIAP 360 467 584 566
IS1008d IDIAP 674 645 585 614
TS3005a IDIAP 420 158 191 168
"""

#: Words other than "Yeah" in simulated speech, the most frequent first.
_WORDS = """
the it to and a I you that of we is so um in have be uh for this on but do okay like with think just
not can what if one or know it's would right all mm-hmm as remote button then there they design
could really people good need has more want
"""
_VOCABULARY = np.array(_WORDS.split(), dtype=object)
#: Mean number of words after the first one.
_LENGTH = {"bck": 0.1, "ass": 3.0, "inf": 8.0}
_OTHER_LENGTH = 4.0
_SPEAKERS = np.array(list("ABCD"), dtype=object)


def _table(text: str) -> tuple[list[str], dict[str, NDArray[np.int64]]]:
    """Read a header and named rows of counts."""
    header, *rows = (line.split() for line in text.strip().split("\n"))
    return header[1:], {name: np.array(values, dtype=np.int64) for name, *values in rows}


def _meetings() -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int64]]:
    """Return names, annotators, and acts, seconds, addressed and individual, shape (M, 4)."""
    rows = [line.split() for line in MEETINGS.strip().split("\n")]
    names, annotators = (np.array([row[n] for row in rows], dtype=object) for n in (0, 1))
    return names, annotators, np.array([row[2:] for row in rows], dtype=np.int64)


def as_tables(rows: pd.DataFrame) -> DataTables:
    """Split rows of one label each into labels and items."""
    numbers = ("meeting_seconds", "start", "end")
    texts = {name: "str" for name in rows.columns if name not in numbers}
    rows = rows.astype(texts)
    columns = ["item", "annotator", "label", "meeting"]
    labels = rows.loc[rows["label"].notna(), columns].reset_index(drop=True)
    items = rows.drop(columns=["annotator", "label"])
    items.insert(1, "gold", pd.Series(None, index=items.index, dtype="str"))
    return DataTables(labels, items)


def simulate_acts(rng: np.random.Generator, files: Mapping[str, Path]) -> DataTables:
    """Simulate dialogue acts, types and addressees of the counts of the release."""
    names, annotators, known = _meetings()
    acts, seconds = known[:, 0], known[:, 1]
    block = np.repeat(np.arange(names.size), acts)
    meeting, annotator = names[block], annotators[block]
    types = _permuted_types(rng, annotator)
    speaker = rng.integers(_SPEAKERS.size, size=block.size)
    letter = _SPEAKERS[speaker]
    texts, n_words = _speech(rng, annotator, types)
    share = rng.random(block.size)
    start = share[np.lexsort((share, block))] * seconds[block]
    number = np.arange(block.size) - np.repeat(np.cumsum(acts) - acts, acts) + 1
    item = [
        f"{m}.{s}.dialog-act.{a}.{n}"
        for m, s, a, n in zip(meeting, letter, annotator, number, strict=True)
    ]
    person, role = _cast(rng, meeting, letter)
    return as_tables(
        pd.DataFrame(
            {
                "item": item,
                "annotator": annotator,
                "label": types,
                "meeting": meeting,
                "speaker": letter,
                "person": person,
                "role": role,
                "meeting_seconds": seconds[block].astype(np.float64),
                "start": start,
                "end": start + 0.3 * n_words * rng.gamma(4.0, 0.25, block.size),
                "addressee": _addressees(rng, known, speaker, types),
                "text": texts,
            }
        )
    )


def _permuted_types(rng: np.random.Generator, annotator: NDArray[Any]) -> NDArray[Any]:
    """Give each annotator's acts types of the counts known, in random order."""
    names, table = _table(TYPES)
    kinds = np.array([None if name == "-" else name for name in names], dtype=object)
    types = np.empty(annotator.size, dtype=object)
    for name, known in table.items():
        types[annotator == name] = rng.permutation(np.repeat(kinds, known))
    return types


def _speech(
    rng: np.random.Generator, annotator: NDArray[Any], types: NDArray[Any]
) -> tuple[list[str], NDArray[np.int64]]:
    """Draw words and their number; as many acts as printed begin with "Yeah"."""
    length = np.array([_LENGTH.get(kind, _OTHER_LENGTH) for kind in types])
    n_words = 1 + rng.poisson(length * rng.gamma(2.0, 0.5, types.size))
    share = 1 / np.arange(2, _VOCABULARY.size + 2)
    words = _VOCABULARY[rng.choice(_VOCABULARY.size, int(n_words.sum()), p=share / share.sum())]
    end = np.cumsum(n_words)
    first = end - n_words
    words[first] = np.array([str(word).capitalize() for word in words[first]], dtype=object)
    words[first[_yeah(rng, annotator, types)]] = "Yeah"
    spoken = words.tolist()
    texts = [" ".join([*spoken[a:b], "."]) for a, b in zip(first, end, strict=True)]
    return texts, n_words


def _yeah(
    rng: np.random.Generator, annotator: NDArray[Any], types: NDArray[Any]
) -> NDArray[np.int64]:
    """Choose which acts begin with "Yeah"."""
    names, table = _table(YEAH)
    kind = np.array([name if name in names else "other" for name in types], dtype=object)
    return np.concatenate(
        [
            rng.choice(np.flatnonzero((annotator == who) & (kind == name)), size, replace=False)
            for who, sizes in table.items()
            for name, size in zip(names, sizes, strict=True)
        ]
    )


def _cast(
    rng: np.random.Generator, meeting: NDArray[Any], letter: NDArray[Any]
) -> tuple[list[str], list[str | None]]:
    """Give the four participants of each group of meetings names and roles."""
    titles = {
        (group, speaker): title
        for group in sorted({name[:6] for name in meeting})
        for speaker, title in zip(_SPEAKERS, rng.permutation(["ID", "ME", "PM", "UI"]), strict=True)
    }
    rows = list(zip(meeting, letter, strict=True))
    # The one meeting without the scenario has no roles.
    roles = [None if name == "IB4003" else str(titles[name[:6], who]) for name, who in rows]
    return [f"{name[:6]}{who}" for name, who in rows], roles


def _addressees(
    rng: np.random.Generator,
    known: NDArray[np.int64],
    speaker: NDArray[np.int64],
    types: NDArray[Any],
) -> NDArray[Any]:
    """Give as many acts of each meeting an addressee as known, to those of real types first."""
    minor = np.isin(types.astype("str"), ["bck", "stl", "fra"])
    found = np.full(speaker.size, None, dtype=object)
    for (acts, _, addressed, individual), end in zip(known, np.cumsum(known[:, 0]), strict=True):
        drawn = rng.permutation(np.arange(end - acts, end))
        for place, n in enumerate(drawn[np.argsort(minor[drawn], kind="stable")][:addressed]):
            others = np.delete(_SPEAKERS, speaker[n])
            found[n] = others[rng.integers(3)] if place < individual else ",".join(others)
    return found


def simulate_focus(rng: np.random.Generator, files: Mapping[str, Path]) -> DataTables:
    """Simulate intervals of focus of attention of the counts of the release."""
    names, shares = _table(TARGETS)
    meetings, _, known = _meetings()
    seconds = dict(zip(meetings, known[:, 1], strict=True))
    pools = {
        pool: iter(rng.permutation(np.repeat(np.array(names, dtype=object), sizes)))
        for pool, sizes in shares.items()
    }
    rows = []
    for meeting, annotator, *sizes in (line.split() for line in FOCUS.strip().split("\n")):
        for letter, size in zip(_SPEAKERS, map(int, sizes), strict=True):
            edges = np.sort(rng.random(size + 1)) * seconds[meeting]
            rows += [
                (
                    f"{annotator}_{meeting}_{letter}.foa.{n + 1}",
                    annotator,
                    next(pools[f"{annotator}.{letter}"]),
                    meeting,
                    letter,
                    edges[n],
                    edges[n + 1],
                )
                for n in range(size)
            ]
    columns = ["item", "annotator", "label", "meeting", "speaker", "start", "end"]
    frame = pd.DataFrame(rows, columns=columns)
    person, role = _cast(rng, frame["meeting"].to_numpy(), frame["speaker"].to_numpy())
    frame.insert(5, "person", person)
    frame.insert(6, "role", role)
    frame.insert(7, "meeting_seconds", frame["meeting"].map(seconds).astype(np.float64))
    return as_tables(frame)


def act_targets() -> dict[str, float]:
    """Return the aggregates that simulated dialogue acts meet."""
    names, table = _table(TYPES)
    known = {who: sizes[:-1] for who, sizes in table.items()}  # the last column has no type
    loads = sorted(int(sizes.sum()) for sizes in known.values())
    acts = int(sum(sizes.sum() for sizes in table.values()))
    sizes = {"n_items": acts, "n_annotators": len(loads), "n_labels": sum(loads)}
    sizes |= {"median_load": loads[1], "max_load": loads[2]}
    return sizes | {
        f"label:{name}@{who}": given[n] / given.sum()
        for who, given in known.items()
        for n, name in enumerate(names[:-1])
    }


def focus_targets() -> dict[str, float]:
    """Return the aggregates that simulated intervals of focus meet."""
    names, table = _table(TARGETS)
    total = np.sum(list(table.values()), axis=0)
    shares = {
        f"label:{name}": share for name, share in zip(names, total / total.sum(), strict=True)
    }
    intervals = int(total.sum())
    return {"n_items": intervals, "n_annotators": 2, "n_labels": intervals} | shares
