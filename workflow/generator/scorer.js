// What a search finds first: pages whose title, authors, year or search words (search_words.toml) hold
// all that was typed; of matches that are about as good, the page of one coefficient, model or paper;
// last notebooks, the sources of analyses, and the reference.
const Found = {
  // Of a text the words that count, as the index has them. Years count, which Sphinx leaves out.
  words: (text) => {
    Found.stemmer ??= new Stemmer();
    return splitQuery(text.toLowerCase())
      .filter((word) => !stopwords.has(word))
      .map((word) => Found.stemmer.stemWord(word));
  },
  // The words of each page's title and search words.
  pages: () => {
    if (Found.known) return Found.known;
    const { docnames, titles, indexentries } = Search._index;
    Found.known = new Map(docnames.map((page, n) => [page, new Set(Found.words(titles[n]))]));
    for (const [phrase, places] of Object.entries(indexentries))
      for (const [n] of places)
        for (const word of Found.words(phrase)) Found.known.get(docnames[n]).add(word);
    return Found.known;
  },
  holdsAll: (page) => {
    const query = new URLSearchParams(window.location.search).get("q") ?? "";
    const words = Found.words(query);
    return words.length > 0 && words.every((word) => Found.pages().get(page)?.has(word));
  },
};

var Scorer = {
  score: ([page, , , , score]) =>
    score +
    (Found.holdsAll(page) ? 20 : 0) +
    (/^(coefficients|models)\/|^papers\/[^/]+\/index$/.test(page) ? 2 : 0) -
    (/\/notebook$/.test(page) ? 40 : 0) -
    (/^(reference|papers\/[^/]+\/source)/.test(page) ? 200 : 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
