// Leave one of each kind of neighbours: what holds for a row of a table holds for its like.
// Of one kind are elements whose attributes, but for what is their own (a name, a link, a size),
// are equal and whose children are of the same kinds.
() => {
  const OWN = /^(id|href|src|alt|title|aria-label|width|height|style|data-.*)$/;
  const REFERENCES = ["for", "aria-controls", "aria-labelledby", "aria-describedby", "aria-owns"];
  const referred = new Set();
  for (const name of REFERENCES)
    for (const element of document.querySelectorAll(`[${name}]`))
      for (const id of element.getAttribute(name).split(/\s+/)) referred.add(id);

  const kinds = new Map();
  const kindOf = (element) => {
    const met = new Map();
    for (const child of element.localName === "svg" ? [] : [...element.children]) {
      const kind = kindOf(child);
      met.set(kind, (met.get(kind) ?? 0) + 1);
      if (met.get(kind) > 1) child.remove();
    }
    const attributes = [...element.attributes].map(({ name, value }) => (OWN.test(name) ? name : `${name}=${value}`));
    const colours = [element.style.color, element.style.background];
    const text = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    const named = referred.has(element.id) ? element.id : "";
    const described = [element.localName, text, named, ...colours, ...attributes, ...[...met.keys()].sort()].join("\n");
    if (!kinds.has(described)) kinds.set(described, kinds.size);
    return kinds.get(described);
  };
  kindOf(document.body);
}
