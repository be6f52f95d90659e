"""The study of the default model: what is decided, and what pages say of it."""

import pandas as pd
import pytest

from commands import quote_studies
from studies.default_model.__main__ import decide, learn_power
from studies.default_model.scoring import POWERS, clumped

STORED = quote_studies.STORED / "default_model"


def test_pages_say_what_the_stored_tables_say():
    for page in quote_studies.PAGES["default_model"]:
        text = page.read_text(encoding="utf-8")
        assert quote_studies.quoting("default_model", page, text) == text, "run make default-model"


def test_the_stored_decision_is_that_of_the_stored_scores():
    data, designs, stored = (
        pd.read_csv(STORED / f"{name}.csv") for name in ("data", "designs", "decision")
    )
    decision = decide(data, designs)
    assert decision["value"].tolist() == pytest.approx(stored["value"].tolist(), rel=1e-3)
    assert decision["holds"].tolist() == stored["holds"].tolist()


def test_a_power_is_learned_without_the_family_it_is_used_for():
    losses = {"a": (0.1, 0.4), "b": (0.4, 0.1), "c": (0.4, 0.1)}
    scores = pd.DataFrame(
        {"family": family, "case": family, "method": clumped(power), "log_loss": loss}
        for family, pair in losses.items()
        for power, loss in zip(POWERS[:2], pair, strict=True)
    )
    chosen = learn_power(scores).set_index("family")["log_loss"]
    # Without a, the second power is best; without b or c they are equal, and the first is taken.
    assert chosen.to_dict() == {"a": 0.4, "b": 0.4, "c": 0.4}
