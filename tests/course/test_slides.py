"""Slides: nothing is longer than a slide, by an estimate, and by a browser for those made."""

import base64
import re
import shutil
import struct
import subprocess
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from editions.course_slides import LINES, OUTPUT_ALONE, cut, slides_edition, text_lines
from editions.course_source import read_source, solutions_edition, tags
from scripts.course.render_course import AlternativeTexts

TOP = Path(__file__).parents[2]
MADE = sorted((TOP / "results" / "course" / "slides").glob("*.html"))

WORDS = "Annotators label items one after the other. " * 60


def markdown(source, *own):
    return new_markdown_cell(source, metadata={"tags": list(own)})


def code(source, *own, outputs=()):
    return new_code_cell(source, metadata={"tags": list(own)}, outputs=list(outputs))


def slides(*cells):
    return cut(new_notebook(cells=list(cells)))


def shown(*slides):
    return [cell.source for slide in slides for cell in slide.cells]


def test_no_slide_of_a_session_is_too_long(lesson, results):
    session = solutions_edition(read_source(lesson.source), results)
    for slide in cut(session):
        assert slide.lines <= LINES, f"{slide.heading}: {shown(slide)}"
        assert slide.heading
    edition = slides_edition(session)
    kinds = [cell.metadata.slideshow.slide_type for cell in edition.cells]
    assert kinds.count("slide") == len(cut(session))
    assert not any(tags(cell) & {"solution", "check", "hint", "rubric"} for cell in edition.cells)
    assert not any("course.session(" in cell.source for cell in edition.cells)
    if "00" not in lesson.id:
        assert "notes" in kinds


def test_a_heading_begins_a_slide_and_is_repeated():
    found = slides(markdown(f"# A\n\nFirst.\n\n## B\n\n### C\n\n{WORDS}\n\nLast."), markdown("D"))
    assert shown(found[0]) == ["First."]
    assert {slide.heading for slide in found[1:]} == {"## B\n\n### C"}
    assert len(found) > 2
    assert all(slide.lines <= LINES for slide in found)
    assert " ".join(" ".join(shown(*found[1:])).split()) == f"{WORDS}Last. D"


def test_what_belongs_together_is_not_cut():
    formula = "$$\nx = 1\n\n+ 2\n$$"
    program = "```\na = 1\n\nb = 2\n```"
    rows = "| a | b |\n|---|---|\n| 1 | 2 |"
    found = slides(markdown(f"Text.\n\n{formula}\n\n{program}\n\n{rows}\n\n$$ y = 2 $$\n\nEnd."))
    assert shown(*found) == ["Text.", formula, program, rows, "$$ y = 2 $$", "End."]


def test_a_long_list_is_cut_at_its_items():
    items = [f"- {WORDS[:400]}{n}" for n in range(8)]
    found = shown(*slides(markdown("\n".join(items))))
    assert len(found) > 1
    assert "\n".join(found).split("\n") == items


def test_a_line_that_announces_a_list_stands_with_it():
    points = "\n".join(f"- point {n}" for n in range(8))
    for line in ("**After this session you can**", "Three ways are common:"):
        found = slides(markdown(f"{'Long. ' * 50}\n\n{line}\n\n{points}"))
        assert [slide.cells[-1].source.startswith(line) for slide in found] == [False, True]
        assert found[-1].lines <= LINES
    # Not with an item that fills a slide alone, nor a line that announces nothing
    long = f"- {WORDS[:860]}"
    assert shown(*slides(markdown(f"As follows:\n\n{long}"))) == ["As follows:", long]
    assert shown(*slides(markdown(f"A sentence.\n\n{points}"))) == ["A sentence.", points]


def test_of_long_code_a_slide_shows_what_comes_out():
    out = new_output("stream", text="3\n")
    long, wide = "\n".join(f"a{n} = {n}" for n in range(30)), f"print('{'3' * 120}')"
    [slide] = slides(*(code(source, outputs=[out]) for source in (long, wide, "1 + 2")))
    assert [OUTPUT_ALONE in tags(cell) for cell in slide.cells] == [True, True, False]
    assert slides(code("a = 3"), code(long)) == []


def picture(height):
    header = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + struct.pack(">II", 700, height)
    return new_output("display_data", {"image/png": base64.b64encode(header).decode()})


def test_a_figure_says_under_which_heading_it_is_shown():
    cells = [markdown("# A\n\n## Is that <much>?"), code("draw()", outputs=[picture(300)])]
    described, _ = AlternativeTexts().preprocess(new_notebook(cells=cells), {})
    shown = described.cells[1].outputs[0].data["text/html"]
    assert 'alt="Figure: Is that &lt;much&gt;?"' in shown
    assert "image/png" not in described.cells[1].outputs[0].data


def test_a_low_figure_leaves_room_for_text():
    low, high = (code("plt.plot()", "figure", outputs=[picture(h)]) for h in (150, 900))
    assert len(slides(low, markdown("A line."))) == 1
    assert len(slides(high, markdown("A line."))) == 2
    assert OUTPUT_ALONE in tags(slides(low)[0].cells[0])


def test_what_is_left_out_and_what_is_a_note():
    cells = [markdown("# A\n\nText."), markdown("A note.", "teacher"), markdown("More.", "noslide")]
    [slide] = slides(
        *cells, code("x", "solution"), markdown("So.", "hint"), markdown("Points.", "rubric")
    )
    assert shown(slide) == ["Text."]
    assert [note.source for note in slide.notes] == ["A note."]
    assert len(slides(*cells, markdown("Next.", "slide"))) == 2


def test_a_question_has_a_slide_of_its_own():
    out = new_output("stream", text="3\n")
    given = code("session.given()", outputs=[out])
    found = slides(
        markdown("A."), markdown("Q?", "exercise"), given, markdown("B."), markdown("C.")
    )
    assert [shown(slide) for slide in found] == [["A."], ["Q?", "session.given()"], ["B.", "C."]]


def test_slides_of_simulated_labels_say_so():
    said = new_output("stream", text="caries: SIMULATED data stand in\n")
    found = slides(markdown("# A\n\nText."), code("session", "noslide", outputs=[said]))
    assert "SIMULATED" in found[0].cells[-1].source
    assert "caries" in found[0].cells[-1].source


def test_lines_are_estimated_as_they_are_read():
    assert text_lines("word " * 10) == 1.5
    assert text_lines("word " * 40) == 3.5
    assert text_lines("[a](https://example.org/" + "x" * 500 + ")") == 1.5


#: What a browser measures: slides whose content is higher or wider than they are.
MEASURE = """
<script>
addEventListener("load", () => {
  const out = [];
  for (let h = 0; h < Reveal.getTotalSlides(); h++) {
    Reveal.slide(h, 0);
    const s = Reveal.getCurrentSlide();
    const wide = [...s.querySelectorAll("*")].some(e => e.getBoundingClientRect().right >
      s.getBoundingClientRect().right + 2 && e.checkVisibility() && !e.closest("aside"));
    if (s.scrollHeight > 664 + 2 || wide) out.push(h + 1);
  }
  document.body.innerHTML = "<pre>measured " + Reveal.getTotalSlides() + ": " + out + ";</pre>";
});
</script>
"""


@pytest.mark.slow
@pytest.mark.parametrize("made", MADE, ids=lambda path: path.stem)
def test_no_slide_overflows_in_a_browser(made, tmp_path):
    names = ("chromium", "chromium-browser", "google-chrome")
    browser = next(filter(None, map(shutil.which, names)), None)
    if browser is None:
        pytest.skip("no Chromium is installed")
    page = tmp_path / "slides.html"
    before, end, after = made.read_text("utf-8").rpartition("</body>")
    page.write_text(f"{before}{MEASURE}{end}{after}", "utf-8")
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1280,720"]
    command += [f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=60000"]
    done = subprocess.run(
        [*command, "--dump-dom", page.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    measured = re.search(r"measured (\d+): ([\d,]*);", done.stdout)
    assert measured, done.stderr[-2000:]
    assert int(measured[1]) > 10
    assert measured[2] == "", f"too long: slides {measured[2]} of {measured[1]}"
