// Shows the rows that chosen buttons, lists and words allow, and counts them.
(() => {
  const form = document.querySelector("form.filter");
  if (!form) return;
  const search = form.querySelector("input[type=search]");
  const output = form.querySelector("output");
  const buttons = [...form.querySelectorAll("button[data-key]")];
  const lists = [...form.querySelectorAll("select[data-key]")];
  const marked = [...document.querySelectorAll("[data-head], [data-row]")];
  const rows = marked.filter((element) => "row" in element.dataset);
  const folds = [...document.querySelectorAll("[data-fold]")];
  let words = null;

  const wordsOf = (row) => `${row.textContent} ${row.dataset.words ?? ""}`.toLowerCase().replace(/\s+/g, " ");
  const setHidden = (element, hidden) => {
    if (element.hidden !== hidden) element.hidden = hidden;
  };

  // Before the first key is pressed, where there is time for it.
  const prepare = () => (words ??= new Map(rows.map((row) => [row, wordsOf(row)])));

  function chosen() {
    const sets = new Map();
    const add = (key, value) => sets.set(key, (sets.get(key) ?? new Set()).add(value));
    for (const button of buttons)
      if (button.getAttribute("aria-pressed") === "true") add(button.dataset.key, button.dataset.value);
    for (const list of lists) if (list.value) add(list.dataset.key, list.value);
    return [...sets];
  }

  function apply() {
    const sets = chosen();
    const sought = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (sought.length) prepare();
    const isShown = (row) =>
      sets.every(([key, values]) => values.has(row.dataset[key])) &&
      sought.every((word) => words.get(row).includes(word));
    let n = 0;
    let head = null;
    let under = 0;
    const close = () => {
      if (head) setHidden(head.dataset.head === "section" ? head.closest("section") : head, under === 0);
    };
    for (const element of marked) {
      if ("row" in element.dataset) {
        const shown = isShown(element);
        setHidden(element, !shown);
        n += shown;
        under += shown;
      } else {
        close();
        head = element;
        under = 0;
      }
    }
    close();
    const filtered = sets.length > 0 || sought.length > 0;
    for (const fold of folds) {
      const any = fold.querySelector("[data-row]:not([hidden])") !== null;
      setHidden(fold, !any);
      fold.open = filtered && any;
    }
    output.textContent = `${n.toLocaleString("en")} of ${rows.length.toLocaleString("en")} shown`;
  }

  function reset() {
    search.value = "";
    for (const button of buttons) button.setAttribute("aria-pressed", "false");
    for (const list of lists) list.value = "";
    apply();
  }

  // A link to what is hidden or folded shows it.
  function reveal() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    if (target.closest("[hidden]")) reset();
    for (let box = target.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
    target.scrollIntoView();
  }

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", apply);
  search.addEventListener("focus", prepare);
  form.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-key]");
    if (!button) return;
    button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
    apply();
  });
  for (const [key, value] of new URLSearchParams(location.search)) {
    if (key === search.name) search.value = value;
    for (const list of lists) if (list.dataset.key === key) list.value = value;
    for (const button of buttons)
      if (button.dataset.key === key && button.dataset.value === value) button.setAttribute("aria-pressed", "true");
  }
  addEventListener("hashchange", reveal);
  form.hidden = false;
  apply();
  reveal();
})();
