"""Parts of a study, put together again."""

import math

import pandas as pd
import pytest

from annobench.studies.parts import join_parts, run_part


def table(task):
    rows = [(f"{task}.{n}", 1 / (3 + 7 * task + n), math.nan, True) for n in range(2)]
    return pd.DataFrame(rows, columns=["name", "value", "nothing", "whether"])


@pytest.mark.parametrize("n_parts", [1, 2, 5, 9])
def test_parts_join_to_the_whole_study_to_the_last_bit(tmp_path, n_parts):
    tasks = range(5)
    paths = [tmp_path / f"{part}.parquet" for part in range(n_parts)]
    for part, path in enumerate(paths):
        run_part(tasks, table, part, n_parts).to_parquet(path)
    whole = pd.concat(map(table, tasks), ignore_index=True)
    pd.testing.assert_frame_equal(join_parts(paths), whole, check_exact=True)
