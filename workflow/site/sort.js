// Sorts a table by the column whose title is chosen; once more, the other way round.
for (const table of document.querySelectorAll("table.sortable")) {
  const value = (row, column) => row.cells[column].dataset.sort ?? row.cells[column].innerText.trim();
  [...table.tHead.rows].at(-1).querySelectorAll("th").forEach((title) => {
    const column = title.cellIndex;
    const button = document.createElement("button");
    button.append(...title.childNodes);
    title.append(button);
    button.addEventListener("click", () => {
      const down = title.getAttribute("aria-sort") === "descending";
      for (const other of title.parentNode.cells) other.removeAttribute("aria-sort");
      title.setAttribute("aria-sort", down ? "ascending" : "descending");
      const sign = down ? 1 : -1;
      const number = (text) => Number(text.replaceAll(",", "")) || 0;
      const numeric = title.matches(".right, .numeric");
      const order = numeric ? (a, b) => number(a) - number(b) : (a, b) => b.localeCompare(a);
      // Each group under its own heading.
      for (const body of table.tBodies) {
        const own = [...body.rows].filter((row) => !row.querySelector("th.group"));
        const rows = own.map((row) => [value(row, column), row]);
        rows.sort((a, b) => sign * order(a[0], b[0]));
        body.append(...rows.map(([, row]) => row));
      }
    });
  });
}
