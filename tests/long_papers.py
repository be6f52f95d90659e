"""Papers whose analysis takes long even at quick effort; each run of the workflow runs all."""

LONG_PAPERS = {
    *("beigman_klebanov2010", "berthelin2008", "bhowmick2008", "calderon2025", "carpenter2008"),
    *("chiang2023", "dawid1979", "li2019", "northcutt2021", "palmer2008", "passonneau2014"),
    *("reidsma2008", "snow2008", "su2008", "ustalov2024"),
}

#: Tracing runs an analysis many times; each run of the workflow traces all papers.
LONG_TO_TRACE = LONG_PAPERS | {
    *("baan2022", "bavaresco2025", "beigman_klebanov2008", "beigman_klebanov2009"),
    *("rumshisky2008", "tetreault2008", "thakur2024", "volk2008", "weber2024"),
}
