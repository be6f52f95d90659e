"""What the cells of a table say of its columns, where names say nothing or mislead."""

from __future__ import annotations

import json

import pytest

from annobench.core.errors import ReaderError
from annobench.io import select_labels


def written(tmp_path, text, name="table.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


class TestRecordsOfJudges:
    """Comparisons by a judge are no form that people filled in."""

    @pytest.mark.parametrize("time", ["tstamp", "timestamp"])
    def test_a_judge_of_several_rows_sent_no_form(self, tmp_path, time):
        rows = [
            {
                "question_id": 80 + n,
                "model_1": "alpha-7b",
                "model_2": ("beta-13b", "gamma-70b")[n % 2],
                "g1_winner": ("model_1", "model_2", "tie")[n % 3],
                "g2_winner": ("model_1", "tie", "model_2")[n % 3],
                "judge": ["gpt-4", "pair-v2"],
                "turn": 1 + n % 2,
                time: 1687222600.1 + n,
            }
            for n in range(12)
        ]
        path = written(tmp_path, "\n".join(map(json.dumps, rows)), "pairs.jsonl")
        with pytest.raises(ReaderError, match="unknown format"):
            select_labels(path)
