// What a search finds first: of matches that are about as good, the page of one coefficient, model or
// paper; last the reference and the sources.
var Scorer = {
  score: ([page, , , , score]) =>
    score +
    (/^(coefficients|models)\/|^papers\/[^/]+\/index$/.test(page) ? 2 : 0) -
    (/^(reference|papers\/[^/]+\/source)/.test(page) ? 100 : 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
