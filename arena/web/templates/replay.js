// Shows the positions of one game. Each position is a list of indexes of SVG elements.
"use strict";

const game = JSON.parse(document.getElementById("replay").textContent);
const find = (id) => document.getElementById(id);
const cursors = [...document.querySelectorAll("line.cursor")];
const last = game.frames.length - 1;
let now = last;

function show(frame) {
  now = Math.min(Math.max(frame, 0), last);
  const ply = now - game.opening;
  find("items").innerHTML = game.frames[now].map((item) => game.items[item]).join("");
  find("says").textContent = game.says[now];
  find("caption").textContent = game.captions[now];
  find("position").textContent = game.positions[now];
  find("slide").value = now;
  find("slide").setAttribute("aria-valuetext", game.says[now]);
  find("here").setAttribute("href", `#ply=${ply}`);
  for (const id of ["first", "back"]) find(id).disabled = now === 0;
  for (const id of ["forward", "last"]) find(id).disabled = now === last;
  document.querySelector("tr[aria-current]")?.removeAttribute("aria-current");
  const row = find(`ply=${ply}`);
  row?.setAttribute("aria-current", "step");
  moveCursors(ply);
}

function moveCursors(ply) {
  for (const line of cursors) {
    const { low, high, left, right } = line.dataset;
    const share = Math.min(Math.max((ply - low) / Math.max(high - low, 1), 0), 1);
    const x = Number(left) + share * (right - left);
    line.setAttribute("x1", x);
    line.setAttribute("x2", x);
  }
}

function go(frame) {
  show(frame);
  history.replaceState(null, "", `#ply=${now - game.opening}`);
  reveal();
}

function reveal() {
  const row = document.querySelector("tr[aria-current]");
  const box = row?.closest(".moves");
  if (box) box.scrollTop = row.offsetTop - box.clientHeight / 2;
}

function follow() {
  const match = /^#ply=(-?\d+)$/.exec(location.hash);
  if (match) show(Number(match[1]) + game.opening);
}

const steps = { ArrowLeft: () => now - 1, ArrowRight: () => now + 1, Home: () => 0, End: () => last };

document.addEventListener("keydown", (event) => {
  const plain = !(event.altKey || event.ctrlKey || event.metaKey || event.shiftKey);
  const step = Object.hasOwn(steps, event.key) ? steps[event.key] : null;
  if (!step || !plain || event.target.closest("input, .scroll:not(.moves)")) return;
  event.preventDefault();
  go(step());
});
find("first").addEventListener("click", () => go(0));
find("back").addEventListener("click", () => go(now - 1));
find("forward").addEventListener("click", () => go(now + 1));
find("last").addEventListener("click", () => go(last));
find("slide").addEventListener("input", (event) => go(Number(event.target.value)));
document.addEventListener("click", (event) => {
  const link = event.target.closest("tr a");
  if (!link) return;
  event.preventDefault();
  go(Number(link.hash.slice("#ply=".length)) + game.opening);
});
window.addEventListener("hashchange", follow);
window.addEventListener("load", () => {
  if (!location.hash.startsWith("#ply=")) return;
  window.scrollTo(0, 0); // the browser scrolls to the move in the list, but the link is for the board
  find("board").scrollIntoView({ block: "nearest" });
  reveal();
});

find("controls").hidden = false;
show(last);
follow();
