"use strict";
// The page's tables are the links to download them: nothing is stored twice, nothing is fetched.
const $ = (selector) => document.querySelector(selector);
const el = (tag, attributes = {}, ...children) => {
  const node = document.createElementNS(svgTags.has(tag) ? "http://www.w3.org/2000/svg" : "http://www.w3.org/1999/xhtml", tag);
  for (const [name, value] of Object.entries(attributes)) name === "onclick" ? (node.onclick = value) : value != null && node.setAttribute(name, value);
  node.append(...children);
  return node;
};
const svgTags = new Set(["svg", "line", "polyline", "polygon", "circle", "text", "title", "g"]);
const fixed = (x, digits = 3) => (x === "" || Number.isNaN(+x) ? "–" : (+x).toFixed(digits).replace(/^(-?)0\./, "$1.").replace("-", "−"));
const signed = (x) => (x > 0 ? "+" : "") + fixed(x);
const MARKS = { better: ["▲", "v-reproduced"], worse: ["▼", "v-deviates"], "better?": ["△", "faint good"], "worse?": ["▽", "faint bad"] };
const COLOURS = ["#0072B2", "#D55E00", "#009E73", "#222222", "#B58BB8", "#8A5A00"];

function parse(text) {
  const rows = [[""]];
  let quoted = false;
  for (let n = 0; n < text.length; n++) {
    const c = text[n], row = rows.at(-1);
    if (quoted) c !== '"' ? (row[row.length - 1] += c) : text[n + 1] === '"' ? ((row[row.length - 1] += c), n++) : (quoted = false);
    else if (c === '"') quoted = true;
    else if (c === ",") row.push("");
    else if (c === "\n") rows.push([""]);
    else row[row.length - 1] += c;
  }
  const [names, ...lines] = rows;
  return lines.filter((line) => line.length === names.length).map((line) => Object.fromEntries(names.map((name, n) => [name, line[n]])));
}

async function unpack(link) {
  const bytes = Uint8Array.from(atob(link.href.split(",")[1]), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream();
  return parse(await new Response(link.download.endsWith(".gz") ? stream.pipeThrough(new DecompressionStream("gzip")) : stream).text());
}

async function start() {
  const about = JSON.parse($("#about").textContent), data = {};
  for (const link of document.querySelectorAll("a[data-table]")) data[link.dataset.table] = await unpack(link);
  const key = (...parts) => parts.join("\u0000");
  const index = (table, ...names) => new Map(data[table].map((row) => [key(...names.map((name) => row[name])), row]));
  const scores = index("scores", "problem", "score", "method"), fits = index("fits", "problem", "method");
  const pairs = index("differences", "problem", "score", "method"), across = index("across", "score", "method", "other");
  const refitErrors = index("refit_errors", "problem", "design", "size", "score"), problems = index("problems", "problem"), methods = data.methods.map((row) => row.method);
  const state = { score: about.score, reference: about.reference, view: "score", sort: "", focus: about.focus, lit: new Set(about.lit), shown: new Set(data.problems.filter((p) => p.provenance === about.first).map((p) => p.problem)) };
  const titleOf = (method) => about.titles[method] || method;
  const more = () => about.scores[state.score].more;
  const estimate = (problem, method, score = state.score) => +(scores.get(key(problem, score, method)) || { estimate: NaN }).estimate;

  const unconverged = (problem, method) => (fits.get(key(problem, method)) || {}).converged === "no";

  function versus(problem, method) {
    const base = pairs.get(key(problem, state.score, state.reference)), own = pairs.get(key(problem, state.score, method));
    if (!base || !own || method === state.reference) return null;
    const d = estimate(problem, method) - estimate(problem, state.reference), error = +(own[state.reference] || base[method]);
    const way = d > 0 === more() ? "better" : "worse", critical = +base.critical || 1.96;
    const verdict = !(error > 0) || unconverged(problem, method) || unconverged(problem, state.reference) ? "" : Math.abs(d) > critical * error ? way : Math.abs(d) > 1.96 * error ? way + "?" : "";
    return { d, error, critical, verdict };
  }
  const mark = (v) => (v && v.verdict ? [el("span", { class: "mark " + MARKS[v.verdict][1], title: v.verdict }, MARKS[v.verdict][0])] : []);
  // Labels that are there twice count once.
  const counting = () => [...state.shown].filter((problem) => !state.shown.has(problems.get(problem).same_labels_as));
  const tally = (method) => counting().reduce((sum, problem) => { const v = versus(problem, method); if (v && v.verdict) sum[v.verdict]++; return sum; }, { better: 0, worse: 0, "better?": 0, "worse?": 0 });
  const order = (value, most) => [...methods].sort((a, b) => { const x = value(a), y = value(b); return Number.isNaN(x) - Number.isNaN(y) || (most ? y - x : x - y) || (a < b ? -1 : 1); });
  const name = (method) => el("th", { scope: "row", class: (about.marked.includes(method) ? "marked " : "") + (method === state.reference ? "reference" : "") }, el("button", { class: state.lit.has(method) ? "lit" : "", title: "show in the curves", onclick: () => { state.lit.has(method) ? state.lit.delete(method) : state.lit.add(method); draw(); } }, ...titleOf(method).split(/(?<=[_.])/).flatMap((part) => [part, el("wbr")])), about.marked.includes(method) ? " ★" : "");
  const fill = (selector, ...nodes) => $(selector).replaceChildren(...nodes);

  function detail(problem, method) {
    state.focus = problem;
    draw();
    const fit = fits.get(key(problem, method)) || {}, p = problems.get(problem), v = versus(problem, method), s = scores.get(key(problem, state.score, method));
    const m = data.methods.find((row) => row.method === method), line = (term, ...text) => [el("dt", {}, term), el("dd", {}, ...text)];
    const command = (about.fit_command || "").replace("{method}", method).replace("{case}", p.provenance === "regime" ? "regimes" : problem);
    fill("#detail", el("h3", {}, `${titleOf(method)} on ${problem}`), el("dl", { class: "legend" },
      ...(s ? line(about.scores[state.score].title, `${fixed(s.estimate)}, 95% interval ${fixed(s.lower)} to ${fixed(s.upper)}`) : line("No score", `${fit.status}: ${fit.note}`)),
      ...(v ? line(`Minus ${titleOf(state.reference)}`, `${signed(v.d)} ± ${fixed(1.96 * v.error)}; simultaneous ± ${fixed(v.critical * v.error)}`) : []),
      ...line("Inputs", `${p.n_labels} labels of ${p.n_annotators} annotators, ${p.n_categories} categories; ${p.n_items} items scored (${p.provenance}). ${p.about}`, ...(p.same_labels_as ? [` The labels are those of ${p.same_labels_as}.`] : []), ...(command && p.provenance === "real" ? [" ", el("code", {}, `annobench data fetch ${problem}`)] : []), " ", el("a", { href: `#data-${1 + data.problems.indexOf(p)}` }, "all data")),
      ...line("Settings", `${m.source}, defaults. Repeated labels: ${m.repeats}. Ties: ${m.ties}. Smoothing: ${m.smoothing}. Start: ${m.start}. Optimum: ${m.optimum}. `, el("a", { href: `#method-${1 + methods.indexOf(method)}` }, "all methods")),
      ...line("Cost", `${(+fit.seconds).toPrecision(3)} s of processor time, ${fixed(fit.megabytes, 1)} MB` + (fit.converged === "no" ? ", not converged" : "")),
      ...(command ? line("Made by", el("code", {}, command), ` with seed ${about.seed}` + (about.settings.limit ? ` and ${about.settings.limit} s for a fit` : "") + ". ", ...(about.settings.command ? ["Scored by ", el("code", {}, about.settings.command), ` with ${about.settings.replicates} resamples.`] : [])) : [])));
    $("#detail").scrollIntoView({ block: "nearest" });
  }

  function table() {
    const shown = data.problems.map((p) => p.problem).filter((p) => state.shown.has(p)), counts = new Map(methods.map((m) => [m, tally(m)]));
    const value = (m) => (state.sort ? estimate(state.sort, m) : counts.get(m).better - counts.get(m).worse);
    const head = shown.map((p) => el("th", { class: "slanted" + (p === state.focus ? " focus" : "") }, el("button", { onclick: () => { state.sort = p; state.focus = p; draw(); } }, p + (p === state.sort ? " ↓" : ""))));
    const best = new Map(shown.map((p) => [p, Math[more() ? "max" : "min"](...methods.filter((m) => !unconverged(p, m)).map((m) => estimate(p, m)).filter((x) => !Number.isNaN(x)))]));
    const cell = (p, m) => { const v = versus(p, m), x = estimate(p, m), fit = fits.get(key(p, m)) || {}, text = Number.isNaN(x) ? (about.statuses[fit.status] || "–") : state.view === "score" || !v ? fixed(x) : signed(v.d);
      return el("td", { class: x === best.get(p) ? "score best" : "score" }, el("button", { onclick: () => detail(p, m) }, ...mark(v), unconverged(p, m) && !Number.isNaN(x) ? text + "†" : text)); };
    fill("#scores-table", el("thead", {}, el("tr", {}, el("th", {}, el("button", { onclick: () => { state.sort = ""; draw(); } }, "method")), el("th", { class: "right" }, "better"), el("th", { class: "right" }, "worse"), ...head)),
      el("tbody", {}, ...order(value, state.sort ? more() : true).map((m) => el("tr", {}, name(m), el("td", { class: "right" }, counts.get(m).better), el("td", { class: "right" }, counts.get(m).worse), ...shown.map((p) => cell(p, m))))));
  }

  function forest() {
    const rows = order((m) => estimate(state.focus, m), more()).filter((m) => !Number.isNaN(estimate(state.focus, m))), found = rows.map((m) => versus(state.focus, m));
    const reach = Math.max(0.001, ...found.map((v) => (v ? Math.min(Math.abs(v.d) + v.critical * v.error, 0.5) : 0))), at = (x) => 50 + 50 * Math.max(-1, Math.min(1, x / reach));
    const bar = (v, half, style) => el("i", { class: style, style: `left:${at(v.d - half)}%;width:${at(v.d + half) - at(v.d - half)}%` });
    const resampled = (m) => { const gaps = data.refits.filter((r) => r.problem === state.focus && r.design === about.resampled && r.score === state.score && r[m] && r[state.reference]).map((r) => r[m] - r[state.reference]);
      const mean = gaps.reduce((a, b) => a + b, 0) / gaps.length; return gaps.length > 1 && m !== state.reference ? "± " + fixed(1.96 * Math.sqrt(gaps.reduce((a, b) => a + (b - mean) ** 2, 0) / (gaps.length - 1))) : ""; };
    fill("#forest", el("thead", {}, el("tr", {}, ...["method", about.scores[state.score].title, "95% interval", `minus ${titleOf(state.reference)}`, `−${fixed(reach, 2)} to ${fixed(reach, 2)}`, "over annotators"].map((t, n) => el("th", { class: n && n < 4 ? "right" : "" }, t)))),
      el("tbody", {}, ...rows.map((m, n) => { const v = found[n], s = scores.get(key(state.focus, state.score, m));
        return el("tr", {}, name(m), el("td", { class: "right" }, fixed(s.estimate)), el("td", { class: "right" }, `${fixed(s.lower)} to ${fixed(s.upper)}`), el("td", { class: "right" }, ...(v ? [...mark(v), signed(v.d)] : ["reference"])),
          el("td", {}, el("div", { class: "track" }, ...(v ? [bar(v, v.critical * v.error, "thin"), bar(v, 1.96 * v.error, "thick"), el("b", { style: `left:${at(v.d)}%` })] : []))), el("td", { class: "right" }, resampled(m))); })));
  }

  function chart(title, lines, x, y, diagonal) {
    const edge = (line, side) => line.points.map((p) => [p[0], p[1] + side * (p[3] || 0)]), banded = lines.filter((line) => state.lit.has(line.method));
    const all = [...lines.flatMap((line) => line.points), ...banded.flatMap((line) => [...edge(line, 1), ...edge(line, -1)])], W = 300, H = 220, ends = (n) => [Math.min(...all.map((p) => p[n])), Math.max(...all.map((p) => p[n]))];
    const [[x0, x1], [y0, y1]] = diagonal ? [[0, 1], [0, 1]] : [ends(0), ends(1)], px = (v) => 38 + ((v - x0) / (x1 - x0 || 1)) * (W - 50), py = (v) => H - 34 - ((v - y0) / (y1 - y0 || 1)) * (H - 46);
    const text = (at, words, anchor = "middle") => el("text", { x: at[0], y: at[1], "text-anchor": anchor }, words), lit = [...state.lit];
    const colour = (method) => COLOURS[lit.indexOf(method) % COLOURS.length];
    const around = (line, n) => [...line.points.map((p) => [p[0], p[1] + (p[n] || 0)]), ...[...line.points].reverse().map((p) => [p[0], p[1] - (p[n] || 0)])].map((p) => `${px(p[0])},${py(p[1])}`).join(" ");
    const bands = banded.filter((line) => line.points.some((p) => p[3] > 0)).flatMap((line) => [3, 2].map((n) => el("polygon", { points: around(line, n), fill: colour(line.method), "fill-opacity": n === 3 ? 0.12 : 0.22 })));
    const drawn = [...lines].sort((a, b) => state.lit.has(a.method) - state.lit.has(b.method)).map((line) => el("polyline", { points: line.points.map((p) => `${px(p[0])},${py(p[1])}`).join(" "), stroke: state.lit.has(line.method) ? colour(line.method) : "#cfcabd", "stroke-width": state.lit.has(line.method) ? 2 : 1, "stroke-dasharray": lit.indexOf(line.method) >= COLOURS.length ? "4 3" : null }, el("title", {}, titleOf(line.method))));
    return el("figure", { class: "chart" }, el("figcaption", {}, el("b", {}, title)), el("svg", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": `${title}: ${y} by ${x}` },
      el("line", { x1: 38, x2: W - 12, y1: H - 34, y2: H - 34, stroke: "#5a646b" }), el("line", { x1: 38, x2: 38, y1: 12, y2: H - 34, stroke: "#5a646b" }), ...(diagonal ? [el("line", { x1: px(0), y1: py(0), x2: px(1), y2: py(1), stroke: "#5a646b", "stroke-dasharray": "2 3" })] : []), ...bands, ...drawn,
      text([px(x0), H - 19], +x0.toPrecision(3)), text([px(x1), H - 19], +x1.toPrecision(3)), text([34, py(y0)], fixed(y0, 2), "end"), text([34, py(y1) + 4], fixed(y1, 2), "end"), text([W / 2 + 13, H - 5], x), text([40, 9], y, "start")));
  }

  function curves() {
    const lines = (rows) => methods.map((method) => ({ method, points: rows(method) })).filter((line) => line.points.length);
    const of = (curve) => lines((m) => data.curves.filter((r) => r.problem === state.focus && r.method === m && r.curve === curve && (curve === "risk" || +r.n_items >= about.min_bin)).map((r) => [+r.x, +r.y]));
    const learnt = data.refits.filter((r) => r.design !== about.resampled && r.score === (state.score === "log_loss" ? "log_loss" : "accuracy")), groups = new Map();
    for (const r of learnt) groups.set(key(r.problem, r.design), [...(groups.get(key(r.problem, r.design)) || []), r]);
    // Of each size the mean, and half-widths of its interval: over draws, and over draws and items.
    const sizes = (rows, m) => [...new Set(rows.map((r) => +r.size))].sort((a, b) => a - b).map((size) => {
      const own = rows.filter((r) => +r.size === size && r[m] !== "" && r[m] != null), n = own.length;
      if (!n) return null;
      const mean = own.reduce((sum, r) => sum + +r[m], 0) / n, variance = n > 1 ? own.reduce((sum, r) => sum + (r[m] - mean) ** 2, 0) / (n - 1) / n : 0;
      const draws = about.half_widths[0] * Math.sqrt(variance), items = about.half_widths[1] * +((refitErrors.get(key(own[0].problem, own[0].design, own[0].size, own[0].score)) || {})[m] || 0);
      return [size, mean, draws, Math.hypot(draws, items)];
    }).filter(Boolean);
    fill("#curves-drawn", chart(`Calibration, ${state.focus}`, of("calibration"), "probability of the best category", "accuracy", true), chart(`Risk and coverage, ${state.focus}`, of("risk"), "share of items, most certain first", "error rate"),
      ...[...groups].map(([k, rows]) => chart(`${k.split("\u0000")[0]}`, lines((m) => sizes(rows, m)), k.split("\u0000")[1], about.scores[rows[0].score].title)));
    fill("#lit", ...[...state.lit].map((m, n) => el("li", {}, el("span", { class: "swatch", style: `background:${COLOURS[n % COLOURS.length]}` }), titleOf(m))));
  }

  function beyond() {
    if (!$("#across-table")) return; // too few data sets to say anything of others
    const turned = (row) => ({ ...row, new_better: row.new_worse, new_worse: row.new_better, better: row.worse, worse: row.better, typical: -row.typical, typical_lower: -row.typical_upper, typical_upper: -row.typical_lower });
    const rows = methods.filter((m) => m !== state.reference).map((m) => { const there = across.get(key(state.score, m, state.reference)), back = across.get(key(state.score, state.reference, m)), row = there || (back && turned(back)); return row && { ...row, m }; }).filter(Boolean).sort((a, b) => b.new_better - b.new_worse - a.new_better + +a.new_worse);
    const head = (text, attributes) => el("th", { class: "right", ...attributes }, text), three = () => ["better", "equivalent", "worse"].map((text) => head(text)), cells = (r, ...names) => names.map((n) => el("td", { class: "right" }, fixed(r[n], 2)));
    fill("#across-table", el("thead", {}, el("tr", {}, el("th", { rowspan: 2 }, "method"), head("data sets", { rowspan: 2 }), el("th", { colspan: 4 }, "on a new data set"), head("typical difference (95%)", { rowspan: 2 }), head("data sets differ by", { rowspan: 2 }), el("th", { colspan: 3 }, "signed-rank test, in general")), el("tr", {}, el("th", { "aria-label": "better, equivalent and worse, as a bar" }), ...three(), ...three())),
      el("tbody", {}, ...rows.map((r) => el("tr", {}, name(r.m), el("td", { class: "right" }, r.n_datasets), el("td", {}, el("div", { class: "bar" }, ...[["v-reproduced", r.new_better], ["v-not_public", r.new_equivalent], ["v-deviates", r.new_worse]].map(([c, x]) => el("span", { class: c, style: `flex-grow:${x}` })))), ...cells(r, "new_better", "new_equivalent", "new_worse"), el("td", { class: "right" }, `${signed(r.typical)} (${fixed(r.typical_lower)} to ${fixed(r.typical_upper)})`), el("td", { class: "right" }, fixed(r.spread)), ...cells(r, "better", "equivalent", "worse")))));
  }

  const draw = () => { table(); forest(); curves(); beyond(); for (const node of document.querySelectorAll("[data-say]")) node.textContent = node.dataset.say === "score" ? about.scores[state.score].title : titleOf(state[node.dataset.say]); for (const id of ["score", "reference", "view", "focus"]) $("#" + id).value = state[id]; };
  const option = (value, text = value) => el("option", { value }, text);
  fill("#score", ...Object.entries(about.scores).map(([value, s]) => option(value, s.title)));
  fill("#reference", ...methods.map((m) => option(m, titleOf(m))));
  fill("#focus", ...data.problems.map((p) => option(p.problem)));
  for (const id of ["score", "reference", "view", "focus"]) $("#" + id).onchange = (event) => { state[id] = event.target.value; draw(); };
  const boxes = data.problems.map((p) => { const box = el("input", { type: "checkbox" }); box.checked = state.shown.has(p.problem); box.onchange = () => { box.checked ? state.shown.add(p.problem) : state.shown.delete(p.problem); draw(); }; return el("label", {}, box, " ", p.problem); });
  const group = (text, keep) => el("button", { onclick: () => { data.problems.forEach((p, n) => (boxes[n].querySelector("input").checked = keep(p)) ? state.shown.add(p.problem) : state.shown.delete(p.problem)); draw(); } }, text);
  fill("#problems-chosen", group("real", (p) => p.provenance === "real"), group("regimes", (p) => p.provenance === "regime"), group("all", () => true), group("none", () => false), ...boxes);
  const json = new Blob([JSON.stringify({ settings: about.settings, ...data })], { type: "application/json" });
  $("#json").append(el("li", {}, el("a", { href: URL.createObjectURL(json), download: "benchmark.json" }, "everything (JSON)")));
  document.body.classList.add("live");
  draw();
}
start();
