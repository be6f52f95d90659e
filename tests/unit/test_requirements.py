"""`--require`: status 3 and a record where the interval does not support a value."""

import hashlib
import json

import pytest
from typer.testing import CliRunner

from annobench.cli import app

LABELS = "item,annotator,label\n" + "".join(
    f"t{n},{who},{'no' if n % 3 or (who == 'bob' and n == 6) else 'yes'}\n"
    for n in range(60)
    for who in ("ann", "bob", "gpt")
)


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "labels.csv").write_text(LABELS)

    def typed(*words):
        return CliRunner().invoke(app, list(words))

    return typed


def record(tmp_path, folder):
    return json.loads((tmp_path / folder / "requirements.json").read_text())


def test_a_report_is_gated_by_the_lower_end(run, tmp_path):
    plain = run("report", "labels.csv")
    assert plain.exit_code == 0
    assert not (tmp_path / "labels_agreement" / "requirements.json").exists()
    met = run("report", "labels.csv", "--require", "alpha>=0.67", "--require", "agreement >= .9")
    assert met.exit_code == 0
    assert "krippendorff_alpha >= 0.67 is supported" in met.output
    found = record(tmp_path, "labels_agreement")
    assert found["supported"] is True
    assert found["sha256"] == hashlib.sha256(LABELS.encode()).hexdigest()
    assert [row["quantity"] for row in found["requirements"]] == [
        "krippendorff_alpha",
        "percent_agreement",
    ]
    # The estimate is above, and the interval is not.
    estimate = found["requirements"][0]["estimate"]
    lower = found["requirements"][0]["lower"]
    between = f"{(estimate + lower) / 2:.4f}"
    missed = run("report", "labels.csv", "--require", f"alpha>={between}")
    assert missed.exit_code == 3
    assert "is not supported" in missed.output
    assert record(tmp_path, "labels_agreement")["supported"] is False


def test_what_is_undefined_is_not_supported(run, tmp_path):
    (tmp_path / "three.csv").write_text(LABELS)
    missed = run("report", "three.csv", "--require", "kappa>=0")
    assert missed.exit_code == 3
    assert "undefined" in missed.output
    assert record(tmp_path, "three_agreement")["requirements"][0]["estimate"] is None


@pytest.mark.parametrize(
    ("text", "said"),
    [("alpha>0.67", "Write a quantity"), ("alfa>=0.67", "Did you mean"), ("0.67", "Write")],
)
def test_what_is_no_requirement_is_refused_before_anything_is_written(run, tmp_path, text, said):
    refused = run("report", "labels.csv", "--require", text)
    assert refused.exit_code == 1
    assert said in refused.output
    assert not (tmp_path / "labels_agreement").exists()


def test_every_judge_has_to_meet_what_is_required(run, tmp_path):
    met = run("judge", "labels.csv", "--judge", "gpt", "--require", "kappa>=0.5")
    assert met.exit_code == 0
    assert record(tmp_path, "labels_judges")["requirements"][0]["of"] == "gpt"
    missed = run("judge", "labels.csv", "--judge", "gpt", "--require", "difference>=0.5")
    assert missed.exit_code == 3


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("0.5", "The labels support an alpha of 0.5 or more"),
        ("0.99", "Alpha is below 0.99"),
        (None, ""),
    ],
)
def test_a_page_says_what_to_do_next(run, tmp_path, target, said):
    # Who guesses is named, and what is confused.
    rows = "".join(
        f"t{n},{who},{'abc'[(n + (who == 'dan' and n % 2)) % 3]}\n"
        for n in range(60)
        for who in ("ann", "bob", "cem", "dan")
    )
    (tmp_path / "labels.csv").write_text("item,annotator,label\n" + rows)
    options = [] if target is None else ["--target", target]
    done = run("report", "labels.csv", *options)
    assert done.exit_code == 0
    page = (tmp_path / "labels_agreement" / "report.html").read_text()
    after = page.split('id="next"')[1].split("</ul>")[0]
    assert "“dan”: on these labels alpha is 1.000 without this annotator" in after
    assert "Look at the guidelines" in after
    assert said in after
    assert said in done.output


def test_a_target_within_the_interval_is_open(run):
    done = run("report", "labels.csv", "--target", "0.97")
    assert "It remains open whether alpha is 0.97 or more" in done.output
