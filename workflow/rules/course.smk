# The course in annotation statistics: notebooks, pages, slides and the archive, for teachers.

ARCHIVE = COURSE / "teacher/archive"
COURSE_PAGES = f"{WORKFLOW}/site/course"
#: Those of the repository, and those that ANNOBENCH_SESSIONS names.
SESSIONS = sessions.discover()
LESSONS = {id: held.lesson for id, held in SESSIONS.items()}
#: The folders of the latter.
OWN_SESSIONS = [
    held.folder
    for held in SESSIONS.values()
    if not held.folder.is_relative_to((COURSE / "sessions").absolute())
]
COURSE_DATA = sorted({dataset for lesson in LESSONS.values() for dataset in lesson.data})
COURSE_PAPERS = sorted({paper for lesson in LESSONS.values() for paper in lesson.papers})
COURSE_TABLES = sorted({table for lesson in LESSONS.values() for table in lesson.tables})


#: The package as it lies in the archive.
WHEEL = f"annobench-{__version__}-py3-none-any.whl"


wildcard_constraints:
    session=one_of(SESSIONS),
    course_table=one_of(COURSE_TABLES),


rule course:
    """Make the course."""
    input:
        "results/course/annobench-course.zip",
        "results/course/annobench-course-teacher.zip",
        "results/course/index.html",


rule gather_course_results:
    """Gather the values of the papers that sessions quote."""
    input:
        comparisons=expand("results/papers/{paper}/comparison.csv", paper=COURSE_PAPERS),
    output:
        results="results/course/data/results.csv",
    log:
        "results/logs/course/results.log",
    benchmark:
        "results/logs/course/results.benchmark.tsv"
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=500,
        runtime=2,
    params:
        library=imports_of(WORKFLOW / "scripts/course/gather_course_results.py"),
    script:
        "../scripts/course/gather_course_results.py"


rule copy_course_data:
    """Put a data set where the notebooks look for it."""
    input:
        data_of("{dataset}"),
    output:
        data_of("{dataset}", folder="results/course/data"),
    log:
        "results/logs/course/{dataset}.log",
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=100,
        runtime=2,
    params:
        folder="results/course/data/{dataset}",
    shell:
        "cp {input} {params.folder} 2>&1 | tee {log} >&2"


rule copy_course_table:
    """Put a table of a study where the notebooks look for it."""
    input:
        "results/studies/{course_table}.csv",
    output:
        "results/course/data/{course_table}.csv",
    log:
        "results/logs/course/{course_table}.log",
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=100,
        runtime=2,
    shell:
        "cp {input} {output} 2>&1 | tee {log} >&2"


rule make_course_notebooks:
    """Make the student's and the solutions' notebook of a session from its source."""
    input:
        source=lambda wildcards: os.path.relpath(SESSIONS[wildcards.session].text),
        results="results/course/data/results.csv",
    output:
        student="results/course/student/{session}.ipynb",
        solutions="results/course/unexecuted/{session}.ipynb",
    log:
        "results/logs/course/{session}.notebooks.log",
    benchmark:
        "results/logs/course/{session}.notebooks.benchmark.tsv"
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=500,
        runtime=2,
    params:
        library=lambda wildcards: [
            imports_of(WORKFLOW / "scripts/course/make_course_notebooks.py"),
            modules_of(wildcards.session, ["exercises.py"]),  # the plan
        ],
    script:
        "../scripts/course/make_course_notebooks.py"


rule execute_solutions:
    """Execute the solutions of a session."""
    input:
        notebook="results/course/unexecuted/{session}.ipynb",
        results="results/course/data/results.csv",
        data=lambda wildcards: [
            path
            for dataset in LESSONS[wildcards.session].data
            for path in data_of(dataset, folder="results/course/data")
        ],
        tables=lambda wildcards: expand(
            "results/course/data/{table}.csv", table=LESSONS[wildcards.session].tables
        ),
    output:
        notebook="results/course/solutions/{session}.ipynb",
    log:
        "results/logs/course/{session}.log",
    benchmark:
        "results/logs/course/{session}.benchmark.tsv"
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        library=session_sources,
    script:
        "../scripts/course/execute_course.py"


rule render_session:
    """Render the notebooks of a session as pages, and its slides."""
    input:
        site=[f"{COURSE_PAGES}/course_session.html.j2", *templates()],
        slides_template=f"{COURSE_PAGES}/annobench_slides/index.html.j2",
        student="results/course/student/{session}.ipynb",
        solutions="results/course/solutions/{session}.ipynb",
    output:
        student="results/course/student/{session}.html",
        solutions="results/course/solutions/{session}.html",
        slides="results/course/slides/{session}.html",
    log:
        "results/logs/course/{session}.pages.log",
    benchmark:
        "results/logs/course/{session}.pages.benchmark.tsv"
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        library=imports_of(WORKFLOW / "scripts/course/render_course.py"),
        title=lambda wildcards: LESSONS[wildcards.session].title,
    script:
        "../scripts/course/render_course.py"


rule build_course_index:
    """Render the page of the course: syllabus, sessions, and the bank of exam questions."""
    input:
        site=[
            f"{COURSE_PAGES}/course.html.j2",
            *templates(),
            str(COURSE / "teacher/exam.html.j2"),
        ],
        pages=expand(
            "results/course/{edition}/{session}.html",
            edition=["student", "solutions", "slides"],
            session=SESSIONS,
        ),
    output:
        page="results/course/index.html",
        bank="results/course/bank.html",
    log:
        "results/logs/course/index.log",
    benchmark:
        "results/logs/course/index.benchmark.tsv"
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        library=[
            imports_of(WORKFLOW / "scripts/course/build_course_index.py"),
            *(modules_of(id, ["exercises.py", "bank.py"]) for id in SESSIONS),
        ],
        sessions=list(SESSIONS),
    script:
        "../scripts/course/build_course_index.py"


rule build_wheel:
    """Build the packages that lie in the archives: the students' holds no bank."""
    input:
        sources=sorted(
            str(path)
            for path in PACKAGE.parent.rglob("*")
            if path.is_file() and not {"__pycache__", "annobench.egg-info"} & set(path.parts)
        ),
        own=[os.path.relpath(path) for folder in OWN_SESSIONS for path in folder.glob("*.*")],
        project=[
            str(WORKFLOW.parent / name)
            for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE")
        ],
        readme=str(ARCHIVE / "README.md"),
    output:
        students=f"results/course/{WHEEL}",
        teacher=f"results/course/package/{WHEEL}",
    log:
        "results/logs/course/wheel.log",
    benchmark:
        "results/logs/course/wheel.benchmark.tsv"
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        library=imports_of(WORKFLOW / "scripts/course/build_wheel.py"),
        own=[os.path.relpath(folder) for folder in OWN_SESSIONS],
    script:
        "../scripts/course/build_wheel.py"


rule archive_course:
    """Pack the course: one archive for students, and one for their teacher that holds it."""
    input:
        wheel=f"results/course/{WHEEL}",
        package=f"results/course/package/{WHEEL}",
        container=str(ARCHIVE / "Containerfile"),
        requirements=str(WORKFLOW.parent / "requirements/course.txt"),
        readme=str(ARCHIVE / "README.md"),
        teacher=str(ARCHIVE / "TEACHER.md"),
        guide=[
            str(DOCS / f"{name}.md")
            for name in ("how-to/teach", "how-to/own-session", "explanation/course")
        ],
        project=str(DOCS / "how-to/project.md"),
        licence=str(WORKFLOW.parent / "LICENSE"),
        terms=str(ARCHIVE / "TERMS.md"),
        permissions=str(ARCHIVE / "licences.toml"),
        licences=sorted(map(str, (ARCHIVE / "licences").glob("*.txt"))),
        results="results/course/data/results.csv",
        data=[path for id in COURSE_DATA for path in data_of(id, folder="results/course/data")],
        tables=expand("results/course/data/{table}.csv", table=COURSE_TABLES),
        student=expand(
            "results/course/student/{session}.{suffix}", session=SESSIONS, suffix=["ipynb", "html"]
        ),
        solutions=expand(
            "results/course/solutions/{session}.{suffix}",
            session=SESSIONS,
            suffix=["ipynb", "html"],
        ),
        slides=expand("results/course/slides/{session}.html", session=SESSIONS),
        bank="results/course/bank.html",
    output:
        students="results/course/annobench-course.zip",
        teacher="results/course/annobench-course-teacher.zip",
    log:
        "results/logs/course/archive.log",
    benchmark:
        "results/logs/course/archive.benchmark.tsv"
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        library=imports_of(WORKFLOW / "scripts/course/archive_course.py"),
    script:
        "../scripts/course/archive_course.py"
