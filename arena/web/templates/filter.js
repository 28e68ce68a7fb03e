// Filters and sorts the games of a page of a report. The words and the order are in the address, so that it can be shared.
"use strict";

const part = (id) => document.getElementById(id);
const body = document.querySelector(".games tbody");
const rows = [...body.rows];
const texts = rows.map((row) => row.textContent.toLowerCase());

const show = () => {
  const words = part("words").value.toLowerCase().split(/\s+/).filter(Boolean);
  rows.forEach((row, index) => { row.hidden = !words.every((word) => texts[index].includes(word)); });
  const sign = { longest: -1, shortest: 1 }[part("order").value] ?? 0;
  body.append(...[...rows].sort((one, other) => sign * (one.dataset.plies - other.dataset.plies)));
  const left = rows.filter((row) => !row.hidden).length;
  part("found").textContent = words.length ? `${left} of ${rows.length} games` : "";
};

const read = () => {
  const asked = new URLSearchParams(location.hash.slice(1));
  part("words").value = asked.get("words") ?? "";
  part("order").value = asked.get("order") ?? "";
  show();
};

part("filter").hidden = false;
part("filter").addEventListener("submit", (event) => event.preventDefault());
part("filter").addEventListener("input", () => {
  show();
  const asked = new URLSearchParams();
  for (const id of ["words", "order"]) if (part(id).value) asked.set(id, part(id).value);
  history.replaceState(null, "", `#${asked}`);
});
window.addEventListener("hashchange", read);
read();
