// What is wrong with the page as it stands in the window.
() => {
  const faults = [];
  const all = (selector) => [...document.querySelectorAll(selector)];
  const name = (what, elements) => {
    for (const element of elements.slice(0, 3)) faults.push(`${what}: ${element.outerHTML.slice(0, 160)}`);
  };

  const wide = document.documentElement.scrollWidth;
  if (wide > innerWidth) faults.push(`${wide} pixels wide in a window of ${innerWidth}`);

  const ids = new Set();
  name("an id that occurs twice", all("[id]").filter(({ id }) => ids.size === ids.add(id).size));
  name("a column or row without a title", all("th:not([aria-label])").filter((th) => !th.textContent.trim()));
  name("a picture without words", all("img:not([alt]), figure img[alt='']"));
  name("a picture whose size is not known before it is loaded", all("img:not([width][height], [src^='data:'])"));
  name("something to press within another", all(":is(a, button, summary) :is(a[href], button, input, select, summary)"));

  const headings = all(":is(h1, h2, h3, h4, h5, h6)").filter((heading) => heading.closest("main, body > :not(.bd-container)"));
  const level = (heading) => Number(heading.tagName[1]);
  name("a heading two levels below the one before", headings.filter((h, n) => n && level(h) > level(headings[n - 1]) + 1));
  // Slides begin with a title each.
  if (all("h1").length !== 1 && !all(".reveal").length) faults.push(`${all("h1").length} headings of the first level`);

  const scrolls = (box) =>
    box.scrollWidth > box.clientWidth + 1 && box.clientWidth && /auto|scroll/.test(getComputedStyle(box).overflowX);
  const reached = (box) => box.tabIndex >= 0 || box.querySelector("a[href], button, input, select, [tabindex='0']");
  name("a box that scrolls, out of the keyboard's reach", all("body *").filter((box) => scrolls(box) && !reached(box)));
  return faults;
}
