"use strict";
// Texts are written as text, never as HTML; answers stay in this browser until they are saved as a file.
const about = JSON.parse(document.querySelector("#about").textContent);
const at = (id) => document.getElementById(id);
const store = `annobench audit ${about.design}`;
let answers = {}, place = 0;
try {
  answers = JSON.parse(localStorage.getItem(store)) ?? {};
} catch {
  answers = {};
}

const buttons = about.categories.map(([name, shown], n) => {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = shown;
  if (n < 9) button.dataset.digit = n + 1;
  button.onclick = () => choose(name);
  at("choices").append(button);
  return button;
});

function choose(name) {
  answers[place] = name;
  try {
    localStorage.setItem(store, JSON.stringify(answers));
  } catch {
    // Without storage the answers last as long as the page.
  }
  show(Math.min(place + 1, about.items.length - 1));
}

function show(next) {
  place = next;
  const [, name, text] = about.items[place], n = Object.keys(answers).length;
  at("place").textContent = `Item ${place + 1} of ${about.items.length}`;
  at("item").textContent = name;
  at("text").textContent = text;
  at("done").value = n;
  at("count").textContent = `${n} checked`;
  at("save").disabled = !n;
  at("previous").disabled = !place;
  at("next-item").disabled = place === about.items.length - 1;
  about.categories.forEach(([category], k) => buttons[k].setAttribute("aria-pressed", answers[place] === category));
}

at("previous").onclick = () => show(place - 1);
at("next-item").onclick = () => show(place + 1);
at("keys").onchange = () => at("checker").classList.toggle("with-keys", at("keys").checked);
document.addEventListener("keydown", (event) => {
  if (!at("keys").checked || event.ctrlKey || event.metaKey || event.altKey) return;
  const button = buttons.find((each) => each.dataset.digit === event.key);
  if (button) button.click();
  else if (event.key === "ArrowLeft") at("previous").click();
  else if (event.key === "ArrowRight") at("next-item").click();
  else return;
  event.preventDefault();
});

const quoted = (text) => `"${text.replaceAll('"', '""')}"`;
at("save").onclick = () => {
  const rows = about.items.map(([name], n) => `${quoted(name)},${quoted(answers[n] ?? "")}\n`);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(["item,gold\n", ...rows], { type: "text/csv" }));
  link.download = "checked.csv";
  link.click();
};

at("done").max = about.items.length;
at("checker").hidden = false;
// Where the checker stopped.
const open = about.items.findIndex((_, n) => !(n in answers));
show(open < 0 ? 0 : open);
